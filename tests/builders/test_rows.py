"""Rows between stages: what a dataclass holds comes back as it was."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diptych.builders._rows import Item, from_table, row_schema, to_table


@dataclass(frozen=True, slots=True)
class Size:
    """A dataclass inside another."""

    width: int
    height: float | None


@dataclass(frozen=True, slots=True)
class Picture(Item):
    """Every type that a field may have."""

    name: str
    title: str | None
    number: int
    share: float
    is_large: bool
    content: bytes
    size: Size | None
    words: tuple[str, ...]
    sizes: tuple[Size, ...]
    groups: tuple[tuple[str, ...], ...]
    marks: tuple[int | None, ...] | None
    slots: dict[str, str]
    notes: dict[str, str] | None


def picture(**changes: Any) -> Picture:
    fields: dict[str, Any] = {
        "test": "toy.pictures",
        "key": "1",
        "name": "cat",
        "title": None,
        "number": -7,
        "share": 0.5,
        "is_large": True,
        "content": b"\x00\xff",
        "size": Size(3, None),
        "words": ("a", "cat"),
        "sizes": (Size(1, 2.0), Size(3, 4.0)),
        "groups": (("a",), (), ("b", "c")),
        "marks": (1, None, 3),
        "slots": {"subject": "the cat"},
        "notes": None,
    }
    return Picture(**{**fields, **changes})


def round_trip(*rows: Item) -> list[Any]:
    return list(from_table(to_table(rows, type(rows[0])), type(rows[0])))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"title": "Ünïcode \U0001f408"},
        {"size": None},
        {"size": Size(1, 2.5)},
        {"content": b""},
        {"content": bytes(range(256)) * 1000},
        {"words": ()},
        {"sizes": ()},
        {"groups": ()},
        {"marks": None},
        {"marks": ()},
        {"slots": {}},
        {"notes": {}},
        {"number": 2**63 - 1},
        {"share": float("inf")},
    ],
    ids=str,
)
def test_a_row_comes_back_as_it_was(changes: dict[str, Any]) -> None:
    row = picture(**changes)
    assert round_trip(row) == [row]


def test_rows_come_back_in_their_order() -> None:
    rows = [picture(key=str(number), size=Size(number, None) if number % 2 else None) for number in range(20)]
    assert round_trip(*rows) == rows


def test_the_order_of_a_dict_is_kept() -> None:
    (row,) = round_trip(picture(slots={"z": "1", "a": "2", "m": "3"}))
    assert list(row.slots) == ["z", "a", "m"]


def test_no_rows_make_an_empty_table_with_the_columns() -> None:
    table = to_table([], Picture)
    assert (table.num_rows, table.schema) == (0, row_schema(Picture))
    assert list(from_table(table, Picture)) == []


def test_the_columns_are_the_fields_in_their_order() -> None:
    assert row_schema(Picture).names[:3] == ["test", "key", "name"]


def test_a_part_of_the_rows_comes_back_too() -> None:
    rows = [picture(key=str(number), words=(str(number),)) for number in range(5)]
    assert list(from_table(to_table(rows, Picture).slice(2, 2), Picture)) == rows[2:4]


def test_columns_that_are_not_fields_are_ignored() -> None:
    table = to_table([picture()], Picture).append_column("more", pa.array([1]))
    assert list(from_table(table, Picture)) == [picture()]


@dataclass(frozen=True, slots=True)
class BadRow(Item):
    """A row with a field that has no column type."""

    things: set[str]


def test_a_type_without_a_column_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot hold"):
        row_schema(BadRow)


def test_a_number_too_large_for_its_column_is_refused() -> None:
    with pytest.raises(OverflowError):
        to_table([picture(number=2**63)], Picture)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SIZES = st.builds(Size, st.integers(-(2**63), 2**63 - 1), st.none() | st.floats(allow_nan=False))


@given(
    st.builds(
        Picture,
        TEXT,
        TEXT,
        TEXT,
        st.none() | TEXT,
        st.integers(-(2**63), 2**63 - 1),
        st.floats(allow_nan=False),
        st.booleans(),
        st.binary(max_size=50),
        st.none() | SIZES,
        st.lists(TEXT).map(tuple),
        st.lists(SIZES).map(tuple),
        st.lists(st.lists(TEXT, max_size=3).map(tuple)).map(tuple),
        st.none() | st.lists(st.none() | st.integers(-100, 100)).map(tuple),
        st.dictionaries(TEXT, TEXT),
        st.none() | st.dictionaries(TEXT, TEXT),
    )
)
def test_any_row_comes_back_as_it_was(row: Picture) -> None:
    assert round_trip(row) == [row]
