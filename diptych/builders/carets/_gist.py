"""What the gist of the images tells of the answers: a check of what was planned, for the audit and the card.

How plausible the object of a question is, is learned from one half of the images and judged in the other. The plan
tells how often each interval of this score occurs with each answer, so that tests can be judged alone and together.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from diptych.builders.carets import _questions as questions
from diptych.builders.carets._graphs import Graphs
from diptych.builders.carets._questions import DISJUNCTION, ONTOLOGICAL, QuestionSpec
from diptych.scenegraphs import base_name

_EDGES = np.linspace(-12, 12, 97)[1:-1]  # intervals of a quarter of a unit of log-odds; the outer ones are open
_TYPES = {*questions.PRESENCE_TYPES}


def describe_gist(specs: Iterable[QuestionSpec], graphs: Graphs) -> dict[str, dict[str, list[int]]]:
    """By side and answer, how many questions about what is there have a plausibility in each interval."""
    entries = [spec for spec in specs if spec.type in _TYPES]
    if not entries:
        return {}
    halves = tuple(graphs.halves())
    counts = defaultdict[tuple[str, str], list[float]](list)
    for spec in entries:
        number = graphs.numbers[spec.image_id]
        nouns = [base_name(phrase.name) for phrase in questions.unpack_phrases(spec.phrases)]
        sides = {"original": nouns, "perturbed": nouns}
        if spec.test == ONTOLOGICAL:
            sides = {"original": nouns[:1], "perturbed": nouns[1:]}
        # Either side asks about the presence of the same objects, whatever its words make of the answer.
        for side, asked in sides.items():
            scores = [halves[number % 2].measure([noun], [number], among=asked)[0, 0] for noun in asked]
            counts[side, spec.answer].append(max(scores) if spec.type == DISJUNCTION else sum(scores))
    return {side: _histograms(counts, side) for side in ("original", "perturbed")}


def _histograms(scores: Mapping[tuple[str, str], list[float]], side: str) -> dict[str, list[int]]:
    return {
        answer: np.bincount(np.digitize(scores.get((side, answer), []), _EDGES), minlength=len(_EDGES) + 1).tolist()
        for answer in ("yes", "no")
    }
