"""Which things are in which image: Visual Genome's and COCO's, and those that FVQA's own questions are about.

A set of images is an integer with one bit per image, in the order of their names: sets of a few thousand images are
intersected in less than a microsecond, and the lowest bit is the first image by name.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

from diptych.builders.fvqa2._entities import EntityKey, entity_key, is_same_thing, meaning
from diptych.language import singular
from diptych.sources import FvqaQuestion

_COCO_IMAGE = re.compile(r"COCO_\w+_0*(\d+)\.jpg$")


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing in an image, and the name it is called by."""

    key: EntityKey
    name: str


@dataclass(frozen=True, slots=True)
class ImageIndex:
    """The things in every image, the images that show each thing, and how each thing is called."""

    images: tuple[str, ...]  # the names of the images, sorted; the place of a name is the number of its bit
    things: tuple[frozenset[EntityKey], ...]  # the things in each image
    names: Mapping[EntityKey, str]
    synonyms: Mapping[EntityKey, tuple[str, ...]] = field(default_factory=dict)
    """What else a thing is called in these images: a sofa is also a couch."""
    _showing: dict[EntityKey, int] = field(init=False, repr=False, compare=False, default_factory=dict)
    _numbers: dict[str, int] = field(init=False, repr=False, compare=False, default_factory=dict)
    _alike: dict[EntityKey, int] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._numbers.update((image, number) for number, image in enumerate(self.images))
        numbers: defaultdict[EntityKey, list[int]] = defaultdict(list)
        for number, things in enumerate(self.things):
            for thing in things:
                numbers[thing].append(number)
        self._showing.update((thing, _number_set(of_thing)) for thing, of_thing in numbers.items())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.images, self.things, self.names, self.synonyms)

    @property
    def things_per_image(self) -> float:
        """How many things are known per image, on average."""
        return sum(map(len, self.things)) / max(1, len(self.things))

    def image_set(self, images: Iterable[str]) -> int:
        """Those of some images that are known, as a set."""
        return _number_set([self._numbers[image] for image in images if image in self._numbers])

    def showing(self, thing: EntityKey) -> int:
        """The images that show a thing."""
        return self._showing.get(thing, 0)

    def showing_like(self, thing: EntityKey) -> int:
        """The images that show a thing, or another that its name may stand for."""
        if thing not in self._alike:
            namesakes = (name for name in self.names if is_same_thing(name, thing))
            self._alike[thing] = reduce(or_, map(self.showing, namesakes), 0)
        return self._alike[thing]


def _number_set(numbers: Sequence[int]) -> int:
    """Numbers of images as a set; bit by bit, an integer would be copied for each of them."""
    bits = bytearray(max(numbers, default=0) // 8 + 1)
    for number in numbers:
        bits[number // 8] |= 1 << number % 8
    return int.from_bytes(bits, "little")


def image_numbers(images: int) -> Iterator[int]:
    """The numbers of the images of a set, ascending."""
    while images:
        lowest = images & -images
        yield lowest.bit_length() - 1
        images ^= lowest


def index_images(questions: Iterable[tuple[str, Thing | None]], objects: Mapping[int, Iterable[Thing]]) -> ImageIndex:
    """Everything that is known to be in FVQA's images.

    `questions` gives the image of every question and the thing that it is about, `objects` the things that Visual
    Genome saw, by the number of the COCO image.
    """
    pairs = list(questions)
    images = tuple(sorted({image for image, _ in pairs}))
    numbers = {image: number for image in images if (number := coco_number(image)) is not None}
    pairs += [(image, thing) for image, number in numbers.items() for thing in objects.get(number, ())]
    things: dict[str, set[EntityKey]] = {image: set() for image in images}
    names: defaultdict[EntityKey, Counter[str]] = defaultdict(Counter)
    for image, thing in pairs:
        if thing:
            things[image].add(thing.key)
            names[thing.key][thing.name] += 1
    usual_names = {key: min(counts, key=lambda name: (-counts[name], name)) for key, counts in names.items()}
    shown = tuple(frozenset(things[image]) for image in images)
    return ImageIndex(images, shown, usual_names, find_synonyms(usual_names))


def coco_number(image: str) -> int | None:
    """The number of a COCO image by its file name."""
    match = _COCO_IMAGE.search(image)
    return int(match[1]) if match else None


def find_synonyms(names: Mapping[EntityKey, str]) -> dict[EntityKey, tuple[str, ...]]:
    """For every name the others of the same meaning."""
    by_meaning: dict[str, set[str]] = {}
    for key, name in names.items():
        by_meaning.setdefault(meaning(key), set()).add(name)
    synonyms = {key: tuple(sorted(by_meaning[meaning(key)] - {name})) for key, name in names.items() if meaning(key)}
    return {key: words for key, words in synonyms.items() if words}


def named_thing(name: str) -> Thing | None:
    """The thing that a name stands for; None where the name has no words."""
    key = entity_key(name)
    return Thing(key, singular(name.lower().strip())) if key else None


def thing_in_question(question: FvqaQuestion) -> Thing | None:
    """The thing in the image that a question is about: the answer if it is seen, else the fact's other entity."""
    if question.concept != "obj":
        return None
    if question.answer_source == "image":
        return named_thing(question.answer)
    fact, answer = question.fact, entity_key(question.answer)
    if answer in {entity_key(fact.tail), entity_key(fact.tail_text)}:
        return named_thing(fact.head)
    return named_thing(fact.tail) if answer in {entity_key(fact.head), entity_key(fact.head_text)} else None
