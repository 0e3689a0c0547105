"""What a question is, the official types of questions, and the small tools that families of questions share."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from diptych.demo._scenes import SceneIndex

YES_NO, NUMBER, OTHER = "yes/no", "number", "other"
NUMBER_WORDS = tuple("zero one two three four five six seven eight nine ten".split())

QUESTION_TYPES: frozenset[str] = frozenset(
    """how many; is the; what; what color is the; what is the; is this; is this a; what is; are the; what kind of;
    is there a; what type of; is it; what are the; where is the; is there; does the; what color are the; are these;
    are there; which; is; what is the man; is the man; are; how; does this; what is on the; what does the;
    how many people are; what is in the; what is this; do; what are; are they; what time; what sport is; are there any;
    is he; what color is; why; where are the; what color; who is; what animal is; is the woman; is this an; do you;
    how many people are in; what room is; has; is this person; what is the woman; can you; why is the; is the person;
    what is the color of the; what is the person; could; was; is that a; what number is; what is the name; what brand;
    none of the above""".replace("\n    ", " ").split("; ")
)
"""The 65 question types of VQA v2."""
_MOST_WORDS = max(len(name.split()) for name in QUESTION_TYPES)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its true answer and the answer of an annotator who is wrong."""

    text: str
    answer: str
    answer_type: str
    mistake: str


Family = Callable[[SceneIndex, Random], Question | None]
"""A family of questions: returns a question about a scene, or None where it has nothing to ask."""


@lru_cache(maxsize=16384)
def question_type(text: str) -> str:
    """The longest official type that a question begins with.

    >>> question_type("What color is the dog?"), question_type("Was this picture taken indoors?")
    ('what color is the', 'was')
    """
    words = text.lower().rstrip("?").split(" ")[:_MOST_WORDS]
    beginnings = (" ".join(words[:length]) for length in range(len(words), 0, -1))
    return next((beginning for beginning in beginnings if beginning in QUESTION_TYPES), "none of the above")


def is_or_are(count: int) -> str:
    """The verb that agrees with a count.

    >>> is_or_are(1), is_or_are(3)
    ('is', 'are')
    """
    return "is" if count == 1 else "are"
