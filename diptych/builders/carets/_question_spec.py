"""A question before it is worded: what is asked about which image, and the answer that follows from its graph."""

from dataclasses import dataclass

from diptych.builders import Item
from diptych.scenegraphs import Phrase

OBJECT, CONJUNCTION, DISJUNCTION = "object", "conjunction", "disjunction"
ATTRIBUTE, KIND, CHOICE, ACTION = "attribute", "kind", "choice", "action"
QUESTION_TYPES = (OBJECT, CONJUNCTION, DISJUNCTION, ATTRIBUTE, KIND, CHOICE, ACTION)
"""The paper's Q1 to Q7."""
PRESENCE_TYPES = (CONJUNCTION, DISJUNCTION, OBJECT)
"""Whether objects are there, in the order of planning: two objects first, since fewer images have both."""
CHOICE_TYPES = (KIND, CHOICE, ACTION)


@dataclass(frozen=True, slots=True)
class QuestionSpec(Item):
    """One question about one image, not yet in words; its key is unique within its test."""

    type: str
    image_id: str
    answer: str
    phrases: tuple[Phrase, ...]
    group: str = ""
    """The attribute class or the kind that the choices belong to."""
    value: str = ""
    """The attribute that a yes/no question asks for."""
    choices: tuple[str, ...] = ()
    opposite: str = ""
    """The attribute that the antonym partner asks for instead."""
    object_id: str = ""
    """The object that the phrase refers to, where the question is about what it is like, is or does."""


def question_spec(
    test: str,
    type_: str,
    image_id: str,
    answer: str,
    phrases: tuple[Phrase, ...],
    group: str = "",
    value: str = "",
    choices: tuple[str, ...] = (),
    opposite: str = "",
    object_id: str = "",
) -> QuestionSpec:
    """A question with its key.

    >>> question_spec("carets.negation", OBJECT, "7", "yes", (Phrase("cup", "red"),)).key
    '7/object/red cup//'
    """
    content = "/".join([*(phrase.text for phrase in phrases), group, value, *choices])
    key = f"{image_id}/{type_}/{content}"
    return QuestionSpec(test, key, type_, image_id, answer, phrases, group, value, choices, opposite, object_id)
