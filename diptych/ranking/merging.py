"""Which vectors point the same way: rounding noise apart, questions of the same words are one vector to many encoders.

"Is the cat on the dog?" and "Is the dog on the cat?" have one mean of their words' vectors, but not to the last bit.
No solver can tell such columns apart, so they are found here and solved as one.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]
TOLERANCE = 1e-6
"""How far two unit vectors may lie apart and still be one."""

_PART = 8192


def merged(vectors: npt.ArrayLike) -> Rows:
    """For every row the first one that points the same way, itself where there is none before it.

    >>> merged([[1.0, 2.0], [2.0, 1.0], [2.0, 4.00000001]]).tolist()
    [0, 1, 0]
    """
    rows = np.asarray(vectors)
    seen: dict[bytes, int] = {}
    first = np.array([seen.setdefault(row.tobytes(), at) for at, row in enumerate(rows)], np.int64)
    kept = np.flatnonzero(first == np.arange(len(rows)))
    places, order = _line(rows[kept])
    order = kept[order]
    # On a line, equal vectors lie side by side: only neighbours within the tolerance need to be compared.
    for shift in range(1, len(kept)):
        near = np.flatnonzero(places[shift:] - places[:-shift] <= TOLERANCE)
        if not len(near):
            break
        one, other = order[near], order[near + shift]
        for at, rival in _equal_pairs(rows, one, rows, other):
            low, high = sorted((_root(first, at), _root(first, rival)))
            first[high] = low
    return np.array([_root(first, row) for row in range(len(rows))], np.int64)


def same_way(basic: npt.ArrayLike, main: npt.ArrayLike) -> list[list[int]]:
    """For every main vector the rows of `basic` that point the same way.

    >>> same_way([[1.0, 2.0], [2.0, 1.0], [2.0, 4.0]], [[3.0, 6.0], [1.0, 0.0]])
    [[0, 2], []]
    """
    rows, wanted = np.asarray(basic), np.asarray(main)
    places, order = _line(rows)
    at = _projected(wanted)
    low, high = np.searchsorted(places, at - TOLERANCE), np.searchsorted(places, at + TOLERANCE, side="right")
    found: list[list[int]] = [[] for _ in wanted]
    mine = np.repeat(np.arange(len(wanted)), high - low)
    theirs = [order[start:stop] for start, stop in zip(low, high, strict=True)]
    candidates = np.concatenate(theirs) if theirs else np.zeros(0, np.int64)
    for row, rival in _equal_pairs(wanted, mine, rows, candidates):
        found[row].append(rival)
    return [sorted(each) for each in found]


def _line(rows: npt.NDArray[np.floating]) -> tuple[npt.NDArray[np.float64], Rows]:
    """The rows' places on a line, in order, and which row each place belongs to."""
    places = _projected(rows)
    order = np.argsort(places, kind="stable")
    return places[order], order


def _projected(rows: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    line = np.random.default_rng(0).normal(size=rows.shape[1] if rows.ndim == 2 else 0)
    line /= np.linalg.norm(line) or 1.0
    parts = [_unit(rows[start : start + _PART]) @ line for start in range(0, len(rows), _PART)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _unit(rows: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    wide = rows.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    unit: npt.NDArray[np.float64] = np.divide(wide, lengths, out=np.zeros_like(wide), where=lengths > 0)
    return unit


def _equal_pairs(
    rows: npt.NDArray[np.floating], one: Rows, others: npt.NDArray[np.floating], other: Rows
) -> Iterator[tuple[int, int]]:
    """Those of the candidate pairs that are one vector; zero vectors are equal to each other alone."""
    for start in range(0, len(one), _PART):
        part = slice(start, start + _PART)
        apart = _unit(rows[one[part]]) - _unit(others[other[part]])
        for at in np.flatnonzero(np.linalg.norm(apart, axis=1) <= TOLERANCE) + start:
            yield int(one[at]), int(other[at])


def _root(first: Rows, row: int) -> int:
    while first[row] != row:
        row = int(first[row])
    return row
