"""The house rules that a machine can check: who may import whom, and how long things get."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "diptych"

# Data flows down this list; a room imports only from its own row and the rows above it.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("errors", "pairs", "progress"),
    ("sources",),
    ("language", "kg", "scenegraphs", "ranking"),
    ("templates",),
    ("builders",),
    ("cards", "metrics"),
    ("report",),
    ("demo",),
    ("cli", "__main__"),
)
LEVEL = {room: level for level, floor in enumerate(FLOORS) for room in floor}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module == "diptych":
            names = [f"diptych.{alias.name}" for alias in node.names if alias.name != "__version__"]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or ""]
        for name in names:
            parts = name.split(".")
            if parts[0] == "diptych" and len(parts) > 1:
                yield getattr(node, "lineno", 0), parts[1]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_room_imports_from_a_room_below(path: Path) -> None:
    room = room_of(path)
    if room == "__init__":
        return
    for line, other in imported_rooms(path):
        assert LEVEL[other] <= LEVEL[room], f"{path}:{line}: {room} imports from {other}, which lies below it"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_modules_and_functions_stay_readable(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400, "one module, one subject: at most 400 lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            size = (node.end_lineno or 0) - node.lineno + 1
            assert size <= 60, f"{node.name} is {size} lines long"
