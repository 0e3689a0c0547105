r"""ConceptNet as a graph: a memory-mapped file made from the official dump, or a conceptnet-lite database.

>>> from diptych.sources import SourceFile
>>> import gzip, tempfile, pathlib
>>> dump = pathlib.Path(tempfile.mkdtemp()) / "conceptnet-assertions-5.7.0.csv.gz"
>>> line = '/a/1\t/r/IsA\t/c/en/dog/n\t/c/en/animal\t{"weight": 2.0, "surfaceStart": "a dog", "surfaceEnd": "animal"}'
>>> _ = dump.write_bytes(gzip.compress(line.encode()))
>>> graph = open_dump(SourceFile(dump, "conceptnet-assertions-5.7.0.csv"), dump.with_suffix(".graph"))
>>> [edge.tail for edge in graph.edges(head="dog")]
['animal']
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import networkx as nx
import numpy as np
import orjson
from numpy.typing import NDArray

from diptych.errors import BadInputError
from diptych.kg.conceptnet_dump import ENGLISH, Seen, Wanted
from diptych.kg.conceptnet_ingest import ingest, node_hashes
from diptych.kg.graph_file import ArrayFile, read_about
from diptych.sources import SourceFile

_FORMAT = 2
_ENDS = 64


@dataclass(frozen=True, slots=True)
class Edge:
    """One assertion: head, relation, tail, its weight, and how its ends were said."""

    head: str
    relation: str
    tail: str
    weight: float = 1.0
    head_said: str = ""
    tail_said: str = ""


class ConceptGraph(Protocol):
    """What can be asked of ConceptNet, wherever it lies; words are given with spaces or underscores."""

    def __contains__(self, term: str) -> bool:
        """Whether there is a node for a term."""
        ...

    def edges(self, head: str | None = None, relation: str | None = None, tail: str | None = None) -> list[Edge]:
        """The edges with this head, relation and tail, where given; the heaviest first."""
        ...


class ConceptNet:
    """A graph file, open; nothing is in memory but what is asked for."""

    def __init__(self, path: Path) -> None:
        self.file = ArrayFile(path)
        self.relations: tuple[str, ...] = tuple(self.file.about["relations"])
        self.languages: tuple[str, ...] = tuple(self.file.about["languages"])
        self._hashes = self.file.array("node_hash")
        self._name_at = self.file.array("name_at")
        self._names, self._surfaces = self.file.text("names"), self.file.text("surfaces")
        self._column = {name: self.file.array(name) for name in ("head", "rel", "tail", "weight", "at", "start", "end")}

    def __len__(self) -> int:
        """How many edges there are."""
        return len(self._column["rel"])

    @property
    def seen(self) -> Seen:
        """How many lines of the dump were read, kept and found malformed, and the first malformed ones."""
        about = self.file.about
        return Seen(about["lines"], about["kept"], about["malformed"], list(about["named"]))

    @property
    def malformed(self) -> tuple[str, ...]:
        """The first malformed lines of the dump, by file and line; `seen.malformed` counts them all."""
        return tuple(self.seen.named)

    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self._hashes)

    def __contains__(self, term: str) -> bool:
        return bool(self._numbers(term))

    def edges(self, head: str | None = None, relation: str | None = None, tail: str | None = None) -> list[Edge]:
        """The edges with this head, relation and tail, where given; the heaviest first."""
        if relation is not None and relation not in self.relations:
            return []
        rel = None if relation is None else self.relations.index(relation)
        numbers = self._found(head, rel, tail)
        if rel is not None and len(numbers):
            numbers = numbers[self._column["rel"][numbers] == rel]
        return sorted(self._edges(numbers), key=lambda edge: (-edge.weight, edge.head, edge.relation, edge.tail))

    def neighbourhood(self, term: str, radius: int = 1, relations: Iterable[str] | None = None) -> nx.MultiDiGraph:
        """The graph around a term, as networkx knows graphs."""
        return neighbourhood(self, term, radius, relations)

    def _found(self, head: str | None, rel: int | None, tail: str | None) -> NDArray[np.int64]:
        if head is not None:
            found = [np.arange(*self._span("head_start", number)) for number in self._numbers(head)]
        elif tail is not None:
            spans = (self._span("tail_start", number) for number in self._numbers(tail))
            found = [self.file.array("by_tail")[low:high].astype(np.int64) for low, high in spans]
        elif rel is not None:
            low, high = self._span("rel_start", rel)
            found = [self.file.array("by_rel")[low:high].astype(np.int64)]
        else:
            found = [np.arange(len(self))]
        numbers = np.concatenate([np.zeros(0, np.int64), *found])
        if head is not None and tail is not None:
            numbers = numbers[np.isin(self._column["tail"][numbers], self._numbers(tail))]
        return numbers

    def _span(self, starts: str, number: int) -> tuple[int, int]:
        array = self.file.array(starts)
        return int(array[number]), int(array[number + 1])

    def _numbers(self, term: str) -> list[int]:
        """The nodes of a term: one for each language that has it, or that of the one it names, as `/c/en/dog`."""
        text = term.lower().replace(" ", "_")
        asked = [text[3:]] if text.startswith("/c/") else [f"{language}/{text}" for language in self.languages]
        return [number for name in asked for number in self._number(name.encode())]

    def _number(self, name: bytes) -> list[int]:
        at = int(np.searchsorted(self._hashes, node_hashes([name], self.file.about["salt"])[0]))
        return [at] if at < len(self._hashes) and self._name(at) == name else []

    def _name(self, number: int) -> bytes:
        return bytes(self._names[int(self._name_at[number]) : int(self._name_at[number + 1])])

    def _terms(self, numbers: NDArray[np.int64]) -> list[str]:
        spans = zip(self._name_at[numbers].tolist(), self._name_at[numbers + 1].tolist(), strict=True)
        names = (str(self._names[low:high], "utf-8") for low, high in spans)
        return [name.partition("/")[2].replace("_", " ") for name in names]

    def _edges(self, numbers: NDArray[np.int64]) -> Iterator[Edge]:
        rows = {name: column[numbers] for name, column in self._column.items()}
        heads, tails = (self._terms(rows[end].astype(np.int64)) for end in ("head", "tail"))
        starts = rows["at"].astype(np.int64)
        middles = starts + rows["start"]
        said = (starts, middles, middles + rows["end"])
        weights = rows["weight"].astype(np.float64).round(4)
        columns = (heads, rows["rel"].tolist(), tails, weights.tolist(), *(place.tolist() for place in said))
        for head, rel, tail, weight, start, middle, end in zip(*columns, strict=True):
            surfaces = (str(self._surfaces[low:high], "utf-8") for low, high in ((start, middle), (middle, end)))
            yield Edge(head, self.relations[rel], tail, weight, next(surfaces) or head, next(surfaces) or tail)


def open_dump(file: SourceFile, target: Path, wanted: Wanted = ENGLISH) -> ConceptNet:
    """The graph of a dump: made at `target`, or at once where the finished file of this very dump is there."""
    identity = dump_identity(file, wanted)
    if not (target.is_file() and read_about(target)["identity"] == identity):
        ingest(file, target, wanted, identity)
    return ConceptNet(target)


def dump_identity(file: SourceFile, wanted: Wanted) -> str:
    """What a graph file must have been made from to be used again: name, size and both ends of the dump."""
    with file.path.open("rb") as raw:
        first = raw.read(_ENDS)
        raw.seek(max(0, file.size - _ENDS))
        ends = (first + raw.read()).hex()
    # The last bytes of an archive hold a checksum of its content; a plain file has none, so its time must do.
    changed = file.path.stat().st_mtime_ns if file.format == "plain" else 0
    return orjson.dumps([_FORMAT, file.name, file.size, ends, changed, asdict(wanted)]).decode()


def neighbourhood(
    graph: ConceptGraph, term: str, radius: int = 1, relations: Iterable[str] | None = None
) -> nx.MultiDiGraph:
    """The edges within so many steps of a term, in either direction."""
    if radius < 1:
        raise BadInputError(f"a neighbourhood needs a radius of at least 1, not {radius}")
    wanted = None if relations is None else frozenset(relations)
    view, edge_of = nx.MultiDiGraph(), [term.lower().replace("_", " ")]
    view.add_node(edge_of[0])
    for _ in range(radius):
        fresh: dict[str, None] = {}
        for node in edge_of:
            for edge in _around(graph, node):
                if wanted is None or edge.relation in wanted:
                    fresh |= {end: None for end in (edge.head, edge.tail) if end not in view}
                    view.add_edge(edge.head, edge.tail, key=edge.relation, weight=edge.weight)
        edge_of = list(fresh)
    return view


def _around(graph: ConceptGraph, node: str) -> Iterator[Edge]:
    yield from graph.edges(head=node)
    yield from graph.edges(tail=node)
