"""The knowledge-based paper's global rules, mined: which concepts make a model change its answer.

A rule says of a concept, a family of concepts or a substitution how often the answer changes where it occurs, against
how often it changes elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coding import Coded, ranks
from .comparing import benjamini_hochberg
from .errors import ScoringError
from .intervals import wilson
from .outcomes import Outcome
from .references import References

RULE_COLUMNS: dict[str, tuple[str, ...]] = {
    "concept": ("concept", "bindings.concept", "bindings.original", "bindings.replaced", "bindings.from"),
    "family": ("family", "lexname", "bindings.family", "bindings.lexname"),
    "substitution": ("substitution", "bindings.substitution", "test"),
}
"""Where a rule's subject is looked for, in this order."""


@dataclass(frozen=True, slots=True)
class Rule:
    """If the question holds this, the answer changes at this rate."""

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

        >>> Rule("concept", "see", 0.8, 50, 0.67, 0.89, 0.4, 2.0, 1e-6, 1e-5).sentence()
        "if the concept is 'see', then the answer changes in 80 % (67–89 %) of 50 pairs; elsewhere 40 % ..."
        >>> Rule("substitution", "gray → a distant colour", 0.09, 210, 0.05, 0.14, 0.4, 0.2, 1e-6, 1e-5).sentence()
        'if gray → a distant colour, the answer stays in 91 % (n = 210, 86–95 %); elsewhere 60 % (p 1e-05)'
        """
        if self.kind == "substitution":
            return self._substitution()
        bounds = f"{100 * self.low:.0f}–{100 * self.high:.0f} %"
        rest = "" if np.isnan(self.elsewhere) else f"; elsewhere {100 * self.elsewhere:.0f} %"
        return (
            f"if the {self.kind} is {self.subject!r}, then the answer changes in {100 * self.rate:.0f} % ({bounds}) "
            f"of {self.support} pairs{rest} (lift {self.lift:.2f}, p {self.p_corrected:.2g})"
        )

    def _substitution(self) -> str:
        """What most often happens when a word is replaced so: the answer stays, or it changes."""
        stays = self.rate < 0.5
        rate, low, high, rest = self.rate, self.low, self.high, self.elsewhere
        if stays:
            rate, low, high, rest = 1 - rate, 1 - high, 1 - low, 1 - rest
        elsewhere = "" if np.isnan(rest) else f"; elsewhere {100 * rest:.0f} %"
        return (
            f"if {self.subject}, the answer {'stays' if stays else 'changes'} in {100 * rate:.0f} % "
            f"(n = {self.support}, {100 * low:.0f}–{100 * high:.0f} %){elsewhere} (p {self.p_corrected:.2g})"
        )

    def as_dict(self) -> dict[str, Any]:
        """The rule as plain data, with its sentence."""
        return {**asdict(self), "sentence": self.sentence()}


def mine_rules(changed: NDArray[np.bool_], subjects: Mapping[str, Coded], least_support: int = 10) -> list[Rule]:
    """All rules with enough support, the surest first; p-values are corrected over all of them.

    >>> changed = np.array([True] * 9 + [False] * 11)
    >>> subjects = {"concept": Coded(np.array([0] * 10 + [1] * 10), ["see", "dog"])}
    >>> [rule.subject for rule in mine_rules(changed, subjects)]
    ['dog', 'see']
    """
    rules = [rule for kind, column in subjects.items() for rule in _rules_of(kind, column, changed, least_support)]
    corrected = benjamini_hochberg([rule.p for rule in rules])
    sure = [replace(rule, p_corrected=p) for rule, p in zip(rules, corrected, strict=True)]
    return sorted(sure, key=lambda rule: (rule.p_corrected, -rule.support, rule.kind, rule.subject))


def rules_of(references: References, outcome: Outcome, least_support: int = 10) -> list[Rule]:
    """The rules of a model, over the pairs whose two answers could be read."""
    read = outcome.read
    subjects = {}
    for kind, places in RULE_COLUMNS.items():
        column = _first_filled(references, places)
        if column is not None:
            subjects[kind] = Coded(column.codes[read], column.values)
    return mine_rules(outcome.changed[read], subjects, least_support)


def _first_filled(references: References, places: Sequence[str]) -> Coded | None:
    for place in places:
        try:
            column = references.column(place)
        except ScoringError:
            continue
        if any(column.values[code] for code in np.unique(column.codes)):
            return column
    return None


def _rules_of(kind: str, column: Coded, changed: NDArray[np.bool_], least_support: int) -> list[Rule]:
    codes, names = ranks(column)
    support = np.bincount(codes, minlength=len(names))
    hits = np.bincount(codes, weights=changed, minlength=len(names)).astype(np.int64)
    n, total = len(codes), int(changed.sum())
    return [
        _rule(kind, name, int(hits[at]), int(support[at]), total, n)
        for at, name in enumerate(names)
        if name and support[at] >= max(1, least_support)
    ]


def _rule(kind: str, subject: str, hits: int, support: int, total: int, n: int) -> Rule:
    rate = hits / support
    rest = (total - hits) / (n - support) if n > support else nan
    lift = nan if np.isnan(rest) else (rate / rest if rest else (inf if rate else nan))
    p = _fisher(hits, support, total, n) if n > support else nan
    return Rule(kind, subject, rate, support, *wilson(rate, support), rest, lift, p)


def _fisher(hits: int, support: int, total: int, n: int) -> float:
    """Fisher's exact two-sided test of the two rates."""
    least, most = max(0, support + total - n), min(support, total)
    k = np.arange(least, most)
    # The hypergeometric law by the ratios of its neighbours.
    steps = np.log((support - k) / (k + 1)) + np.log((total - k) / (n - support - total + k + 1))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    weights = np.exp(logs - logs.max())
    shares = weights / weights.sum()
    seen = shares[hits - least]
    return float(min(1.0, shares[shares <= seen * (1 + 1e-7)].sum()))
