"""Noun phrases about an image, and whether its graph makes them true, false or leaves them open.

A scene graph never lists everything, so truth has three values. A phrase is *true* where an annotated object fits it.
It is *false* only where nothing that is annotated could be meant or speaks for it: not the object, a synonym, something
above or below it, what else it may be called, a part or a whole of it, what is likely to be seen with it; or where all
that could be meant have an attribute that excludes the phrase's own.
Everything else is open, and no question is asked about it. An object of which the graph is uncertain makes nothing
true, and nothing false that it could be.
"""

from dataclasses import dataclass

from diptych.language import article, indefinite, is_mass, is_plural
from diptych.scenegraphs._graph import SceneGraph, SceneObject
from diptych.scenegraphs._names import may_mean
from diptych.scenegraphs._ontology import IMPLIED_RELATIONS, RELATION_WORDS, base_name, class_of, ontology


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun with at most one attribute before it and one relation behind it."""

    name: str
    attribute: str = ""
    relation: str = ""
    target: str = ""  # the name of the object that the relation leads to

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
        if not self.relation:
            return self.core
        target = f"the {self.target}" if RELATION_WORDS[self.relation] == "the" else indefinite(self.target)
        return f"{self.core} {self.relation} {target}"

    @property
    def shape(self) -> str:
        """`bare`, `attribute` or `relation`, as the paper's templates distinguish them."""
        return "relation" if self.relation else "attribute" if self.attribute else "bare"

    @property
    def a_text(self) -> str:
        """The phrase with the determiner of a question about existence.

        >>> Phrase("umbrella", "red").a_text, Phrase("trees").a_text, Phrase("water").a_text
        ('a red umbrella', 'any trees', 'any water')
        """
        takes_any = is_plural(self.name) or is_mass(self.name)
        return f"{'any' if takes_any else article(self.text)} {self.text}"

    @property
    def repeats_itself(self) -> bool:
        """Whether its attribute is a word of its noun.

        >>> Phrase("brown bear", "dark brown").repeats_itself, Phrase("bear", "brown").repeats_itself
        (True, False)
        """
        return not set(self.attribute.split()).isdisjoint(self.name.split())

    @property
    def are(self) -> str:
        """The verb that agrees: "is" or "are"."""
        return "are" if is_plural(self.name) else "is"


def fits(phrase: Phrase, thing: SceneObject, graph: SceneGraph) -> bool | None:
    """Whether an object certainly fits the phrase (True), certainly does not (False), or may (None)."""
    if base_name(thing.name) not in ontology().possible_names(phrase.name):
        return False
    is_certain = ontology().is_a(thing.name, phrase.name)
    if phrase.attribute:
        has = has_attribute(thing, phrase.attribute)
        if has is False:
            return False
        is_certain = is_certain and has is True
    if phrase.relation:
        is_certain = is_certain and _has_relation(thing, phrase, graph)
    return True if is_certain else None


def has_attribute(thing: SceneObject, attribute: str) -> bool | None:
    """Whether an object has an attribute: yes if annotated, no if the only one of its class excludes it, or None."""
    if attribute in thing.attributes:
        return True
    if (attribute_class := class_of(attribute, thing.name)) is None:
        return None
    values = [value for value in thing.attributes if class_of(value, thing.name) is attribute_class]
    return False if len(values) == 1 and attribute_class.excludes(values[0], attribute) else None


def _has_relation(thing: SceneObject, phrase: Phrase, graph: SceneGraph) -> bool:
    return any(
        (name == phrase.relation or phrase.relation in IMPLIED_RELATIONS.get(name, ()))
        and ontology().is_a(graph[target_id].name, phrase.target)
        for name, target_id in thing.relations
    )


def truth(phrase: Phrase, graph: SceneGraph) -> bool | None:
    """Whether the image has such an object: yes, no, or None if the graph does not show it."""
    if is_absent(phrase.name, graph) or (phrase.relation and is_absent(phrase.target, graph)):
        return False
    if any(fits(phrase, thing, graph) for thing in graph.objects):
        return True
    names = ontology().related_names(phrase.name)
    if any(_could_be(thing, names) and not _is_excluded(phrase, thing) for thing in graph.objects):
        return None
    return None if any(_could_be(thing, names) for thing in graph.uncertain_objects) else False


def _could_be(thing: SceneObject, names: frozenset[str]) -> bool:
    """Whether an object may have one of these names, by its own name or by its synset; an unknown one may."""
    is_named = not ontology().knows(thing.name) or base_name(thing.name) in names
    return is_named or (bool(thing.sense) and may_mean(thing.sense, names))


def _is_excluded(phrase: Phrase, thing: SceneObject) -> bool:
    """Whether the object could be meant by the noun and is ruled out by its attribute alone."""
    could_be_meant = base_name(thing.name) in ontology().possible_names(phrase.name)
    return could_be_meant and bool(phrase.attribute) and has_attribute(thing, phrase.attribute) is False


def is_absent(name: str, graph: SceneGraph) -> bool:
    """Whether nothing annotated could be it, hide it or be a part of it; unknown names leave it open."""
    names = ontology().related_names(name)
    if "" in graph.nouns or not names.isdisjoint(graph.nouns):
        return False
    return not any(may_mean(thing.sense, names) for thing in graph.uncertain_objects if thing.sense)


def referent(phrase: Phrase, graph: SceneGraph) -> SceneObject | None:
    """Return the one object that "the …" means; None where there is none, or more than one could be meant."""
    match, names = None, ontology().possible_names(phrase.name)
    for thing in graph.objects:
        if base_name(thing.name) not in names:
            continue
        is_match = fits(phrase, thing, graph)
        if is_match is None or (is_match and match is not None):
            return None
        match = thing if is_match else match
    return None if any(_could_be(thing, names) for thing in graph.uncertain_objects) else match
