"""The scores, and their families: which scores, groupings and tables fit which kind of pairs.

A dataset names its family; nothing else about a dataset decides how it is scored.
"""

from dataclasses import dataclass

from .columns import unknown_name

LARGEST_CONSENSUS = 4  # the largest k of CS(k) that is reported: VQA-Rephrasings has four questions in a group

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
    "side_accuracy": "no side has a known answer",
    "question_accuracy": "no side has a known answer",
    "image_accuracy": "no side has an image",
    "group_accuracy": "no side has a known answer",
    "group_worst": "no side has a known answer",
    **{f"consensus_{k}": f"no group has {k} sides" for k in range(1, LARGEST_CONSENSUS + 1)},
    "precision": "no question is answered yes",
    "recall": "no right answer is yes",
    "yes_ratio": "no question is a yes/no question",
    "prior_error_share": "no wrong answer has a prior answer beside it",
}
"""Every rate, and the reason where it is undefined."""

DERIVED: dict[str, str] = {
    "accuracy_drop": "there are no pairs",
    "relative_reduction": "the accuracy on the original side is zero",
    "r_score": "there are no pairs",
    "f1": "no question is answered yes, and no right answer is",
}
"""Every score that is derived from rates, and the reason where it is undefined."""

DERIVED_FROM: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(DERIVED, ("accuracy_original", "accuracy_perturbed")),
    "f1": ("yes_ratio", "precision", "recall"),
}
"""The rates that a derived score needs; its n is that of the first."""

CONSENSUS: tuple[str, ...] = tuple(f"consensus_{k}" for k in range(1, LARGEST_CONSENSUS + 1))
UNIT_SCORES: tuple[str, ...] = ("question_accuracy", "image_accuracy", "group_accuracy", "group_worst", *CONSENSUS)
"""The scores over the questions and images of groups and over whole groups."""

NO_GROUPS = "the pairs name no group"  # the reason where none of them is defined

GROUP_SCORES: tuple[str, ...] = ("side_accuracy", *UNIT_SCORES)
"""The scores that are reported for any dataset if a column of groups is named."""

SIDE_SCORES: tuple[str, ...] = (*GROUP_SCORES, "precision", "recall", "yes_ratio", "prior_error_share")
"""The rates over the distinct sides of groups."""

COMMON_SCORES: tuple[str, ...] = ("yes_rate", "no_rate", "unparsed_rate")  # the rates that every family reports


@dataclass(frozen=True, slots=True)
class ScoreFamily:
    """The scores that fit one kind of pairs, and how they are reported."""

    name: str
    scores: tuple[str, ...]  # its scores, besides those that every family reports
    groups: tuple[str, ...] = ()  # columns by which scores are broken down, besides `test`, where they are present
    columns: tuple[str, ...] = ()  # further columns of the references that it uses where they are present
    mines_rules: bool = False  # whether rules about changed answers are mined
    paper_tables: bool = False  # whether Tables 2 and 3 of the knowledge-based paper are reported

    @property
    def uses_groups(self) -> bool:
        """Whether any of its scores is one over the sides of groups."""
        return not set(SIDE_SCORES).isdisjoint(self.scores)


def _scores(text: str) -> tuple[str, ...]:
    return ("accuracy_original", "accuracy_perturbed", *text.split())


_FOLDS = ("fold", "answer_in_train")
_GROUPED = ("group_accuracy", "group_worst")
_QUESTION_COLUMNS = ("bindings", "original_question_id", "perturbed_question_id")
_YES_NO = ("precision", "recall", "f1", "yes_ratio")
_ALL_SCORES = tuple(name for name in (*RATES, *DERIVED) if name not in COMMON_SCORES)
_CONSISTENCY = _scores("self_consistency comprehensive_accuracy ontological_consistency")
_REDUCTION = _scores("accuracy_drop relative_reduction answer_change_rate")

FAMILIES: dict[str, ScoreFamily] = {
    family.name: family
    for family in (
        ScoreFamily("rad", (*_scores("accuracy_both rad_forward rad_backward"), *CONSENSUS)),
        ScoreFamily("carets", ("accuracy", *_CONSISTENCY, *_GROUPED), columns=("bindings",)),
        ScoreFamily("bqd", (*_scores("accuracy_drop r_score answer_change_rate"), *_GROUPED), ("partition",)),
        ScoreFamily("kb", _REDUCTION, columns=("bindings",), mines_rules=True, paper_tables=True),
        ScoreFamily("fvqa2", _scores("accuracy_drop accuracy_both rad_forward rad_backward"), _FOLDS, ("source_id",)),
        ScoreFamily(
            "grouped", (*_scores(""), *GROUP_SCORES[:5], *_YES_NO, "prior_error_share"), columns=_QUESTION_COLUMNS
        ),
        ScoreFamily("all", _ALL_SCORES, ("partition", *_FOLDS), (*_QUESTION_COLUMNS, "source_id"), mines_rules=True),
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
