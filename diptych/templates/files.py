"""A TOML file of templates as it is written: read, bounded, and with the line of everything in it."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diptych.templates.lines import Section, SourceMap, mask, source_map

MAX_FILE = 131_072
MAX_DOTS = 8
MAX_TEMPLATES = 500
_AT_LINE = re.compile(r" ?\(at line (\d+), column \d+\)")


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in a file of templates, or (`is_error` false) something that only looks like one."""

    file: Path
    line: int
    message: str
    id: str = ""
    is_error: bool = True

    def __str__(self) -> str:
        about = f"template {self.id!r}: " if self.id else ""
        return f"{self.file}:{self.line}: {'' if self.is_error else 'warning: '}{about}{self.message}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One `[[template]]` as it stands in its file."""

    values: Mapping[str, Any]
    section: Section

    @property
    def id(self) -> str:
        """The id, where there is a usable one."""
        value = self.values.get("id")
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """A file of templates that is sound TOML."""

    path: Path
    values: Mapping[str, Any]
    where: SourceMap

    def entries(self) -> Iterator[Entry]:
        """The entries in their order; anything that is no table is left to the checks."""
        found = self.values.get("template", [])
        tables = found if isinstance(found, list) else []
        for index, values in enumerate(tables[:MAX_TEMPLATES]):
            if isinstance(values, dict):
                yield Entry(values, self.where.section("template", index))

    def problem(self, message: str, key: str = "", section: str = "", *, is_error: bool = True) -> Problem:
        """A mistake at a key of a table that occurs once; a key at the top may be a table itself."""
        table = self.where.section(section)
        if not section and key not in table.keys:
            table = self.where.section(key)
        line = self.where.key_line(table, key)
        return Problem(self.path, max(line, 1), message, is_error=is_error)

    def entry_problem(self, entry: Entry, message: str, key: str = "", line: int = 0) -> Problem:
        """A mistake in an entry: at a key of it, or at a line of that key's text."""
        where = self.where
        at = where.text_line(entry.section, key, line) if line else where.key_line(entry.section, key)
        return Problem(self.path, max(at, 1), message, entry.id)


def read_file(path: Path) -> TemplateFile | Problem:
    """Read one file; what is too large, no UTF-8 or no TOML is a problem with its line."""
    try:
        if path.stat().st_size > MAX_FILE:
            return Problem(path, 1, f"the file is larger than {MAX_FILE // 1024} KB: split it")
        source = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        return Problem(path, error.object.count(b"\n", 0, error.start) + 1, "the file is not UTF-8")
    except OSError as error:
        return Problem(path, 1, f"the file cannot be read: {error.strerror}")
    return _parse(path, source)


def _parse(path: Path, source: str) -> TemplateFile | Problem:
    # tomllib takes memory in the square of the parts of a dotted key, so long ones never reach it.
    for number, line in enumerate(mask(source).split("\n"), 1):
        if line.count(".") > MAX_DOTS:
            return Problem(path, number, f"TOML: more than {MAX_DOTS} dots in one line outside of a text")
    try:
        values = tomllib.loads(source)
    except RecursionError:
        return Problem(path, 1, "TOML: nested too deeply")
    except tomllib.TOMLDecodeError as error:
        return Problem(path, _line_of(error, source), f"TOML: {_AT_LINE.sub('', str(error))}")
    except ValueError:
        return Problem(path, 1, "TOML: a number or date that cannot be read")
    return TemplateFile(path, values, source_map(source))


def _line_of(error: ValueError, source: str) -> int:
    found = _AT_LINE.search(str(error))
    return int(found[1]) if found else max(1, source.rstrip().count("\n") + 1)
