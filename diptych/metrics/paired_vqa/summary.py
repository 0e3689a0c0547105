"""Everything that is reported about the answers of one model, as plain data."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from .baselines import baseline_scores
from .families import get_family
from .folds import mean_over_folds, originating_accuracy
from .references import References
from .rules import model_rules
from .scoring import ModelScores, Options, settings


def group_columns(references: References, family: str, by: Sequence[str] = ()) -> tuple[str, ...]:
    """The columns to break scores down by: `test` and those of the family, where present, and the columns in `by`."""
    own_columns = [name for name in ("test", *get_family(family).groups) if references.has_column(name)]
    return tuple(dict.fromkeys((*own_columns, *by)))


def summarize(model: ModelScores, options: Options, least_support: int = 10) -> dict[str, Any]:
    """The scores by name, with n, intervals, reasons, baselines, settings, and rules and folds where they apply."""
    references = model.references
    summary: dict[str, Any] = model.values() | {
        "n": len(references),
        "scores": model.as_dict(),
        "baselines": baseline_scores(references, options),
        "settings": settings(references, options),
    }
    if get_family(options.family).mines_rules:
        summary["rules"] = [rule.as_dict() for rule in model_rules(references, model.outcome, least_support)]
    if "fold" in model.groups:
        means = {
            "folds": mean_over_folds(model.groups["fold"]),
            "originating": originating_accuracy(references, model.outcome),
        }
        summary |= {key: {name: asdict(mean) for name, mean in scores.items()} for key, scores in means.items()}
    return summary
