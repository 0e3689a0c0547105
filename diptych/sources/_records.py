"""Check the fields and ids of JSON records; an error names the file and the record."""

import pickle
import tempfile
from array import array
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from diptych.errors import BadInputError
from diptych.sources._files import SourceFile

_KINDS = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}


@dataclass(frozen=True, slots=True)
class Fields:
    """Reads the fields of a file's records; errors name a record by its id, or by how it begins if it has none."""

    file: SourceFile
    kind: str
    """What a record is called in errors, such as "question"."""
    id_name: str
    """The field with a record's id."""

    def error(self, record: object, problem: str) -> BadInputError:
        """Return the error for a record that cannot be used."""
        record_id = record.get(self.id_name) if isinstance(record, dict) else None
        label = record_id if isinstance(record_id, int | str) and record_id != "" else _excerpt(record)
        return BadInputError(f"{self.file.where}: {self.kind} {label}: {problem}")

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
        if isinstance(value, str) and value.strip():
            return value
        raise self.error(record, f"{name} is {describe(value)}, not a number")

    def get_text(self, record: Any, name: str) -> str:
        """Return a text, which may not be blank."""
        value = self.get(record, name)
        if not isinstance(value, str):
            raise self.error(record, f"{name} is {describe(value)}, not text")
        if not value or value.isspace():
            raise self.error(record, f"{name} is empty")
        return value

    def get_list(self, record: Any, name: str) -> list[Any]:
        """Return a list, which may be empty."""
        value = self.get(record, name)
        if not isinstance(value, list):
            raise self.error(record, f"{name} is {describe(value)}, not a list")
        return value


def _excerpt(record: object) -> str:
    text = orjson.dumps(record).decode("utf-8", "replace")
    return text if len(text) <= 60 else f"{text[:57]}..."


def describe(value: object) -> str:
    """Say what a JSON value is.

    >>> describe(3.5), describe(None), describe([])
    ('a number', 'null', 'a list')
    """
    if value == "":
        return "empty"
    return _KINDS.get(type(value), "null")


class IdLog:
    """The ids of a file's records, in four bytes each, to find one that occurs twice.

    >>> ids = IdLog()
    >>> for record_id in ("7", "8", "7"):
    ...     ids.add(record_id)
    >>> ids.find_repeated()
    '7'
    """

    def __init__(self) -> None:
        self._keys = array("I")
        self._texts: dict[int, str] = {}

    def add(self, record_id: str) -> None:
        """Note an id."""
        key = number_of(record_id)
        try:
            self._keys.append(key)
        except OverflowError:
            self._keys = array("q", [*self._keys, key])
        if key < 0:
            self._texts[key] = record_id

    def find_repeated(self) -> str | None:
        """Return the smallest id that was added twice, or None; the ids are sorted in place to save memory."""
        keys = np.frombuffer(self._keys, self._keys.typecode)
        keys.sort()
        repeated_keys = keys[1:][keys[1:] == keys[:-1]]
        if not len(repeated_keys):
            return None
        key = int(repeated_keys[0])
        return self._texts.get(key, str(key))


class RecordStore:
    """Records by id in a temporary file, for files that are not in one order; memory is some 32 bytes per record.

    >>> records = RecordStore()
    >>> records.add("7", {"answer": "cat"})
    >>> records.get("7"), records.get("8"), len(records)
    ({'answer': 'cat'}, None, 1)
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 # open as long as the store is in use
        self._keys = array("q")
        self._starts = array("q", [0])

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, record_id: str, record: Any) -> None:
        """Store a record; none can be added once one was looked up."""
        size = self._file.write(pickle.dumps(record))
        self._keys.append(number_of(record_id))
        self._starts.append(self._starts[-1] + size)

    @cached_property
    def _index(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
        keys = np.frombuffer(self._keys, np.int64)
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def get(self, record_id: str) -> Any:
        """Return the first record of an id, or None."""
        keys, order = self._index
        key = number_of(record_id)
        position = int(np.searchsorted(keys, key))
        if position == len(keys) or keys[position] != key:
            return None
        start, end = self._starts[order[position]], self._starts[order[position] + 1]
        self._file.seek(start)
        return pickle.loads(self._file.read(end - start))


def number_of(record_id: str) -> int:
    """Return a number that stands for an id: its own if it is one, as it should be, or else a negative hash.

    >>> number_of("262148000"), number_of("a1") < 0, number_of("007") < 0
    (262148000, True, True)
    """
    is_number = len(record_id) <= 18 and record_id.isdecimal() and record_id.isascii()
    if is_number and (record_id[0] != "0" or record_id == "0"):
        return int(record_id)
    return -1 - (hash(record_id) & (1 << 62) - 1)


def by_number(record_id: str) -> tuple[int, str]:
    """A sort key that puts ids in the order of their numbers, though they are text.

    >>> sorted(["10", "9", "100"], key=by_number)
    ['9', '10', '100']
    """
    return len(record_id), record_id
