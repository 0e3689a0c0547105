"""Questions about what an object is like, is, or does (Q4 to Q7), with wrong answers that do not give themselves away.

References by the same words to the same class make a *group*, and those with one answer a *bucket* of it. The words of
a question (the reference and the choices) are settled from two or three buckets, and one object of each is set aside
for it. Only when the words of all questions are settled does a draw say, for each, which of its objects is shown; the
others are not asked about at all. So the answers are fair draws whatever is known of all the words and of other
answers. (Were the others asked about later, an answer that is right here would be missing there: then a model that
learned from the other images would be right less often than by chance.) What finds no partner is skipped.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from diptych.builders.carets._draws import hash_to_unit
from diptych.builders.carets._question_spec import ATTRIBUTE, KIND, QuestionSpec, question_spec
from diptych.builders.carets._references import (
    Excludes,
    Indices,
    Reference,
    ReferenceTable,
    are_opposites,
    attributes_exclude,
    kinds_exclude,
)
from diptych.pairs import row_rng
from diptych.scenegraphs import Phrase

LARGEST_SHARE = 0.1
"""No pair of opposites makes up more of the antonym test than this; white and black were 56 % of the released one."""
_THREE_CHOICES = 0.4
"""How often three choices are given rather than two, where there are three."""


@dataclass(frozen=True, slots=True)
class ChoiceSet:
    """The words of a question, and a reference for each of its choices."""

    references: tuple[int, ...]
    phrase: Phrase
    group: str
    choices: tuple[str, ...]
    key: str


Keyed = TypeVar("Keyed", ChoiceSet, QuestionSpec)


def make_choice_sets(
    table: ReferenceTable, indices: Indices, excludes: Excludes, most: int, seed: int, test: str
) -> list[ChoiceSet]:
    """The words of questions from every group; an answer about one image serves at most one of them."""
    choice_sets: list[ChoiceSet] = []
    # Two questions that could both be shown by one image and with one answer would be told apart by the others.
    used: set[tuple[int, int]] = set()
    for members in table.grouped(indices):
        first = table[int(members[0])]
        uses = list(zip(table.images[members].tolist(), table.answers[members].tolist(), strict=True))
        buckets: defaultdict[str, list[int]] = defaultdict(list)
        for index, use in zip(members.tolist(), uses, strict=True):
            if use not in used:
                buckets[table.answer_list[use[1]][1]].append(index)
        rng = row_rng(seed, f"{test}/group", f"{first.phrase.text}/{first.group}")
        for references, choices in _draw_choices(buckets, excludes, first.group, most, rng):
            images = [table[index].image_id for index in references]
            key = "/".join([first.phrase.text, first.group, *choices, *images])
            used.update((int(table.images[index]), int(table.answers[index])) for index in references)
            choice_sets.append(ChoiceSet(references, first.phrase, first.group, choices, key))
    return choice_sets


def _draw_choices(
    buckets: dict[str, list[int]], excludes: Excludes, group: str, most: int, rng: Random
) -> Iterator[tuple[tuple[int, ...], tuple[str, ...]]]:
    """References whose answers exclude each other, with these answers, as long as there are any."""
    for bucket in buckets.values():
        rng.shuffle(bucket)
    while choices := _choose_answers(buckets, excludes, group, most, rng):
        yield tuple(buckets[choice].pop() for choice in choices), choices


def _choose_answers(
    buckets: dict[str, list[int]], excludes: Excludes, group: str, most: int, rng: Random
) -> tuple[str, ...]:
    """Two or three answers that exclude each other, each still with a reference; in random order."""
    rest = [answer for answer in sorted(buckets) if buckets[answer]]
    rest = [answer for answer in rest if any(excludes(group, answer, other_answer) for other_answer in rest)]
    if not rest:
        return ()
    choices = rng.choices(rest, [len(buckets[answer]) for answer in rest])
    size = most if rng.random() < _THREE_CHOICES else 2
    while len(choices) < size:
        candidates = [answer for answer in rest if all(excludes(group, answer, choice) for choice in choices)]
        if not candidates:
            break
        choices += rng.choices(candidates, [len(buckets[answer]) for answer in candidates])
    rng.shuffle(choices)
    return tuple(choices)


def plan_choice_questions(
    table: ReferenceTable, indices: Indices, type_: str, quota: int, seed: int, test: str
) -> list[QuestionSpec]:
    """Q5, Q6 or Q7, spread over their classes; every position of the right choice is as frequent as the others."""
    excludes = kinds_exclude if type_ == KIND else attributes_exclude
    choice_sets = make_choice_sets(table, indices, excludes, 3, seed, f"{test}/{type_}")
    questions = []
    selected = spread(choice_sets, quota, seed, test)
    for size in (2, 3):
        same_size = [choice_set for choice_set in selected if len(choice_set.choices) == size]
        same_size.sort(key=lambda entry: (entry.group, hash_to_unit(seed, test, "shown", entry.key), entry.key))
        for number, choice_set in enumerate(same_size):
            reference = table[choice_set.references[number % size]]
            questions.append(reference_question(test, type_, reference, reference.answer, choices=choice_set.choices))
    return questions


def plan_attribute_questions(
    table: ReferenceTable, indices: Indices, quota: int, seed: int, test: str
) -> list[QuestionSpec]:
    """Q4: is the … red? Asked about a red object or about one of another color, as the draw decides."""
    choice_sets = make_choice_sets(table, indices, attributes_exclude, 2, seed, f"{test}/{ATTRIBUTE}")
    return [
        replace(spec, opposite="")
        for spec in _verify_first_choice(table, spread(choice_sets, quota, seed, test), seed, test)
    ]


def plan_opposite_questions(
    table: ReferenceTable, indices: Indices, quota: int, seed: int, test: str
) -> list[QuestionSpec]:
    """Q4 for attributes that have an opposite, with no pair of opposites above a tenth of all."""
    choice_sets = make_choice_sets(table, indices, are_opposites, 2, seed, f"{test}/{ATTRIBUTE}")
    selected = cap_opposites(choice_sets, lambda entry: (entry.group, *sorted(entry.choices)), quota, seed, test)
    return list(_verify_first_choice(table, selected, seed, test))


def _verify_first_choice(
    table: ReferenceTable, choice_sets: Sequence[ChoiceSet], seed: int, test: str
) -> Iterator[QuestionSpec]:
    """Ask for the first choice (they come in random order): about the object that has it, or about the other."""
    ordered = sorted(choice_sets, key=lambda entry: (hash_to_unit(seed, test, "shown", entry.key), entry.key))
    for number, choice_set in enumerate(ordered):
        reference, answer = table[choice_set.references[number % 2]], ("yes", "no")[number % 2]
        value, opposite = choice_set.choices
        yield reference_question(test, ATTRIBUTE, reference, answer, value, opposite=opposite)


def reference_question(
    test: str,
    type_: str,
    reference: Reference,
    answer: str,
    value: str = "",
    choices: tuple[str, ...] = (),
    opposite: str = "",
) -> QuestionSpec:
    """A question about an object that is referred to."""
    image_id, object_id, phrases = reference.image_id, reference.object_id, (reference.phrase,)
    return question_spec(test, type_, image_id, answer, phrases, reference.group, value, choices, opposite, object_id)


def spread(choice_sets: Sequence[ChoiceSet], quota: int, seed: int, test: str) -> list[ChoiceSet]:
    """As many as the quota, by weighted keys: the rarer a class and a set of choices, the likelier.

    The paper weighs by the answer too; that would let the words tell it, so the set of choices is weighed instead.
    """
    classes = Counter(entry.group for entry in choice_sets)
    options = Counter((entry.group, *sorted(entry.choices)) for entry in choice_sets)

    def rank(entry: ChoiceSet) -> tuple[float, str]:
        weight = classes[entry.group] ** 0.5 * options[entry.group, *sorted(entry.choices)] ** 0.5
        return -(hash_to_unit(seed, test, entry.key) ** weight), entry.key

    return sorted(choice_sets, key=rank)[:quota]


def cap_opposites(
    entries: Sequence[Keyed], opposites: Callable[[Keyed], tuple[str, ...]], quota: int, seed: int, test: str
) -> list[Keyed]:
    """The largest part in which no pair of opposites exceeds its share (equal shares, where pairs are few)."""
    by_pair: defaultdict[tuple[str, ...], list[Keyed]] = defaultdict(list)
    for entry in sorted(entries, key=lambda entry: (hash_to_unit(seed, test, "cap", entry.key), entry.key)):
        by_pair[opposites(entry)].append(entry)
    share = max(LARGEST_SHARE, 1 / max(1, len(by_pair)))
    limit, total = 0, 0
    while (next_total := sum(min(len(pair), limit + 1) for pair in by_pair.values())) <= quota:
        if next_total == total or limit + 1 > share * next_total:
            break
        limit, total = limit + 1, next_total
    selected = [entry for pair in sorted(by_pair) for entry in by_pair[pair][:limit]]
    if next_total > quota and limit + 1 <= share * quota:  # one more of some pairs makes up the number
        selected += [by_pair[pair][limit] for pair in sorted(by_pair) if len(by_pair[pair]) > limit][: quota - total]
    return selected
