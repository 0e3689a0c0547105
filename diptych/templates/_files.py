"""Template files: TOML that is limited in size, with the line of everything in it, for `tomllib` tells no lines.

Tables and keys are searched in a *masked* copy of the file without strings and comments, so that nothing inside the
text of a template is ever mistaken for TOML.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_BYTES = 131_072
MAX_DOTS = 8
MAX_TEMPLATES = 500
_TOML_POSITION = re.compile(r" ?\(at line (\d+), column \d+\)")
# Every kind of string also matches when it is unterminated: tomllib stops there, and the search stays linear.
_STRING_OR_COMMENT = re.compile(
    r'''"""(?:\\.|"{1,2}(?!")|[^"\\])*+(?:"{3,5})?|'''
    r"""'''(?:'{1,2}(?!')|[^'])*+(?:'{3,5})?|"""
    r""""(?:\\.|[^"\\\n])*+"?|"""
    r"""'[^'\n]*+'?|"""
    r"#[^\n]*",
    re.DOTALL,
)
_HEADER = re.compile(r"^[ \t]*\[{1,2}[ \t]*([A-Za-z_][\w-]*)[ \t]*\]{1,2}", re.MULTILINE)
_KEY = re.compile(r"^[ \t]*([\w-]+)[ \t]*=[ \t]*", re.MULTILINE)
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")
_NEWLINE = re.compile("\n")
_NEWLINE_OR_ESCAPE = re.compile(r"\\[ \t]*\n\s*|\\n|\\.|\n", re.DOTALL)

Section = dict[str, tuple[int, int]]
"""A table of the file: the start of each key and of its value, and under "" its own."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An error in a template file, or a warning if `is_error` is false."""

    file: Path
    line: int
    message: str
    id: str = ""
    is_error: bool = True

    def __str__(self) -> str:
        subject = f"template {self.id!r}: " if self.id else ""
        return f"{self.file}:{self.line}: {'' if self.is_error else 'warning: '}{subject}{self.message}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A `[[template]]` entry of a file."""

    values: Mapping[str, Any]
    section: Section
    line: int

    @property
    def id(self) -> str:
        """The id, or "" if it is missing or not valid."""
        value = self.values.get("id")
        return value if isinstance(value, str) and _ID.fullmatch(value) else ""


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """A template file that is valid TOML."""

    path: Path
    values: Mapping[str, Any]
    source: str
    sections: Mapping[str, list[Section]]

    def entries(self) -> Iterator[Entry]:
        """The entries in order; those that are not tables are left to the checks."""
        tables = self.values.get("template", [])
        for index, values in enumerate(tables[:MAX_TEMPLATES] if isinstance(tables, list) else []):
            if isinstance(values, dict):
                section = self._section("template", index)
                yield Entry(values, section, self._key_line(section, ""))

    def problem(self, message: str, key: str = "", section: str = "", *, is_error: bool = True) -> Problem:
        """A problem at a key of a table that occurs once; a key at the top of the file may be a table itself."""
        table = self._section(section)
        if not section and key not in table:
            table = self._section(key)
        return Problem(self.path, self._key_line(table, key), message, is_error=is_error)

    def entry_problem(self, entry: Entry, message: str, key: str = "", text_line: int = 0) -> Problem:
        """A problem in an entry, at one of its keys or at a line of the text of that key."""
        line = self._key_line(entry.section, key)
        if text_line and key in entry.section:
            line += _count_lines(self.source[entry.section[key][1] :], text_line)
        return Problem(self.path, line, message, entry.id)

    def _section(self, name: str, index: int = 0) -> Section:
        """The n-th table of a name, or the top of the file if that table has no header of its own."""
        sections = self.sections.get(name, [])
        return sections[index] if index < len(sections) else self.sections[""][0]

    def _key_line(self, section: Section, key: str) -> int:
        return self.source.count("\n", 0, section.get(key, section[""])[0]) + 1


def read_file(path: Path) -> TemplateFile | Problem:
    """Read a file; one that is too large, not UTF-8 or not TOML is a problem with its line."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return Problem(path, 1, f"the file is larger than {MAX_BYTES // 1024} KB: split it")
        source = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        return Problem(path, error.object.count(b"\n", 0, error.start) + 1, "the file is not UTF-8")
    except OSError as error:
        return Problem(path, 1, f"the file cannot be read: {error.strerror}")
    return _parse(path, source)


def _parse(path: Path, source: str) -> TemplateFile | Problem:
    # The memory tomllib needs grows with the square of the parts of a dotted key, so long ones never reach it.
    masked_source = _STRING_OR_COMMENT.sub(lambda match: re.sub(r"[^\n]", "~", match[0]), source)
    for number, line in enumerate(masked_source.split("\n"), 1):
        if line.count(".") > MAX_DOTS:
            return Problem(path, number, f"TOML: more than {MAX_DOTS} dots in a line outside of strings")
    try:
        values = tomllib.loads(source)
    except RecursionError:
        return Problem(path, 1, "TOML: nested too deeply")
    except tomllib.TOMLDecodeError as error:
        match = _TOML_POSITION.search(str(error))
        last_line = int(match[1]) if match else max(1, source.rstrip().count("\n") + 1)
        return Problem(path, last_line, f"TOML: {_TOML_POSITION.sub('', str(error))}")
    except ValueError:
        return Problem(path, 1, "TOML: a number or date that cannot be read")
    return TemplateFile(path, values, source, _find_sections(masked_source))


def _find_sections(masked_source: str) -> dict[str, list[Section]]:
    headers = [(0, ""), *((match.start(1), match[1]) for match in _HEADER.finditer(masked_source))]
    ends = [start for start, _ in headers[1:]] + [len(masked_source)]
    sections: dict[str, list[Section]] = {}
    for (start, name), end in zip(headers, ends, strict=True):
        section = {"": (start, start)}
        for match in _KEY.finditer(masked_source, start, end):
            section.setdefault(match[1], (match.start(1), match.end()))
        sections.setdefault(name, []).append(section)
    return sections


def _count_lines(source: str, line: int) -> int:
    """The number of lines of the file between the start of a string value and the n-th line of its text."""
    quotes = source[:3]
    if quotes not in ('"""', "'''"):
        return 0
    match = _STRING_OR_COMMENT.match(source)
    body = match[0][3:-3] if match else ""
    separator = _NEWLINE_OR_ESCAPE if quotes == '"""' else _NEWLINE
    file_lines, text_lines = int(body.startswith("\n")), 1
    for match in separator.finditer(body, file_lines):
        if text_lines >= line:
            break
        file_lines += match[0].count("\n")
        text_lines += match[0] in ("\n", "\\n")
    return file_lines
