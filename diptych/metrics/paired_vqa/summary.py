"""Everything that is reported of one model: its scores, those of degenerate models, rules, FVQA's means over folds.

Degenerate models look at nothing: their scores show how much of a model's score is worth nothing. The rules are the
knowledge-based paper's global rules, mined: a rule states for a concept, a family of concepts or a substitution how
often the answer changes where it occurs, and how often it changes elsewhere.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from math import inf, isnan, nan
from typing import Any

import numpy as np

from .columns import CodedColumn, ScoringError, unknown_name
from .families import get_family
from .intervals import Floats, benjamini_hochberg, fisher, wilson
from .outcomes import Flags, Options, Outcome, count_unread
from .references import OPEN_ENDED, References, SideKey
from .scoring import ModelScores, Scores, group_pairs, score_answers, settings

BASELINES: dict[str, str] = {
    "always-yes": "yes",
    "always-no": "no",
    "majority": "the most frequent right answer of the same test and side",
    "first-choice": "the first of the choices, yes to a yes/no question, and nothing where any answer may be given",
    "copy-original": "the right answer of the original side on both sides",
    "random": "one of the choices, or a right answer of the same test and side, drawn by the id of the pair",
}
"""The degenerate models by name, and what each answers."""


def baseline_answers(references: References, name: str, seed: int = 0) -> tuple[CodedColumn, CodedColumn]:
    """The answers of a degenerate model to the original and to the perturbed side of every pair."""
    if name not in BASELINES:
        raise unknown_name("baseline", name, BASELINES)
    sides = (references.original, references.perturbed)
    if name in ("always-yes", "always-no"):
        columns = [CodedColumn.constant(BASELINES[name], len(references))] * 2
    elif name == "copy-original":
        columns = [references.original.shown_answers] * 2
    elif name == "first-choice":
        first_choices = [choices[0] if choices else "" for choices in references.choice_sets]
        columns = [CodedColumn(side.choices, first_choices) for side in sides]
    elif name == "majority":
        columns = [_most_frequent(references, side) for side in sides]
    else:
        fractions = np.array([_draw(pair_id, seed) for pair_id in references.ids.to_pylist()]).reshape(-1, 2)
        columns = [_random_side(references, side, fractions[:, i]) for i, side in enumerate(sides)]
    return columns[0], columns[1]


def baseline_scores(references: References, options: Options) -> dict[str, dict[str, float]]:
    """The overall scores of every degenerate model but the random one, without intervals."""
    references = group_pairs(references, options)
    return {name: score_baseline(references, name, options).values() for name in BASELINES if name != "random"}


def score_baseline(references: References, name: str, options: Options, by: Sequence[str] = ()) -> ModelScores:
    """The scores of a degenerate model without a bootstrap, whose rates have Wilson's intervals."""
    # It answers in bare words, which need no reader.
    plain = replace(options, bootstrap=0, reader="strict")
    return score_answers(references, *baseline_answers(references, name), plain, by)


def _most_frequent(references: References, side: SideKey) -> CodedColumn:
    codes, values = side.shown_answers.ranks()
    for rows in references.tests().groups().values():
        codes[rows] = np.bincount(codes[rows]).argmax()
    return CodedColumn(codes, values)


def _random_side(references: References, side: SideKey, fractions: Floats) -> CodedColumn:
    codes, values = side.shown_answers.ranks()
    for rows in references.tests().groups().values():
        pool = np.unique(codes[rows])
        codes[rows] = pool[(fractions[rows] * len(pool)).astype(np.int64)]
    for code, choices in enumerate(references.choice_sets):
        rows = np.flatnonzero(side.choices == code)
        if code != OPEN_ENDED and len(rows):
            codes[rows] = len(values) + (fractions[rows] * len(choices)).astype(np.int64)
            values.extend(choices)
    return CodedColumn(codes, values)


def _draw(pair_id: str, seed: int) -> tuple[float, float]:
    digest = hashlib.blake2b(f"{seed}:{pair_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest[:4], "big") / 2**32, int.from_bytes(digest[4:], "big") / 2**32


def group_columns(references: References, family: str, by: Sequence[str] = ()) -> tuple[str, ...]:
    """The columns to break scores down by: `test` and those of the family, where present, and the columns in `by`."""
    own_columns = [name for name in ("test", *get_family(family).groups) if references.has_column(name)]
    return tuple(dict.fromkeys((*own_columns, *by)))


def summarize(model: ModelScores, options: Options) -> dict[str, Any]:
    """The scores by name, with n, intervals, reasons, baselines, settings, and rules and folds where they apply."""
    references = model.references
    summary: dict[str, Any] = model.values() | {
        "n": len(model.scope.headline),
        "scores": model.as_dict(),
        "baselines": baseline_scores(references, options),
        "settings": settings(references, options),
        "unread": count_unread(references, model.outcome),
    }
    if model.scope.sentence:
        summary["scope"] = model.scope.sentence
    if get_family(options.family).mines_rules:
        summary["rules"] = [rule.as_dict() for rule in model_rules(references, model.outcome)]
    if "fold" in model.groups:
        means = {
            "folds": mean_over_folds(model.groups["fold"]),
            "originating": fold_accuracies(references, model.outcome),
        }
        summary |= {key: {name: asdict(mean) for name, mean in scores.items()} for key, scores in means.items()}
    return summary


@dataclass(frozen=True, slots=True)
class FoldMean:
    """The mean of a score over folds and its population standard deviation between them.

    The folds are all there are, not a sample: that of the paper's five test sets (2,899 ± 69) is the population's.
    """

    mean: float
    sd: float
    folds: int


def mean_over_folds(by_fold: Mapping[str, Scores]) -> dict[str, FoldMean]:
    """The mean and the standard deviation of every score over the folds; undefined folds are left out."""
    names = list(next(iter(by_fold.values()), {}))
    return {name: _mean([scores[name].value for scores in by_fold.values()]) for name in names}


def fold_accuracies(references: References, outcome: Outcome) -> dict[str, FoldMean]:
    """Accuracy on standard and originating questions and on adversarial pairs, over folds (FVQA 2.0, Table 2).

    Standard questions are the pairs of a test `standard`, whose two sides are the same question; adversarial pairs are
    all others. A question from which several pairs were made counts once; the answers of the model to it are averaged.
    """
    if not (references.has_column("fold") and references.has_column("source_id")):
        return {}
    sources = references.column("source_id").codes
    is_standard = standard_rows(references)
    accuracies: dict[str, list[float]] = {"standard": [], "originating": [], "adversarial": [], "gap": []}
    for rows in references.column("fold").groups().values():
        standard, adversarial = rows[is_standard[rows]], rows[~is_standard[rows]]
        if len(standard):
            accuracies["standard"].append(float(outcome.original.right[standard].mean()))
        if len(adversarial):
            _, questions = np.unique(sources[adversarial], return_inverse=True)
            by_question = np.bincount(questions, weights=outcome.original.right[adversarial]) / np.bincount(questions)
            accuracies["originating"].append(float(by_question.mean()))
            accuracies["adversarial"].append(float(outcome.perturbed.right[adversarial].mean()))
            accuracies["gap"].append(accuracies["originating"][-1] - accuracies["adversarial"][-1])
    return {name: _mean(values) for name, values in accuracies.items() if values}


def standard_rows(references: References) -> Flags:
    """Which pairs are standard questions, asked for comparison with the adversarial pairs."""
    return references.tests().map(lambda test: test.rpartition(".")[2] == "standard").astype(np.bool_)


def _mean(values: list[float]) -> FoldMean:
    defined_values = np.array([value for value in values if not np.isnan(value)])
    sd = float(defined_values.std()) if len(defined_values) > 1 else nan
    return FoldMean(float(defined_values.mean()) if len(defined_values) else nan, sd, len(defined_values))


RULE_COLUMNS: dict[str, tuple[str, ...]] = {
    "concept": ("concept", "bindings.concept", "bindings.original", "bindings.replaced", "bindings.from"),
    "family": ("family", "lexname", "bindings.family", "bindings.lexname"),
    "substitution": ("substitution", "bindings.substitution", "test"),
}
"""The columns that may hold the subject of a rule: the first that is filled is used."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Where the question holds the subject, the answer changes at this rate."""

    kind: str
    subject: str
    rate: float
    support: int
    low: float
    high: float
    elsewhere: float
    lift: float
    p: float
    p_corrected: float = nan

    def sentence(self) -> str:
        """The rule as a readable line.

        >>> Rule("substitution", "gray → a distant color", 0.09, 210, 0.05, 0.14, 0.4, 0.2, 1e-6, 1e-5).sentence()
        'if gray → a distant color, the answer stays in 91 % (n = 210, 86–95 %); elsewhere 60 % (p 1e-05)'
        """
        verb, rate, low, high, elsewhere = "changes", self.rate, self.low, self.high, self.elsewhere
        if self.kind == "substitution" and rate < 0.5:  # the more frequent outcome of a substitution
            verb, rate, low, high, elsewhere = "stays", 1 - rate, 1 - high, 1 - low, 1 - elsewhere
        share, bounds = f"{100 * rate:.0f} %", f"{100 * low:.0f}–{100 * high:.0f} %"
        contrast = "" if isnan(elsewhere) else f"; elsewhere {100 * elsewhere:.0f} %"
        if self.kind == "substitution":
            statement = f"if {self.subject}, the answer {verb} in {share} (n = {self.support}, {bounds})"
            return f"{statement}{contrast} (p {self.p_corrected:.2g})"
        statement = f"if the {self.kind} is {self.subject!r}, then the answer changes in {share} ({bounds})"
        return f"{statement} of {self.support} pairs{contrast} (lift {self.lift:.2f}, p {self.p_corrected:.2g})"

    def as_dict(self) -> dict[str, Any]:
        """The rule as plain data, with its sentence."""
        return {**asdict(self), "sentence": self.sentence()}


def mine_rules(is_changed: Flags, subjects: Mapping[str, CodedColumn], least_support: int = 10) -> list[Rule]:
    """All rules with enough support, those with the smallest p first; p-values are corrected over all of them.

    >>> is_changed = np.array([True] * 9 + [False] * 11)
    >>> subjects = {"concept": CodedColumn(np.array([0] * 10 + [1] * 10), ["see", "dog"])}
    >>> [rule.subject for rule in mine_rules(is_changed, subjects)]
    ['dog', 'see']
    """
    rules = [rule for kind, column in subjects.items() for rule in _rules(kind, column, is_changed, least_support)]
    p_values = benjamini_hochberg([rule.p for rule in rules])
    results = [replace(rule, p_corrected=p) for rule, p in zip(rules, p_values, strict=True)]
    return sorted(results, key=lambda rule: (rule.p_corrected, -rule.support, rule.kind, rule.subject))


def model_rules(references: References, outcome: Outcome) -> list[Rule]:
    """The rules of a model, over the pairs whose two answers could be read."""
    columns = {kind: _first_filled(references, names) for kind, names in RULE_COLUMNS.items()}
    rows = outcome.parsed
    subjects = {kind: CodedColumn(column.codes[rows], column.values) for kind, column in columns.items() if column}
    return mine_rules(outcome.changed[rows], subjects)


def _first_filled(references: References, names: Sequence[str]) -> CodedColumn | None:
    for name in names:
        with suppress(ScoringError):
            column = references.column(name)
            if any(column.values[code] for code in np.unique(column.codes)):
                return column
    return None


def _rules(kind: str, column: CodedColumn, is_changed: Flags, least_support: int) -> Iterator[Rule]:
    n, total = len(is_changed), int(is_changed.sum())
    for subject, rows in column.groups().items():
        hits, support = int(is_changed[rows].sum()), len(rows)
        if subject and support >= least_support:
            rate = hits / support
            elsewhere = (total - hits) / (n - support) if n > support else nan
            lift = nan if isnan(elsewhere) else (rate / elsewhere if elsewhere else (inf if rate else nan))
            p = fisher(hits, support, total, n) if n > support else nan
            yield Rule(kind, subject, rate, support, *wilson(rate, support), elsewhere, lift, p)
