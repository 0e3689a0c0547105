"""The ontological test's questions: what is asked by one name and then by a kind above it, or by a name below it.

A yes stays a yes when the thing is called by its kind; a no stays a no when a kind is narrowed. The paper asks the yes
by names and the no by kinds, so that the noun tells the answer. Here the originals ask by names that have both kinds
above and names below them (bird: animal, parrot), and a coin decides. The partner's noun still moves up with yes and
down with no: that is the test itself.
"""

from random import Random

from diptych.builders.carets.asking import OBJECT, Asked
from diptych.builders.carets.corpus import Corpus
from diptych.builders.carets.verifying import Candidate, candidates, decided
from diptych.language import is_mass, is_plural, plural
from diptych.pairs import row_rng
from diptych.scenegraphs import Phrase, SceneGraph, base_name, ontology, truth

SAID = (
    "aircraft",
    "alcohol",
    "animal",
    "appliance",
    "bag",
    "berry",
    "bird",
    "body part",
    "bread",
    "building",
    "cake",
    "car",
    "clothing",
    "container",
    "dessert",
    "drink",
    "electronic device",
    "food",
    "fruit",
    "furniture",
    "meat",
    "musical instrument",
    "person",
    "plant",
    "shoe",
    "toy",
    "utensil",
    "vegetable",
    "vehicle",
    "weapon",
)
"""Kinds that a person would say instead of a name."""


def narrower(name: str) -> list[str]:
    """The covered names below a name that are things to ask about."""
    known = ontology()
    return sorted(below for below in known.members.get(base_name(name), ()) if known.is_foreground(below))


def broader(name: str) -> list[str]:
    """The kinds above a name that a person would say."""
    return sorted(ontology().kinds_of(name) & set(SAID))


def ontological(corpus: Corpus, seed: int, test: str, wanted: int) -> list[Asked]:
    """Q1 by names in the middle, with the partner's phrase."""
    found = [
        one
        for one in candidates(corpus, seed, test, OBJECT)
        if broader(one.phrases[0].name) and narrower(one.phrases[0].name)
    ]

    def where_false(phrases: tuple[Phrase, ...], rng: Random) -> SceneGraph | None:
        graph = corpus.where_false(phrases[0], rng)
        return graph if graph is not None and narrowed(phrases[0], graph, seed, test) else None

    asked = decided(OBJECT, known_above(found), where_false, seed, test, wanted)
    graphs = {graph.image_id: graph for graph in corpus.graphs}
    return [with_partner(one, graphs[one.image_id], seed, test) for one in asked]


def known_above(found: list[Candidate]) -> list[Candidate]:
    """Those whose kind is true of the image, as it must be."""
    return [
        one
        for one in found
        if any(truth(_renamed(one.phrases[0], kind), one.graph) for kind in broader(one.phrases[0].name))
    ]


def with_partner(one: Asked, graph: SceneGraph, seed: int, test: str) -> Asked:
    """The question with what its partner asks about."""
    phrase = one.phrases[0]
    if one.answer == "yes":
        fitting = [_renamed(phrase, kind) for kind in broader(phrase.name)]
        above = [other for other in fitting if truth(other, graph)]
        other = above[int(row_rng(seed, f"{test}/above", one.key).random() * len(above))]
    else:
        found = narrowed(phrase, graph, seed, test)
        assert found is not None
        other = found
    return Asked(one.type, one.image_id, one.answer, one.phrases, other=(other,), objects=one.objects, boxes=one.boxes)


def narrowed(phrase: Phrase, graph: SceneGraph, seed: int, test: str) -> Phrase | None:
    """A narrower phrase that is surely false of the image as well."""
    names = narrower(phrase.name)
    row_rng(seed, f"{test}/below", f"{graph.image_id}/{phrase.text}").shuffle(names)
    renamed = (_renamed(phrase, name) for name in names[:4])
    return next((other for other in renamed if truth(other, graph) is False), None)


def _renamed(phrase: Phrase, name: str) -> Phrase:
    """The phrase with another noun, in the same number."""
    number = plural(name) if is_plural(phrase.name) and not is_mass(name) else name
    return Phrase(number, phrase.attribute, phrase.relation, phrase.target)
