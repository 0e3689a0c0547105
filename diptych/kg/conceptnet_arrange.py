"""The buckets of a dealt dump put in order, one at a time, into the columns of the graph file."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from diptych.kg.byte_columns import PADDING, Bools, Ints, Page, Words, contents
from diptych.kg.spill import Spill

NODE = np.dtype([("hash", "<u8"), ("check", "<u8"), ("size", "<u4")], align=True)
EDGE = np.dtype(
    {
        "names": ["head", "tail", "at", "weight", "start", "end", "rel"],
        "formats": ["<u8", "<u8", "<u8", "<f4", "<u2", "<u2", "u1"],
    },
    align=True,
)
KINDS = {
    **{"node_hash": "<u8", "name_at": "<u8", "names": "u1"},
    **{"head": "<u4", "rel": "u1", "tail": "<u4", "weight": "<f4", "at": "<u8", "start": "<u2", "end": "<u2"},
    **{"head_start": "<u8", "tail_start": "<u8", "by_tail": "<u4", "rel_start": "<u8", "by_rel": "<u4"},
    "surfaces": "u1",
}
"""The columns of a graph file and the kinds of their numbers."""
_U = np.uint64
_CHUNK = 1 << 19
_IN_MEMORY = 1 << 20


class Collision(Exception):  # noqa: N818 - no error of anybody: the dump is read again with another salt
    """Two names have one hash."""


class Columns:
    """The columns while they are made: short ones in memory, long ones in nameless files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, IO[bytes]] = {
            name: tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=str(folder))  # noqa: SIM115 - closed with the columns
            for name in KINDS
        }
        self._sizes = dict.fromkeys(KINDS, 0)

    def __enter__(self) -> "Columns":
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()

    def size(self, name: str) -> int:
        """How many numbers a column has so far."""
        return self._sizes[name] // np.dtype(KINDS[name]).itemsize

    def write(self, name: str, numbers: NDArray[Any] | bytes) -> None:
        """Put numbers behind those of a column."""
        data = numbers if isinstance(numbers, bytes) else np.ascontiguousarray(numbers, KINDS[name]).data
        self._files[name].write(data)
        self._sizes[name] += memoryview(data).nbytes

    def read(self, name: str, low: int, high: int) -> NDArray[Any]:
        """Some numbers of a column."""
        file, dtype = self._files[name], np.dtype(KINDS[name])
        file.seek(low * dtype.itemsize)
        found = np.frombuffer(file.read((high - low) * dtype.itemsize), dtype)
        file.seek(0, 2)
        return found

    def chunks(self, name: str) -> Iterator[tuple[int, NDArray[Any]]]:
        """A column piece by piece, each with the place of its first number."""
        for low in range(0, self.size(name), _CHUNK):
            yield low, self.read(name, low, min(low + _CHUNK, self.size(name)))

    def parts(self) -> dict[str, tuple[str, IO[bytes]]]:
        """The columns as the graph file takes them: their kinds and their bytes."""
        return {name: (kind, self._files[name]) for name, kind in KINDS.items()}


def arrange(nodes: Spill, names: Spill, edges: Spill, relations: Sequence[int], columns: Columns) -> None:
    """Put every bucket in order; `relations` gives the final number of each relation."""
    columns.write("name_at", np.zeros(1))
    bounds = [0]
    for bucket in range(len(nodes)):
        _arrange_nodes(np.frombuffer(nodes.read(bucket), NODE), names.read(bucket), columns)
        bounds.append(columns.size("node_hash"))
    columns.write("head_start", np.zeros(1))
    final = np.array([*relations, 0], np.uint8)
    for bucket in range(len(edges)):
        records = np.frombuffer(edges.read(bucket), EDGE)
        _arrange_edges(records, final, bounds[bucket], bounds[bucket + 1], columns)
    _index_by_tail(columns, bounds)
    _index_by_relation(columns, len(relations))


def _arrange_nodes(records: NDArray[Any], names: bytes, columns: Columns) -> None:
    """Nodes by hash, each once."""
    order = np.argsort(records["hash"])
    hashes, checks = records["hash"][order], records["check"][order]
    fresh = _changes(hashes)
    if (fresh < _changes(checks)).any():
        raise Collision
    ends = np.cumsum(records["size"], dtype=np.int64)
    chosen = order[fresh]
    sizes = records["size"][chosen]
    columns.write("name_at", columns.size("names") + np.cumsum(sizes, dtype=np.int64))
    columns.write("node_hash", hashes[fresh])
    columns.write("names", contents(Page(names + PADDING).texts(ends - records["size"], ends, chosen)))


def _arrange_edges(edges: NDArray[Any], relations: NDArray[np.uint8], low: int, high: int, columns: Columns) -> None:
    """Edges by head, relation and tail; of equal ones the heaviest stays, of equally heavy ones the first."""
    heads = _ranks([(0, columns.read("node_hash", low, high))], edges["head"])
    tails, rel = _ranks(columns.chunks("node_hash"), edges["tail"]), relations[edges["rel"]]
    order = _heaviest((heads << _U(40)) | (rel.astype(_U) << _U(32)) | tails, edges["weight"])
    columns.write("head", heads[order] + low)
    columns.write("tail", tails[order])
    columns.write("rel", rel[order])
    for name in ("weight", "at", "start", "end"):
        columns.write(name, edges[name][order])
    last = columns.size("head") - len(order)
    columns.write("head_start", last + np.cumsum(np.bincount(heads[order].astype(np.int64), minlength=high - low)))


def _changes(ordered: NDArray[Any]) -> Bools:
    """Where something else begins."""
    fresh = np.ones(len(ordered), np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    return fresh


def _heaviest(keys: Words, weight: NDArray[np.float32]) -> Ints:
    """The rows by their keys; of those with one key the first of the heaviest."""
    order = np.argsort(keys)
    fresh = _changes(keys[order])
    if fresh.all():
        return order
    alone = fresh & np.append(fresh[1:], True)
    tied = order[~alone]
    order[~alone] = tied[np.lexsort((tied, -weight[tied], keys[tied]))]
    return order[fresh]


def _ranks(chunks: Iterable[tuple[int, Words]], hashes: Words) -> Words:
    """The numbers of nodes, found by their hashes."""
    order = np.argsort(hashes)
    ordered = hashes[order]
    ranks = np.zeros(len(hashes), _U)
    for base, chunk in chunks:
        if len(chunk):
            low, high = np.searchsorted(ordered, chunk[0]), np.searchsorted(ordered, chunk[-1], "right")
            ranks[order[low:high]] = base + np.searchsorted(chunk, ordered[low:high])
    return ranks


def _index_by_tail(columns: Columns, bounds: Sequence[int]) -> None:
    columns.write("tail_start", np.zeros(1))
    for low, high in pairwise(bounds):
        pairs = np.sort(np.concatenate([np.zeros(0, _U), *_tails(columns, low, high)]))
        before = columns.size("by_tail")
        columns.write("by_tail", pairs & _U(0xFFFFFFFF))
        many = np.bincount((pairs >> _U(32)).astype(np.int64) - low, minlength=high - low)
        columns.write("tail_start", before + np.cumsum(many))


def _tails(columns: Columns, low: int, high: int) -> Iterator[Words]:
    """Tail and edge, in one number, of the edges whose tails lie in a range."""
    for at, tails in columns.chunks("tail"):
        chosen = np.flatnonzero((tails >= low) & (tails < high))
        yield (tails[chosen].astype(_U) << _U(32)) | (chosen + at).astype(_U)


def _index_by_relation(columns: Columns, relations: int) -> None:
    columns.write("rel_start", np.zeros(1))
    for number in range(relations):
        for at, chunk in columns.chunks("rel"):
            columns.write("by_rel", np.flatnonzero(chunk == number) + at)
        columns.write("rel_start", np.array([columns.size("by_rel")]))
