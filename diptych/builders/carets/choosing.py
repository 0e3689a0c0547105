"""Questions about what a thing is like, is, or does (Q4 to Q7), with wrong answers that do not give themselves away.

Things that are referred to by the same words make a *group*, and those of one answer a *bucket* of it. The words of a
question (the reference and the choices) are settled from two or three buckets, and one thing of each is set aside for
it. Only when the words of all questions stand does a draw say, for each, which of its things is shown; the others are
not asked about at all. So the answers are fair draws whatever is known of all the words and of other answers. (Were
the others asked about later, an answer that is right here would be missing there: then a model that learned from the
other images would be right less often than by chance.) What finds no partner is skipped.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from diptych.builders.carets.asking import ACTION, ATTRIBUTE, KIND, Asked
from diptych.builders.carets.corpus import Corpus, keyed
from diptych.builders.carets.knowing import (
    Known,
    are_opposites,
    attributes_exclude,
    attributes_known,
    kinds_exclude,
    kinds_known,
)
from diptych.pairs import row_rng
from diptych.scenegraphs import Phrase, attribute_classes

MOST_OF_A_PAIR = 0.1
"""No pair of opposites makes up more of the antonym test than this; white and black were 56 % of the released one."""
_THREE = 0.4
"""How often three choices are given rather than two, where there are three."""

Excludes = Callable[[str, str, str], bool]
T = TypeVar("T", "Worded", Asked)


@dataclass(frozen=True, slots=True)
class Worded:
    """The words of a question, settled, and a thing for each of its choices."""

    things: tuple[Known, ...]

    @property
    def phrase(self) -> Phrase:
        """How the thing is referred to."""
        return self.things[0].phrase

    @property
    def group(self) -> str:
        """The class that the choices are of."""
        return self.things[0].group

    @property
    def choices(self) -> tuple[str, ...]:
        """The answers to choose from."""
        return tuple(thing.answer for thing in self.things)

    @property
    def key(self) -> str:
        """What tells these words from all others of a test."""
        images = "/".join(thing.graph.image_id for thing in self.things)
        return f"{self.phrase.text}/{self.group}/{'/'.join(self.choices)}/{images}"


def worded(known: Iterable[Known], excludes: Excludes, most: int, seed: int, test: str) -> list[Worded]:
    """From every group, the words of questions; of one image an answer serves at most one of them."""
    groups: defaultdict[tuple[Phrase, str], list[Known]] = defaultdict(list)
    for one in known:
        groups[one.phrase, one.group].append(one)
    found: list[Worded] = []
    used: set[tuple[str, str, str]] = set()
    # References that say more come first: they have fewer partners.
    for group in sorted(groups, key=lambda group: (group[0].shape == "bare", group[0].text, group[1])):
        fresh = [one for one in groups[group] if _use(one) not in used]
        rng = row_rng(seed, f"{test}/group", f"{group[0].text}/{group[1]}")
        for words in _from_group(fresh, excludes, most, rng):
            used |= {_use(thing) for thing in words.things}
            found.append(words)
    return found


def _use(one: Known) -> tuple[str, str, str]:
    # Two questions that could both be shown by one image and with one answer would be told apart by the others.
    return one.graph.image_id, one.group, one.answer


def _from_group(known: Sequence[Known], excludes: Excludes, most: int, rng: Random) -> Iterator[Worded]:
    buckets: defaultdict[str, list[Known]] = defaultdict(list)
    for one in known:
        buckets[one.answer].append(one)
    for bucket in buckets.values():
        rng.shuffle(bucket)
    while True:
        choices = _choices(buckets, excludes, known[0].group if known else "", most, rng)
        if not choices:
            return
        yield Worded(tuple(buckets[choice].pop() for choice in choices))


def _choices(
    buckets: dict[str, list[Known]], excludes: Excludes, group: str, most: int, rng: Random
) -> tuple[str, ...]:
    """Two or three answers that exclude each other, each still with a thing to show; in random order."""
    left = [answer for answer in sorted(buckets) if buckets[answer]]
    left = [one for one in left if any(excludes(group, one, other) for other in left)]
    if not left:
        return ()
    chosen = rng.choices(left, [len(buckets[answer]) for answer in left])
    size = most if rng.random() < _THREE else 2
    while len(chosen) < size:
        fitting = [one for one in left if all(excludes(group, one, other) for other in chosen)]
        if not fitting:
            break
        chosen += rng.choices(fitting, [len(buckets[answer]) for answer in fitting])
    rng.shuffle(chosen)
    return tuple(chosen)


def choices(corpus: Corpus, seed: int, test: str, type_: str, wanted: int) -> list[Asked]:
    """Q5, Q6 or Q7, spread over their classes; every position of the right choice is as frequent as the others."""
    known, excludes = chosen_from(corpus, type_)
    words = spread(worded(known, excludes, 3, seed, f"{test}/{type_}"), wanted, seed, test)
    found = []
    for size in (2, 3):
        of_size = [one for one in words if len(one.choices) == size]
        of_size.sort(key=lambda one: (one.group, keyed(seed, test, "shown", one.key), one.key))
        for number, one in enumerate(of_size):
            found.append(asked_of(type_, one.things[number % size], one.things[number % size].answer, of=one.choices))
    return found


def chosen_from(corpus: Corpus, type_: str) -> tuple[list[Known], Excludes]:
    """What is known for a type of choice question, and when two of its answers exclude each other."""
    if type_ == KIND:
        return kinds_known(corpus), kinds_exclude
    known = attributes_known(corpus, action=type_ == ACTION)
    return [one for one in known if attribute_classes()[one.group].offers_choice], attributes_exclude


def attributes(corpus: Corpus, seed: int, test: str, wanted: int) -> list[Asked]:
    """Q4: is the … red? Asked of a red one or of one of another color, as the draw will have it."""
    words = worded(attributes_known(corpus), attributes_exclude, 2, seed, f"{test}/{ATTRIBUTE}")
    return [one for one, _ in _verified(spread(words, wanted, seed, test), seed, test)]


def opposites(corpus: Corpus, seed: int, test: str, wanted: int) -> list[Asked]:
    """Q4 for attributes that have an opposite, no pair of opposites above a tenth of all."""
    words = worded(attributes_known(corpus), are_opposites, 2, seed, f"{test}/{ATTRIBUTE}")
    kept = capped(words, lambda one: (one.group, *sorted(one.choices)), wanted, seed, test)
    return [replace(one, opposite=other) for one, other in _verified(kept, seed, test)]


def _verified(words: Sequence[Worded], seed: int, test: str) -> Iterator[tuple[Asked, str]]:
    """The first choice (they come in random order) is asked for: of the thing that has it, or of the other."""
    ordered = sorted(words, key=lambda one: (keyed(seed, test, "shown", one.key), one.key))
    for number, one in enumerate(ordered):
        shown, answer = one.things[number % 2], ("yes", "no")[number % 2]
        yield asked_of(ATTRIBUTE, shown, answer, value=one.choices[0]), one.choices[1]


def asked_of(type_: str, one: Known, answer: str, value: str = "", of: tuple[str, ...] = ()) -> Asked:
    """A question about a thing; its foreground is the thing and what it is told by."""
    shown = [one.thing]
    shown += [one.graph[other] for name, other in one.thing.relations if name == one.phrase.relation]
    return Asked(
        type_,
        one.graph.image_id,
        answer,
        (one.phrase,),
        one.group,
        value,
        of,
        objects=tuple(thing.id for thing in shown),
        boxes=tuple(thing.box for thing in shown),
    )


def spread(words: Sequence[Worded], wanted: int, seed: int, test: str) -> list[Worded]:
    """As many as wanted, by weighted keys: the rarer a class and a set of choices, the likelier.

    The paper weighs by the answer too; that would let the words tell it, so the set of choices is weighed instead.
    """
    classes = Counter(one.group for one in words)
    sets = Counter((one.group, *sorted(one.choices)) for one in words)

    def rank(one: Worded) -> tuple[float, str]:
        weight = classes[one.group] ** 0.5 * sets[one.group, *sorted(one.choices)] ** 0.5
        return -(keyed(seed, test, one.key) ** weight), one.key

    return sorted(words, key=rank)[:wanted]


def capped(found: Sequence[T], pair: Callable[[T], tuple[str, ...]], wanted: int, seed: int, test: str) -> list[T]:
    """The largest part in which no pair of opposites exceeds its share (equal shares, where pairs are few)."""
    pairs: defaultdict[tuple[str, ...], list[T]] = defaultdict(list)
    for one in sorted(found, key=lambda one: (keyed(seed, test, "cap", one.key), one.key)):
        pairs[pair(one)].append(one)
    share = max(MOST_OF_A_PAIR, 1 / max(1, len(pairs)))
    most, total = 0, 0
    while (more := sum(min(len(of), most + 1) for of in pairs.values())) <= wanted:
        if more == total or most + 1 > share * more:
            break
        most, total = most + 1, more
    kept = [one for key in sorted(pairs) for one in pairs[key][:most]]
    if more > wanted and most + 1 <= share * wanted:  # one more of some pairs makes up the number
        kept += [pairs[key][most] for key in sorted(pairs) if len(pairs[key]) > most][: wanted - total]
    return kept
