"""Questions about what an object is like, is, or does (Q4 to Q7), with wrong answers that do not give themselves away.

A *reference* is a phrase that an object is referred to by for certain, with what can be asked about it. References by
the same words to the same class make a *group*, and those with one answer a *bucket* of it. The words of a question
(the reference and the choices) are settled from two or three buckets, and one object of each is set aside for it. Only
when the words of all questions are settled does a draw say, for each, which of its objects is shown; the others are not
asked about at all. So the answers are fair draws whatever is known of all the words and of other answers. (Were the
others asked about later, an answer that is right here would be missing there: then a model that learned from the other
images would be right less often than by chance.) What finds no partner is skipped.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from random import Random
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import orjson
import pyarrow as pa

from diptych.builders import Rows
from diptych.builders.carets._graphs import Graphs
from diptych.builders.carets._presence_questions import CooccurrenceCounts, PlanFacts, hash_to_unit
from diptych.builders.carets._questions import ACTION, ANTONYM, ATTRIBUTE, CHOICE, KIND, QuestionSpec, pack_phrases
from diptych.pairs import row_rng
from diptych.scenegraphs import ATTRIBUTE_CLASSES, Phrase, antonyms, base_name, ontology

LARGEST_SHARE = 0.1
"""No pair of opposites makes up more of the antonym test than this; white and black were 56 % of the released one."""
_THREE_CHOICES = 0.4  # how often three choices are given rather than two, where there are three

Codes = npt.NDArray[np.int32]
Words = tuple[str, ...]
AnswerTest = Callable[[str, str, str], bool]  # says of a class or kind whether two answers in it have a relation


@dataclass(frozen=True, slots=True)
class Reference:
    """An object that a phrase refers to for certain, and what is asked about it."""

    image_id: str
    object_id: str
    phrase: Phrase
    group: str  # the attribute class or the kind
    answer: str

    @property
    def key(self) -> str:
        """Unique among all references."""
        return f"{self.image_id}/{self.object_id}/{self.phrase.text}/{self.group}"


@dataclass(frozen=True, slots=True)
class ReferenceTable:
    """References as columns of numbers, in the order of the image ids; each is made when it is looked up."""

    images: Codes
    phrases: Codes
    answers: Codes
    object_ids: pa.Array
    image_ids: list[str]
    phrase_list: list[Phrase]
    answer_list: list[tuple[str, str]]  # answers, each behind its class or kind

    @classmethod
    def load(cls, rows: Rows, column: str, graphs: Graphs) -> "ReferenceTable":
        """The references that `read` found in all graphs."""
        phrases, answers = dict[tuple[str, ...], int](), dict[tuple[str, str], int]()
        codes, chunks = array("i"), []
        for table in rows.tables("key", column):
            ids: list[str] = []
            for image_id, content in zip(*(values.to_pylist() for values in table.columns), strict=True):
                for object_id, group, answer, *fields in orjson.loads(content):
                    phrase = phrases.setdefault(tuple(fields), len(phrases))
                    answer_code = answers.setdefault((group, answer), len(answers))
                    codes.extend((graphs.numbers[image_id], phrase, answer_code))
                    ids.append(object_id)
            chunks.append(pa.array(ids, pa.string()))
        images, phrase_codes, answer_codes = np.array(codes, np.int32).reshape(-1, 3).T
        object_ids = pa.chunked_array(chunks, pa.string()).combine_chunks()
        phrase_list, answer_list = [Phrase(*fields) for fields in phrases], list(answers)
        table = cls(images, phrase_codes, answer_codes, object_ids, graphs.image_ids, phrase_list, answer_list)
        return table._take(np.argsort(images, kind="stable"))

    def _take(self, indices: npt.NDArray[np.int64]) -> "ReferenceTable":
        images, phrases, answers = (codes[indices] for codes in (self.images, self.phrases, self.answers))
        return replace(self, images=images, phrases=phrases, answers=answers, object_ids=self.object_ids.take(indices))

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> Reference:
        group, answer = self.answer_list[self.answers[index]]
        image_id, object_id = self.image_ids[self.images[index]], self.object_ids[index].as_py()
        return Reference(image_id, object_id, self.phrase_list[self.phrases[index]], group, answer)

    def for_type(self, type_: str) -> "ReferenceTable":
        """The references that a type of question is about."""
        if type_ in (KIND, ATTRIBUTE) or not len(self):
            return self
        classes = [ATTRIBUTE_CLASSES[group] for group, _ in self.answer_list]
        is_suitable = np.array([entry.offers_choice and entry.is_action is (type_ == ACTION) for entry in classes])
        return self._take(np.flatnonzero(is_suitable[self.answers]))

    def groups(self) -> list[list[int]]:
        """References by the same phrase to the same class or kind, where they have two answers or more.

        Phrases that say more come first: they have fewer references.
        """
        classes = {group: code for code, group in enumerate(dict(self.answer_list))}
        class_codes = np.array([classes[group] for group, _ in self.answer_list], np.int64)
        keys = self.phrases.astype(np.int64) * len(classes) + class_codes[self.answers] if len(self) else self.phrases
        distinct = np.unique(keys * np.int64(len(self.answer_list)) + self.answers) // max(1, len(self.answer_list))
        key_list, counts = np.unique(distinct, return_counts=True)
        indices = np.flatnonzero(np.isin(keys, key_list[counts > 1]))
        indices = indices[np.argsort(keys[indices], kind="stable")]
        borders = np.flatnonzero(np.diff(keys[indices])) + 1
        return sorted((part.tolist() for part in np.split(indices, borders) if len(part)), key=self._group_order)

    def _group_order(self, indices: list[int]) -> tuple[bool, str, str, int]:
        first = self[indices[0]]
        return first.phrase.shape == "bare", first.phrase.text, first.group, indices[0]


@cache
def _kinds_exclude(kind: str, name: str, other_name: str) -> bool:
    possible_names = ontology().possible_names
    return base_name(other_name) not in possible_names(name) and base_name(name) not in possible_names(other_name)


@cache
def _attributes_exclude(group: str, attribute: str, other_attribute: str) -> bool:
    return ATTRIBUTE_CLASSES[group].excludes(attribute, other_attribute)


def _are_opposites(group: str, attribute: str, other_attribute: str) -> bool:
    return other_attribute in antonyms().get((group, attribute), ())


@dataclass(frozen=True, slots=True)
class ChoiceSet:
    """The words of a question, and a reference for each of its choices."""

    references: tuple[int, ...]
    group: str
    choices: Words
    key: str


Entry = TypeVar("Entry", ChoiceSet, QuestionSpec, Reference)


def _shuffle(entries: Iterable[Entry], *words: object) -> list[Entry]:
    """The entries in a random order that depends on their keys and on some words alone."""
    return sorted(entries, key=lambda entry: (hash_to_unit(*words, entry.key), entry.key))


def _make_choice_sets(
    table: ReferenceTable, are_exclusive: AnswerTest, size: int, type_: str, facts: PlanFacts
) -> list[ChoiceSet]:
    """The words of questions from every group; an answer about one image serves at most one of them."""
    choice_sets: list[ChoiceSet] = []
    # Two questions that could both be shown by one image and with one answer would be told apart by the others.
    reserved: set[tuple[int, int]] = set()
    for indices in table.groups():
        uses = dict(zip(indices, zip(table.images[indices], table.answers[indices], strict=True), strict=True))
        buckets: dict[str, list[int]] = defaultdict(list)
        for index in indices:
            if uses[index] not in reserved:
                buckets[table.answer_list[uses[index][1]][1]].append(index)
        first = table[indices[0]]
        rng = row_rng(facts.seed, f"{facts.test}/{type_}/group", f"{first.phrase.text}/{first.group}")
        for bucket in buckets.values():
            rng.shuffle(bucket)
        while choices := _choose_answers(buckets, are_exclusive, first.group, size, rng):
            references = tuple(buckets[choice].pop() for choice in choices)
            reserved.update(uses[index] for index in references)
            image_ids = (table.image_ids[uses[index][0]] for index in references)
            key = "/".join([first.phrase.text, first.group, *choices, *image_ids])
            choice_sets.append(ChoiceSet(references, first.group, choices, key))
    return choice_sets


def _choose_answers(
    buckets: dict[str, list[int]], are_exclusive: AnswerTest, group: str, size: int, rng: Random
) -> Words:
    """Two or three answers that exclude each other, each still with a reference; in random order."""
    answers = [answer for answer in sorted(buckets) if buckets[answer]]
    answers = [answer for answer in answers if any(are_exclusive(group, answer, partner) for partner in answers)]
    if not answers:
        return ()
    weights = {answer: len(buckets[answer]) for answer in answers}
    choices = rng.choices(answers, list(weights.values()))
    size = size if rng.random() < _THREE_CHOICES else 2
    return _add_choices(choices, weights, are_exclusive, group, size, rng)


def _add_choices(
    choices: list[str], weights: dict[str, int], are_exclusive: AnswerTest, group: str, size: int, rng: Random
) -> Words:
    """The choices with others that exclude them, drawn by their weights, up to a number; in random order."""
    while len(choices) < size:
        answers = [answer for answer in weights if all(are_exclusive(group, answer, choice) for choice in choices)]
        if not answers:
            break
        choices += rng.choices(answers, [weights[answer] for answer in answers])
    rng.shuffle(choices)
    return tuple(choices)


def plan_references(rows: Rows, facts: PlanFacts) -> Iterator[QuestionSpec]:
    """The questions of each type that a test asks."""
    for type_, table in _load_references(rows, facts):
        yield from _plan_attributes(table, facts) if type_ == ATTRIBUTE else _plan_choices(table, type_, facts)


def _load_references(rows: Rows, facts: PlanFacts) -> Iterator[tuple[str, ReferenceTable]]:
    for column, column_types in (("kinds", (KIND,)), ("attributes", (ATTRIBUTE, CHOICE, ACTION))):
        types = [type_ for type_ in column_types if facts.quotas.get(type_)]
        if types:
            table = ReferenceTable.load(rows, column, facts.graphs)
            yield from ((type_, table.for_type(type_)) for type_ in types)


def _plan_choices(table: ReferenceTable, type_: str, facts: PlanFacts) -> Iterator[QuestionSpec]:
    """Q5, Q6 or Q7, spread over their classes; every position of the right choice is as frequent as the others."""
    are_exclusive = _kinds_exclude if type_ == KIND else _attributes_exclude
    selection = _spread(_make_choice_sets(table, are_exclusive, 3, type_, facts), facts.quotas[type_], facts)
    for size in (2, 3):
        same_size = [choice_set for choice_set in selection if len(choice_set.choices) == size]
        shuffled = _shuffle(same_size, facts.seed, facts.test, "shown")
        for number, choice_set in enumerate(sorted(shuffled, key=lambda entry: entry.group)):
            reference = table[choice_set.references[number % size]]
            yield _reference_question(facts.test, type_, reference, reference.answer, choices=choice_set.choices)


def _plan_attributes(table: ReferenceTable, facts: PlanFacts) -> Iterator[QuestionSpec]:
    """Q4: is the … red? Asked about a red object or about one of another color, as the draw decides.

    In the antonym test the two are opposites, with no pair of opposites above a tenth of all.
    """
    if facts.test == ANTONYM:
        choice_sets = _make_choice_sets(table, _are_opposites, 2, ATTRIBUTE, facts)
        choice_sets = _cap_opposites(choice_sets, lambda entry: (entry.group, *sorted(entry.choices)), facts)
    else:
        choice_sets = _make_choice_sets(table, _attributes_exclude, 2, ATTRIBUTE, facts)
        choice_sets = _spread(choice_sets, facts.quotas[ATTRIBUTE], facts)
    for number, choice_set in enumerate(_shuffle(choice_sets, facts.seed, facts.test, "shown")):
        reference, answer = table[choice_set.references[number % 2]], ("yes", "no")[number % 2]
        value, other = choice_set.choices  # in random order
        opposite = other if facts.test == ANTONYM else ""
        yield _reference_question(facts.test, ATTRIBUTE, reference, answer, value, opposite=opposite)


def _reference_question(
    test: str, type_: str, reference: Reference, answer: str, value: str = "", choices: Words = (), opposite: str = ""
) -> QuestionSpec:
    """A question about an object that is referred to."""
    image_id, phrase, group = reference.image_id, reference.phrase, reference.group
    key = "/".join((image_id, type_, phrase.text, group, value, *choices))
    phrases, object_id = pack_phrases(phrase), reference.object_id
    return QuestionSpec(test, key, type_, image_id, answer, phrases, group, value, choices, opposite, object_id)


def _spread(choice_sets: list[ChoiceSet], quota: int, facts: PlanFacts) -> list[ChoiceSet]:
    """As many as the quota, by weighted keys: the rarer a class and a set of choices, the likelier.

    The paper weighs by the answer too; that would let the words tell it, so the set of choices is weighed instead.
    """
    classes = Counter(entry.group for entry in choice_sets)
    options = Counter((entry.group, *sorted(entry.choices)) for entry in choice_sets)

    def rank(entry: ChoiceSet) -> tuple[float, str]:
        weight = classes[entry.group] ** 0.5 * options[entry.group, *sorted(entry.choices)] ** 0.5
        return -(hash_to_unit(facts.seed, facts.test, entry.key) ** weight), entry.key

    return sorted(choice_sets, key=rank)[:quota]


def _cap_opposites(entries: list[Entry], opposites: Callable[[Entry], Words], facts: PlanFacts) -> list[Entry]:
    """The largest part in which no pair of opposites exceeds its share (equal shares, where pairs are few)."""
    by_pair: defaultdict[Words, list[Entry]] = defaultdict(list)
    for entry in _shuffle(entries, facts.seed, facts.test, "cap"):
        by_pair[opposites(entry)].append(entry)
    share, quota = max(LARGEST_SHARE, 1 / max(1, len(by_pair))), facts.quotas[ATTRIBUTE]
    limit, total = 0, 0
    while (next_total := sum(min(len(pair), limit + 1) for pair in by_pair.values())) <= quota:
        if next_total == total or limit + 1 > share * next_total:
            break
        limit, total = limit + 1, next_total
    selection = [entry for pair in sorted(by_pair) for entry in by_pair[pair][:limit]]
    if next_total > quota and limit + 1 <= share * quota:  # one more of some pairs makes up the number
        selection += [by_pair[pair][limit] for pair in sorted(by_pair) if len(by_pair[pair]) > limit][: quota - total]
    return selection


# The questions of the paper (`absences=paper`), kept for comparison.


def plan_paper_references(rows: Rows, company: CooccurrenceCounts, facts: PlanFacts) -> Iterator[QuestionSpec]:
    """The questions of each type with the paper's wrong attributes and choices."""
    for type_, table in _load_references(rows, facts):
        if type_ != ATTRIBUTE:
            questions = _plan_paper_choices(table, type_, facts)
        elif facts.test == ANTONYM:
            questions = _plan_paper_opposites(table, facts)
        else:
            questions = _plan_paper_attributes(table, company, facts)
        yield from islice(questions, facts.quotas[type_])


def _plan_paper_attributes(
    table: ReferenceTable, company: CooccurrenceCounts, facts: PlanFacts
) -> Iterator[QuestionSpec]:
    """Q4 about every object that can be referred to: its attribute, or another that goes with its name, in turn."""
    number = 0
    for reference in _one_per_object(table, facts.seed, facts.test):
        value, answer = reference.answer, "no" if number % 2 else "yes"
        if answer == "no":
            name = facts.graphs[reference.image_id][reference.object_id].name
            frequencies = zip(*company.attributes.get(name, ((), ())), strict=True)
            wrong_values = {word: n for word, n in frequencies if _attributes_exclude(reference.group, value, word)}
            if not wrong_values:
                continue
            rng = row_rng(facts.seed, f"{facts.test}/{ATTRIBUTE}/paper", reference.key)
            value = rng.choices(list(wrong_values), list(wrong_values.values()))[0]
        yield _reference_question(facts.test, ATTRIBUTE, reference, answer, value)
        number += 1


def _plan_paper_opposites(table: ReferenceTable, facts: PlanFacts) -> Iterator[QuestionSpec]:
    """Q4 about every object with an attribute that has an opposite; in turn the attribute or its opposite comes first.

    The paper always asks for the attribute first; then every original is a yes.
    """
    questions = [
        _reference_question(facts.test, ATTRIBUTE, reference, "yes", reference.answer, opposite=opposites[0])
        for reference in _one_per_object(table, facts.seed, facts.test)
        if (opposites := antonyms().get((reference.group, reference.answer)))
    ]
    selection = _cap_opposites(questions, lambda spec: (spec.group, *sorted((spec.value, spec.opposite))), facts)
    for number, spec in enumerate(_shuffle(selection, facts.seed, facts.test, "first")):
        key = spec.key.removesuffix(spec.value) + spec.opposite
        swapped = replace(spec, key=key, answer="no", value=spec.opposite, opposite=spec.value)
        yield swapped if number % 2 else spec


def _plan_paper_choices(table: ReferenceTable, type_: str, facts: PlanFacts) -> Iterator[QuestionSpec]:
    """Q5, Q6 or Q7: wrong choices by their frequency in the class; classes and answers that are rare come first."""
    are_exclusive = _kinds_exclude if type_ == KIND else _attributes_exclude
    references = _one_per_object(table, facts.seed, f"{facts.test}/{type_}")
    answers: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for reference in references:
        answers[reference.group][reference.answer] += 1

    def rank(reference: Reference) -> tuple[float, str]:
        weight = answers[reference.group].total() * answers[reference.group][reference.answer]
        return -(hash_to_unit(facts.seed, facts.test, type_, "pool", reference.key) ** weight), reference.key

    for reference in sorted(references, key=rank):
        rng = row_rng(facts.seed, f"{facts.test}/{type_}/paper", reference.key)
        size, weights = 2 if rng.random() < 0.5 else 3, dict(sorted(answers[reference.group].items()))
        choices = _add_choices([reference.answer], weights, are_exclusive, reference.group, size, rng)
        if len(choices) > 1:
            yield _reference_question(facts.test, type_, reference, reference.answer, choices=choices)


def _one_per_object(table: ReferenceTable, seed: int, test: str) -> list[Reference]:
    """Every object once per class, by one of its references, in random order."""
    references = _shuffle((table[index] for index in range(len(table))), seed, test, "once")
    by_object = {(reference.image_id, reference.object_id, reference.group): reference for reference in references}
    return list(by_object.values())
