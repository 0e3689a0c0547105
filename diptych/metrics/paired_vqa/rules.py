"""The knowledge-based paper's global rules, mined: which concepts make a model change its answer.

A rule states for a concept, a family of concepts or a substitution how often the answer changes where it occurs, and
how often it changes elsewhere.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from math import inf, isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import CodedColumn, ScoringError
from .intervals import benjamini_hochberg, fisher, wilson
from .outcomes import Outcome
from .references import References

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


def mine_rules(
    is_changed: NDArray[np.bool_], subjects: Mapping[str, CodedColumn], least_support: int = 10
) -> list[Rule]:
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


def _rules(kind: str, column: CodedColumn, is_changed: NDArray[np.bool_], least_support: int) -> Iterator[Rule]:
    n, total = len(is_changed), int(is_changed.sum())
    for subject, rows in column.groups().items():
        hits, support = int(is_changed[rows].sum()), len(rows)
        if subject and support >= least_support:
            rate = hits / support
            elsewhere = (total - hits) / (n - support) if n > support else nan
            lift = nan if isnan(elsewhere) else (rate / elsewhere if elsewhere else (inf if rate else nan))
            p = fisher(hits, support, total, n) if n > support else nan
            yield Rule(kind, subject, rate, support, *wilson(rate, support), elsewhere, lift, p)
