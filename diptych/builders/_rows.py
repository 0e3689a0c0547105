"""Rows between stages: frozen dataclasses as Arrow tables and back.

A field may be a `str`, `int`, `float`, `bool`, `bytes`, another such dataclass, a tuple of any of these, a
`dict[str, str]`, or any of these or `None`.
"""

import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from itertools import accumulate, islice, starmap
from typing import Any, Union, get_args, get_origin, get_type_hints

import pyarrow as pa
import pyarrow.compute as pc

from diptych.builders._ledger import EVERY_TEST

_SCALARS: dict[Any, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    bytes: pa.large_binary(),
}


@dataclass(frozen=True, slots=True)
class Item:
    """A row between two stages: the test it is for and a key that is unique within that test."""

    test: str
    key: str


def row_schema(row_type: Any) -> pa.Schema:
    """The columns of a type of rows.

    >>> row_schema(Item).names
    ['test', 'key']
    """
    return pa.schema([(name, _arrow_type(kind)) for name, kind in _field_types(row_type).items()])


def to_table(rows: Sequence[Any], row_type: type) -> pa.Table:
    """Rows of one type as a table."""
    kinds = _field_types(row_type)
    columns = [_encode([getattr(row, name) for row in rows], kind) for name, kind in kinds.items()]
    return pa.table(columns, schema=row_schema(row_type))


def from_table(table: pa.Table, row_type: type) -> Iterator[Any]:
    """The rows of a table."""
    columns = [_decode(table[name].combine_chunks(), kind) for name, kind in _field_types(row_type).items()]
    return map(row_type, *columns)


def rows_of_tests(table: pa.Table, tests: tuple[str, ...]) -> pa.Table:
    """The rows of some tests and those for every test; all rows where no test is named."""
    return table.filter(pc.is_in(table["test"], pa.array((EVERY_TEST, *tests)))) if tests else table


@cache
def _field_types(row_type: type) -> dict[str, Any]:
    hints = get_type_hints(row_type)
    return {field.name: hints[field.name] for field in fields(row_type)}


@cache
def _arrow_type(kind: Any) -> pa.DataType:
    kind = _without_none(kind)
    if kind in _SCALARS:
        return _SCALARS[kind]
    if _has_fields(kind):
        return pa.struct([(name, _arrow_type(part)) for name, part in _field_types(kind).items()])
    if get_origin(kind) is tuple:
        return pa.list_(_arrow_type(get_args(kind)[0]))
    if get_origin(kind) is dict and get_args(kind) == (str, str):
        return pa.map_(pa.string(), pa.string())
    raise TypeError(f"a row between stages cannot hold {kind}")


def _without_none(kind: Any) -> Any:
    if get_origin(kind) in (Union, types.UnionType):
        rest = [part for part in get_args(kind) if part is not type(None)]
        return rest[0] if len(rest) == 1 else kind
    return kind


def _has_fields(kind: Any) -> bool:
    return is_dataclass(kind)


def _encode(values: Sequence[Any], kind: Any) -> pa.Array:
    """The values of one field as a column: a dataclass by its fields, which is far faster than row by row."""
    kind = _without_none(kind)
    if _has_fields(kind):
        missing = [value is None for value in values]
        columns = [
            _encode([None if value is None else getattr(value, name) for value in values], part)
            for name, part in _field_types(kind).items()
        ]
        return pa.StructArray.from_arrays(columns, fields=list(_arrow_type(kind)), mask=pa.array(missing, pa.bool_()))
    if get_origin(kind) is tuple and (part := get_args(kind)[0]) not in _SCALARS:
        members = _encode([member for value in values for member in value or ()], part)
        ends = accumulate((len(value or ()) for value in values), initial=0)
        offsets = [None if value is None else end for value, end in zip((*values, ()), ends, strict=True)]
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), members, _arrow_type(kind))
    if get_origin(kind) is dict:
        values = [None if value is None else list(value.items()) for value in values]
    return pa.array(values, _arrow_type(kind))


def _decode(column: pa.Array, kind: Any) -> list[Any]:
    """The values of a column."""
    kind = _without_none(kind)
    if _has_fields(kind):
        parts = zip(column.flatten(), _field_types(kind).values(), strict=True)
        rows = zip(*(_decode(child, part) for child, part in parts), strict=True)
        if not column.null_count:
            return list(starmap(kind, rows))
        return [kind(*row) if valid else None for valid, row in zip(column.is_valid().to_pylist(), rows, strict=True)]
    if get_origin(kind) is tuple:
        members = iter(_decode(column.flatten(), get_args(kind)[0]))
        lengths = pc.list_value_length(column).to_pylist()
        return [None if length is None else tuple(islice(members, length)) for length in lengths]
    values: list[Any] = column.to_pylist()
    if get_origin(kind) is dict:
        return [None if value is None else dict(value) for value in values]
    return values
