"""The questions of a scene: which are asked, of which official type they are, and what ten annotators say."""

from bisect import bisect
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from random import Random

from diptych.demo import open_ended, yes_no
from diptych.demo.scenes import Scene
from diptych.demo.view import Family, Question, View
from diptych.pairs import row_rng

QUESTION_TYPES: tuple[str, ...] = tuple(
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
_TYPES = frozenset(QUESTION_TYPES)
_LONGEST = max(len(name.split()) for name in QUESTION_TYPES)


@lru_cache(maxsize=16384)
def question_type(text: str) -> str:
    """The longest official type that a question begins with.

    >>> question_type("What color is the dog?"), question_type("Was this picture taken indoors?")
    ('what color is the', 'was')
    """
    words = text.lower().rstrip("?").split(" ")[:_LONGEST]
    starts = (" ".join(words[:length]) for length in range(len(words), 0, -1))
    return next((start for start in starts if start in _TYPES), "none of the above")


class _Mix:
    """Families of one answer type and how often each is tried."""

    def __init__(self, families: Sequence[tuple[float, Family]]) -> None:
        self.families = tuple(family for _, family in families)
        self.bounds = tuple(accumulate(weight for weight, _ in families))

    def ask(self, view: View, rng: Random) -> Question | None:
        """One question, from whichever family has one first."""
        for _ in range(8):
            question = self.families[bisect(self.bounds, rng.random() * self.bounds[-1])](view, rng)
            if question is not None:
                return question
        return None


_YES_NO, _NUMBER, _OTHER = (
    _Mix(families) for families in (yes_no.FAMILIES, open_ended.NUMBER_FAMILIES, open_ended.OTHER_FAMILIES)
)


def draw_questions(view: View, rng: Random, wanted: int) -> list[Question]:
    """Different questions about a scene in VQA v2's mix: 40 % yes/no, 12 % numbers, 48 % other."""
    asked: dict[str, Question] = {}
    for _ in range(4 * wanted):
        draw = rng.random()
        mix = _YES_NO if draw < 0.39 else _NUMBER if draw < 0.51 else _OTHER
        question = mix.ask(view, rng)
        if question is not None:
            asked.setdefault(question.text, question)
            if len(asked) == wanted:
                break
    return list(asked.values())


def ask(scene: Scene, seed: int, view: View | None = None) -> list[Question]:
    """The five to eight questions of a scene."""
    rng = row_rng(seed, "demo.questions", str(scene.number))
    return draw_questions(view or View(scene), rng, 5 + int(rng.random() * 4))
