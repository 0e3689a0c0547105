"""Columns of strings as integer codes, so that each distinct string is processed once, however often it occurs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """A column as codes into its distinct values."""

    codes: Codes
    values: list[str]

    def map(self, function: Callable[[str], int]) -> Codes:
        """The result of a function for each row, called once per distinct value."""
        return np.fromiter(map(function, self.values), dtype=np.int64, count=len(self.values))[self.codes]

    def to_list(self) -> list[str]:
        """The value of each row."""
        return [self.values[code] for code in self.codes]


@dataclass(frozen=True, slots=True)
class CodedLists:
    """A column of lists: the entries of all rows in one column, and the offset at which each row begins."""

    entries: CodedColumn
    offsets: Codes

    @property
    def lengths(self) -> Codes:
        """The number of entries of each row."""
        return np.diff(self.offsets)


def factorize(column: Any) -> CodedColumn:
    """The distinct values of a column and the code of each row; a null counts as the empty string.

    >>> factorize(["no", "yes", "no"])
    CodedColumn(codes=array([0, 1, 0]), values=['no', 'yes'])
    """
    if isinstance(column, CodedColumn):
        return column
    array = as_array(column)
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    values = ["" if value is None else str(value) for value in array.dictionary.to_pylist()]
    codes = array.indices
    if codes.null_count:
        codes, values = codes.fill_null(len(values)), [*values, ""]
    return CodedColumn(codes.to_numpy(zero_copy_only=False).astype(np.int64), values)


def factorize_lists(column: Any) -> CodedLists:
    """The same for a column of lists; a null counts as an empty list.

    >>> factorize_lists([["no", "yes"], [], ["no"]]).lengths
    array([2, 0, 1])
    """
    array = as_array(column, pa.list_(pa.string()))
    if array.null_count:
        array = array.fill_null([])
    offsets = array.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    entries = array.values[int(offsets[0]) : int(offsets[-1])]
    return CodedLists(factorize(entries), offsets - offsets[0])


def ranks(column: CodedColumn) -> tuple[Codes, list[str]]:
    """Codes in alphabetical order and the values that occur, whichever row comes first.

    >>> ranks(CodedColumn(np.array([0, 1, 0]), ["yes", "no"]))
    (array([1, 0, 1]), ['no', 'yes'])
    """
    counts = np.bincount(column.codes, minlength=len(column.values))
    values = sorted({value for value, count in zip(column.values, counts, strict=True) if count})
    rank_of = {value: rank for rank, value in enumerate(values)}
    return column.map(lambda value: rank_of.get(value, -1)), values


def constant_column(value: str, size: int) -> CodedColumn:
    """A column with the same value in every row."""
    return CodedColumn(np.zeros(size, dtype=np.int64), [value])


def as_array(column: Any, list_type: Any = None) -> Any:
    """A column as one Arrow array; `list_type` is the type of a column of lists."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = pa.concat_arrays(column.chunks)
    if isinstance(column, pa.Array):
        return column
    values = column.tolist() if isinstance(column, np.ndarray) else column
    return pa.array(values, type=list_type) if len(values) else pa.array([], type=list_type or pa.string())
