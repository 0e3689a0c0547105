"""The pages of the documentation, taken apart into the blocks of code that readers copy."""

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("docs/**/*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md"))])
PROGRAMS = ("diptych", "pip", "make", "python", "hf", "cat", "export", "bash", "git", "source")

_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[\w-]*)[^\n]*\n(?P<text>.*?)^(?P=indent)```[ ]*$", re.MULTILINE | re.DOTALL
)
_NOT_RUN = re.compile(r"<!-- not run: (?P<reason>[^>]+?) -->\s*\Z")
_SHELLS = ("", "sh", "bash", "console")


@dataclass(frozen=True)
class Command:
    """One line for a shell, and the lines that the page shows of what it prints."""

    text: str
    output: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        """The words of the command without its comment."""
        return shlex.split(self.text, comments=True)

    @property
    def exit_codes(self) -> tuple[int, ...]:
        """What the command may end with: a comment may say an error, and `diff` tells whether it found any."""
        if "# error:" in self.text:
            return (2,)
        return (0, 1) if self.words[1:2] == ["diff"] else (0,)


@dataclass(frozen=True)
class Block:
    """One fenced block: where it begins, its language and text, and why it is not run, if a comment says so."""

    page: Path
    line: int
    language: str
    text: str
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def is_shell(self) -> bool:
        """Whether it holds commands; a block without a language may be a listing."""
        lines = [line for line in self.text.splitlines() if line.strip() and not line.startswith("#")]
        programs = [_program(line) for line in lines]
        is_listing = self.language == "" and not {*programs[:1]} & {*PROGRAMS} and "diptych" not in programs
        return self.language in _SHELLS and not is_listing

    @property
    def is_python(self) -> bool:
        """Whether it holds Python that could be run by itself: excerpts of the examples are not."""
        return self.language == "python" and not _is_excerpt(self.text)

    def commands(self) -> Iterator[Command]:
        """Its commands; in a console they begin with `$`, and the lines below them are output."""
        if self.language == "console":
            for part in re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]:
                text, *lines = part.splitlines()
                yield Command(text, tuple(line for line in lines if line != "…"))
        else:
            for line in self.text.replace("\\\n", " ").splitlines():
                if line.strip() and not line.startswith("#"):
                    yield Command(line)

    def tree(self) -> ast.Module:
        """Its Python."""
        return ast.parse(self.text.replace("…", "..."))


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    for match in _FENCE.finditer(text):
        marker = _NOT_RUN.search(text, 0, match.start())
        line = text.count("\n", 0, match.start()) + 1
        yield Block(page, line, match["language"], dedent(match["text"]), marker["reason"] if marker else "")


def _program(line: str) -> str:
    return line.split()[0].rpartition("/")[2]


def _is_excerpt(text: str) -> bool:
    files = list((ROOT / "examples").rglob("*.py"))
    excerpt = "\n".join(map(str.strip, text.splitlines()))
    return any(excerpt in "\n".join(map(str.strip, path.read_text(encoding="utf-8").splitlines())) for path in files)
