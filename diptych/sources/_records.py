"""Check the fields and ids of JSON records; an error names the file and the record."""

import pickle
import sqlite3
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from diptych.errors import BadInputError
from diptych.sources._files import SourceFile

LONGEST_TEXT = 10_000  # characters of a question, an answer or a caption
LONGEST_ID = 200  # characters of an id
_KINDS = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}


@dataclass(frozen=True, slots=True)
class Fields:
    """Reads the fields of a file's records; errors name a record by its id, or by how it begins if it has none."""

    file: SourceFile
    kind: str  # what a record is called in errors, such as "question"
    id_name: str  # the field with a record's id

    def error(self, record: object, problem: str) -> BadInputError:
        """Return the error for a record that cannot be used."""
        record_id = record.get(self.id_name) if isinstance(record, dict) else None
        has_id = isinstance(record_id, int | str) and record_id != ""
        label = str(record_id) if has_id else orjson.dumps(record, default=str).decode("utf-8", "replace")
        return BadInputError(f"{self.file.where}: {self.kind} {_shorten(label)}: {problem}")

    def get(self, record: Any, name: str) -> Any:
        """Return a field that must exist."""
        try:
            return record[name]
        except KeyError:
            raise self.error(record, f"{name} is missing") from None
        except (TypeError, IndexError):
            raise self.error(record, f"it is {describe(record)}, not an object") from None

    def get_id(self, record: Any, name: str) -> str:
        """Return an id as text; the files have numbers, and text is accepted too."""
        value = self.get(record, name)
        if type(value) is int:
            return str(value)
        if isinstance(value, str) and value.strip() and len(value) <= LONGEST_ID:
            return value
        raise self.error(record, f"{name} is {describe(value)}, not a number")

    def get_number(self, record: Any, name: str) -> str:
        """Return an id that must be a whole number, as text."""
        value = self.get_id(record, name)
        if not (value.isdecimal() and value.isascii()):
            raise self.error(record, f"{name} is {_shorten(value)!r}, not a number")
        return value

    def get_text(self, record: Any, name: str) -> str:
        """Return a text, which may not be blank."""
        value = self.get(record, name)
        if fault := find_fault(value):
            raise self.error(record, f"{name} {fault}")
        return str(value)

    def get_list(self, record: Any, name: str) -> list[Any]:
        """Return a list, which may be empty."""
        value = self.get(record, name)
        if not isinstance(value, list):
            raise self.error(record, f"{name} is {describe(value)}, not a list")
        return value


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def describe(value: object) -> str:
    """Say what a JSON value is: "a number", "null", "a list"."""
    return "empty" if value == "" else _KINDS.get(type(value), "null")


def find_fault(value: object) -> str:
    """Say what is wrong with a value that must be a text, neither blank nor too long; empty if nothing is."""
    if not isinstance(value, str):
        return f"is {describe(value)}, not text"
    if not value or value.isspace():
        return "is empty"
    return f"has {len(value):,} characters, more than {LONGEST_TEXT:,}" if len(value) > LONGEST_TEXT else ""


def check_text(value: object, location: str) -> str:
    """Return a text that is neither blank nor too long; the error begins with the location."""
    if fault := find_fault(value):
        raise BadInputError(f"{location} {fault}")
    return str(value)


class IdLog:
    """The ids of a file's records, in eight bytes each, to find one that occurs twice."""

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self._keys = array("q")
        self._texts: dict[int, str] = {}

    def add(self, record_id: str) -> None:
        """Note an id."""
        is_number = len(record_id) <= 18 and record_id.isdecimal() and record_id.isascii()
        # An id that is no number, as it should be, is stood for by a negative hash.
        is_plain = is_number and (record_id[0] != "0" or record_id == "0")
        key = int(record_id) if is_plain else -1 - (hash(record_id) & (1 << 62) - 1)
        self._keys.append(key)
        if key < 0:
            self._texts[key] = record_id

    def check(self) -> None:
        """Raise an error if an id was added twice; the ids are sorted in place to save memory."""
        keys = np.frombuffer(self._keys, np.int64)
        keys.sort()
        repeated, name = keys[1:][keys[1:] == keys[:-1]], self._fields.id_name
        if len(repeated):
            record_id = self._texts.get(int(repeated[0]), str(repeated[0]))
            raise self._fields.error({name: record_id}, f"this {name} occurs twice")


class RecordStore:
    """Records by id in a temporary database on disk, for files that are not in the same order."""

    def __init__(self, records: Iterable[tuple[str, Any]]) -> None:
        rows = ((record_id, pickle.dumps(record)) for record_id, record in records)
        self._database = sqlite3.connect("")
        self._database.execute("CREATE TABLE records (id TEXT, content BLOB)")
        self._database.executemany("INSERT INTO records VALUES (?, ?)", rows)
        self._database.execute("CREATE INDEX records_by_id ON records (id)")

    def __len__(self) -> int:
        return int(self._database.execute("SELECT COUNT(*) FROM records").fetchone()[0])

    def get(self, record_id: str) -> Any:
        """Return the first record of an id, or None."""
        query = "SELECT content FROM records WHERE id = ? ORDER BY rowid"
        row = self._database.execute(query, (record_id,)).fetchone()
        return None if row is None else pickle.loads(row[0])


def by_number(record_id: str) -> tuple[int, str]:
    """A sort key that puts ids in the order of their numbers, though they are text.

    >>> sorted(["10", "9", "100"], key=by_number)
    ['9', '10', '100']
    """
    return len(record_id), record_id
