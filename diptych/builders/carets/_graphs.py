"""The scene graphs of one split together: random access to them, and which of them have which names."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from diptych.builders import Rows
from diptych.builders.carets._graph_facts import unpack_graph
from diptych.errors import BadInputError
from diptych.scenegraphs import SceneGraph, base_name
from diptych.sources import by_number

_TRIES, _NEAR_TRIES = 40, 10


class Graphs:
    """The scene graphs of a split by image id; they stay packed, and each is unpacked when it is looked up.

    A pickle of them names only their shards, so that no plan stores them a second time.
    """

    def __init__(self, rows: Rows) -> None:
        tables = list(rows.tables("key", "graph"))
        image_ids = [image_id for table in tables for image_id in table["key"].to_pylist()]
        chunks = [chunk for table in tables for chunk in table["graph"].chunks]
        self._rows = rows
        self._packed = pa.chunked_array(chunks, pa.large_binary()).combine_chunks()
        self._positions = {image_id: position for position, image_id in enumerate(image_ids)}
        self.image_ids = sorted(self._positions, key=by_number)
        if len(self._positions) < len(image_ids):
            twice = Counter(image_ids).most_common(1)[0][0]
            raise BadInputError(f"image {twice} has two scene graphs; download the files again")

    def __reduce__(self) -> tuple[Any, ...]:
        return Graphs, (self._rows,)

    def __len__(self) -> int:
        return len(self.image_ids)

    def __getitem__(self, image_id: str) -> SceneGraph:
        packed = self._packed[self._positions[image_id]].as_buffer()
        return unpack_graph(image_id, memoryview(packed))


@dataclass(frozen=True, slots=True)
class NameIndex:
    """How often objects have which names, and which graphs have them."""

    counts: Mapping[str, int]
    graphs: Mapping[str, npt.NDArray[np.int32]]
    """Base name to the numbers of the graphs that have an object of that name, in the order of the image ids."""

    @classmethod
    def from_rows(cls, rows: Rows, graphs: Graphs) -> "NameIndex":
        """The index of the graphs that `read` found."""
        counts: Counter[str] = Counter()
        numbers_of_noun: defaultdict[str, list[int]] = defaultdict(list)
        numbers = {image_id: number for number, image_id in enumerate(graphs.image_ids)}
        for image_id, names in rows.columns("key", "names"):
            counts.update(names)
            for noun in {base_name(name) for name in names}:
                numbers_of_noun[noun].append(numbers[image_id])
        return cls(dict(counts), {noun: np.array(sorted(of), np.int32) for noun, of in numbers_of_noun.items()})


def random_graphs(graphs: Graphs, index: NameIndex, rng: Random, name: str = "") -> Iterator[SceneGraph]:
    """Graphs to look for a counterexample in: first some that have the name, if there is one, then any."""
    numbers = index.graphs.get(base_name(name), ()) if name else ()
    for _ in range(_NEAR_TRIES if len(numbers) else 0):
        yield graphs[graphs.image_ids[numbers[int(rng.random() * len(numbers))]]]
    for _ in range(_TRIES):
        yield graphs[graphs.image_ids[int(rng.random() * len(graphs))]]
