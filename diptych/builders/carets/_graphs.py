"""Scene graphs: what `read` finds in each, and random access to those of a split.

`read` finds phrases that are true of a graph, and objects that can be referred to for certain. The findings are kept
packed, as JSON in columns of bytes: they pass through every stage, and few of them are used.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import islice
from random import Random
from sys import intern
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import orjson
import pyarrow as pa

from diptych import scenegraphs
from diptych.builders import EVERY_TEST, Item, Problem, Rows
from diptych.builders.carets._plausibility import Company
from diptych.builders.carets._questions import phrase_fields
from diptych.errors import BadInputError
from diptych.language import is_mass, is_plural
from diptych.scenegraphs import Phrase, SceneGraph, SceneObject, base_name, class_of, ontology, referent
from diptych.sources import by_number

SHAPES = ("bare", "attribute", "relation")  # the forms of a phrase, in the order in which they are packed
_COUNTABLE_KINDS = frozenset(
    "animal;appliance;bag;bird;building;container;dessert;electronic device;fruit;musical instrument;person;tool;toy;"
    "utensil;vegetable;vehicle".split(";")
)
# Kinds that count objects, so that "the black animal" can be one of them.
_UNCOUNTED_KINDS = frozenset(
    "alcohol;artwork;body part;bread;cheese;clothing;food;furniture;glasses;jewelry;luggage;meat;pants;sauce;"
    "silverware;sports equipment".split(";")
)
# Kinds that do not; by every other kind a single object can be referred to.
_CERTAIN_PERSONS = frozenset("man woman boy girl".split())  # a skier may be a boy: other names exclude nothing
_MOST_REFERENCES = 3


@dataclass(frozen=True, slots=True)
class GraphFacts(Item):
    """What is known of one image; its key is the id of the image."""

    graph: bytes  # the scene graph; `_unpack_graph` reads it
    names: tuple[str, ...]  # the names of its objects, one per object
    phrases: bytes  # for every noun, the phrases of each shape: `[noun, [[name], …], [[name, attribute], …], …]`
    attributes: bytes  # objects with a single attribute of a class: `[object id, class, attribute, *phrase]`
    kinds: bytes  # objects that are told apart by their kind: `[object id, kind, name, *phrase]`
    described: bytes  # attributes that stand before the name of their object: `[name, attribute]`


def read_graph(graph: SceneGraph) -> Iterator[GraphFacts | Problem]:
    """What is known of an image, and what of its graph could not be used.

    Of an image without objects nothing is known, so nothing is known to be absent from it either.
    """
    yield from (Problem(problem.reason, problem.location) for problem in graph.problems)
    if graph.objects:
        descriptions = ((thing.name, word) for thing in graph.objects for word in _leading_attributes(thing))
        yield GraphFacts(
            EVERY_TEST,
            graph.image_id,
            graph=_pack_graph(graph),
            names=tuple(thing.name for thing in graph.objects),
            phrases=orjson.dumps(list(_noun_phrases(graph))),
            attributes=orjson.dumps(list(_attribute_references(graph))),
            kinds=orjson.dumps(list(_kind_references(graph))),
            described=orjson.dumps(list(descriptions)),
        )


def _pack_graph(graph: SceneGraph) -> bytes:
    objects, uncertain_objects = (
        [[thing.id, thing.name, thing.box, thing.attributes, thing.relations, thing.sense] for thing in part]
        for part in (graph.objects, graph.uncertain_objects)
    )
    return orjson.dumps([graph.width, graph.height, objects, uncertain_objects])


def _unpack_graph(image_id: str, content: Any) -> SceneGraph:
    """The scene graph that `_pack_graph` packed."""
    width, height, *parts = orjson.loads(content)
    objects, uncertain_objects = (
        tuple(
            SceneObject(object_id, name, tuple(box), tuple(attributes), tuple(map(tuple, relations)), sense)
            for object_id, name, box, attributes, relations, sense in part
        )
        for part in parts
    )
    return SceneGraph(image_id, width, height, objects, uncertain_objects=uncertain_objects)


def phrases_for(thing: SceneObject, graph: SceneGraph, name: str) -> Iterator[Phrase]:
    """The phrases that call an object by a name: bare, with an attribute, with a relation."""
    yield Phrase(name)
    yield from (Phrase(name, attribute) for attribute in _leading_attributes(thing))
    for relation, target_id in thing.relations:
        target = graph[target_id].name
        can_say = relation in scenegraphs.RELATION_WORDS and ontology().is_foreground(target)
        if can_say and base_name(target) != base_name(thing.name):
            yield Phrase(name, "", relation, target)


def _leading_attributes(thing: SceneObject) -> list[str]:
    """The attributes that can stand before a name: not those that the name says itself (a brown bear)."""
    words = (word for word in thing.attributes if not Phrase(thing.name, word).repeats_itself)
    classes = ((word, class_of(word, thing.name)) for word in words)
    return [word for word, attribute_class in classes if attribute_class and attribute_class.precedes_noun]


def _noun_phrases(graph: SceneGraph) -> Iterator[list[Any]]:
    """Every noun of the image that is asked about, with its phrases by shape, each in alphabetical order."""
    by_noun: defaultdict[str, list[SceneObject]] = defaultdict(list)
    for thing in graph.objects:
        if ontology().is_foreground(thing.name):
            by_noun[base_name(thing.name)].append(thing)
    for noun, things in sorted(by_noun.items()):
        phrases = {phrase for thing in things for phrase in phrases_for(thing, graph, thing.name)}
        ordered = sorted(phrases, key=lambda phrase: (phrase.text, phrase.name))
        yield [noun, *([phrase_fields(phrase) for phrase in ordered if phrase.shape == shape] for shape in SHAPES)]


def _attribute_references(graph: SceneGraph) -> Iterator[list[str]]:
    """Objects with a single attribute of a class, by a few phrases that refer to them."""
    for thing in graph.objects:
        if ontology().is_foreground(thing.name) or thing.name in ontology().unique_background:
            for group, value in _single_attributes(thing):
                for phrase in _references(thing, graph, group):
                    yield [thing.id, group, value, *phrase_fields(phrase)]


def _single_attributes(thing: SceneObject) -> list[tuple[str, str]]:
    """The classes of which an object has exactly one attribute, and of which its name says none ("the orange")."""
    by_class: defaultdict[str, list[str]] = defaultdict(list)
    for attribute in thing.attributes:
        attribute_class = class_of(attribute, thing.name)
        is_asked = attribute_class is not None and not attribute_class.is_independent
        if attribute_class and is_asked and _name_words(thing.name).isdisjoint(attribute_class.values):
            by_class[attribute_class.name].append(attribute)
    return [(name, values[0]) for name, values in by_class.items() if len(values) == 1]


@cache
def _name_words(name: str) -> frozenset[str]:
    return frozenset((*name.split(), *base_name(name).split()))


def _references(thing: SceneObject, graph: SceneGraph, group: str) -> list[Phrase]:
    """Phrases that refer to this object alone and do not give away its attribute of a class."""
    by_name = (phrase for phrase in phrases_for(thing, graph, thing.name) if not _gives_away(phrase, thing, group))
    by_kind = map(Phrase, _nearest_kinds(thing.name))
    references = (phrase for phrase in by_name if referent(phrase, graph) is thing)
    return [*islice(references, _MOST_REFERENCES), *(kind for kind in by_kind if referent(kind, graph) is thing)]


@cache
def _nearest_kinds(name: str) -> tuple[str, ...]:
    """The kinds that can refer to a single object of this name, the nearest first: a jacket is a coat."""
    is_single = not is_plural(name) and not is_mass(name)
    kinds = ontology().kinds_of(name) - _UNCOUNTED_KINDS if is_single else ()
    return tuple(sorted(kinds, key=lambda kind: (len(ontology().members[kind]), kind)))


def _gives_away(phrase: Phrase, thing: SceneObject, group: str) -> bool:
    attribute_class = class_of(phrase.attribute, thing.name) if phrase.attribute else None
    pose = phrase.relation.partition(" ")[0]  # "the man sitting on the bench" tells his pose
    same_class = attribute_class is not None and attribute_class.name == group
    return same_class or pose in scenegraphs.ATTRIBUTE_CLASSES[group].values


@cache
def _countable_kinds(name: str) -> tuple[str, ...]:
    """The kinds that a single object of this name can be called by: a parrot, but not parrots, is an animal, a bird."""
    is_single = not is_plural(name) and not is_mass(name)
    return tuple(sorted(ontology().kinds_of(name) & _COUNTABLE_KINDS)) if is_single else ()


def _kind_references(graph: SceneGraph) -> Iterator[list[str]]:
    """Objects that are told apart by their kind with an attribute or a relation."""
    for thing in graph.objects:
        for kind in _countable_kinds(thing.name) if ontology().is_foreground(thing.name) else ():
            if kind != "person" or thing.name in _CERTAIN_PERSONS:
                phrases = (phrase for phrase in phrases_for(thing, graph, kind) if phrase.shape != "bare")
                references = (phrase for phrase in phrases if referent(phrase, graph) is thing)
                for phrase in islice(references, 2 * _MOST_REFERENCES):
                    yield [thing.id, kind, thing.name, *phrase_fields(phrase)]


class NameIndex(NamedTuple):
    """How often objects have which names, and the numbers of the graphs that have an object of a base name."""

    counts: Mapping[str, int]
    graphs: Mapping[str, npt.NDArray[np.int32]]


class Graphs:
    """The scene graphs of a split by image id; they stay packed, and each is unpacked when it is looked up.

    A pickle of them names only their shards, so that no plan stores them a second time.
    """

    def __init__(self, rows: Rows) -> None:
        tables = list(rows.tables("key", "graph"))
        image_ids = [image_id for table in tables for image_id in table["key"].to_pylist()]
        chunks = [chunk for table in tables for chunk in table["graph"].chunks]
        self._rows = rows
        self._packed = pa.chunked_array(chunks, pa.large_binary())  # in one piece they would be there twice for a while
        self._positions = {image_id: position for position, image_id in enumerate(image_ids)}
        self.image_ids = sorted(self._positions, key=by_number)
        self.numbers = {image_id: number for number, image_id in enumerate(self.image_ids)}
        if len(self._positions) < len(image_ids):
            repeated = Counter(image_ids).most_common(1)[0][0]
            raise BadInputError(f"image {repeated} has two scene graphs; download the files again")

    def __reduce__(self) -> tuple[Any, ...]:
        return load_graphs, (self._rows,)

    def __getitem__(self, image_id: str) -> SceneGraph:
        packed = self._packed[self._positions[image_id]].as_buffer()
        return _unpack_graph(image_id, memoryview(packed))

    @cached_property
    def names(self) -> NameIndex:
        """The names of the objects of all graphs."""
        counts: Counter[str] = Counter()
        graphs: defaultdict[str, list[int]] = defaultdict(list)
        for image_id, names in self._rows.columns("key", "names"):
            counts.update(names)
            for noun in {base_name(name) for name in names}:
                graphs[noun].append(self.numbers[image_id])
        return NameIndex(counts, {noun: np.array(sorted(numbers), np.int32) for noun, numbers in graphs.items()})

    @cached_property
    def company(self) -> Company:
        """Which names occur together in the images."""
        return Company(self._names_by_image())

    def halves(self) -> Iterator[Company]:
        """What each half of the images tells: for the odd numbers what the even ones do, and the other way round."""
        names = list(self._names_by_image())
        yield from (Company(names, [number % 2 != half for number in range(len(names))]) for half in (0, 1))

    def _names_by_image(self) -> Iterator[tuple[str, ...]]:
        rows = self._rows.columns("key", "names")
        names = {image_id: tuple(map(intern, of_image)) for image_id, of_image in rows}  # each name is kept once
        return (names[image_id] for image_id in self.image_ids)

    def draw(self, rng: Random, names: Sequence[str], count: int) -> npt.NDArray[np.int32]:
        """The numbers of some graphs: half of them any, the others with an object of one of the names in turn."""
        with_name = [numbers for name in names if len(numbers := self.names.graphs.get(name, ()))]
        drawn = [int(rng.random() * len(self.image_ids)) for _ in range(count // 2 if with_name else count)]
        for position in range(count - len(drawn)):
            of_name = with_name[position % len(with_name)]
            drawn.append(int(of_name[int(rng.random() * len(of_name))]))
        return np.array(list(dict.fromkeys(drawn)), np.int32)

    def have(self, name: str, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Which of some graphs have an object of a name."""
        of_name = self.names.graphs.get(name)
        if of_name is None:
            return np.zeros(len(numbers), np.bool_)
        positions = np.minimum(np.searchsorted(of_name, numbers), len(of_name) - 1)
        return np.asarray(of_name[positions] == numbers)


@lru_cache(maxsize=1)
def load_graphs(rows: Rows) -> Graphs:
    """The graphs of a split, kept while the configs of a build use them in turn; rows are named by fingerprint."""
    return Graphs(rows)
