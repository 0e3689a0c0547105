"""The scores of models as the card shows them, kept in the manifest."""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any

from diptych.cards._card import write_card
from diptych.folder import BuiltFolder, ResultEntry, ScoreEntry
from diptych.metrics import Contrast, contrast_models


def show_results(folder: BuiltFolder, files: Sequence[str | Path], **options: Any) -> list[Contrast]:
    """Score files of predictions and show the models on the card of a folder, in place of those it has shown.

    Models on the same pairs are compared with the first of them. `options` are those of
    `diptych.metrics.score_predictions`; without them the headers of the files say which config and split they answer.
    """
    contrasts = contrast_models(folder, files, **options)
    manifest = folder.manifest.edited(results=tuple(_entry(contrast) for contrast in contrasts))
    manifest.write(folder.path)
    write_card(replace(folder, manifest=manifest))
    return contrasts


def _entry(contrast: Contrast) -> ResultEntry:
    report = contrast.report
    scores = {name: _score(score.value, score.bootstrap, score.n) for name, score in report.scores.items()}
    lead = {name: _score(gap.difference, (gap.low, gap.high)) for name, gap in contrast.lead.items()}
    return ResultEntry(
        model=contrast.name,
        revision=str(report.source.get("revision") or ""),
        config=report.selection.config,
        split=report.selection.split,
        pairs=len(report.model.references),
        scores=scores,
        lead=lead,
    )


def _score(value: float, interval: tuple[float, float], n: int = 0) -> ScoreEntry:
    numbers = {"value": value, "low": interval[0], "high": interval[1]}
    return ScoreEntry(n=n, **{name: round(number, 6) for name, number in numbers.items() if not isnan(number)})
