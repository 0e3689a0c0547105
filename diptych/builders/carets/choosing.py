"""Questions about what a thing is like, is, or does (Q4 to Q7), with wrong answers that do not give themselves away.

Things that are referred to by the same words make a *group*, and those of one answer a *bucket* of it. The words of a
question (the reference and the choices) are settled from two or three buckets that are not empty; only then does a
fair draw say which of them the thing shown comes from. So no answer is likelier than another by the words alone. What
finds no partner is skipped.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from diptych.builders.carets.asking import ACTION, ATTRIBUTE, CHOICE, KIND, Asked
from diptych.builders.carets.corpus import Corpus, keyed, phrases_of
from diptych.language import is_mass, is_plural
from diptych.pairs import row_rng
from diptych.scenegraphs import (
    Phrase,
    SceneGraph,
    SceneObject,
    antonyms,
    attribute_classes,
    base_name,
    class_of,
    ontology,
    referent,
)

ASKED_KINDS = (
    "animal",
    "appliance",
    "bag",
    "bird",
    "building",
    "container",
    "dessert",
    "electronic device",
    "fruit",
    "musical instrument",
    "person",
    "tool",
    "toy",
    "utensil",
    "vegetable",
    "vehicle",
)
"""Kinds that count things, so that "the black animal" can be one of them."""
REFERENCES = 3
MOST_OF_A_PAIR = 0.1
"""No pair of opposites makes up more of the antonym test than this; white and black were 56 % of the released one."""


@dataclass(frozen=True, slots=True)
class Known:
    """A thing that a phrase refers to without doubt, and what is to be asked of it."""

    graph: SceneGraph
    thing: SceneObject
    phrase: Phrase
    group: str
    answer: str


Group = tuple[Phrase, str]


def attributes_known(corpus: Corpus, *, action: bool | None) -> Iterator[Known]:
    """Things with a lone attribute of a class (an action class, another, or either), by up to three references."""
    known = ontology()
    for graph in corpus.graphs:
        for thing in graph.objects:
            if not known.is_asked(thing.name):
                continue
            for group, value in _lone(thing):
                if action is not None and attribute_classes()[group].action is not action:
                    continue
                for phrase in _references(thing, graph, group):
                    yield Known(graph, thing, phrase, group, value)


def _lone(thing: SceneObject) -> list[tuple[str, str]]:
    """The classes of which a thing has exactly one attribute."""
    of_class: defaultdict[str, list[str]] = defaultdict(list)
    for attribute in thing.attributes:
        kind = class_of(attribute, thing.name)
        if kind is not None and not kind.free:
            of_class[kind.name].append(attribute)
    return [(name, values[0]) for name, values in of_class.items() if len(values) == 1]


def _references(thing: SceneObject, graph: SceneGraph, group: str) -> list[Phrase]:
    """Phrases that mean this thing alone and do not say what is asked."""
    found = []
    for phrase in phrases_of(thing, graph):
        told = class_of(phrase.attribute, thing.name) if phrase.attribute else None
        if (told is None or told.name != group) and referent(phrase, graph) is thing:
            found.append(phrase)
    return found[:REFERENCES]


def kinds_known(corpus: Corpus) -> Iterator[Known]:
    """Things that are told by their kind with an attribute or a relation."""
    known = ontology()
    for graph in corpus.graphs:
        for thing in graph.objects:
            if not known.is_asked(thing.name) or is_plural(thing.name) or is_mass(thing.name):
                continue
            for kind in sorted(known.kinds_of(thing.name) & set(ASKED_KINDS)):
                if kind == "person" and thing.name not in ("man", "woman", "boy", "girl"):
                    continue  # a skier may be a boy
                for phrase in phrases_of(thing, graph, kind):
                    if phrase.shape != "bare" and referent(phrase, graph) is thing:
                        yield Known(graph, thing, phrase, kind, thing.name)


def kinds_exclude(group: str, one: str, other: str) -> bool:
    """Whether a thing of the one name is surely none of the other."""
    known = ontology()
    return base_name(other) not in known.may_be(one) and base_name(one) not in known.may_be(other)


def attributes_exclude(group: str, one: str, other: str) -> bool:
    """Whether two attributes of a class exclude each other."""
    return attribute_classes()[group].excludes(one, other)


def are_opposites(group: str, one: str, other: str) -> bool:
    """Whether two attributes of a class are opposites."""
    return antonyms().get((group, one)) == other


Excludes = Callable[[str, str, str], bool]
Drawn = tuple[Known, tuple[str, ...]]


def drawn(known: Iterable[Known], excludes: Excludes, most: int, seed: int, test: str) -> list[Drawn]:
    """From every group, things with the choices they are asked with; each thing at most once a class."""
    groups: defaultdict[Group, list[Known]] = defaultdict(list)
    for one in known:
        groups[one.phrase, one.group].append(one)
    found: list[Drawn] = []
    used: set[tuple[str, str, str]] = set()
    # References that say more come first: they have fewer partners.
    for group in sorted(groups, key=lambda group: (group[0].shape == "bare", group[0].text, group[1])):
        fresh = [one for one in groups[group] if _use(one) not in used]
        rng = row_rng(seed, f"{test}/group", f"{group[0].text}/{group[1]}")
        for one, choices in _from_group(fresh, excludes, most, rng):
            used.add(_use(one))
            found.append((one, choices))
    return found


def _use(one: Known) -> tuple[str, str, str]:
    return one.graph.image_id, one.thing.id, one.group


def _from_group(known: Sequence[Known], excludes: Excludes, most: int, rng: Random) -> Iterator[Drawn]:
    buckets: defaultdict[str, list[Known]] = defaultdict(list)
    for one in known:
        buckets[one.answer].append(one)
    for bucket in buckets.values():
        rng.shuffle(bucket)
    while True:
        choices = _choices(buckets, excludes, known[0].group if known else "", most, rng)
        if not choices:
            return
        right = choices[int(rng.random() * len(choices))]
        yield buckets[right].pop(), choices


def _choices(
    buckets: dict[str, list[Known]], excludes: Excludes, group: str, most: int, rng: Random
) -> tuple[str, ...]:
    """Two or three answers that exclude each other, each still with a thing to show; in random order."""
    left = [answer for answer in sorted(buckets) if buckets[answer]]
    left = [one for one in left if any(excludes(group, one, other) for other in left)]
    if not left:
        return ()
    chosen = rng.choices(left, [len(buckets[answer]) for answer in left])
    size = most if rng.random() < 0.4 else 2
    while len(chosen) < size:
        fitting = [one for one in left if all(excludes(group, one, other) for other in chosen)]
        if not fitting:
            break
        chosen += rng.choices(fitting, [len(buckets[answer]) for answer in fitting])
    rng.shuffle(chosen)
    return tuple(chosen)


def choices(corpus: Corpus, seed: int, test: str, type_: str, wanted: int) -> list[Asked]:
    """Q5, Q6 or Q7, spread over their classes."""
    if type_ == KIND:
        found = drawn(kinds_known(corpus), kinds_exclude, 3, seed, f"{test}/{type_}")
    else:
        known = (
            one for one in attributes_known(corpus, action=type_ == ACTION) if attribute_classes()[one.group].choose
        )
        found = drawn(known, attributes_exclude, 3, seed, f"{test}/{type_}")
    asked = [_asked(type_, one, one.answer, choices=of) for one, of in found]
    return spread(asked, lambda one: (one.group, *sorted(one.choices)), wanted, seed, test)


def attributes(corpus: Corpus, seed: int, test: str, wanted: int) -> list[Asked]:
    """Q4: is the … red? Asked of a red one or of one of another color, as the draw will have it."""
    found = drawn(attributes_known(corpus, action=None), attributes_exclude, 2, seed, f"{test}/{ATTRIBUTE}")
    asked = [_verified(one, of) for one, of in found]
    return balanced(spread(asked, lambda one: (one.group, one.value), wanted, seed, test), seed, test)


def opposites(corpus: Corpus, seed: int, test: str, wanted: int) -> list[Asked]:
    """Q4 for attributes that have an opposite, no pair of opposites above a tenth of all."""
    found = drawn(attributes_known(corpus, action=None), are_opposites, 2, seed, f"{test}/{ATTRIBUTE}")
    asked = [_verified(one, of) for one, of in found]
    return capped(asked, wanted, seed, test)


def _verified(one: Known, of: tuple[str, ...]) -> Asked:
    """The first choice (they come in random order) is the attribute asked for."""
    return _asked(ATTRIBUTE, one, "yes" if of[0] == one.answer else "no", value=of[0])


def _asked(type_: str, one: Known, answer: str, value: str = "", choices: tuple[str, ...] = ()) -> Asked:
    shown = [one.thing]
    shown += [one.graph[other] for name, other in one.thing.relations if name == one.phrase.relation]
    return Asked(
        type_,
        one.graph.image_id,
        answer,
        (one.phrase,),
        one.group,
        value,
        choices,
        objects=tuple(thing.id for thing in shown),
        boxes=tuple(thing.box for thing in shown),
    )


def spread(
    asked: Sequence[Asked], by: Callable[[Asked], tuple[str, ...]], wanted: int, seed: int, test: str
) -> list[Asked]:
    """As many as wanted, by weighted keys: the rarer a class and a set of choices, the likelier.

    The paper weighs by the answer too; that would let the words tell it, so the set of choices is weighed instead.
    """
    classes, sets = Counter(one.group for one in asked), Counter(by(one) for one in asked)

    def rank(one: Asked) -> tuple[float, str]:
        return -(keyed(seed, test, one.key) ** (classes[one.group] ** 0.5 * sets[by(one)] ** 0.5)), one.key

    return sorted(asked, key=rank)[:wanted]


def capped(asked: Sequence[Asked], wanted: int, seed: int, test: str) -> list[Asked]:
    """The largest part, yes and no alike, in which no pair of opposites exceeds its share (equal shares, if few)."""
    pairs: defaultdict[tuple[str, str], list[Asked]] = defaultdict(list)
    for one in sorted(asked, key=lambda one: (keyed(seed, test, "cap", one.key), one.key)):
        pairs[one.group, min(one.value, antonyms()[one.group, one.value])].append(one)
    share = max(MOST_OF_A_PAIR, 1 / max(1, len(pairs)))
    yes_and_no = {key: [[o for o in of if o.answer == answer] for answer in ("yes", "no")] for key, of in pairs.items()}
    halves = {key: min(len(yes), len(no)) for key, (yes, no) in yes_and_no.items()}
    total = min(wanted, 2 * sum(halves.values()))
    while total and 2 * sum(min(half, int(total * share / 2)) for half in halves.values()) < total - 1:
        total -= 1
    cap = int(total * share / 2)
    return [one for key in sorted(pairs) for side in yes_and_no[key] for one in side[: min(halves[key], cap)]]


def balanced(asked: Sequence[Asked], seed: int, test: str) -> list[Asked]:
    """As many yes as no: the surplus of a few coins is left out by draw."""
    ordered = sorted(asked, key=lambda one: (keyed(seed, test, "balance", one.key), one.key))
    half = min(Counter(one.answer for one in asked)[answer] for answer in ("yes", "no"))
    return [one for answer in ("yes", "no") for one in [a for a in ordered if a.answer == answer][:half]]


__all__ = ["ACTION", "ATTRIBUTE", "CHOICE", "KIND", "attributes", "choices", "opposites"]
