"""Questions about what an object is like, is, or does (Q4 to Q7), with wrong answers that do not give themselves away.

A *reference* is a phrase that an object is referred to by for certain, with what can be asked about it. References by
the same words to the same class make a *group*, and those with one answer a *bucket* of it. The words of a question
(the reference and the choices) are settled from two or three buckets, and one object of each is set aside for it. Only
when the words of all questions are settled does a draw say, for each, which of its objects is shown; the others are not
asked about at all. So the answers are fair draws whatever is known of all the words and of other answers. (Were the
others asked about later, an answer that is right here would be missing there: then a model that learned from the other
images would be right less often than by chance.) All tests draw from the same questions with the same answers, for the
same reason. What finds no partner is skipped.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import orjson
import pyarrow as pa

from diptych.builders import Rows
from diptych.builders.carets._graphs import Graphs
from diptych.builders.carets._presence_plan import TAKEN
from diptych.builders.carets._presence_questions import PlanFacts, hash_to_unit
from diptych.builders.carets._questions import (
    ACTION,
    ANTONYM,
    ATTRIBUTE,
    CHOICE,
    KIND,
    TABLE_6,
    QuestionSpec,
    pack_phrases,
    shortfall,
)
from diptych.pairs import Skip, row_rng
from diptych.scenegraphs import ATTRIBUTE_CLASSES, Phrase, antonyms, base_name, ontology

CAPPED = "no pair of opposites makes up more of the test than its largest share"
RESERVED = "the object is asked about in the antonym test"
UNMATCHED = "nothing with another answer is referred to by the same words"
SET_ASIDE = "the object is set aside as the other answer of a question"
_THREE_CHOICES = 0.4  # how often three choices are given rather than two, where there are three

Codes = npt.NDArray[np.int32]
Words = tuple[str, ...]
Uses = frozenset[tuple[int, int]]  # images and answers, as numbers
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
def kinds_exclude(kind: str, name: str, other_name: str) -> bool:
    """Whether what has one name cannot have the other."""
    possible_names = ontology().possible_names
    return base_name(other_name) not in possible_names(name) and base_name(name) not in possible_names(other_name)


@cache
def attributes_exclude(group: str, attribute: str, other_attribute: str) -> bool:
    """Whether what has one attribute of a class cannot have the other."""
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
    shown: int = 0  # the place of the reference that is asked about


Entry = TypeVar("Entry", ChoiceSet, QuestionSpec, Reference)


def shuffle(entries: Iterable[Entry], *words: object) -> list[Entry]:
    """The entries in a random order that depends on their keys and on some words alone."""
    return sorted(entries, key=lambda entry: (hash_to_unit(*words, entry.key), entry.key))


def _make_choice_sets(
    table: ReferenceTable, are_exclusive: AnswerTest, size: int, type_: str, seed: int, reserved: Uses = frozenset()
) -> list[ChoiceSet]:
    """The words of questions from every group; an answer about one image serves at most one of them."""
    choice_sets: list[ChoiceSet] = []
    # Two questions that could both be shown by one image and with one answer would be told apart by the others.
    uses_so_far = set(reserved)
    for indices in table.groups():
        uses = dict(zip(indices, zip(table.images[indices], table.answers[indices], strict=True), strict=True))
        buckets: dict[str, list[int]] = defaultdict(list)
        for index in indices:
            if uses[index] not in uses_so_far:
                buckets[table.answer_list[uses[index][1]][1]].append(index)
        first = table[indices[0]]
        rng = row_rng(seed, f"carets/{type_}/group", f"{first.phrase.text}/{first.group}")
        for bucket in buckets.values():
            rng.shuffle(bucket)
        while choices := _choose_answers(buckets, are_exclusive, first.group, size, rng):
            references = tuple(buckets[choice].pop() for choice in choices)
            uses_so_far.update(uses[index] for index in references)
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
    return add_choices(choices, weights, are_exclusive, group, size, rng)


def add_choices(
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


def plan_references(rows: Rows, facts: PlanFacts) -> Iterator[QuestionSpec | Skip]:
    """The questions of each type that a test asks, and why it does not ask more."""
    for type_, table in load_references(rows, facts):
        if type_ != ATTRIBUTE:
            yield from _plan_choices(table, type_, facts)
        elif facts.test == ANTONYM:
            yield from _plan_opposites(table, facts)
        else:
            yield from _plan_attributes(table, facts)


def load_references(rows: Rows, facts: PlanFacts) -> Iterator[tuple[str, ReferenceTable]]:
    """The references for every type of question that a test asks about them."""
    for column, column_types in (("kinds", (KIND,)), ("attributes", (ATTRIBUTE, CHOICE, ACTION))):
        types = [type_ for type_ in column_types if facts.quotas.get(type_)]
        if types:
            table = ReferenceTable.load(rows, column, facts.graphs)
            yield from ((type_, table.for_type(type_)) for type_ in types)


def _plan_choices(table: ReferenceTable, type_: str, facts: PlanFacts) -> Iterator[QuestionSpec | Skip]:
    """Q5, Q6 or Q7, spread over their classes; every position of the right choice is as frequent as the others.

    Which object is shown is settled before the test selects its questions, so that it is the same in all tests.
    """
    are_exclusive = kinds_exclude if type_ == KIND else attributes_exclude
    choice_sets = _settle_answers(_make_choice_sets(table, are_exclusive, 3, type_, facts.seed), type_, facts.seed)
    owned = (
        choice_sets if facts.reuse else [entry for entry in choice_sets if _owner(entry, type_, facts) == facts.test]
    )
    selection = _spread(owned, facts.quotas[type_], facts)
    for size in (2, 3):
        same_size = [choice_set for choice_set in selection if len(choice_set.choices) == size]
        shuffled = shuffle(same_size, facts.seed, facts.test, "position")
        for number, choice_set in enumerate(sorted(shuffled, key=lambda entry: entry.group)):
            reference = table[choice_set.references[choice_set.shown]]
            choices = [choice for choice in choice_set.choices if choice != reference.answer]
            choices.insert(number % size, reference.answer)
            yield reference_question(facts.test, type_, reference, reference.answer, choices=tuple(choices))
    causes = {TAKEN: len(choice_sets) - len(owned)} | _unasked(table, choice_sets)
    yield from shortfall(type_, facts.quotas[type_], len(selection), causes)


def _owner(choice_set: ChoiceSet, type_: str, facts: PlanFacts) -> str:
    """The test that a question belongs to."""
    tests = [test for test, quotas in TABLE_6.items() if type_ in quotas]
    return tests[int(hash_to_unit(facts.seed, type_, "owner", choice_set.key) * len(tests))]


def _settle_answers(choice_sets: list[ChoiceSet], type_: str, seed: int) -> list[ChoiceSet]:
    """The choice sets with a draw of which object is shown, for every class and number of choices as even as can be."""
    ordered = sorted(shuffle(choice_sets, seed, type_, "shown"), key=lambda entry: (len(entry.choices), entry.group))
    return [replace(entry, shown=number % len(entry.choices)) for number, entry in enumerate(ordered)]


def _unasked(table: ReferenceTable, choice_sets: Sequence[ChoiceSet], values: Codes | None = None) -> dict[str, int]:
    """How many objects are not asked about for want of a partner, and how many are a partner themselves."""
    kept = slice(None) if values is None else np.isin(table.answers, values)
    uses = table.images[kept].astype(np.int64) * max(1, len(table.answer_list)) + table.answers[kept]
    in_use = sum(len(choice_set.references) for choice_set in choice_sets)
    return {UNMATCHED: max(0, len(np.unique(uses)) - in_use), SET_ASIDE: in_use - len(choice_sets)}


def _plan_attributes(table: ReferenceTable, facts: PlanFacts) -> Iterator[QuestionSpec | Skip]:
    """Q4: is the … red? Asked about a red object or about one of another color, as the draw decides.

    What the antonym test asks about is left to it.
    """
    opposites, _ = _opposite_sets(table, facts.opposites, facts)
    in_use = [index for choice_set in opposites for index in choice_set.references]
    reserved = frozenset(zip(table.images[in_use], table.answers[in_use], strict=True))
    choice_sets = _make_choice_sets(table, attributes_exclude, 2, ATTRIBUTE, facts.seed, reserved)
    selection = _spread(choice_sets, facts.quotas[ATTRIBUTE], facts)
    yield from _ask_attributes(table, selection, facts)
    unasked = _unasked(table, choice_sets)
    unasked[UNMATCHED] = max(0, unasked[UNMATCHED] - len(reserved))
    yield from shortfall(ATTRIBUTE, facts.quotas[ATTRIBUTE], len(selection), unasked | {RESERVED: len(reserved)})


def _plan_opposites(table: ReferenceTable, facts: PlanFacts) -> Iterator[QuestionSpec | Skip]:
    """Q4 about one of two objects with opposite attributes; no pair of opposites exceeds its share."""
    selection, matched = _opposite_sets(table, facts.quotas[ATTRIBUTE], facts)
    yield from _ask_attributes(table, selection, facts)
    values = [code for code, entry in enumerate(table.answer_list) if antonyms().get(entry)]
    causes = {CAPPED: len(matched) - len(selection)} | _unasked(table, matched, np.array(values, np.int32))
    yield from shortfall(ATTRIBUTE, facts.quotas[ATTRIBUTE], len(selection), causes)


def _opposite_sets(table: ReferenceTable, quota: int, facts: PlanFacts) -> tuple[list[ChoiceSet], list[ChoiceSet]]:
    """The choice sets of the antonym test, and all of which they are chosen."""
    choice_sets = _make_choice_sets(table, _are_opposites, 2, ANTONYM, facts.seed) if quota else []
    return cap_opposites(choice_sets, lambda entry: (entry.group, *sorted(entry.choices)), quota, facts), choice_sets


def _ask_attributes(table: ReferenceTable, choice_sets: list[ChoiceSet], facts: PlanFacts) -> Iterator[QuestionSpec]:
    for number, choice_set in enumerate(shuffle(choice_sets, facts.seed, facts.test, "shown")):
        reference, answer = table[choice_set.references[number % 2]], ("yes", "no")[number % 2]
        value, other = choice_set.choices  # in random order
        opposite = other if facts.test == ANTONYM else ""
        yield reference_question(facts.test, ATTRIBUTE, reference, answer, value, opposite=opposite)


def reference_question(
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


def cap_opposites(
    entries: list[Entry], opposites: Callable[[Entry], Words], quota: int, facts: PlanFacts
) -> list[Entry]:
    """The largest part in which no pair of opposites exceeds its share (equal shares, where pairs are few)."""
    by_pair: defaultdict[Words, list[Entry]] = defaultdict(list)
    for entry in shuffle(entries, facts.seed, "cap"):
        by_pair[opposites(entry)].append(entry)
    share = max(facts.largest_share, 1 / max(1, len(by_pair)))
    limit, total = 0, 0
    while (next_total := sum(min(len(pair), limit + 1) for pair in by_pair.values())) <= quota:
        if next_total == total or limit + 1 > share * next_total:
            break
        limit, total = limit + 1, next_total
    selection = [entry for pair in sorted(by_pair) for entry in by_pair[pair][:limit]]
    if next_total > quota and limit + 1 <= share * quota:  # one more of some pairs makes up the number
        selection += [by_pair[pair][limit] for pair in sorted(by_pair) if len(by_pair[pair]) > limit][: quota - total]
    return selection
