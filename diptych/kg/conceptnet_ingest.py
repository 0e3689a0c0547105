"""ConceptNet's assertions dump into one compact graph file, in memory that does not grow with the dump.

A node's number is the rank of a 64-bit hash of its name. So nodes and edges can be dealt into buckets by the first
bits of that hash, every bucket be put in order by itself, and the buckets simply follow one another in the file.
Should two names have one hash, the dump is read again with another salt.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from diptych.errors import BadInputError, DiptychError, MissingFileError
from diptych.kg.byte_columns import PADDING, Bools, Ints, Page, Words, contents, on_one_page
from diptych.kg.conceptnet_about import About, read_about
from diptych.kg.conceptnet_arrange import EDGE, NODE, Collision, Columns, arrange
from diptych.kg.conceptnet_dump import BLOCK, ENGLISH, Lines, Seen, Wanted, read_lines
from diptych.kg.graph_file import write_arrays
from diptych.kg.spill import Spill
from diptych.progress import Advance, progress
from diptych.sources import SourceFile

_SLASH = b"/"[0]
_SLASHES = b"/c/en/dog".count(b"/")
_MOST_RELATIONS = 255


@dataclass(frozen=True, slots=True)
class Budget:
    """How much is looked at or held at a time; it changes the speed and the memory, never a byte of the outcome."""

    block: int = BLOCK
    """Bytes of the dump looked at together."""
    bucket: int = 1 << 23
    """Bytes of the dump, as it lies on disk, for each bucket."""
    held: int = 1 << 23
    """Bytes in memory of each of the three kinds of buckets."""
    most_bits: int = 7

    def buckets(self, size: int) -> int:
        """How many buckets a dump of so many bytes is dealt into: a power of two.

        >>> Budget().buckets(1000), Budget().buckets(500_000_000)
        (1, 64)
        """
        return 1 << min(self.most_bits, max(0, size // self.bucket).bit_length())


USUAL = Budget()


def node_hashes(names: Sequence[bytes], salt: int = 0) -> Words:
    """The numbers by which nodes are found, the same on every machine.

    >>> len(set(node_hashes([b"en/dog", b"en/cat", b"en/dog"]).tolist()))
    2
    """
    ends = np.cumsum([len(name) for name in names])
    starts = np.concatenate((np.zeros(1, np.int64), ends[:-1]))
    return Page(b"".join((*names, PADDING))).hashed(starts, ends, salt)[0]


def ingest(
    file: SourceFile, target: Path, wanted: Wanted = ENGLISH, identity: str = "", budget: Budget = USUAL
) -> Seen:
    """Read the dump once and write the graph file; malformed lines are counted and named, never fatal."""
    if not file.path.is_file():
        raise MissingFileError(f"{file.where}: no such dump of ConceptNet")
    for salt in count():
        try:
            return _ingest(file, target, wanted, identity, budget, salt)
        except Collision:
            continue
        except DiptychError:
            raise
        except OSError as error:
            raise BadInputError(f"{target}: cannot be written: {error.strerror}; name another place") from None
    raise AssertionError("there is always another salt")


def _ingest(file: SourceFile, target: Path, wanted: Wanted, identity: str, budget: Budget, salt: int) -> Seen:
    target.parent.mkdir(parents=True, exist_ok=True)
    seen = Seen()
    with Columns(target.parent) as columns, _Buckets(columns, budget.buckets(file.size), budget.held, salt) as buckets:
        with progress(f"reading {file.name}", file.size) as advance:
            _deal(file, wanted, buckets, seen, advance, budget.block)
        names = sorted(buckets.relations)
        arrange(buckets.nodes, buckets.names, buckets.edges, [names.index(name) for name in buckets.relations], columns)
        about = {
            "identity": identity,
            "salt": salt,
            "languages": list(wanted.languages),
            "relations": [name.decode() for name in names],
            "lines": seen.lines,
            "kept": seen.kept,
            "malformed": seen.malformed,
            "named": seen.named,
        }
        write_arrays(target, about, columns.parts())
    return seen


def _deal(file: SourceFile, wanted: Wanted, buckets: "_Buckets", seen: Seen, advance: Advance, block: int) -> None:
    for lines in read_lines(file, wanted, seen, advance, block):
        about = read_about(file, lines, seen)
        about.good &= about.weight >= wanted.least_weight
        nodes = _nodes(lines, wanted, buckets.salt)
        if not nodes.named.all():
            for row in np.flatnonzero(about.good & ~nodes.named[nodes.of].all(axis=1)).tolist():
                about.good[row] = False
                seen.complain(file.where, int(lines.numbers[row]), "a concept without a term")
        seen.kept += int(np.count_nonzero(about.good))
        buckets.deal(lines, about, nodes)


@dataclass(frozen=True, slots=True)
class _Nodes:
    """The different concepts of some lines."""

    of: NDArray[np.int32]
    """A row a line: which of them its head and its tail are."""
    page: Page
    starts: Ints
    ends: Ints
    hashes: Words
    checks: Words
    named: Bools
    """Whether they have a term."""


def _nodes(lines: Lines, wanted: Wanted, salt: int) -> _Nodes:
    """Languages and terms of the concepts, without part of speech and sense."""
    head, tail = lines.cell(2), lines.cell(3)
    spans = (np.stack((head[side], tail[side]), axis=1).ravel() for side in (0, 1))
    codes, concepts = lines.page.coded(*spans)
    page, places = on_one_page(concepts)
    starts, ends = places[:-1] + len("/c/"), places[1:]
    widths = {len(language.encode()) for language in wanted.languages}
    after = starts + widths.pop() if len(widths) == 1 else page.until(starts, ends, _SLASH)
    if page.buffer.count(_SLASH) > _SLASHES * len(concepts):  # on many pages no concept has a sense
        ends = page.until(after + 1, ends, _SLASH)
    return _Nodes(codes.reshape(-1, 2), page, starts, ends, *page.hashed(starts, ends, salt), named=ends > after + 1)


class _Buckets:
    """What the dump is dealt into."""

    def __init__(self, columns: Columns, number: int, held: int, salt: int) -> None:
        self.columns, self.salt = columns, salt
        self.edges, self.nodes, self.names = (Spill(number, columns.folder, held) for _ in range(3))
        self.relations: dict[bytes, int] = {}

    def __enter__(self) -> "_Buckets":
        return self

    def __exit__(self, *_: object) -> None:
        for spill in (self.edges, self.nodes, self.names):
            spill.close()

    def deal(self, lines: Lines, about: About, nodes: _Nodes) -> None:
        """Put the good edges of some lines and their nodes into the buckets."""
        rows = np.flatnonzero(about.good)
        ends = nodes.of[rows]
        used = np.zeros(len(nodes.named), np.bool_)
        used[ends] = True
        self._deal_nodes(nodes, np.flatnonzero(used))
        edges = np.zeros(len(rows), EDGE)
        edges["head"], edges["tail"] = nodes.hashes[ends[:, 0]], nodes.hashes[ends[:, 1]]
        edges["rel"] = self._relations(lines.page, *(each[rows] for each in lines.cell(1)))
        edges["weight"] = about.weight[rows]
        sizes, texts = _surfaces(lines.page, about, rows)
        edges["start"], edges["end"] = sizes[0::2], sizes[1::2]
        whole = sizes[0::2] + sizes[1::2]
        edges["at"] = self.columns.size("surfaces") + np.cumsum(whole) - whole
        self.columns.write("surfaces", texts)
        for bucket, chosen in _dealt(edges["head"], len(self.edges)):
            self.edges.add(bucket, edges[chosen].tobytes())

    def _deal_nodes(self, nodes: _Nodes, chosen: Ints) -> None:
        records = np.zeros(len(chosen), NODE)
        records["hash"], records["check"] = nodes.hashes[chosen], nodes.checks[chosen]
        starts, ends = nodes.starts[chosen], nodes.ends[chosen]
        records["size"] = ends - starts
        for bucket, mine in _dealt(records["hash"], len(self.nodes)):
            self.nodes.add(bucket, records[mine].tobytes())
            self.names.add(bucket, contents(nodes.page.texts(starts[mine], ends[mine])))

    def _relations(self, page: Page, starts: Ints, ends: Ints) -> NDArray[np.uint8]:
        codes, names = page.coded(starts + len("/r/"), ends)
        numbers = [self.relations.setdefault(name, len(self.relations)) for name in names.to_pylist()]
        if len(self.relations) > _MOST_RELATIONS:
            raise BadInputError(f"more than {_MOST_RELATIONS} relations: this is not ConceptNet's dump")
        found: NDArray[np.uint8] = np.array(numbers, np.uint8)[codes]
        return found


def _dealt(hashes: Words, buckets: int) -> list[tuple[int, NDArray[np.int64] | slice]]:
    """Which of the hashes belong to which bucket, by their first bits."""
    if buckets == 1:
        return [(0, slice(None))]
    bucket = (hashes >> np.uint64(65 - buckets.bit_length())).astype(np.uint8)
    order = np.argsort(bucket, kind="stable")
    ends = np.searchsorted(bucket[order], np.arange(buckets + 1))
    spans = zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    return [(number, order[low:high]) for number, (low, high) in enumerate(spans) if low < high]


def _surfaces(page: Page, about: About, rows: Ints) -> tuple[Ints, bytes]:
    """The surfaces of heads and tails in turn: their sizes, and all of them one after the other."""
    # On the page the surface of the tail comes first.
    starts, ends = (np.stack((about.end[side][rows], about.start[side][rows]), axis=1).ravel() for side in (0, 1))
    turned = np.arange(len(starts)).reshape(-1, 2)[:, ::-1].ravel()
    sizes, texts = (ends - starts)[turned], contents(page.texts(starts, ends, turned))
    if not about.aside:
        return sizes, texts
    asides = np.array([row for row in about.aside if about.good[row]], np.int64)
    places = np.searchsorted(rows, asides)
    cuts = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))[2 * places].tolist()
    pieces: list[bytes] = []
    last = 0
    for row, place, cut in zip(asides.tolist(), places.tolist(), cuts, strict=True):
        said = about.aside[row]
        pieces += (texts[last:cut], *said)
        sizes[2 * place : 2 * place + 2] = [len(each) for each in said]
        last = cut
    return sizes, b"".join((*pieces, texts[last:]))
