"""Models that look at nothing: what they score shows how much of a model's score is worth nothing."""

import hashlib
from collections.abc import Callable

import numpy as np

from .coding import Coded, Codes, constant, ranks
from .errors import unknown
from .intervals import Floats
from .references import OPEN_ENDED, References, SideKey
from .scoring import Options, score_outcome

Said = tuple[Coded, Coded]


def baseline(references: References, name: str, seed: int = 0) -> Said:
    """What a degenerate model says on the original and the perturbed side of every pair."""
    if name not in BASELINES:
        raise unknown("baseline", name, BASELINES)
    return BASELINES[name](references, seed)


def baseline_scores(references: References, options: Options) -> dict[str, dict[str, float]]:
    """The overall scores of every degenerate model but the random one, without intervals."""
    quick = Options(options.config, options.rules, options.t, options.m, bootstrap=0)
    return {
        name: score_outcome(references, *baseline(references, name), quick).values()
        for name in BASELINES
        if name != "random"
    }


def _always(word: str) -> Callable[[References, int], Said]:
    def say(references: References, _: int) -> Said:
        said = constant(word, len(references))
        return said, said

    return say


def _majority(references: References, _: int) -> Said:
    """The most frequent right answer of the same test and side."""
    tests = _tests(references)
    return _most_frequent(references.original, tests), _most_frequent(references.perturbed, tests)


def _most_frequent(side: SideKey, tests: Codes) -> Coded:
    codes, values = ranks(side.shown)
    counts = np.zeros((int(tests.max(initial=-1)) + 1, len(values)), dtype=np.int64)
    np.add.at(counts, (tests, codes), 1)
    return Coded(counts.argmax(axis=1)[tests] if len(tests) else codes, values)


def _first_choice(references: References, _: int) -> Said:
    """The first of the choices, `yes` to a yes/no question, and nothing where any answer may be given."""
    firsts = [choices[0] if choices else "" for choices in references.choice_sets]
    return Coded(references.original.choices, firsts), Coded(references.perturbed.choices, firsts)


def _copy_original(references: References, _: int) -> Said:
    """The original's right answer on both sides."""
    return references.original.shown, references.original.shown


def _random(references: References, seed: int) -> Said:
    """One of the choices, or a right answer of the same test and side, drawn by the pair's id."""
    tests = _tests(references)
    draws = [_draw(pair_id, seed) for pair_id in references.ids.to_pylist()]
    fractions = np.array(draws).reshape(len(draws), 2)
    return (
        _drawn(references, references.original, tests, fractions[:, 0]),
        _drawn(references, references.perturbed, tests, fractions[:, 1]),
    )


def _drawn(references: References, side: SideKey, tests: Codes, fractions: Floats) -> Coded:
    codes, values = ranks(side.shown)
    said = np.empty(len(tests), dtype=np.int64)
    table = list(values)
    for test in np.unique(tests):
        rows = np.flatnonzero(tests == test)
        pool = np.unique(codes[rows])
        said[rows] = pool[(fractions[rows] * len(pool)).astype(np.int64)]
    for at, choices in enumerate(references.choice_sets):
        rows = np.flatnonzero(side.choices == at)
        if at != OPEN_ENDED and len(rows):
            said[rows] = len(table) + (fractions[rows] * len(choices)).astype(np.int64)
            table.extend(choices)
    return Coded(said, table)


def _draw(pair_id: str, seed: int) -> tuple[float, float]:
    digest = hashlib.blake2b(f"{seed}:{pair_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest[:4], "big") / 2**32, int.from_bytes(digest[4:], "big") / 2**32


def _tests(references: References) -> Codes:
    if "test" not in references.table.column_names:
        return np.zeros(len(references), dtype=np.int64)
    return ranks(references.column("test"))[0]


BASELINES: dict[str, Callable[[References, int], Said]] = {
    "always-yes": _always("yes"),
    "always-no": _always("no"),
    "majority": _majority,
    "first-choice": _first_choice,
    "copy-original": _copy_original,
    "random": _random,
}
"""The degenerate models by name."""
