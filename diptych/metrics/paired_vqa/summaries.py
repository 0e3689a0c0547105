"""Everything there is to say about one model's answers, as plain data."""

from collections.abc import Sequence
from typing import Any

from .baselines import baseline_scores
from .folds import originating, over_folds
from .references import References
from .rules import rules_of
from .scoring import Options, Scored, settings

_OWN_GROUPS: dict[str, tuple[str, ...]] = {
    "bqd": ("partition",),
    "fvqa2": ("fold", "answer_in_train"),
    "all": ("partition", "fold", "answer_in_train"),
}


def groupings(references: References, options: Options, by: Sequence[str] = ()) -> tuple[str, ...]:
    """The columns to break scores down by: `test` and the configuration's own, where present, and those asked for."""
    own = ("test", *_OWN_GROUPS.get(options.config, ()))
    present = [name for name in own if name in references.table.column_names]
    return tuple(dict.fromkeys((*present, *by)))


def summary(scored: Scored, options: Options, least_support: int = 10) -> dict[str, Any]:
    """The scores by name, with n, intervals, reasons, baselines, settings, and rules and folds where they belong."""
    known = scored.references
    told: dict[str, Any] = scored.values() | {
        "n": len(known),
        "scores": scored.as_dict(),
        "baselines": baseline_scores(known, options),
        "settings": settings(known, options),
    }
    if options.config in {"kb", "all"}:
        told["rules"] = [rule.as_dict() for rule in rules_of(known, scored.outcome, least_support)]
    if "fold" in scored.by:
        told["folds"] = {name: spread.as_dict() for name, spread in over_folds(scored.by["fold"]).items()}
        told["originating"] = {name: spread.as_dict() for name, spread in originating(known, scored.outcome).items()}
    return told
