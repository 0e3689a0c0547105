"""Rows between stages: frozen dataclasses as Arrow tables and back.

A field may be a `str`, `int`, `float`, `bool`, `bytes`, another such dataclass, a tuple of any of these, a
`dict[str, str]`, or any of these or `None`.
"""

import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

import pyarrow as pa

_SCALARS: dict[Any, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    bytes: pa.large_binary(),
}

Convert = Callable[[Any], Any]


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
    schema = row_schema(row_type)
    columns = []
    for (name, kind), field in zip(_field_types(row_type).items(), schema, strict=True):
        encode = _encoder(kind)
        values = [getattr(row, name) for row in rows]
        columns.append(pa.array(values if encode is None else [encode(value) for value in values], field.type))
    return pa.table(columns, schema=schema)


def from_table(table: pa.Table, row_type: type) -> Iterator[Any]:
    """The rows of a table."""
    columns: list[Iterable[Any]] = []
    for name, kind in _field_types(row_type).items():
        decode = _decoder(kind)
        values = table[name].to_pylist()
        columns.append(values if decode is None else map(decode, values))
    return (row_type(*values) for values in zip(*columns, strict=True))


@cache
def _field_types(row_type: type) -> dict[str, Any]:
    hints = get_type_hints(row_type)
    return {field.name: hints[field.name] for field in fields(row_type)}


@cache
def _arrow_type(kind: Any) -> pa.DataType:
    kind = _without_none(kind)
    if kind in _SCALARS:
        return _SCALARS[kind]
    if is_dataclass(kind) and isinstance(kind, type):
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


@cache
def _encoder(kind: Any) -> Convert | None:
    """A function from a field's value to what Arrow takes; None where they are the same."""
    kind = _without_none(kind)
    if is_dataclass(kind):
        parts = [(name, _encoder(part)) for name, part in _field_types(kind).items()]  # type: ignore[arg-type]
        return lambda row: None if row is None else {n: _apply(encode, getattr(row, n)) for n, encode in parts}
    if get_origin(kind) is tuple and (encode := _encoder(get_args(kind)[0])):
        return lambda values: None if values is None else [encode(value) for value in values]
    if get_origin(kind) is dict:
        return lambda mapping: None if mapping is None else list(mapping.items())
    return None


@cache
def _decoder(kind: Any) -> Convert | None:
    """A function from what Arrow gives to a field's value; None where they are the same."""
    kind = _without_none(kind)
    if is_dataclass(kind):
        parts = [(name, _decoder(part)) for name, part in _field_types(kind).items()]  # type: ignore[arg-type]
        return lambda row: None if row is None else kind(*(_apply(decode, row[n]) for n, decode in parts))  # type: ignore[operator]
    if get_origin(kind) is tuple:
        decode = _decoder(get_args(kind)[0])
        if decode is None:
            return lambda values: None if values is None else tuple(values)
        return lambda values: None if values is None else tuple(map(decode, values))
    if get_origin(kind) is dict:
        return lambda pairs: None if pairs is None else dict(pairs)
    return None


def _apply(convert: Convert | None, value: Any) -> Any:
    return value if convert is None else convert(value)
