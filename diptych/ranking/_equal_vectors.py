"""Vectors that are equal but for rounding: to many encoders, questions of the same words are one vector.

"Is the cat on the dog?" and "Is the dog on the cat?" have the same mean of word vectors, but not to the last bit. No
solver can tell such columns apart, so they are found here and solved as one.
"""

from collections.abc import Iterator
from hashlib import blake2b
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
Vectors = npt.NDArray[np.floating]
Float = TypeVar("Float", bound=np.floating)
TOLERANCE = 1e-6  # the largest distance between two unit vectors that count as equal

_TILE = 8192


def merge_equal_vectors(vectors: npt.ArrayLike) -> Rows:
    """For every row, the first row with the same direction: itself where there is none before it.

    >>> merge_equal_vectors([[1.0, 2.0], [2.0, 1.0], [2.0, 4.00000001]]).tolist()
    [0, 1, 0]
    """
    rows = np.asarray(vectors)
    seen: dict[bytes, int] = {}  # by digest: by their bytes, all vectors would be in memory twice
    digests = (blake2b(row.tobytes(), digest_size=16).digest() for row in rows)
    first = np.array([seen.setdefault(digest, number) for number, digest in enumerate(digests)], np.int64)
    distinct = np.flatnonzero(first == np.arange(len(rows)))
    positions, order = _sort_on_line(rows[distinct])
    order = distinct[order]
    # On a line, equal vectors are neighbors: only neighbors within the tolerance need to be compared.
    for shift in range(1, len(distinct)):
        pairs = np.flatnonzero(positions[shift:] - positions[:-shift] <= TOLERANCE)
        if not len(pairs):
            break
        for row, duplicate in _equal_pairs(rows, order[pairs], rows, order[pairs + shift]):
            low, high = sorted((_root(first, row), _root(first, duplicate)))
            first[high] = low
    return np.array([_root(first, row) for row in range(len(rows))], np.int64)


def find_equal_vectors(basic: npt.ArrayLike, main: npt.ArrayLike) -> list[list[int]]:
    """For every main vector, the rows of `basic` with the same direction.

    >>> find_equal_vectors([[1.0, 2.0], [2.0, 1.0], [2.0, 4.0]], [[3.0, 6.0], [1.0, 0.0]])
    [[0, 2], []]
    """
    basic_rows, main_rows = np.asarray(basic), np.asarray(main)
    positions, order = _sort_on_line(basic_rows)
    centers = _project_on_line(main_rows)
    starts = np.searchsorted(positions, centers - TOLERANCE)
    stops = np.searchsorted(positions, centers + TOLERANCE, "right")
    main_numbers = np.repeat(np.arange(len(main_rows)), stops - starts)
    slices = [order[start:stop] for start, stop in zip(starts, stops, strict=True)]
    candidates = np.concatenate(slices) if slices else np.zeros(0, np.int64)
    matches: list[list[int]] = [[] for _ in main_rows]
    for number, row in _equal_pairs(main_rows, main_numbers, basic_rows, candidates):
        matches[number].append(row)
    return [sorted(rows) for rows in matches]


def _sort_on_line(rows: Vectors) -> tuple[Floats, Rows]:
    """The positions of the rows on a line, in order, and the row at each position."""
    positions = _project_on_line(rows)
    order = np.argsort(positions, kind="stable")
    return positions[order], order


def _project_on_line(rows: Vectors) -> Floats:
    line = np.random.default_rng(0).normal(size=rows.shape[1] if rows.ndim == 2 else 0)
    line /= np.linalg.norm(line) or 1.0
    tiles = (rows[start : start + _TILE].astype(np.float64) for start in range(0, len(rows), _TILE))
    parts = [to_unit(tile) @ line for tile in tiles]
    return np.concatenate(parts) if parts else np.zeros(0)


def to_unit(rows: npt.NDArray[Float]) -> npt.NDArray[Float]:
    """The rows scaled to unit length; a zero row stays zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: npt.NDArray[Float] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit


def _equal_pairs(
    left_vectors: Vectors, left_rows: Rows, right_vectors: Vectors, right_rows: Rows
) -> Iterator[tuple[int, int]]:
    """The candidate pairs that are one vector; zero vectors are equal to each other alone."""
    for start in range(0, len(left_rows), _TILE):
        tile = slice(start, start + _TILE)
        left, right = left_vectors[left_rows[tile]], right_vectors[right_rows[tile]]
        differences = to_unit(left.astype(np.float64)) - to_unit(right.astype(np.float64))
        for pair in np.flatnonzero(np.linalg.norm(differences, axis=1) <= TOLERANCE) + start:
            yield int(left_rows[pair]), int(right_rows[pair])


def _root(first: Rows, row: int) -> int:
    while first[row] != row:
        row = int(first[row])
    return row
