"""ConceptNet's assertions dump into one compact graph file, in memory that does not grow with the dump.

A node's number is the rank of a 64-bit hash of its name. So nodes and edges can be dealt into buckets by the first
bits of that hash, every bucket be put in order by itself, and the buckets simply follow one another in the file.
"""

import mmap
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pandas.util import hash_array

from diptych.errors import BadInputError
from diptych.kg.conceptnet_dump import ENGLISH, Seen, Wanted, contents, is_wanted, read_about, read_blocks
from diptych.kg.graph_file import write_arrays
from diptych.progress import Advance, progress
from diptych.sources import SourceFile

_MOST_BITS, _LEAST_BITS = 6, 3
_LARGE = 1 << 23  # bytes of a dump from which on many buckets pay
_BLOCK = 1 << 23
_EDGE = np.dtype(
    {
        "names": ["head", "tail", "rel", "weight", "at", "start", "end"],
        "formats": ["<u8", "<u8", "u1", "<f4", "<u8", "<u2", "<u2"],
    }
)
_MOST_RELATIONS = 255
_HASH_KEY = "diptych-graph-01"
_LONGEST = 1000
_NODE = np.dtype([("hash", "<u8"), ("at", "<u8"), ("size", "<u4")])


def node_hashes(names: Sequence[bytes]) -> NDArray[np.uint64]:
    """The numbers by which nodes are found: a keyed hash of their names, the same on every machine.

    >>> len(set(node_hashes([b"en/dog", b"en/cat", b"en/dog"]).tolist()))
    2
    """
    hashes: NDArray[np.uint64] = hash_array(np.array(names, dtype=object), hash_key=_HASH_KEY, categorize=False)
    return hashes


def ingest(file: SourceFile, target: Path, wanted: Wanted = ENGLISH, identity: str = "") -> Seen:
    """Read the dump once and write the graph file; malformed lines are counted and named, never fatal."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = tempfile.TemporaryDirectory(prefix=".conceptnet.", dir=target.parent)
    except OSError as error:
        raise BadInputError(f"{target}: cannot be written: {error.strerror}; name another place") from None
    with scratch as folder:
        buckets = _Buckets(Path(folder), _MOST_BITS if file.size > _LARGE else _LEAST_BITS)
        with progress(f"reading {file.name}", file.size) as advance:
            seen = _deal(file, wanted, buckets, advance)
        parts = _arrange(buckets)
        about = {
            "identity": identity,
            "languages": list(wanted.languages),
            "relations": buckets.relation_names(),
            "lines": seen.lines,
            "malformed": seen.malformed,
            "named": seen.named,
        }
        write_arrays(target, about, parts)
    return seen


class _Buckets:
    """The files the dump is dealt into."""

    def __init__(self, folder: Path, bits: int) -> None:
        self.folder = folder
        self.count = 1 << bits
        self.edges = [self._open(f"edges-{number}") for number in range(self.count)]
        self.nodes = [self._open(f"nodes-{number}") for number in range(self.count)]
        self.names, self.surfaces = self._open("names.raw"), self._open("surfaces")
        self.relations: dict[bytes, int] = {}

    def _open(self, name: str) -> IO[bytes]:
        return (self.folder / name).open("wb")

    def relation_names(self) -> list[str]:
        """The relations by number."""
        return [name.decode().removeprefix("/r/") for name in self.relations]

    def deal(self, block: pa.RecordBatch, about: pa.Table) -> None:
        """Put the edges of one block and their nodes into the buckets."""
        count = len(block)
        uris = pa.concat_arrays([block["head"], block["tail"]]).dictionary_encode()
        ends = uris.indices.to_numpy()
        names = [uri[3:] if uri.count(b"/") == 3 else _without_sense(uri) for uri in uris.dictionary.to_pylist()]
        hashes = node_hashes(names)
        _scatter(self.nodes, self._node_records(names, hashes), "hash")
        edges = np.zeros(count, _EDGE)
        edges["head"], edges["tail"] = hashes[ends[:count]], hashes[ends[count:]]
        edges["rel"] = self._relations(block["relation"])
        edges["weight"] = about["weight"].to_numpy()
        said = [_texts(about[column]) for column in ("surfaceStart", "surfaceEnd")]
        for name, texts in zip(("start", "end"), said, strict=True):
            edges[name] = pc.binary_length(texts).to_numpy()
        lengths = edges["start"].astype(np.int64) + edges["end"]
        edges["at"] = self.surfaces.tell() + np.cumsum(lengths) - lengths
        self.surfaces.write(contents(pc.binary_join_element_wise(*said, b"")))
        _scatter(self.edges, edges, "head")

    def _relations(self, column: pa.Array) -> NDArray[np.uint8]:
        coded = column.dictionary_encode()
        numbers = [self.relations.setdefault(name, len(self.relations)) for name in coded.dictionary.to_pylist()]
        if len(self.relations) > _MOST_RELATIONS:
            raise BadInputError(f"more than {_MOST_RELATIONS} relations: this is not ConceptNet's dump")
        chosen: NDArray[np.uint8] = np.array(numbers, np.uint8)[coded.indices.to_numpy()]
        return chosen

    def _node_records(self, names: list[bytes], hashes: NDArray[np.uint64]) -> NDArray[Any]:
        records = np.zeros(len(names), _NODE)
        sizes = np.fromiter(map(len, names), np.int64, len(names))
        records["hash"], records["size"] = hashes, sizes
        records["at"] = self.names.tell() + np.cumsum(sizes) - sizes
        self.names.write(b"".join(names))
        return records

    def close(self) -> None:
        """Finish dealing."""
        for file in (*self.edges, *self.nodes, self.names, self.surfaces):
            file.close()


def _without_sense(uri: bytes) -> bytes:
    """Language and term of a node, without its part of speech and sense.

    >>> _without_sense(b"/c/en/dog/n/wn/animal")
    b'en/dog'
    """
    return b"/".join(uri.split(b"/", 4)[2:4])


def _scatter(files: list[IO[bytes]], records: NDArray[Any], by: str) -> None:
    bucket = (records[by] >> np.uint64(65 - len(files).bit_length())).astype(np.int64)
    order = np.argsort(bucket, kind="stable")
    ends = np.searchsorted(bucket[order], np.arange(len(files) + 1))
    dealt = records[order]
    for number, file in enumerate(files):
        if ends[number] < ends[number + 1]:
            file.write(dealt[ends[number] : ends[number + 1]].tobytes())


def _deal(file: SourceFile, wanted: Wanted, buckets: _Buckets, advance: Advance) -> Seen:
    seen = Seen()
    for block in read_blocks(file, seen, advance):
        chosen = block.filter(is_wanted(block, wanted))
        chosen, about = read_about(file, chosen, seen)
        heavy = pc.greater_equal(about["weight"], wanted.least_weight)
        chosen, about = chosen.filter(heavy.combine_chunks()), about.filter(heavy)
        seen.kept += len(chosen)
        if len(chosen):
            buckets.deal(chosen, about)
    buckets.close()
    return seen


def _texts(column: pa.ChunkedArray) -> pa.Array:
    texts = pc.fill_null(column.combine_chunks(), "").cast(pa.binary())
    return pc.binary_slice(texts, 0, _LONGEST) if (pc.max(pc.binary_length(texts)).as_py() or 0) > _LONGEST else texts


def _arrange(buckets: _Buckets) -> dict[str, tuple[str, Path]]:
    """Put every bucket in order; what the graph file is made of, by name."""
    folder = buckets.folder
    _arrange_nodes(folder, buckets.count)
    hashes = _mapped(folder / "node_hash", "<u8")
    edges = _arrange_edges(folder, buckets.count, hashes)
    _index_by_tail(folder, len(hashes), edges, buckets.count)
    _index_by_relation(folder, len(buckets.relations), edges)
    kinds = {"node_hash": "<u8", "name_at": "<u8", "names": "u1", "head_start": "<u8", "tail": "<u4", "rel": "u1"}
    kinds |= {"weight": "<f4", "at": "<u8", "start": "<u2", "end": "<u2", "surfaces": "u1"}
    kinds |= {"head": "<u4", "tail_start": "<u8", "by_tail": "<u4", "rel_start": "<u8", "by_rel": "<u4"}
    return {name: (dtype, folder / name) for name, dtype in kinds.items()}


def _mapped(path: Path, dtype: str) -> NDArray[Any]:
    return np.memmap(path, dtype, "r") if path.stat().st_size else np.zeros(0, dtype)


def _arrange_nodes(folder: Path, count: int) -> None:
    last = 0
    with (
        (folder / "names.raw").open("rb") as source,
        (folder / "node_hash").open("wb") as hashes,
        (folder / "names").open("wb") as names,
        (folder / "name_at").open("wb") as ends,
    ):
        ends.write(np.zeros(1, "<u8").tobytes())
        raw = mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ) if source.seek(0, 2) else b""
        for number in range(count):
            records = np.fromfile(folder / f"nodes-{number}", _NODE)
            _, first = np.unique(records["hash"], return_index=True)
            hashes.write(records["hash"][first].tobytes())
            starts = records["at"][first].astype(np.int64)
            sizes = records["size"][first].astype(np.int64)
            spans = zip(starts.tolist(), (starts + sizes).tolist(), strict=True)
            names.write(b"".join([raw[start:end] for start, end in spans]))
            ends.write((last + np.cumsum(sizes)).astype("<u8").tobytes())
            last += int(sizes.sum())


def _arrange_edges(folder: Path, count: int, hashes: NDArray[Any]) -> int:
    """Edges by head, relation and tail; of equal ones the heaviest stays."""
    columns = {name: (folder / name).open("wb") for name in ("head", "tail", "rel", "weight", "at", "start", "end")}
    counts = np.zeros(len(hashes) + 1, "<u8")
    total = 0
    for number in range(count):
        edges = np.fromfile(folder / f"edges-{number}", _EDGE)
        order = np.lexsort((edges["at"], -edges["weight"], edges["tail"], edges["rel"], edges["head"]))
        edges = edges[order]
        if len(edges):
            fresh = [edges[name][1:] != edges[name][:-1] for name in ("head", "rel", "tail")]
            edges = edges[np.concatenate(([True], fresh[0] | fresh[1] | fresh[2]))]
        heads = np.searchsorted(hashes, edges["head"])
        if len(heads):  # the heads of a bucket follow one another
            low, many = int(heads[0]), np.bincount(heads - heads[0])
            counts[low + 1 : low + 1 + len(many)] += many.astype("<u8")
        numbers = {"head": heads.astype("<u4"), "tail": np.searchsorted(hashes, edges["tail"]).astype("<u4")}
        for name, file in columns.items():
            file.write(np.ascontiguousarray(numbers.get(name, edges[name])).tobytes())
        total += len(edges)
    for file in columns.values():
        file.close()
    np.cumsum(counts, dtype="<u8").tofile(folder / "head_start")
    return total


def _index_by_tail(folder: Path, nodes: int, edges: int, parts: int) -> None:
    tails = _mapped(folder / "tail", "<u4")
    starts = np.zeros(nodes + 1, "<u8")
    step = max(1, -(-nodes // parts))
    with (folder / "by_tail").open("wb") as out:
        for low in range(0, nodes, step):
            found = [
                np.flatnonzero((part >= low) & (part < low + step)) + at
                for at in range(0, edges, _BLOCK)
                for part in (tails[at : at + _BLOCK],)
            ]
            mine = np.concatenate(found) if found else np.zeros(0, np.int64)
            ordered = mine[np.argsort(tails[mine], kind="stable")]
            out.write(ordered.astype("<u4").tobytes())
            within = np.bincount(tails[mine] - low, minlength=min(step, nodes - low))
            starts[low + 1 : low + 1 + len(within)] = within
    np.cumsum(starts, dtype="<u8").tofile(folder / "tail_start")


def _index_by_relation(folder: Path, relations: int, edges: int) -> None:
    rel = _mapped(folder / "rel", "u1")
    starts = [0]
    with (folder / "by_rel").open("wb") as out:
        for number in range(relations):
            count = 0
            for at in range(0, edges, _BLOCK):
                found = np.flatnonzero(rel[at : at + _BLOCK] == number) + at
                out.write(found.astype("<u4").tobytes())
                count += len(found)
            starts.append(starts[-1] + count)
    np.array(starts, "<u8").tofile(folder / "rel_start")
