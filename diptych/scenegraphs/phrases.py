"""Noun phrases about an image, and whether the graph makes them true, false or leaves them open.

A scene graph never lists everything, so truth has three values. A phrase is *true* where an annotated thing fits it. It
is *false* only where nothing that is annotated could be meant: not the thing, a synonym, something above or below it,
a part or a whole of it; or where all that could be meant have an attribute that excludes the phrase's own. Everything
else is open, and no question is asked about it. A thing of which the graph is not sure makes nothing true, and nothing
false that it could be.
"""

from dataclasses import dataclass
from functools import cache

from diptych.language import article, is_mass, is_plural
from diptych.scenegraphs.attributes import class_of, implied, relation_words
from diptych.scenegraphs.graph import SceneGraph, SceneObject
from diptych.scenegraphs.naming import may_mean
from diptych.scenegraphs.ontology import base_name, ontology


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun with at most one attribute before it and one relation behind it."""

    name: str
    attribute: str = ""
    relation: str = ""
    other: str = ""
    """The name of what the thing stands in the relation to."""

    @property
    def core(self) -> str:
        """The attribute and the noun."""
        return f"{self.attribute} {self.name}" if self.attribute else self.name

    @property
    def text(self) -> str:
        """The phrase without a determiner.

        >>> Phrase("man", "tall", "wearing", "hat").text
        'tall man wearing a hat'
        """
        return f"{self.core} {self.relation} {self.other_text}" if self.relation else self.core

    @property
    def other_text(self) -> str:
        """What the relation leads to, with its determiner."""
        return f"the {self.other}" if relation_words()[self.relation] == "the" else indefinite(self.other)

    @property
    def shape(self) -> str:
        """`bare`, `attribute` or `relation`, as the paper's templates tell them apart."""
        return "relation" if self.relation else "attribute" if self.attribute else "bare"

    @property
    def a_text(self) -> str:
        """The phrase with the determiner of a question about existence.

        >>> Phrase("umbrella", "red").a_text, Phrase("trees").a_text, Phrase("water").a_text
        ('a red umbrella', 'any trees', 'any water')
        """
        return f"{'any' if takes_any(self.name) else article(self.text)} {self.text}"

    @property
    def are(self) -> str:
        """The verb that agrees: "is" or "are"."""
        return "are" if is_plural(self.name) else "is"


@cache
def takes_any(name: str) -> bool:
    """Whether a noun is asked about with "any": plurals and stuff."""
    return is_plural(name) or is_mass(name)


def indefinite(text: str) -> str:
    """A phrase with the article it takes, if it takes one."""
    return text if takes_any(text) else f"{article(text)} {text}"


def fits(phrase: Phrase, thing: SceneObject, graph: SceneGraph) -> bool | None:
    """Whether one thing surely is what the phrase says (True), surely is not (False), or may be (None)."""
    known = ontology()
    if base_name(thing.name) not in known.may_be(phrase.name):
        return False
    sure = known.is_a(thing.name, phrase.name)
    if phrase.attribute:
        has = has_attribute(thing, phrase.attribute)
        if has is False:
            return False
        sure = sure and has is True
    if phrase.relation:
        sure = sure and _stands(thing, phrase, graph)
    return True if sure else None


def has_attribute(thing: SceneObject, attribute: str) -> bool | None:
    """Whether a thing has an attribute: it is annotated, a lone other one of the class excludes it, or who knows."""
    if attribute in thing.attributes:
        return True
    kind = class_of(attribute, thing.name)
    if kind is None:
        return None
    of_class = [one for one in thing.attributes if class_of(one, thing.name) is kind]
    return False if len(of_class) == 1 and kind.excludes(of_class[0], attribute) else None


def _stands(thing: SceneObject, phrase: Phrase, graph: SceneGraph) -> bool:
    return any(
        (name == phrase.relation or phrase.relation in implied().get(name, ()))
        and ontology().is_a(graph[other].name, phrase.other)
        for name, other in thing.relations
    )


def truth(phrase: Phrase, graph: SceneGraph) -> bool | None:
    """Whether there is such a thing in the image: yes, no, or the graph does not tell."""
    if is_absent(phrase.name, graph) or (phrase.relation and is_absent(phrase.other, graph)):
        return False
    if any(fits(phrase, thing, graph) for thing in graph.objects):
        return True
    known, hides = ontology(), ontology().hides(phrase.name)
    for thing in graph.objects:
        doubtful = not known.knows(thing.name) or base_name(thing.name) in hides
        if doubtful and not _excluded(phrase, thing):
            return None
    return None if any(_could_be(thing, hides) for thing in graph.unsure) else False


def _could_be(thing: SceneObject, names: frozenset[str]) -> bool:
    """Whether a thing of which nothing is sure may be of one of these names, by its own name or by its synset."""
    if not ontology().knows(thing.name) or base_name(thing.name) in names:
        return True
    return bool(thing.sense) and may_mean(thing.sense, names)


def _excluded(phrase: Phrase, thing: SceneObject) -> bool:
    """Whether the thing could be meant by the noun and is ruled out by its attribute alone."""
    same = base_name(thing.name) in ontology().may_be(phrase.name)
    return same and bool(phrase.attribute) and has_attribute(thing, phrase.attribute) is False


def is_absent(name: str, graph: SceneGraph) -> bool:
    """Whether nothing annotated could be it, hide it or be a part of it; unknown names leave it open."""
    known = ontology()
    hides = known.hides(name)
    if any(_could_be(thing, hides) for thing in graph.unsure):
        return False
    return all(known.knows(thing.name) and base_name(thing.name) not in hides for thing in graph.objects)


def referent(phrase: Phrase, graph: SceneGraph) -> SceneObject | None:
    """The one thing that "the …" means; None where there is none, or more than one could be meant."""
    found, may_be = None, ontology().may_be(phrase.name)
    for thing in graph.objects:
        if base_name(thing.name) not in may_be:
            continue
        fit = fits(phrase, thing, graph)
        if fit is None or (fit and found is not None):
            return None
        found = thing if fit else found
    rivals = ontology().may_be(phrase.name)
    return None if any(_could_be(thing, rivals) for thing in graph.unsure) else found
