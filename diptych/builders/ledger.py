"""The ledger: how many inputs were seen, paired and skipped, by test and reason."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from diptych.pairs import Row, Skip

FIRST = 5
"""How many places of a problem are named."""


@dataclass(slots=True)
class Ledger:
    """Counts of what became of every input, so that nothing is lost silently.

    >>> ledger = Ledger()
    >>> ledger.note("rad.yn_from_color", Skip("the answer is not a colour"))
    >>> ledger.as_json()
    {'rad.yn_from_color': {'seen': 1, 'paired': 0, 'skipped': {'the answer is not a colour': 1}}}
    """

    paired: Counter[str] = field(default_factory=Counter)
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    problems: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By test and reason, the parts of the sources that could not be used; they are no inputs of their own."""
    places: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """Where the first of them are, and of the skips that name their input."""

    def note(self, test: str, outcome: Row | Skip) -> None:
        """Count one outcome of a test."""
        if isinstance(outcome, Skip):
            self.skipped[test, outcome.reason] += 1
            self._name(test, outcome.reason, [outcome.where] if outcome.where else [])
        else:
            self.paired[test] += 1

    def report(self, test: str, reason: str, where: str) -> None:
        """Count a part of the sources that could not be used, and say where it is.

        >>> ledger = Ledger()
        >>> ledger.report("carets.order", "a box without area", "image 7, object 1")
        >>> ledger.as_json()["carets.order"]["problems"]
        {'a box without area': {'count': 1, 'first': ['image 7, object 1']}}
        """
        self.problems[test, reason] += 1
        self._name(test, reason, [where])

    def _name(self, test: str, reason: str, places: Iterable[str]) -> None:
        for where in places:
            named = self.places.setdefault((test, reason), [])
            if len(named) < FIRST and where not in named:
                named.append(where)

    def keep_rows(self, outcomes: Iterable[tuple[str, Row | Skip]]) -> Iterator[Row]:
        """Count every outcome and pass on what is no skip."""
        for test, outcome in outcomes:
            self.note(test, outcome)
            if not isinstance(outcome, Skip):
                yield outcome

    def add(self, other: "Ledger") -> None:
        """Take in the counts of another ledger."""
        self.paired.update(other.paired)
        self.skipped.update(other.skipped)
        self.problems.update(other.problems)
        for (test, reason), places in other.places.items():
            self._name(test, reason, places)

    def as_json(self) -> dict[str, Any]:
        """By test: seen, paired, skipped and problems by reason, the most frequent reason first."""
        tests = sorted({*self.paired, *(test for test, _ in (*self.skipped, *self.problems))})
        return {test: self._of_test(test) for test in tests}

    def _of_test(self, test: str) -> dict[str, Any]:
        skipped = _of(test, self.skipped)
        problems = {
            reason: {"count": n, "first": self.places[test, reason]} for reason, n in _of(test, self.problems).items()
        }
        first = {reason: self.places[test, reason] for reason in skipped if (test, reason) in self.places}
        return {
            "seen": self.paired[test] + sum(skipped.values()),
            "paired": self.paired[test],
            "skipped": skipped,
            **({"first": first} if first else {}),
            **({"problems": problems} if problems else {}),
        }

    @classmethod
    def from_json(cls, counts: Mapping[str, Any]) -> "Ledger":
        """The ledger that `as_json` wrote."""
        ledger = cls()
        for test, of_test in counts.items():
            ledger.paired[test] += of_test["paired"]
            for reason, n in of_test["skipped"].items():
                ledger.skipped[test, reason] += n
            for reason, places in of_test.get("first", {}).items():
                ledger._name(test, reason, places)
            for reason, told in of_test.get("problems", {}).items():
                ledger.problems[test, reason] += told["count"]
                ledger._name(test, reason, told["first"])
        return ledger


def _of(test: str, counts: Mapping[tuple[str, str], int]) -> dict[str, int]:
    reasons = {reason: n for (of, reason), n in counts.items() if of == test}
    return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
