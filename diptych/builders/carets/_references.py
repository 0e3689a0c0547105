"""All references of a split: objects that a phrase refers to for certain, and what can be asked about them."""

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import orjson
import pyarrow as pa

from diptych.builders import Rows
from diptych.builders.carets._graphs import Graphs
from diptych.builders.carets._question_spec import ACTION, ATTRIBUTE, KIND
from diptych.scenegraphs import Phrase, antonyms, attribute_classes, base_name, ontology

Excludes = Callable[[str, str, str], bool]
"""Whether, in a class or kind, an object with the first answer surely does not have the second."""
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Reference:
    """An object that a phrase refers to for certain, and what is asked about it."""

    image_id: str
    object_id: str
    phrase: Phrase
    group: str
    """The attribute class or the kind."""
    answer: str


class ReferenceTable:
    """References as columns of numbers, in the order of the image ids; each is made when it is looked up."""

    def __init__(self, rows: Rows, column: str, graphs: Graphs) -> None:
        phrases: dict[tuple[str, ...], int] = {}
        answers: dict[tuple[str, str], int] = {}
        codes, object_ids = array("i"), []
        numbers = {image_id: number for number, image_id in enumerate(graphs.image_ids)}
        for table in rows.tables("key", column):
            ids: list[str] = []
            for image_id, content in zip(*(values.to_pylist() for values in table.columns), strict=True):
                for object_id, group, answer, *fields in orjson.loads(content):
                    phrase = phrases.setdefault(tuple(fields), len(phrases))
                    codes.extend((numbers[image_id], phrase, answers.setdefault((group, answer), len(answers))))
                    ids.append(object_id)
            object_ids.append(pa.array(ids, pa.string()))
        columns = np.array(codes, np.int32).reshape(-1, 3)
        order = np.argsort(columns[:, 0], kind="stable")
        self.images, self.phrases, self.answers = columns[order].T
        self.phrase_list = [Phrase(*fields) for fields in phrases]
        self.answer_list = list(answers)
        """Each with its class or kind."""
        self._object_ids = pa.chunked_array(object_ids, pa.string()).take(order)
        self._image_ids = graphs.image_ids

    def __getitem__(self, index: int) -> Reference:
        group, answer = self.answer_list[self.answers[index]]
        image_id, object_id = self._image_ids[self.images[index]], self._object_ids[index].as_py()
        return Reference(image_id, object_id, self.phrase_list[self.phrases[index]], group, answer)

    def select(self, type_: str) -> Indices:
        """The references that a type of question is about."""
        fits = np.array([_fits(type_, group) for group, _ in self.answer_list], bool)
        return np.flatnonzero(fits[self.answers]) if len(fits) else np.empty(0, np.intp)

    def grouped(self, indices: Indices) -> list[Indices]:
        """References by the same phrase to the same class or kind, where they have two answers or more.

        Phrases that say more come first: they have fewer references.
        """
        groups = {group: code for code, group in enumerate(dict(self.answer_list))}
        group_codes = np.array([groups[group] for group, _ in self.answer_list], np.int64)
        answers = self.answers[indices]
        keys = self.phrases[indices].astype(np.int64) * len(groups) + group_codes[answers]
        key_of_answer = np.unique(keys * len(self.answer_list) + answers) // len(self.answer_list)
        distinct, counts = np.unique(key_of_answer, return_counts=True)
        several = np.isin(keys, distinct[counts > 1])
        indices, keys = indices[several], keys[several]
        order = np.argsort(keys, kind="stable")
        starts = np.flatnonzero(np.diff(keys[order])) + 1
        parts = [part for part in np.split(indices[order], starts) if len(part)]
        return sorted(parts, key=self._group_order)

    def _group_order(self, indices: Indices) -> tuple[bool, str, str, int]:
        phrase, group = self.phrase_list[self.phrases[indices[0]]], self.answer_list[self.answers[indices[0]]][0]
        return phrase.shape == "bare", phrase.text, group, int(indices[0])


def _fits(type_: str, group: str) -> bool:
    """Whether a type of question is about a class or kind."""
    if type_ in (KIND, ATTRIBUTE):
        return True
    attribute_class = attribute_classes()[group]
    return attribute_class.offers_choice and attribute_class.is_action is (type_ == ACTION)


@cache
def kinds_exclude(kind: str, name: str, other_name: str) -> bool:
    """Whether an object of one name is surely not one of another."""
    possible_names = ontology().possible_names
    return base_name(other_name) not in possible_names(name) and base_name(name) not in possible_names(other_name)


@cache
def attributes_exclude(group: str, attribute: str, other_attribute: str) -> bool:
    """Whether two attributes of a class exclude each other."""
    return attribute_classes()[group].excludes(attribute, other_attribute)


def are_opposites(group: str, attribute: str, other_attribute: str) -> bool:
    """Whether two attributes of a class are opposites."""
    return other_attribute in antonyms().get((group, attribute), ())
