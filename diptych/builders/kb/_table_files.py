"""The files of the reviewed tables: those in the package, and a user's that replace or extend them.

A user's folder may hold `NAME.toml`, which replaces the table of that name, and `NAME.more.toml`, which adds entries to
it; an entry of a word that the table has already takes its place. Tables that the folder does not have are the
package's. A recipe keeps all files that were read, under the same names, so that a rebuild reads the same tables.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diptych.errors import BadTemplateError, MissingFileError, UnknownNameError
from diptych.files import read_text

PACKAGE = Path(__file__).resolve().parent / "tables"
TABLES = ("kinds", "narrower", "contrasts", "ambiguous", "adjectives", "verbs")
_ADDITION = ".more"
_TEXTS = frozenset({"sets", "alone"})  # sections that are one text


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file of a table: what it says, and where."""

    path: Path
    source: str
    values: Mapping[str, Any]

    def sections(self, *names: str) -> Iterator[tuple[str, Any]]:
        """The sections of the file by name; one with another name is an error."""
        for name, section in self.values.items():
            if name not in names:
                raise self.error(name, f"is not a section of this table; sections are {', '.join(names)}")
            if name == "kind" and not (isinstance(section, list) and all(isinstance(entry, dict) for entry in section)):
                raise self.error(name, "must be tables that begin with [[kind]]")
            if not isinstance(section, str | dict | list) or (name not in _TEXTS and isinstance(section, str)):
                raise self.error(name, f"must be a table that begins with [{name}]")
            if name in _TEXTS and not isinstance(section, str):
                raise self.error(name, "must be words in one string, separated by commas")
            yield name, section

    def words(self, entry: str, text: Any) -> tuple[str, ...]:
        """A list of words that is written with commas."""
        if not isinstance(text, str):
            raise self.error(entry, "must be words in one string, separated by commas")
        return tuple(word for part in text.split(",") if (word := " ".join(part.split())))

    def error(self, entry: str, message: str) -> BadTemplateError:
        """An error in an entry, with the first line of the file that has it."""
        found = re.search(rf"(?<![\w-]){re.escape(entry)}(?![\w-])", self.source)
        line = self.source.count("\n", 0, found.start()) + 1 if found else 1
        return BadTemplateError(f"{self.path}:{line}: {entry!r} {message}")


def read_table_files(folder: Path | None = None) -> dict[str, tuple[TableFile, ...]]:
    """The files of every table, in the order in which later entries take the place of earlier ones."""
    own = _own_files(folder) if folder is not None else {}
    files = {}
    for name in TABLES:
        paths = [own.get(name, PACKAGE / f"{name}.toml"), own.get(name + _ADDITION)]
        files[name] = tuple(_read(path) for path in paths if path)
    return files


def _own_files(folder: Path) -> dict[str, Path]:
    """The files of a user's folder by name; it may hold them in a folder of the dataset's name, as a recipe does."""
    inner = folder / "kb-counterfactuals"
    own = {path.stem: path for path in sorted((inner if inner.is_dir() else folder).glob("*.toml"))}
    if not own:
        raise MissingFileError(f"{folder}: no tables found; expected files such as narrower.more.toml")
    for name, path in own.items():
        if name.removesuffix(_ADDITION) not in TABLES:
            raise UnknownNameError.among(f"table in {path.parent}", name.removesuffix(_ADDITION), TABLES)
    return own


def _read(path: Path) -> TableFile:
    source = read_text(path)
    try:
        return TableFile(path, source, tomllib.loads(source))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadTemplateError(f"{path}: not valid TOML: {error}") from None
