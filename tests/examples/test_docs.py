"""What the documentation names is there: files, functions, commands and options, and the walk through a build."""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from typer.main import get_command

import diptych
from diptych.cli import main
from diptych.cli._app import app
from diptych.demo import make_world
from tests.examples.documents import PAGES, ROOT, blocks

ARCHITECTURE = ROOT / "docs" / "architecture.md"

_WALK = re.compile(r"^\| (?P<number>\d+) \| `(?P<file>[^`]+)` \| `(?P<function>[^`]+)` \|", re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#\s]+)[^)]*\)")
_FILE = re.compile(r"`(?P<path>(?:diptych|docs|examples|scripts|tests|benchmarks)/[\w./-]+)`")
_NOT_ROOMS = {"__init__", "__main__", "_api"}

on_every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@dataclass(frozen=True)
class Step:
    """One line of the walk."""

    file: str
    function: str


def walk() -> list[Step]:
    matches = list(_WALK.finditer(ARCHITECTURE.read_text(encoding="utf-8")))
    assert [int(match["number"]) for match in matches] == list(range(1, len(matches) + 1))
    return [Step(match["file"], match["function"]) for match in matches]


def functions(path: Path) -> set[str]:
    """The qualified names of the functions of a module."""

    def names(nodes: list[ast.stmt], prefix: str) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, ast.FunctionDef):
                yield prefix + node.name
            elif isinstance(node, ast.ClassDef):
                yield from names(node.body, f"{prefix}{node.name}.")

    return set(names(ast.parse(path.read_text(encoding="utf-8")).body, ""))


def test_the_walk_has_at_most_twenty_steps_that_exist() -> None:
    steps = walk()
    assert 15 <= len(steps) <= 20
    for step in steps:
        assert step.function in functions(ROOT / step.file), step


@pytest.mark.slow
def test_a_build_takes_the_walk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_world(tmp_path / "data", 20, pictures=False)
    calls: dict[Step, int] = {}

    def record(frame: FrameType, event: str, _: Any) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(f"{ROOT}/diptych/"):
            calls.setdefault(Step(path.removeprefix(f"{ROOT}/"), frame.f_code.co_qualname), len(calls))

    data, out = str(tmp_path / "data"), str(tmp_path / "out")
    sys.setprofile(record)
    try:
        with pytest.raises(SystemExit) as stop:
            main(["build", "rad-cads", "--data", data, "--out", out, "--config", "yn_from_color"])
    finally:
        sys.setprofile(None)
    assert not stop.value.code, capsys.readouterr().err
    steps = walk()
    assert set(steps) <= set(calls)
    assert sorted(steps, key=calls.__getitem__) == steps


def test_every_room_is_described() -> None:
    text = ARCHITECTURE.read_text(encoding="utf-8").partition("## The rooms")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    described = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    rooms = {
        path.stem for path in (ROOT / "diptych").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert described == rooms - _NOT_ROOMS


@on_every_page
def test_links_and_files_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = [path for path in _LINK.findall(text) if not (page.parent / path).exists()]
    files = [path for path in _FILE.findall(text) if not re.search(r"NAME|DATASET|TEST", path)]
    missing += [path for path in files if not (ROOT / path).exists()]
    assert not missing


@on_every_page
def test_python_compiles_and_uses_public_names(page: Path) -> None:
    for block in (block for block in blocks(page) if block.language == "python"):
        names = {
            node.attr
            for node in ast.walk(block.tree())
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "diptych"
        }
        assert names <= set(diptych.__all__)


@on_every_page
def test_commands_and_their_options_exist(page: Path) -> None:
    commands = [command for block in blocks(page) if block.is_shell for command in block.commands()]
    for words in (command.words[1:] for command in commands if command.words[0].endswith("diptych")):
        command: Any = get_command(app)
        while hasattr(command, "commands") and words and words[0] in command.commands:
            command = command.commands[words.pop(0)]
        options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        unknown = {word for word in words if word.startswith("--")} - options - {"--help"}
        assert not unknown, f"diptych {command.name}: {unknown}"
        assert command.name != "diptych" or set(words) <= options, words


def test_the_excerpts_of_the_example_are_its_code() -> None:
    files = [path for path in (ROOT / "examples").rglob("*") if path.suffix in {".py", ".toml"}]
    sources = ["\n".join(map(str.strip, path.read_text(encoding="utf-8").splitlines())) for path in files]
    page = ROOT / "docs" / "add-a-dataset.md"
    for block in (block.text for block in blocks(page) if block.language in ("python", "toml")):
        excerpt = "\n".join(map(str.strip, block.splitlines()))
        assert any(excerpt in source for source in sources), block
