"""Groups of questions that belong together: scores as plain functions of arrays, and which side is in which group.

In a group of questions about several images, the sides of one question are a *row* and those of one image a *column*.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from .columns import Codes, ScoringError

Numbers = NDArray[Any]


def all_right(right: ArrayLike, groups: Sequence[object]) -> float:
    """The share of groups whose sides are all right: MMVP's pairs, MME's acc+, NaturalBench's G-Acc, CircularEval.

    >>> all_right([True, True, True, False], ["a", "a", "b", "b"])
    0.5
    """
    return _mean(_reduce(right, groups, np.minimum, np.inf))


def worst_of_group(accuracies: ArrayLike, groups: Sequence[object]) -> float:
    """The mean over groups of the accuracy of their worst side.

    >>> worst_of_group([1.0, 0.75, 0.25, 1.0], ["a", "a", "b", "b"])
    0.5
    """
    return _mean(_reduce(accuracies, groups, np.minimum, np.inf))


def consensus_score(right: ArrayLike, groups: Sequence[object], k: int) -> float:
    """VQA-Rephrasings' CS(k): of all sets of k sides of a group, the share that is right throughout; mean over groups.

    With r of n sides right, that is C(r, k) / C(n, k). Groups of fewer than k sides do not count.

    >>> consensus_score([True, True, True, False], ["a"] * 4, k=2)
    0.5
    """
    if k < 1:
        raise ScoringError(f"CS(k) needs k of at least 1, not {k}")
    sizes = _reduce(np.ones(len(groups)), groups, np.add, 0)
    return _mean(consensus_shares(_reduce(right, groups, np.add, 0), sizes, k)[sizes >= k])


def yes_no_scores(answered_yes: ArrayLike, right_yes: ArrayLike) -> dict[str, float]:
    """POPE's scores of yes/no questions: `precision`, `recall` and `f1` of the answer yes, and `yes_ratio`.

    An answer that could not be read is not yes.

    >>> yes_no_scores([True, True, False, False], [True, False, True, False])
    {'precision': 0.5, 'recall': 0.5, 'f1': 0.5, 'yes_ratio': 0.5}
    """
    answered, right = np.asarray(answered_yes, np.bool_), np.asarray(right_yes, np.bool_)
    if answered.shape != right.shape:
        raise ScoringError(f"there are {answered.size} answers to {right.size} questions")
    f1_base = np.concatenate([answered[answered], right[right]])
    hits = int((answered & right).sum())
    f1 = 2 * hits / len(f1_base) if len(f1_base) else nan
    return {
        "precision": _mean(right[answered]),
        "recall": _mean(answered[right]),
        "f1": f1,
        "yes_ratio": _mean(answered),
    }


def prior_error_share(answers: ArrayLike, right_answers: ArrayLike, priors: ArrayLike) -> float:
    """Of the wrong answers, the share that equals the prior answer, where that is not the right one.

    >>> prior_error_share(["4", "4", "3"], ["5", "5", "5"], ["4", "4", "4"])
    0.6666666666666666
    """
    answer, right, prior = (np.asarray(column, object) for column in (answers, right_answers, priors))
    is_error = (answer != right) & (prior != right)
    return _mean((answer == prior)[is_error])


def _reduce(values: ArrayLike, groups: Sequence[object], function: Any, start: float) -> Numbers:
    """The values of every group combined by a function."""
    column = np.asarray(values, np.float64)
    if len(column) != len(groups):
        raise ScoringError(f"there are {len(column)} sides but {len(groups)} groups")
    _, codes = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    results = np.full(int(codes.max(initial=-1)) + 1, start, dtype=np.float64)
    function.at(results, codes, column)
    return results


def consensus_shares(right: Numbers, sizes: Numbers, k: int) -> Numbers:
    """C(right, k) / C(size, k) of every group."""
    steps = np.arange(k)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.prod(np.maximum(right - steps, 0) / (sizes - steps), axis=0)  # type: ignore[no-any-return]


def _mean(values: Numbers) -> float:
    return float(values.mean()) if len(values) else nan


@dataclass(frozen=True, slots=True)
class Units:
    """What every side of every pair belongs to: originals first, then perturbed sides."""

    codes: Codes  # -1 where a side belongs to none
    count: int

    @classmethod
    def combine(cls, first: Codes, second: Codes) -> "Units":
        """A unit for every combination of two codes."""
        encoded = pa.array(first * (int(second.max(initial=0)) + 1) + second).dictionary_encode()
        return cls(encoded.indices.to_numpy().astype(np.int64), len(encoded.dictionary))


@dataclass(frozen=True, slots=True)
class Grouping:
    """The groups of pairs, and the distinct sides, rows and columns within them."""

    name: str  # the column that names the groups; empty where the pairs have none
    groups: Units
    sides: Units
    questions: Units  # the rows
    images: Units  # the columns; a side without an image is in none

    @classmethod
    def encode(cls, name: str, groups: Codes, questions: Codes, images: Codes) -> "Grouping":
        """The grouping of sides by the codes of their groups, questions and images (-1 for no image)."""
        rows, columns = Units.combine(groups, questions), Units.combine(groups, images + 1)
        columns = Units(np.where(images < 0, -1, columns.codes), columns.count)
        return cls(
            name, Units(groups, int(groups.max(initial=-1)) + 1), Units.combine(rows.codes, images + 1), rows, columns
        )

    def spans_clusters(self, clusters: Codes) -> bool:
        """Whether a group has pairs of several clusters."""
        groups = self.groups.codes[: len(clusters)]
        cluster_of = np.zeros(self.groups.count, dtype=np.int64)
        cluster_of[groups] = clusters
        return bool((cluster_of[groups] != clusters).any())
