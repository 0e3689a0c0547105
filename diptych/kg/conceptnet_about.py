"""Weight and surfaces from the last cell of the dump's lines.

ConceptNet writes that JSON with sorted keys, so surfaces and weight stand at its end. Where they do, and no string has
an escape in it, they are found for all lines at once by their quotes, and what stands before them is parsed once for
each different beginning. All other cells are parsed one by one, so the outcome is always that of a JSON parser.
"""

from dataclasses import dataclass, field

import numpy as np
import orjson
from numpy.typing import NDArray

from diptych.kg.byte_columns import Bools, Ints, Page
from diptych.kg.conceptnet_dump import CELLS, Lines, Seen
from diptych.sources import SourceFile

_QUOTE, _END = b'"}'
_ESCAPES = frozenset(b"\\")
_CONTROLS = frozenset(range(32)) - set(b"\t\n")
_MOST_QUOTES = 14  # that are asked for, counted from the end of a line
_LONGEST = (1 << 16) - 1
_WEIGHT, _TEXT, _START = b'", "weight": ', b'", "surfaceText": "', b'", "surfaceStart": "'
_FINAL, _BARE = b'"surfaceEnd": "', b'], "weight": '

Span = tuple[Ints, Ints]


@dataclass(slots=True)
class About:
    """What the last cells say, a row a line."""

    weight: NDArray[np.float64]
    start: Span
    """Where the surfaces of the heads stand on the page; nowhere if they have none."""
    end: Span
    good: Bools
    aside: dict[int, tuple[bytes, bytes]] = field(default_factory=dict)
    """The surfaces that do not stand on the page as they are, by row."""


def read_about(file: SourceFile, lines: Lines, seen: Seen) -> About:
    """Weight and surfaces of lines; one whose JSON cannot be used is not good, counted and named."""
    about, sure = _at_once(lines)
    for row in np.flatnonzero(~sure).tolist():
        start, end = (int(each[row]) for each in lines.cell(CELLS - 1))
        parsed = _parsed(lines.page.buffer[start:end])
        if isinstance(parsed, str):
            about.good[row] = False
            seen.complain(file.where, int(lines.numbers[row]), parsed)
        else:
            about.weight[row], about.aside[row] = parsed[0], parsed[1:]
    return about


def _parsed(text: bytes) -> tuple[float, bytes, bytes] | str:
    """Weight and surfaces of one cell, or what is wrong with it."""
    try:
        facts = orjson.loads(text)
    except orjson.JSONDecodeError:
        return "its last cell is not JSON"
    if not isinstance(facts, dict):
        return "its last cell is not a JSON object"
    weight = facts.get("weight", 1.0)
    if isinstance(weight, bool) or not isinstance(weight, int | float):
        return f"its weight, {weight!r}, is not a number"
    said = [facts.get(key) or "" for key in ("surfaceStart", "surfaceEnd")]
    if not all(isinstance(each, str) for each in said):
        return "a surface of it is not a text"
    start, end = (each.encode() for each in said)
    return (float(weight), start, end) if max(len(start), len(end)) <= _LONGEST else "a surface of it is too long"


def _at_once(lines: Lines) -> tuple[About, Bools]:
    """What can be told of the lines that end as ConceptNet writes them, and which these are."""
    page, (starts, ends) = lines.page, lines.cell(CELLS - 1)
    quotes = np.concatenate((np.zeros(_MOST_QUOTES, np.int64), page.places(_QUOTE)))
    last = np.searchsorted(quotes, ends) - 1

    def quote(number: Ints | int) -> Ints:
        """A quote of each line, counted from its end."""
        found: Ints = quotes[last - number]
        return found

    shift = _shift(page, quote(6))
    key, head, tail = quote(1), quote(6 + shift), quote(9 + shift)
    said = (tail > starts) & page.starts_with(quote(2), _WEIGHT) & page.starts_with(head, _START)
    said &= page.starts_with(tail, _FINAL)
    bare = ~said & (key > starts + 3)
    bare[bare] = page.starts_with(key[bare] - 3, _BARE)
    sure = (said | bare) & _without_escapes(lines)
    sure &= np.maximum(quote(2 + shift) - head, head - tail) <= _LONGEST
    weight, sure = _weights(page, quote(0) + 3, ends, sure)
    sure = _with_sound_fronts(page, sure, starts, np.where(said, tail, key))
    said &= sure
    spans = [
        (np.where(said, opened + len(before), ends), np.where(said, closed, ends))
        for opened, before, closed in ((head, _START, quote(2 + shift)), (tail, _FINAL, head))
    ]
    return About(weight, spans[0], spans[1], np.ones(len(lines), np.bool_)), sure


def _shift(page: Page, before: Ints) -> Ints:
    """Four quotes more where a surface text stands between the surfaces and the weight."""
    shift = np.zeros(len(before), np.int64)
    likely = np.flatnonzero(page.starts_with(before + 8, _TEXT[8:16]))  # many dumps have none at all
    shift[likely[page.starts_with(before[likely], _TEXT)]] = 4
    return shift


def _weights(page: Page, starts: Ints, ends: Ints, sure: Bools) -> tuple[NDArray[np.float64], Bools]:
    """The weights of the lines whose last value is a number, and which of the sure ones these are."""
    sure = sure & (starts < ends - 1) & (page.octets[ends - 1] == _END)
    codes, texts = page.coded(starts[sure], ends[sure] - 1)
    numbers = np.array([*map(_number, texts.to_pylist()), np.nan])
    weight = np.ones(len(starts))
    weight[sure] = numbers[codes]
    return weight, sure & ~np.isnan(weight)


def _number(text: bytes) -> float:
    try:
        number = orjson.loads(text)
    except orjson.JSONDecodeError:
        return np.nan
    return float(number) if isinstance(number, int | float) and not isinstance(number, bool) else np.nan


def _without_escapes(lines: Lines) -> Bools:
    plain = np.ones(len(lines), np.bool_)
    for octet in _ESCAPES if lines.clean else _ESCAPES | _CONTROLS:
        rows = np.searchsorted(lines.ends[:, -1], lines.page.rare_places(octet))
        plain[rows[rows < len(lines)]] = False
    return plain


def _with_sound_fronts(page: Page, sure: Bools, starts: Ints, ends: Ints) -> Bools:
    """The sure lines whose JSON is sound up to the surfaces and says none before."""
    codes, fronts = page.coded(starts[sure], ends[sure])
    sound = np.array([*map(_is_front, fronts.to_pylist()), False])
    sure[sure] = sound[codes]
    return sure


def _is_front(front: bytes) -> bool:
    try:
        facts = orjson.loads(front + b'"weight": 1}')
    except orjson.JSONDecodeError:
        return False
    return isinstance(facts, dict) and not facts.keys() & {"surfaceStart", "surfaceEnd"}
