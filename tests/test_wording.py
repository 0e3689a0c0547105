"""The wording of what users read: American spelling, and none of the phrasings that the style rules out."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "diptych"
PAGES = sorted(
    path
    for suffix in ("md", "html", "js")
    for path in PACKAGE.rglob(f"*.{suffix}*")
    if path.suffix in (".jinja", ".js")
)
MODULES = sorted(PACKAGE.rglob("*.py"))

BRITISH = re.compile(
    r"\b(behaviour|catalogue|centre|colour|defence|favour|flavour|grey(?!\*)|honour|judgement|labell(?:ed|ing)|licence|modelling"
    r"|neighbour|programme|(?:normal|organ|recogn|optim|summar|general|initial|serial|token|lemmat|synthes)is(?:e|es|ed|ing|ation|er)"
    r"|analys(?:e|es|ed|ing)(?= )|whilst|amongst)s?\b",
    re.IGNORECASE,
)
QUAINT = {
    r"\b(?:is|are|be) had\b": "is available, is downloaded from",
    r"\bmend(?:s|ed|ing)?\b": "fix, correct",
    r"\banew\b": "again",
    r"\bsay --": "pass --",
    r"\bis no (?!longer|other|more)\w+": "is not a",
    r"\b(?:is|are) not there\b": "is missing, does not exist",
    r"\b(?:is|are) there (?:already|twice)\b": "already exists, occurs twice",
    r"\bis none of\b": "is not one of",
    r"\bso many (?:pairs|items|questions)\b": "N pairs",
    r"\ba (?:row|line|folder|file) an? \w+\b": "one row per …",
    r"\bname another\b": "choose another",
    r"\b(?:goes|go) on where\b": "resumes",
}


def messages(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module that users read: raised and printed messages, help, and the help of commands."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            yield from texts(node.exc)
        elif isinstance(node, ast.Call):
            yield from (text for keyword in node.keywords if keyword.arg == "help" for text in texts(keyword.value))
            if getattr(node.func, "attr", getattr(node.func, "id", "")) in ("echo", "Parameter", "Config", "print"):
                yield from texts(node)
        elif isinstance(node, ast.FunctionDef | ast.Module) and path.parent.name == "cli":
            yield getattr(node, "lineno", 1), ast.get_docstring(node) or ""


def texts(node: ast.AST) -> Iterator[tuple[int, str]]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.lineno, part.value


def faults(text: str) -> Iterator[str]:
    yield from (f"{match[0]!r} is British" for match in BRITISH.finditer(text))
    for pattern, better in QUAINT.items():
        yield from (f"{match[0]!r}: write {better!r}" for match in re.finditer(pattern, text))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_messages_are_plain_american_english(path: Path) -> None:
    assert not [f"{path.name}:{line}: {fault}" for line, text in messages(path) for fault in faults(text)]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_cards_and_pages_are_plain_american_english(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert not [f"{path.name}:{number}: {fault}" for number, line in enumerate(lines, 1) for fault in faults(line)]


@pytest.mark.parametrize(
    ("text", "count"), [("mend the colour anew", 3), ("the file is not there", 1), ("A fixed color; pass --out.", 0)]
)
def test_a_fault_is_found(text: str, count: int) -> None:
    assert len(list(faults(text))) == count
