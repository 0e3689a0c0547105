"""A question before it is worded: what is asked about which image, and the answer that follows from its graph."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from diptych.language import is_mass, is_plural
from diptych.scenegraphs import Box, Phrase, attribute_classes, indefinite
from diptych.templates import Template, TemplateSet

OBJECT, CONJUNCTION, DISJUNCTION = "object", "conjunction", "disjunction"
ATTRIBUTE, KIND, CHOICE, ACTION = "attribute", "kind", "choice", "action"
TYPES = (OBJECT, CONJUNCTION, DISJUNCTION, ATTRIBUTE, KIND, CHOICE, ACTION)
"""The paper's Q1 to Q7."""
CHOICES = (KIND, CHOICE, ACTION)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question about one image, not yet in words."""

    type: str
    image_id: str
    answer: str
    phrases: tuple[Phrase, ...]
    group: str = ""
    """The attribute class or the kind that choices are of."""
    value: str = ""
    """The attribute that a yes/no question asks for."""
    choices: tuple[str, ...] = ()
    other: tuple[Phrase, ...] = ()
    """What the ontological partner asks about instead."""
    opposite: str = ""
    """The attribute that the antonym partner asks for instead."""
    objects: tuple[str, ...] = ()
    """Ids of the things that make the answer true; none where the answer is that they are absent."""
    boxes: tuple[Box, ...] = ()
    """Where those things are, or boxes drawn from the others."""

    @property
    def key(self) -> str:
        """What tells this question from all others of its test."""
        said = "/".join([*(phrase.text for phrase in self.phrases), self.group, self.value, *self.choices])
        return f"{self.image_id}/{self.type}/{said}"


def templates_for(asked: Asked, templates: TemplateSet) -> list[Template]:
    """The templates that can word a question."""
    of_type = templates.for_test(f"carets.{asked.type}")
    if asked.type == OBJECT and asked.phrases[0].shape == "relation":
        return [template for template in of_type if template.fields.get("relation", True)]
    if asked.type in (CONJUNCTION, DISJUNCTION) and len({phrase.are for phrase in asked.phrases}) > 1:
        return [template for template in of_type if not template.fields.get("there", False)]
    return list(of_type)


def say(asked: Asked, template: Template, field: str = "text") -> str:
    """The question in words."""
    return template.render(field, **_bindings(asked))


def _bindings(asked: Asked) -> dict[str, object]:
    first = asked.phrases[0]
    if asked.type == OBJECT:
        return {"a_thing": first.a_text, "no_thing": f"no {first.text}", "are": first.are}
    if asked.type in (CONJUNCTION, DISJUNCTION):
        second = asked.phrases[1]
        return {
            "a_first": indefinite_text(first),
            "a_second": indefinite_text(second),
            "first": first.text,
            "second": second.text,
            "are": first.are,
        }
    plural = is_plural(first.name)
    bindings: dict[str, object] = {
        "subject": f"the {first.text}",
        "are": first.are,
        "do": "do" if plural else "does",
    }
    if asked.type == ATTRIBUTE:
        return bindings | {"value": said_of(asked.group, asked.value)}
    choices = [indefinite(choice) for choice in asked.choices] if asked.type == KIND else list(asked.choices)
    word = attribute_classes()[asked.group].word if asked.type != KIND else asked.group
    return bindings | {"choices": choices, "word": word}


@cache
def said_of(group: str, value: str) -> str:
    """An attribute as it is said of a thing.

    >>> said_of("material", "wood"), said_of("color", "red")
    ('made of wood', 'red')
    """
    return attribute_classes()[group].predicate.format(value)


def indefinite_text(phrase: Phrase) -> str:
    """A phrase with the article that its noun takes, if it takes one."""
    return phrase.text if is_plural(phrase.name) or is_mass(phrase.name) else phrase.a_text


def words(phrases: Iterable[Phrase]) -> list[str]:
    """What phrases say."""
    return [phrase.text for phrase in phrases]
