"""Columns of strings as small integers, so that every string is worked on once, however often it occurs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Coded:
    """A column as codes into its distinct values."""

    codes: Codes
    values: list[str]

    def map(self, function: Callable[[str], int]) -> Codes:
        """What a function gives for each row, called once a distinct value."""
        return np.fromiter(map(function, self.values), dtype=np.int64, count=len(self.values))[self.codes]


@dataclass(frozen=True, slots=True)
class CodedLists:
    """A column of lists: the entries of all rows one after another, and where each row begins."""

    entries: Coded
    offsets: Codes

    @property
    def lengths(self) -> Codes:
        """How many entries each row has."""
        return np.diff(self.offsets)


def factorise(column: Any) -> Coded:
    """The distinct values of a column and where each occurs; an absent value counts as the empty string.

    >>> factorise(["no", "yes", "no"])
    Coded(codes=array([0, 1, 0]), values=['no', 'yes'])
    """
    if isinstance(column, Coded):
        return column
    array = _one_array(column)
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    values = [_text(value) for value in array.dictionary.to_pylist()]
    codes = array.indices
    if codes.null_count:
        codes, values = codes.fill_null(len(values)), [*values, ""]
    return Coded(codes.to_numpy(zero_copy_only=False).astype(np.int64), values)


def factorise_lists(column: Any) -> CodedLists:
    """The same for a column of lists; an absent list is an empty one.

    >>> factorise_lists([["no", "yes"], [], ["no"]]).lengths
    array([2, 0, 1])
    """
    array = _one_array(column, of_lists=True)
    if array.null_count:
        array = array.fill_null([])
    offsets = array.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    entries = array.values[int(offsets[0]) : int(offsets[-1])]
    return CodedLists(factorise(entries), offsets - offsets[0])


def ranks(coded: Coded) -> tuple[Codes, list[str]]:
    """The values that occur and codes that follow their alphabet, whichever row came first.

    >>> ranks(Coded(np.array([0, 1, 0]), ["yes", "no"]))
    (array([1, 0, 1]), ['no', 'yes'])
    """
    occurring = np.bincount(coded.codes, minlength=len(coded.values)) > 0
    ordered = sorted({value for value, occurs in zip(coded.values, occurring, strict=True) if occurs})
    place = {value: rank for rank, value in enumerate(ordered)}
    return coded.map(lambda value: place.get(value, -1)), ordered


def constant(value: str, size: int) -> Coded:
    """A column that says the same in every row."""
    return Coded(np.zeros(size, dtype=np.int64), [value])


def _one_array(column: Any, *, of_lists: bool = False) -> Any:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = pa.concat_arrays(column.chunks)
    if isinstance(column, pa.Array):
        return column
    kind = pa.list_(pa.string()) if of_lists else None
    return pa.array(_plain(column), type=kind) if len(column) else pa.array([], type=kind or pa.string())


def _plain(column: Sequence[Any]) -> Any:
    return column.tolist() if isinstance(column, np.ndarray) else column


def _text(value: object) -> str:
    return "" if value is None else str(value)
