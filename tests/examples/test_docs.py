"""What the documentation names is there: files, functions, commands and options, and the walk through a build."""

import ast
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from types import FrameType
from typing import Any

import pytest
from typer.main import get_command

import diptych
from diptych.cli import main
from diptych.cli._app import app
from diptych.demo import make_world
from diptych.files import read_json_lines

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("docs/**/*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md"))])
ARCHITECTURE = ROOT / "docs" / "architecture.md"

_WALK = re.compile(r"^\| (?P<number>\d+) \| `(?P<file>[^`]+)` \| `(?P<function>[^`]+)` \|", re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#\s]+)[^)]*\)")
_FILE = re.compile(r"`(?P<path>(?:diptych|docs|examples|scripts|tests|benchmarks)/[\w./-]+)`")
_BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
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


def blocks(page: Path, *languages: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return [match["text"] for match in _BLOCK.finditer(text) if match["language"] in languages]


def commands(page: Path) -> Iterator[list[str]]:
    """The arguments of every `diptych` command in the code blocks of a page."""
    for block in blocks(page, "", "sh", "bash"):
        for line in block.splitlines():
            if line.startswith("diptych "):
                yield shlex.split(line, comments=True)[1:]
    yield from (shlex.split(command)[1:] for block in blocks(page, "console") for command, _ in session(block))


def session(block: str) -> Iterator[tuple[str, list[str]]]:
    """The commands of a console, which begin with `$`, with the lines that are shown of their output."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, *lines = part.splitlines()
        yield command, [line for line in lines if line != "…"]


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
    for block in blocks(page, "python"):
        tree = ast.parse(dedent(block).replace("…", "..."))
        names = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "diptych"
        }
        assert names <= set(diptych.__all__)


@on_every_page
def test_commands_and_their_options_exist(page: Path) -> None:
    for words in commands(page):
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
    for block in blocks(ROOT / "docs" / "add-a-dataset.md", "python", "toml"):
        excerpt = "\n".join(map(str.strip, block.splitlines()))
        assert any(excerpt in source for source in sources), block


@pytest.mark.slow
def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_world(tmp_path / "data", 60, pictures=False)
    (tmp_path / "diptych").symlink_to(ROOT / "diptych")  # the metric is loaded by its path in the repository
    monkeypatch.chdir(tmp_path)
    build, *others = blocks(ROOT / "README.md", "python")
    names: dict[str, Any] = {}
    exec(build, names)
    for model, file in (("always-yes", "predictions.jsonl"), ("always-no", "theirs.jsonl")):
        with pytest.raises(SystemExit):
            main(["baseline", "out", model, "--out", file])
    names["predictions"] = [row for _, row in read_json_lines(Path("predictions.jsonl"))]
    for block in others:
        exec(block, names)
    assert names["report"].scores["yes_rate"].value == 1.0


@pytest.mark.slow
@on_every_page
def test_consoles_show_what_commands_print(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for command, lines in (part for block in blocks(page, "console") for part in session(block)):
        with pytest.raises(SystemExit) as stop:
            main(shlex.split(command)[1:])
        assert not stop.value.code, command
        printed = capsys.readouterr().out.splitlines()
        assert not [line for line in lines if line not in printed], (command, printed)
