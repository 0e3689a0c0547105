"""The scores, and their families: which scores, groupings and tables fit which kind of pairs.

A dataset names its family; nothing else about a dataset decides how it is scored.
"""

from dataclasses import dataclass

from .errors import unknown_name

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
    "unparsed_rate": "no question leaves choices",
}
"""Every rate, and the reason where it is undefined."""

DERIVED: dict[str, str] = {
    "accuracy_drop": "there are no pairs",
    "relative_reduction": "the accuracy on the original side is zero",
    "r_score": "there are no pairs",
}
"""Every score that is derived from rates, and the reason where it is undefined."""

COMMON_SCORES: tuple[str, ...] = ("yes_rate", "no_rate", "unparsed_rate")
"""The rates that every family reports."""


@dataclass(frozen=True, slots=True)
class ScoreFamily:
    """The scores that fit one kind of pairs, and how they are reported."""

    name: str
    scores: tuple[str, ...]
    """Its scores, besides those that every family reports."""
    columns: tuple[str, ...] = ()
    """Further columns of the references that it uses where they are present."""
    groups: tuple[str, ...] = ()
    """Columns by which scores are broken down, besides `test`, where they are present."""
    mines_rules: bool = False
    """Whether rules about changed answers are mined."""
    paper_tables: bool = False
    """Whether Tables 2 and 3 of the knowledge-based paper are reported."""


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FAMILIES: dict[str, ScoreFamily] = {
    family.name: family
    for family in (
        ScoreFamily("rad", _names("accuracy_original accuracy_perturbed accuracy_both rad_forward rad_backward")),
        ScoreFamily(
            "carets",
            _names(
                "accuracy accuracy_original accuracy_perturbed"
                " self_consistency comprehensive_accuracy ontological_consistency"
            ),
            columns=("bindings",),
        ),
        ScoreFamily(
            "bqd",
            _names("accuracy_original accuracy_perturbed accuracy_drop r_score answer_change_rate"),
            columns=("partition",),
            groups=("partition",),
        ),
        ScoreFamily(
            "kb",
            _names("accuracy_original accuracy_perturbed accuracy_drop relative_reduction answer_change_rate"),
            columns=("bindings",),
            mines_rules=True,
            paper_tables=True,
        ),
        ScoreFamily(
            "fvqa2",
            _names("accuracy_original accuracy_perturbed accuracy_drop accuracy_both rad_forward rad_backward"),
            columns=_names("fold answer_in_train source_id"),
            groups=_names("fold answer_in_train"),
        ),
        ScoreFamily(
            "all",
            tuple(name for name in (*RATES, *DERIVED) if name not in COMMON_SCORES),
            columns=_names("bindings partition fold answer_in_train source_id"),
            groups=_names("partition fold answer_in_train"),
            mines_rules=True,
        ),
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
    ('yes_rate', 'no_rate', 'unparsed_rate')
    """
    return (*get_family(family).scores, *COMMON_SCORES)
