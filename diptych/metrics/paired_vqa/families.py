"""The scores, and their families: which scores, groupings and tables fit which kind of pairs.

A dataset names its family; nothing else about a dataset decides how it is scored.
"""

from dataclasses import dataclass

from .columns import unknown_name

RATES: dict[str, str] = {
    "accuracy": "no pair has a known perturbed answer",
    "accuracy_original": "there are no pairs",
    "accuracy_perturbed": "there are no pairs",
    "accuracy_both": "no pair has a known perturbed answer",
    "rad_forward": "no pair is right on the original side",
    "rad_backward": "no pair is right on the perturbed side",
    "self_consistency": "no pair expects the same or a different answer",
    "comprehensive_accuracy": "no pair has a known perturbed answer",
    "ontological_consistency": "no pair belongs to an ontological test",
    "answer_change_rate": "no pair has two answers that could be read",
    "yes_rate": "no question is a yes/no question",
    "no_rate": "no question is a yes/no question",
    "unread_rate": "there are no pairs",
}
"""Every rate, and the reason where it is undefined."""

DERIVED: dict[str, str] = {
    "accuracy_drop": "there are no pairs",
    "relative_reduction": "the accuracy on the original side is zero",
    "r_score": "there are no pairs",
}
"""Every score that is derived from rates, and the reason where it is undefined."""

COMMON_SCORES: tuple[str, ...] = ("yes_rate", "no_rate", "unread_rate")  # the rates that every family reports


@dataclass(frozen=True, slots=True)
class ScoreFamily:
    """The scores that fit one kind of pairs, and how they are reported."""

    name: str
    scores: tuple[str, ...]  # its scores, besides those that every family reports
    groups: tuple[str, ...] = ()  # columns by which scores are broken down, besides `test`, where they are present
    columns: tuple[str, ...] = ()  # further columns of the references that it uses where they are present
    mines_rules: bool = False  # whether rules about changed answers are mined
    paper_tables: bool = False  # whether Tables 2 and 3 of the knowledge-based paper are reported


def _scores(text: str) -> tuple[str, ...]:
    return ("accuracy_original", "accuracy_perturbed", *text.split())


_FOLDS = ("fold", "answer_in_train")
_ALL_SCORES = tuple(name for name in (*RATES, *DERIVED) if name not in COMMON_SCORES)
_CONSISTENCY = _scores("self_consistency comprehensive_accuracy ontological_consistency")
_REDUCTION = _scores("accuracy_drop relative_reduction answer_change_rate")

FAMILIES: dict[str, ScoreFamily] = {
    family.name: family
    for family in (
        ScoreFamily("rad", _scores("accuracy_both rad_forward rad_backward")),
        ScoreFamily("carets", ("accuracy", *_CONSISTENCY), columns=("bindings",)),
        ScoreFamily("bqd", _scores("accuracy_drop r_score answer_change_rate"), ("partition",)),
        ScoreFamily("kb", _REDUCTION, columns=("bindings",), mines_rules=True, paper_tables=True),
        ScoreFamily("fvqa2", _scores("accuracy_drop accuracy_both rad_forward rad_backward"), _FOLDS, ("source_id",)),
        ScoreFamily("all", _ALL_SCORES, ("partition", *_FOLDS), ("bindings", "source_id"), mines_rules=True),
    )
}
"""The score families by name."""


def get_family(name: str) -> ScoreFamily:
    """A score family by name; an unknown name lists the known ones."""
    if name not in FAMILIES:
        raise unknown_name("score family", name, FAMILIES)
    return FAMILIES[name]


def score_names(family: str) -> tuple[str, ...]:
    """The names of all scores of a family.

    >>> score_names("rad")[-3:]
    ('yes_rate', 'no_rate', 'unread_rate')
    """
    return (*get_family(family).scores, *COMMON_SCORES)
