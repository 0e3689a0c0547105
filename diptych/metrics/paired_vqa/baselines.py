"""Degenerate models, which look at nothing: their scores show how much of a model's score is worth nothing."""

import hashlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from .columns import CodedColumn, Codes, constant_column, ranks
from .errors import unknown_name
from .intervals import Floats
from .references import OPEN_ENDED, References, SideKey
from .scoring import Options, score_answers

Answers = tuple[CodedColumn, CodedColumn]
"""The answers to the original and to the perturbed side of every pair."""


def baseline_answers(references: References, name: str, seed: int = 0) -> Answers:
    """The answers of a degenerate model to both sides of every pair."""
    if name not in BASELINES:
        raise unknown_name("baseline", name, BASELINES)
    return BASELINES[name](references, seed)


def baseline_scores(references: References, options: Options) -> dict[str, dict[str, float]]:
    """The overall scores of every degenerate model but the random one, without intervals."""
    without_bootstrap = replace(options, bootstrap=0)
    return {
        name: score_answers(references, *baseline_answers(references, name), without_bootstrap).values()
        for name in BASELINES
        if name != "random"
    }


def _always(word: str) -> Callable[[References, int], Answers]:
    def answer(references: References, _: int) -> Answers:
        column = constant_column(word, len(references))
        return column, column

    return answer


def _majority(references: References, _: int) -> Answers:
    """The most frequent right answer of the same test and side."""
    tests = _tests(references)
    return _most_frequent(references.original, tests), _most_frequent(references.perturbed, tests)


def _most_frequent(side: SideKey, tests: Codes) -> CodedColumn:
    codes, values = ranks(side.shown_answers)
    counts = np.zeros((int(tests.max(initial=-1)) + 1, len(values)), dtype=np.int64)
    np.add.at(counts, (tests, codes), 1)
    return CodedColumn(counts.argmax(axis=1)[tests] if len(tests) else codes, values)


def _first_choice(references: References, _: int) -> Answers:
    """The first of the choices, `yes` to a yes/no question, and nothing where any answer may be given."""
    first_choices = [choices[0] if choices else "" for choices in references.choice_sets]
    return (
        CodedColumn(references.original.choices, first_choices),
        CodedColumn(references.perturbed.choices, first_choices),
    )


def _copy_original(references: References, _: int) -> Answers:
    """The right answer of the original side on both sides."""
    return references.original.shown_answers, references.original.shown_answers


def _random(references: References, seed: int) -> Answers:
    """One of the choices, or a right answer of the same test and side, drawn by the id of the pair."""
    tests = _tests(references)
    draws = [_draw(pair_id, seed) for pair_id in references.ids.to_pylist()]
    fractions = np.array(draws).reshape(len(draws), 2)
    return (
        _random_side(references, references.original, tests, fractions[:, 0]),
        _random_side(references, references.perturbed, tests, fractions[:, 1]),
    )


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


def _tests(references: References) -> Codes:
    if not references.has_column("test"):
        return np.zeros(len(references), dtype=np.int64)
    return ranks(references.column("test"))[0]


BASELINES: dict[str, Callable[[References, int], Answers]] = {
    "always-yes": _always("yes"),
    "always-no": _always("no"),
    "majority": _majority,
    "first-choice": _first_choice,
    "copy-original": _copy_original,
    "random": _random,
}
"""The degenerate models by name."""
