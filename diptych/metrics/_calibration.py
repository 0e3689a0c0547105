"""Calibration: whether a model is right as often as its log-probabilities say, in bins of confidence, and the ECE."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp, isfinite
from pathlib import Path
from typing import Any

import numpy as np

from diptych.files import read_json_lines
from diptych.metrics._formats import read_header
from diptych.metrics.paired_vqa.columns import SIDES
from diptych.metrics.paired_vqa.intervals import Floats, bootstrap_sums, percentile_interval, wilson
from diptych.metrics.paired_vqa.outcomes import Options
from diptych.metrics.paired_vqa.scoring import Interval, ModelScores, Score

BINS = 10  # of equal width, from no confidence to all


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """The replies of one bin: how sure the model was of them on average, and the share of them that is right."""

    confidence: float
    accuracy: float
    n: int
    interval: Interval  # wilson's, of the accuracy


@dataclass(frozen=True, slots=True)
class Calibration:
    """The reliability curve of a model and its expected calibration error.

    The confidence of a reply is the probability of all of its tokens, exp(log-probability). A side counts as right as
    in every score; a reply that cannot be read is wrong. Sides whose right answer is unknown are left out.
    """

    bins: tuple[ConfidenceBin, ...]  # those that hold any replies, the least confident first
    ece: Score  # the mean of |accuracy − confidence| over all replies, by bin
    missing: int  # sides without a log-probability


def calibrate(model: ModelScores, predictions: Any, options: Options) -> Calibration | None:
    """The calibration of a model from the log-probabilities in its predictions; None where there are none."""
    logprobs = read_logprobs(predictions)
    if not logprobs:
        return None
    ids, outcome = model.references.ids.to_pylist(), model.outcome
    is_known = [np.ones(len(ids), dtype=np.bool_), ~model.references.expects("open")]
    confidence = np.array([[logprobs.get((pair_id, side), np.nan) for pair_id in ids] for side in SIDES])
    is_scored = np.zeros(len(ids), dtype=np.bool_)
    is_scored[model.scope.rows] = True
    usable = np.stack(is_known) & is_scored & ~np.isnan(confidence)
    missing = int((np.stack(is_known) & is_scored & np.isnan(confidence)).sum())
    if not usable.any():
        return None
    right = np.stack([outcome.original.right, outcome.perturbed.right])
    numbers = np.where(usable, np.minimum((np.nan_to_num(confidence) * BINS).astype(np.int64), BINS - 1), BINS)
    columns = np.zeros((3, BINS + 1, len(ids)))
    for side in range(len(SIDES)):
        rows = np.arange(len(ids))
        for place, values in enumerate((usable[side], right[side], np.nan_to_num(confidence[side]))):
            columns[place, numbers[side], rows] += values
    columns = columns[:, :BINS]
    sums = columns.sum(axis=2)
    ece = Score(float(_expected_error(sums)), int(sums[0].sum()))
    if options.bootstrap:
        resampled = bootstrap_sums(
            columns.reshape(-1, len(ids)), model.references.clusters, options.bootstrap, options.seed
        )
        interval = percentile_interval(_expected_error(resampled.reshape(3, BINS, -1)))
        ece = Score(ece.value, ece.n, bootstrap=interval)
    bins = (
        ConfidenceBin(sure / n, hits / n, int(n), wilson(hits / n, int(n))) for n, hits, sure in sums.T.tolist() if n
    )
    return Calibration(tuple(bins), ece, missing)


def _expected_error(sums: Floats) -> Floats:
    """The ECE from how many replies each bin has, how many of them are right and the sum of their confidences."""
    counts, right, confidence = sums
    return np.asarray(np.abs(right - confidence).sum(axis=0) / np.maximum(counts.sum(axis=0), 1))


def read_logprobs(predictions: Any) -> dict[tuple[str, str], float]:
    """The confidence of every reply, by pair and side, from a file of `diptych predict` or from rows by side."""
    rows: Iterable[Any] = ()
    if isinstance(predictions, str | Path):
        path = Path(predictions)
        rows = (row for _, row in read_json_lines(path)) if path.is_file() and read_header(path) else ()
    elif isinstance(predictions, Iterable):
        rows = predictions
    confidences = {}
    for row in rows:
        value = row.get("logprob") if isinstance(row, Mapping) else None
        if isinstance(value, int | float) and isfinite(value):
            confidences[str(row.get("pair_id")), str(row.get("side"))] = exp(min(float(value), 0.0))
    return confidences
