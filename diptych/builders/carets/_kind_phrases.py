"""Phrases with a broader or a narrower noun, for the ontological test.

A yes stays a yes when the object is called by its kind; a no stays a no when a kind is narrowed. The paper asks the yes
by names and the no by kinds, so that the noun tells the answer. Here the originals ask by names that have both kinds
above and names below them (bird: animal, parrot), and a coin decides. The partner's noun still moves up with yes and
down with no: that is the test itself.
"""

from diptych.language import is_mass, is_plural, plural
from diptych.pairs import row_rng
from diptych.scenegraphs import Phrase, SceneGraph, base_name, ontology, truth

_SPOKEN_KINDS = frozenset(
    "aircraft;alcohol;animal;appliance;bag;berry;bird;body part;bread;building;cake;car;clothing;container;dessert;"
    "drink;electronic device;food;fruit;furniture;meat;musical instrument;person;plant;shoe;toy;utensil;vegetable;"
    "vehicle;weapon".split(";")
)
# Kinds that a person would say instead of a name.
_MOST_NARROWER = 4


def narrower_names(name: str) -> list[str]:
    """The covered names below a name that questions are asked about."""
    known_names = ontology()
    return sorted(below for below in known_names.members.get(base_name(name), ()) if known_names.is_foreground(below))


def broader_names(name: str) -> list[str]:
    """The kinds above a name that a person would say."""
    return sorted(ontology().kinds_of(name) & _SPOKEN_KINDS)


def broader_phrases(phrase: Phrase, graph: SceneGraph) -> list[Phrase]:
    """The phrase with each kind above its noun, where that is true of the image."""
    renamed = (_rename(phrase, kind) for kind in broader_names(phrase.name))
    return [broader for broader in renamed if truth(broader, graph)]


def narrower_phrase(phrase: Phrase, graph: SceneGraph, seed: int, test: str) -> Phrase | None:
    """The phrase with a name below its noun that is surely false of the image as well."""
    names = narrower_names(phrase.name)
    row_rng(seed, f"{test}/below", f"{graph.image_id}/{phrase.text}").shuffle(names)
    renamed = (_rename(phrase, name) for name in names[:_MOST_NARROWER])
    return next((narrower for narrower in renamed if truth(narrower, graph) is False), None)


def _rename(phrase: Phrase, name: str) -> Phrase:
    """The phrase with another noun, in the same number."""
    noun = plural(name) if is_plural(phrase.name) and not is_mass(name) else name
    return Phrase(noun, phrase.attribute, phrase.relation, phrase.target)
