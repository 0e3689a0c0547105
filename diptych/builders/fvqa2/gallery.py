"""Which things are in which image: Visual Genome's objects, and the things FVQA's own questions are about."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from diptych.builders.fvqa2.entities import Key, key_of, meaning
from diptych.language import singular
from diptych.sources import FvqaQuestion, read_vg_objects

_COCO = re.compile(r"COCO_\w+_0*(\d+)\.jpg$")


@dataclass(frozen=True, slots=True)
class Gallery:
    """The things of every image, and how each thing is called."""

    things: Mapping[str, frozenset[Key]]
    names: Mapping[Key, str]
    other_names: Mapping[Key, tuple[str, ...]] = field(default_factory=dict)
    """What else a thing is called in these images: a sofa is also a couch."""

    def showing(self, images: Iterable[str]) -> dict[Key, list[str]]:
        """The images that show each thing, among some images, in the order of their names."""
        found: dict[Key, list[str]] = {}
        for image in sorted(images):
            for thing in sorted(self.things.get(image, ())):
                found.setdefault(thing, []).append(image)
        return found


@dataclass(slots=True)
class Uses:
    """How often each image was given to a pair; the least used is given next."""

    counts: Counter[str] = field(default_factory=Counter)

    def take(self, images: Sequence[str]) -> str:
        """The least used image; of equally used ones the first by name."""
        image = min(images, key=lambda name: (self.counts[name], name))
        self.counts[image] += 1
        return image


def make_gallery(questions: Iterable[FvqaQuestion], data: Path) -> Gallery:
    """Everything that is known to be in FVQA's images."""
    said: dict[Key, Counter[str]] = {}
    things: dict[str, set[Key]] = {}
    coco: dict[int, str] = {}
    for question in questions:
        things.setdefault(question.image, set())
        match = _COCO.search(question.image)
        if match:
            coco[int(match[1])] = question.image
        thing = thing_asked_about(question)
        if thing:
            _note(question.image, thing, things, said)
    for number, names in read_vg_objects(data, coco.keys()).items():
        for name in names:
            _note(coco[number], name, things, said)
    shown = {key: min(forms, key=lambda form: (-forms[form], form)) for key, forms in said.items()}
    return Gallery({image: frozenset(keys) for image, keys in things.items()}, shown, synonyms(shown))


def synonyms(names: Mapping[Key, str]) -> dict[Key, tuple[str, ...]]:
    """For every name the others of the same meaning.

    >>> synonyms({("sofa",): "sofa", ("couch",): "couch", ("dog",): "dog"})
    {('sofa',): ('couch',), ('couch',): ('sofa',)}
    """
    alike: dict[str, list[str]] = {}
    for key, name in names.items():
        alike.setdefault(meaning(key), []).append(name)
    found = {key: tuple(sorted({*alike[meaning(key)]} - {name})) for key, name in names.items() if meaning(key)}
    return {key: others for key, others in found.items() if others}


def _note(image: str, name: str, things: dict[str, set[Key]], said: dict[Key, Counter[str]]) -> None:
    key = key_of(name)
    if key:
        things[image].add(key)
        said.setdefault(key, Counter())[singular(name.lower().strip())] += 1


def thing_asked_about(question: FvqaQuestion) -> str:
    """The thing of the image that a question is about: the answer if it is seen, else the fact's other entity."""
    if question.concept != "obj":
        return ""
    if question.answer_source == "image":
        return question.answer
    fact, answer = question.fact, key_of(question.answer)
    if answer in {key_of(fact.tail), key_of(fact.tail_text)}:
        return fact.head
    return fact.tail if answer in {key_of(fact.head), key_of(fact.head_text)} else ""
