"""The scores, and their families: which scores, groupings and tables of a paper fit which kind of pairs.

A dataset names its family; nothing else about a dataset decides how it is scored.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    "self_consistency_read": "no pair expects the same or a different answer",
    "comprehensive_accuracy": "no pair has a known perturbed answer",
    "ontological_consistency": "no pair belongs to an ontological test",
    "opposites_accuracy": "no pair names opposites",
    "answer_change_rate": "no pair has two answers that could be read",
    "yes_rate": "no question is a yes/no question",
    "no_rate": "no question is a yes/no question",
    "other_rate": "no question is a yes/no question",
    "unread_rate": "there are no pairs",
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

LOWER_IS_BETTER: frozenset[str] = frozenset({"accuracy_drop", "relative_reduction", "unread_rate", "prior_error_share"})

NEITHER_IS_BETTER: frozenset[str] = frozenset({"answer_change_rate", "yes_rate", "no_rate", "other_rate", "yes_ratio"})
"""The scores that describe a model and judge it only beside the right answers."""

DESCRIPTIVE_RATES: frozenset[str] = frozenset({"yes_rate", "no_rate", "other_rate", "yes_ratio", "unread_rate"})
"""The rates of what a model says, by which models are not compared."""

CONSISTENCIES: tuple[str, ...] = tuple(
    "accuracy_both rad_forward rad_backward self_consistency self_consistency_read comprehensive_accuracy "
    "ontological_consistency opposites_accuracy answer_change_rate accuracy_drop relative_reduction r_score".split()
)
"""The scores of how the two answers of a pair hang together, which asking one question twice already lowers."""

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

COMMON_SCORES: tuple[str, ...] = ("yes_rate", "no_rate", "unread_rate")  # the rates that every family reports


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table: one score, of all pairs or of those with a value in one of their columns."""

    header: str
    score: str
    column: str = ""
    value: str = ""  # where this is empty and `column` is not, there is a column of the table for every value
    group: str = ""  # the header above several columns


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A table as a paper prints it, with one row per model."""

    name: str
    title: str
    columns: tuple[TableColumn, ...]
    tests: tuple[str, ...] = ()  # only tests whose name contains one of these
    parts: str = ""  # a column of the pairs: each model has a row for every value of it
    original_part: str = ""  # the name of a last part, in which the original side stands for the perturbed one
    repeat: str = ""  # a column of the pairs: there is a table for every value of it


@dataclass(frozen=True, slots=True)
class Headline:
    """The one score by which models of a family are first compared, and the outcome of a pair that lowers it."""

    score: str
    label: str  # what its paper calls it
    meaning: str
    failures: tuple[str, ...]  # outcomes of pairs, such as `right_to_wrong`


_ANY_FAILURE = ("right_to_wrong", "wrong_to_right", "both_wrong", "unread")
_BOTH_RIGHT = Headline("comprehensive_accuracy", "C-ACC", "pairs right on both sides", _ANY_FAILURE)


@dataclass(frozen=True, slots=True)
class ScoreFamily:
    """The scores that fit one kind of pairs, and how they are reported."""

    name: str
    scores: tuple[str, ...]  # its scores, besides those that every family reports
    groups: tuple[str, ...] = ()  # columns by which scores are broken down, besides `test`, where they are present
    columns: tuple[str, ...] = ()  # further columns of the references that it uses where they are present
    mines_rules: bool = False  # whether rules about changed answers are mined
    tables: tuple[TableLayout, ...] = ()  # the tables of the paper
    labels: Mapping[str, str] = field(default_factory=dict)
    """What the paper calls values such as the names of tests, in the order of its tables."""
    parts: str = ""
    """A column whose parts are compared, such as levels of noise: questions that are not in all of them are left out,
    and the overall scores are those of the first part."""
    changing_tests: tuple[str, ...] = ()  # those whose answer is expected to change, where the right one is not known
    staying_tests: tuple[str, ...] = ()  # those whose answer is expected to stay, where the right one is not known
    figures: Mapping[str, str] = field(default_factory=dict)  # by test, the paper's figure with examples of it
    rarity: str = ""  # a column of how often the perturbed answer occurs in training, as classes of counts
    headline: Headline = _BOTH_RIGHT

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
_CONSISTENCY = _scores(
    "self_consistency self_consistency_read comprehensive_accuracy ontological_consistency opposites_accuracy"
)
_REDUCTION = _scores("accuracy_drop relative_reduction answer_change_rate")

_RAD_TABLES = (
    TableLayout(
        "rad",
        "RAD(D, D') in %, by test (RAD, Table 2)",
        (TableColumn("", "rad_forward", "test"), TableColumn("Acc.", "accuracy_original")),
    ),
    TableLayout(
        "accuracy", "Accuracy(D) in %, by test (RAD, Table 3)", (TableColumn("", "accuracy_original", "test"),)
    ),
)
_RAD_LABELS = {
    "rad.yn_from_color": "Y/N←C",
    "rad.yn_from_colors": "Y/N←C, plural",
    "rad.yn_from_how_many": "Y/N←HM",
    "rad.yn_from_what_kind": "Y/N←WK",
    "rad.back_translation": "BT",
    "rad.rephrasing": "Reph",
    "rad.convqa_l": "L-ConVQA",
    "rad.convqa_cs": "CS-ConVQA",
}

_RATES_OF_ORDER = {"ACC": "comprehensive_accuracy", "Y": "yes_rate", "N": "no_rate", "O": "other_rate"}
_FULL_RESULTS = {
    "ACC": "accuracy",
    "Original ACC": "accuracy_original",
    "Perturbed ACC": "accuracy_perturbed",
    "CONS": "self_consistency",
    "CONS, read": "self_consistency_read",
    "C-ACC": "comprehensive_accuracy",
}
_CARETS_TABLES = (
    TableLayout("consistency", "CONS in %, by test (CARETS, Table 1)", (TableColumn("", "self_consistency", "test"),)),
    TableLayout(
        "ontological",
        "Ontological invariance: accuracy of either side and CONS of hypernyms and hyponyms, in % (CARETS, Table 2)",
        (
            TableColumn("Orig.", "accuracy_original"),
            TableColumn("Pert.", "accuracy_perturbed"),
            TableColumn("Hyper-", "self_consistency", "original_answer", "yes"),
            TableColumn("Hypo-", "self_consistency", "original_answer", "no"),
        ),
        tests=("ontolog",),
    ),
    TableLayout(
        "order",
        "Order invariance: C-ACC, and the share of answers yes, no and other, in % (CARETS, Table 3)",
        tuple(
            TableColumn(header, score, "question_type", type_, type_.capitalize())
            for type_ in ("conjunction", "disjunction")
            for header, score in _RATES_OF_ORDER.items()
        ),
        tests=("order",),
    ),
    TableLayout(
        "visual",
        "Visual invariance: accuracy in %, original and by operation (CARETS, Table 7)",
        (TableColumn("O", "accuracy_original"), TableColumn("", "accuracy_perturbed", "operation")),
        tests=("visual",),
    ),
    TableLayout(
        "full",
        "Full results in % (CARETS, Tables 8 to 12)",
        tuple(TableColumn(header, score) for header, score in _FULL_RESULTS.items()),
        repeat="test",
    ),
)
_CARETS_LABELS = {
    "carets.rephrase": "Reph.",
    "carets.order": "Order",
    "carets.ontological": "Onto.",
    "carets.visual": "Vis.",
    "carets.negation": "Neg.",  # in the paper's Table 1 the values of these two stand under each other's header
    "carets.antonym": "Attr.",
    "mask": "M",
    "crop": "C",
    "blur-3": "G3",
    "blur-6": "G6",
    "blur-9": "G9",
}

_BQD_TABLES = (
    TableLayout(
        "partitions",
        "Accuracy in % by partition and type of answer; R_score on partition 1 (basic questions, Tables 2 and 3)",
        (
            TableColumn("Other", "accuracy_perturbed", "answer_type", "other"),
            TableColumn("Num", "accuracy_perturbed", "answer_type", "number"),
            TableColumn("Y/N", "accuracy_perturbed", "answer_type", "yes/no"),
            TableColumn("All", "accuracy_perturbed"),
            TableColumn("Diff", "accuracy_drop"),
            TableColumn("R_score", "r_score", "partition", "1"),
        ),
        parts="partition",
        original_part="0",
    ),
)

_KB_TABLES = (
    TableLayout(
        "colors",
        "Accuracy in % before and after another color (knowledge-based queries, Table 2)",
        (
            TableColumn("acc_Q", "accuracy_original"),
            TableColumn("acc_Q* (common)", "accuracy_perturbed", "colors", "common"),
            TableColumn("acc_Q* (uncommon)", "accuracy_perturbed", "colors", "uncommon"),
        ),
        tests=("color",),
        parts="test",
    ),
    TableLayout(
        "words",
        "Accuracy in % before and after another word, and its reduction (knowledge-based queries, Table 3)",
        (
            TableColumn("acc_Q", "accuracy_original"),
            TableColumn("acc_Q*", "accuracy_perturbed"),
            TableColumn("reduction", "relative_reduction"),
        ),
        tests=("synonym", "noun"),
        parts="test",
    ),
)
_KB_LABELS = {
    "kb.color_maximal": "Color Maximal",
    "kb.color_minimal": "Color Minimal",
    "kb.synonym_adjective": "Synonym Adjectives",
    "kb.synonym_verb": "Synonym Verbs",
    "kb.hypernym_noun": "Hypernym Noun",
    "kb.hyponym_noun": "Hyponym Noun",
    "kb.sibling_noun": "Sibling Noun",
    "kb.deletion_noun": "Deletion Noun",
}

_KB_FIGURES = {test: f"Figure {number}" for number, test in enumerate(_KB_LABELS, start=3)}

FAMILIES: dict[str, ScoreFamily] = {
    family.name: family
    for family in (
        ScoreFamily(
            "rad",
            (*_scores("accuracy_both rad_forward rad_backward"), *CONSENSUS),
            tables=_RAD_TABLES,
            labels=_RAD_LABELS,
            headline=Headline("rad_forward", "RAD", "still right, of those right before", ("right_to_wrong",)),
        ),
        ScoreFamily(
            "carets",
            ("accuracy", *_CONSISTENCY, *_GROUPED),
            columns=("bindings",),
            tables=_CARETS_TABLES,
            labels=_CARETS_LABELS,
        ),
        ScoreFamily(
            "bqd",
            (*_scores("accuracy_drop r_score answer_change_rate"), *_GROUPED),
            ("partition",),
            ("source_id",),
            tables=_BQD_TABLES,
            parts="partition",
            headline=Headline("r_score", "R_score", "1 if noise costs no accuracy", ("right_to_wrong",)),
        ),
        ScoreFamily(
            "kb",
            _REDUCTION,
            columns=("bindings",),
            mines_rules=True,
            tables=_KB_TABLES,
            labels=_KB_LABELS,
            changing_tests=("kb.color_maximal", "kb.sibling_noun"),
            staying_tests=("kb.color_minimal", "kb.synonym_adjective", "kb.synonym_verb", "kb.hypernym_noun"),
            figures=_KB_FIGURES,
            headline=Headline(
                "answer_change_rate", "Changed", "answers that change, for better or worse", ("changed",)
            ),
        ),
        ScoreFamily(
            "fvqa2",
            _scores("accuracy_drop accuracy_both rad_forward rad_backward"),
            _FOLDS,
            ("source_id",),
            rarity=_FOLDS[1],
            headline=Headline(
                "accuracy_perturbed", "Accuracy", "adversarial questions right", ("right_to_wrong", "both_wrong")
            ),
        ),
        ScoreFamily(
            "grouped",
            (*_scores(""), *GROUP_SCORES[:5], *_YES_NO, "prior_error_share"),
            columns=_QUESTION_COLUMNS,
            headline=Headline("group_accuracy", "Groups", "groups right on every side", _ANY_FAILURE),
        ),
        ScoreFamily(
            "all",
            _ALL_SCORES,
            ("partition", *_FOLDS),
            (*_QUESTION_COLUMNS, "source_id"),
            mines_rules=True,
            rarity=_FOLDS[1],
        ),
    )
}
"""The score families by name."""


def get_family(name: str) -> ScoreFamily:
    """A score family by name; an unknown name lists the known ones."""
    if name not in FAMILIES:
        raise unknown_name("score family", name, FAMILIES)
    return FAMILIES[name]


def higher_is_better(score: str) -> bool | None:
    """Whether a model is better the higher a score is; None where neither is.

    >>> [higher_is_better(name) for name in ("r_score", "accuracy_drop", "yes_rate")]
    [True, False, None]
    """
    return None if score in NEITHER_IS_BETTER else score not in LOWER_IS_BETTER


def score_names(family: str) -> tuple[str, ...]:
    """The names of all scores of a family.

    >>> score_names("rad")[-3:]
    ('yes_rate', 'no_rate', 'unread_rate')
    """
    return (*get_family(family).scores, *COMMON_SCORES)
