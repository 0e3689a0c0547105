"""Models side by side: the scores of each, and how far the first is ahead of the others on the same pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from diptych.folder import BuiltFolder
from diptych.metrics._comparison import Difference
from diptych.metrics._predictions import model_name
from diptych.metrics._rendering import format_number, grid
from diptych.metrics._report import ScoreReport, score_predictions

_COLUMNS = 4  # scores that the table shows, the first of the family


@dataclass(frozen=True, slots=True)
class Contrast:
    """A model with its scores, and how far the first model is ahead of it, over all tests."""

    name: str
    report: ScoreReport
    lead: Mapping[str, Difference]  # empty for the first model


def contrast_models(folder: BuiltFolder, files: Sequence[Any], **options: Any) -> list[Contrast]:
    """Score the predictions of several models, those not answered on both sides left out.

    `options` are those of `score_predictions`.
    """
    options = {"allow_missing": True, **options}
    first, *others = files
    contrasts = [Contrast(model_name(first), score_predictions(folder, first, **options), {})]
    for file in others:
        report = score_predictions(folder, file, **options)
        differences = score_predictions(folder, first, against=file, **options).differences or {}
        contrasts.append(Contrast(model_name(file), report, next(iter(differences.values()), {})))
    return contrasts


def contrast_table(contrasts: Sequence[Contrast]) -> str:
    """A row per model, and a row per model that the first is compared with; intervals are the bootstrap's, of 95 %."""
    names = list(contrasts[0].report.scores)[:_COLUMNS]
    rows = []
    for contrast in contrasts:
        scores = (contrast.report.scores[name] for name in names)
        cells = [_cell(name, score.value, score.bootstrap) for name, score in zip(names, scores, strict=True)]
        rows.append([contrast.name, *cells])
    for contrast in contrasts[1:]:
        lead = contrast.lead
        cells = [_cell(name, lead[name].difference, (lead[name].low, lead[name].high)) for name in names]
        rows.append([f"{contrasts[0].name} ahead of {contrast.name} by", *cells])
    return grid(["model", *names], rows)


def _cell(name: str, value: float, interval: tuple[float, float]) -> str:
    if isnan(value):
        return "–"
    low, high = (format_number(name, end) for end in interval)
    return format_number(name, value) + ("" if isnan(interval[0]) else f" [{low}, {high}]")
