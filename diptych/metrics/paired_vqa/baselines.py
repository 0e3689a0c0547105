"""Degenerate models, which look at nothing: their scores show how much of a model's score is worth nothing."""

import hashlib
from dataclasses import replace

import numpy as np

from .columns import CodedColumn, Codes, constant_column, ranks
from .errors import unknown_name
from .intervals import Floats
from .outcomes import Options
from .references import OPEN_ENDED, References, SideKey
from .scoring import score_answers

BASELINES: dict[str, str] = {
    "always-yes": "yes",
    "always-no": "no",
    "majority": "the most frequent right answer of the same test and side",
    "first-choice": "the first of the choices, yes to a yes/no question, and nothing where any answer may be given",
    "copy-original": "the right answer of the original side on both sides",
    "random": "one of the choices, or a right answer of the same test and side, drawn by the id of the pair",
}
"""The degenerate models by name, and what each answers."""


def baseline_answers(references: References, name: str, seed: int = 0) -> tuple[CodedColumn, CodedColumn]:
    """The answers of a degenerate model to the original and to the perturbed side of every pair."""
    if name not in BASELINES:
        raise unknown_name("baseline", name, BASELINES)
    sides = (references.original, references.perturbed)
    if name in ("always-yes", "always-no"):
        columns = [constant_column(BASELINES[name], len(references))] * 2
    elif name == "copy-original":
        columns = [references.original.shown_answers] * 2
    elif name == "first-choice":
        first_choices = [choices[0] if choices else "" for choices in references.choice_sets]
        columns = [CodedColumn(side.choices, first_choices) for side in sides]
    else:
        tests, _ = ranks(references.tests())
        if name == "majority":
            columns = [_most_frequent(side, tests) for side in sides]
        else:
            fractions = np.array([_draw(pair_id, seed) for pair_id in references.ids.to_pylist()]).reshape(-1, 2)
            columns = [_random_side(references, side, tests, fractions[:, i]) for i, side in enumerate(sides)]
    return columns[0], columns[1]


def baseline_scores(references: References, options: Options) -> dict[str, dict[str, float]]:
    """The overall scores of every degenerate model but the random one, without intervals."""
    without_bootstrap = replace(options, bootstrap=0)
    return {
        name: score_answers(references, *baseline_answers(references, name), without_bootstrap).values()
        for name in BASELINES
        if name != "random"
    }


def _most_frequent(side: SideKey, tests: Codes) -> CodedColumn:
    codes, values = ranks(side.shown_answers)
    counts = np.zeros((int(tests.max(initial=-1)) + 1, len(values)), dtype=np.int64)
    np.add.at(counts, (tests, codes), 1)
    return CodedColumn(counts.argmax(axis=1)[tests] if len(tests) else codes, values)


def _random_side(references: References, side: SideKey, tests: Codes, fractions: Floats) -> CodedColumn:
    shown_codes, shown_values = ranks(side.shown_answers)
    codes = np.empty(len(tests), dtype=np.int64)
    values = list(shown_values)
    for test in np.unique(tests):
        rows = np.flatnonzero(tests == test)
        pool = np.unique(shown_codes[rows])
        codes[rows] = pool[(fractions[rows] * len(pool)).astype(np.int64)]
    for code, choices in enumerate(references.choice_sets):
        rows = np.flatnonzero(side.choices == code)
        if code != OPEN_ENDED and len(rows):
            codes[rows] = len(values) + (fractions[rows] * len(choices)).astype(np.int64)
            values.extend(choices)
    return CodedColumn(codes, values)


def _draw(pair_id: str, seed: int) -> tuple[float, float]:
    digest = hashlib.blake2b(f"{seed}:{pair_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest[:4], "big") / 2**32, int.from_bytes(digest[4:], "big") / 2**32
