"""Template files: TOML that is limited in size, with the line of everything in it."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diptych.templates._positions import Section, SourceMap, mask, source_map

MAX_BYTES = 131_072
MAX_DOTS = 8
MAX_TEMPLATES = 500
_TOML_POSITION = re.compile(r" ?\(at line (\d+), column \d+\)")


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

    @property
    def id(self) -> str:
        """The id, or "" if it is missing or not a string."""
        value = self.values.get("id")
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """A template file that is valid TOML."""

    path: Path
    values: Mapping[str, Any]
    positions: SourceMap

    def entries(self) -> Iterator[Entry]:
        """The entries in order; those that are not tables are left to the checks."""
        tables = self.values.get("template", [])
        for index, values in enumerate(tables[:MAX_TEMPLATES] if isinstance(tables, list) else []):
            if isinstance(values, dict):
                yield Entry(values, self.positions.section("template", index))

    def problem(self, message: str, key: str = "", section: str = "", *, is_error: bool = True) -> Problem:
        """A problem at a key of a table that occurs once; a key at the top of the file may be a table itself."""
        table = self.positions.section(section)
        if not section and key not in table.keys:
            table = self.positions.section(key)
        return Problem(self.path, max(self.positions.key_line(table, key), 1), message, is_error=is_error)

    def entry_problem(self, entry: Entry, message: str, key: str = "", text_line: int = 0) -> Problem:
        """A problem in an entry, at one of its keys or at a line of the text of that key."""
        if text_line:
            line = self.positions.text_line(entry.section, key, text_line)
        else:
            line = self.positions.key_line(entry.section, key)
        return Problem(self.path, max(line, 1), message, entry.id)


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
    for number, line in enumerate(mask(source).split("\n"), 1):
        if line.count(".") > MAX_DOTS:
            return Problem(path, number, f"TOML: more than {MAX_DOTS} dots in a line outside of strings")
    try:
        values = tomllib.loads(source)
    except RecursionError:
        return Problem(path, 1, "TOML: nested too deeply")
    except tomllib.TOMLDecodeError as error:
        return Problem(path, _error_line(error, source), f"TOML: {_TOML_POSITION.sub('', str(error))}")
    except ValueError:
        return Problem(path, 1, "TOML: a number or date that cannot be read")
    return TemplateFile(path, values, source_map(source))


def _error_line(error: ValueError, source: str) -> int:
    match = _TOML_POSITION.search(str(error))
    return int(match[1]) if match else max(1, source.rstrip().count("\n") + 1)
