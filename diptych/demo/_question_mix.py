"""The questions of a scene, in the mix of VQA v2."""

from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate
from random import Random

from diptych.demo._open_questions import NUMBER_FAMILIES, OTHER_FAMILIES
from diptych.demo._questions import Family, Question
from diptych.demo._scenes import Scene, SceneIndex
from diptych.demo._yes_no_questions import YES_NO_FAMILIES
from diptych.pairs import row_rng


class _Mix:
    """Families of one answer type, each with its weight."""

    def __init__(self, families: Sequence[tuple[float, Family]]) -> None:
        self.families = tuple(family for _, family in families)
        self.bounds = tuple(accumulate(weight for weight, _ in families))

    def draw(self, index: SceneIndex, rng: Random) -> Question | None:
        """One question, from the first family drawn that has one."""
        for _ in range(8):
            question = self.families[bisect(self.bounds, rng.random() * self.bounds[-1])](index, rng)
            if question is not None:
                return question
        return None


_YES_NO_MIX, _NUMBER_MIX, _OTHER_MIX = map(_Mix, (YES_NO_FAMILIES, NUMBER_FAMILIES, OTHER_FAMILIES))


def draw_questions(index: SceneIndex, rng: Random, count: int) -> list[Question]:
    """Distinct questions about a scene in VQA v2's mix: 40 % yes/no, 12 % numbers, 48 % other."""
    questions: dict[str, Question] = {}
    for _ in range(4 * count):
        share = rng.random()
        mix = _YES_NO_MIX if share < 0.39 else _NUMBER_MIX if share < 0.51 else _OTHER_MIX
        question = mix.draw(index, rng)
        if question is not None:
            questions.setdefault(question.text, question)
            if len(questions) == count:
                break
    return list(questions.values())


def ask_questions(scene: Scene, seed: int, index: SceneIndex | None = None) -> list[Question]:
    """The five to eight questions of a scene."""
    rng = row_rng(seed, "demo.questions", str(scene.number))
    return draw_questions(index or SceneIndex(scene), rng, 5 + int(rng.random() * 4))
