"""Questions before they are worded: their types, how many each of the tests asks, and the phrases they ask about."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import orjson

from diptych.builders import Item, ParameterValue
from diptych.errors import BadInputError, UnknownNameError
from diptych.language import is_mass, is_plural, plural
from diptych.pairs import Skip, row_rng
from diptych.scenegraphs import Phrase, SceneGraph, base_name, ontology, truth

# The paper's Q1 to Q7.
QUESTION_TYPES = ("object", "conjunction", "disjunction", "attribute", "kind", "choice", "action")
OBJECT, CONJUNCTION, DISJUNCTION, ATTRIBUTE, KIND, CHOICE, ACTION = QUESTION_TYPES
RELATION = "relation"  # questions of the type `object` whose phrase has a relation; they are counted apart
PRESENCE_TYPES = (OBJECT, RELATION, CONJUNCTION, DISJUNCTION)  # whether objects are there
CHOICE_TYPES = (KIND, CHOICE, ACTION)
REPHRASE, ONTOLOGICAL, ORDER = "carets.rephrase", "carets.ontological", "carets.order"
VISUAL, NEGATION, ANTONYM = "carets.visual", "carets.negation", "carets.antonym"
TESTS: Mapping[str, str] = {
    REPHRASE: "Other words, same answer.",
    ONTOLOGICAL: "A kind for a name, or a name for a kind; same answer.",
    ORDER: "Things or choices in another order; same answer.",
    VISUAL: "Only the foreground of the image is left; same answer.",
    NEGATION: "The negated question; the other answer.",
    ANTONYM: "The opposite attribute; the other answer.",
}
CHANGING_TESTS = (NEGATION, ANTONYM)  # the tests whose partner has the other answer

_CHOICES = {KIND: 5000, CHOICE: 3914, ACTION: 498}
_TWO_OBJECTS = {CONJUNCTION: 2500, DISJUNCTION: 2500}
TABLE_6: Mapping[str, Mapping[str, int]] = {
    REPHRASE: {OBJECT: 2500, RELATION: 2500, **_TWO_OBJECTS, **_CHOICES},
    ONTOLOGICAL: {OBJECT: 13952},
    ORDER: {**_TWO_OBJECTS, **_CHOICES},
    VISUAL: {
        **dict.fromkeys((OBJECT, RELATION, CONJUNCTION, DISJUNCTION), 3750),
        ATTRIBUTE: 3000,
        **{KIND: 4394, CHOICE: 3440, ACTION: 438},
    },
    NEGATION: {OBJECT: 2500, RELATION: 2500, **_TWO_OBJECTS},
    ANTONYM: {ATTRIBUTE: 5000},
}
"""Questions by test and type.

The paper's Table 6 prints for each test the sum of its yes/no and of its choice questions, and those sums are kept
exactly. The split by type is that of the authors' question files. They released none of the visual test: there the
split of its sums is ours, in the proportions of the other tests.
"""

MOST_QUESTIONS = 100_000_000  # of a type that a build may ask for
_SPOKEN_KINDS = frozenset(
    "aircraft;alcohol;animal;appliance;bag;berry;bird;body part;bread;building;cake;car;clothing;container;drink;"
    "electronic device;food;fruit;furniture;meat;musical instrument;person;plant;shoe;toy;utensil;vegetable;"
    "vehicle;weapon".split(";")
)
# Kinds that a person would say instead of a name.
_MOST_NARROWER = 4


@dataclass(frozen=True, slots=True)
class QuestionSpec(Item):
    """One question about one image, not yet in words; its key is unique within its test."""

    type: str
    image_id: str
    answer: str
    phrases: str  # packed by `pack_phrases`
    group: str = ""  # the attribute class or the kind that the choices belong to
    value: str = ""  # the attribute that a yes/no question asks for
    choices: tuple[str, ...] = ()
    opposite: str = ""  # the attribute that the antonym partner asks for instead
    object_id: str = ""  # what the phrase refers to, where the question is about what an object is like, is or does


def question_quotas(test: str, parameters: Mapping[str, ParameterValue]) -> dict[str, int]:
    """How many questions of each type a test asks: the paper's numbers, unless `pairs` or `counts` set others.

    >>> question_quotas("carets.negation", {"counts": "object:7,negation.disjunction:0"})
    {'object': 7, 'relation': 2500, 'conjunction': 2500, 'disjunction': 0}
    """
    table, pairs = TABLE_6[test], int(parameters.get("pairs", 0))
    total, counts = sum(table.values()), parse_counts(str(parameters.get("counts", "")))
    scaled = {type_: round(number * pairs / total) if pairs else number for type_, number in table.items()}
    name = test.partition(".")[2]
    return {type_: counts.get((name, type_), counts.get(("", type_), number)) for type_, number in scaled.items()}


def all_quotas(parameters: Mapping[str, ParameterValue]) -> dict[str, int]:
    """How many questions about what is there all tests ask, by test and type: `carets.order/conjunction`."""
    quotas = {test: question_quotas(test, parameters) for test in TABLE_6}
    return {f"{test}/{type_}": quotas[test].get(type_, 0) for test in TABLE_6 for type_ in PRESENCE_TYPES}


NOTHING_MORE = "the scene graphs have no more"


def shortfall(type_: str, quota: int, found: int, causes: Mapping[str, int]) -> Iterator[Skip]:
    """A skip for every question that a quota lacks: by the causes in turn, and for the rest the graphs themselves."""
    missing = quota - found
    for cause, count in (*causes.items(), (NOTHING_MORE, missing)):
        number = min(missing, count)
        missing -= number
        yield from [Skip(f"too few questions of the type {type_}: {cause}")] * number


def parse_counts(text: str) -> dict[tuple[str, str], int]:
    """Counts of questions, `TYPE:N` for all tests or `TEST.TYPE:N` for one, separated by commas.

    >>> parse_counts("object:500, order.kind:20")
    {('', 'object'): 500, ('order', 'kind'): 20}
    """
    counts: dict[tuple[str, str], int] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, _, number = entry.partition(":")
        test, _, type_ = name.strip().rpartition(".")
        if type_ not in (*QUESTION_TYPES, RELATION):
            raise UnknownNameError.among(f"question type in counts={entry}:", type_, (*QUESTION_TYPES, RELATION))
        if test and type_ not in TABLE_6.get(f"carets.{test}", ()):
            raise BadInputError(f"counts={entry}: no test {test!r} has questions of the type {type_!r}")
        if not number.strip().isdecimal():
            raise BadInputError(f"counts={entry}: write TYPE:N or TEST.TYPE:N, separated by commas")
        if int(number) > MOST_QUESTIONS:
            raise BadInputError(f"counts={entry}: must be at most {MOST_QUESTIONS:,}")
        counts[test, type_] = int(number)
    return counts


# Phrases.


def phrase_fields(phrase: Phrase) -> list[str]:
    """A phrase as the list that `Phrase(*fields)` reads."""
    return [phrase.name, phrase.attribute, phrase.relation, phrase.target]


def pack_phrases(*phrases: Phrase) -> str:
    """Phrases as text that is equal where they are."""
    return orjson.dumps([phrase_fields(phrase) for phrase in phrases]).decode()


def unpack_phrases(text: str) -> tuple[Phrase, ...]:
    """The phrases that `pack_phrases` packed."""
    return tuple(Phrase(*fields) for fields in orjson.loads(text))


# Phrases with a broader or a narrower noun, for the ontological test. A yes stays a yes when the object is called by
# its kind; a no stays a no when a kind is narrowed. The paper asks the yes by names and the no by kinds, so that the
# noun tells the answer. Here the originals ask by names that have both kinds above and names below them (bird: animal,
# parrot), and a coin decides. The partner's noun still moves up with yes and down with no: that is the test itself.


def narrower_names(name: str) -> list[str]:
    """The covered names below a name that questions are asked about and that can be seen."""
    members = ontology().members.get(base_name(name), frozenset()) - ontology().unseen_roles
    return sorted(filter(ontology().is_foreground, members))


def broader_names(name: str) -> list[str]:
    """The kinds above a name that a person would say."""
    return sorted(ontology().kinds_of(name) & _SPOKEN_KINDS)


def broader_phrases(phrase: Phrase, graph: SceneGraph) -> list[Phrase]:
    """The phrase with each kind above its noun, where that is true of the image."""
    renamed = (_rename(phrase, kind) for kind in broader_names(phrase.name))
    return [broader for broader in renamed if truth(broader, graph)]


def narrower_phrase(phrase: Phrase, graph: SceneGraph, seed: int, test: str) -> Phrase | None:
    """The phrase with a name below its noun that is surely false of the image as well."""
    row_rng(seed, f"{test}/below", f"{graph.image_id}/{phrase.text}").shuffle(names := narrower_names(phrase.name))
    renamed = (_rename(phrase, name) for name in names[:_MOST_NARROWER])
    candidates = (narrower for narrower in renamed if not narrower.repeats_itself)
    return next((narrower for narrower in candidates if truth(narrower, graph) is False), None)


def _rename(phrase: Phrase, name: str) -> Phrase:
    """The phrase with another noun, in the same number."""
    noun = plural(name) if is_plural(phrase.name) and not is_mass(name) else name
    return Phrase(noun, phrase.attribute, phrase.relation, phrase.target)
