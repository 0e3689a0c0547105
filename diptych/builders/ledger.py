"""The ledger: how many inputs were seen, paired and skipped, by test and reason."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from diptych.pairs import Row, Skip


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

    def note(self, test: str, outcome: Row | Skip) -> None:
        """Count one outcome of a test."""
        if isinstance(outcome, Skip):
            self.skipped[test, outcome.reason] += 1
        else:
            self.paired[test] += 1

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

    def as_json(self) -> dict[str, Any]:
        """By test: seen, paired, and skipped by reason, the most frequent reason first."""
        tests = sorted({*self.paired, *(test for test, _ in self.skipped)})
        return {test: self._of_test(test) for test in tests}

    def _of_test(self, test: str) -> dict[str, Any]:
        reasons = {reason: n for (of, reason), n in self.skipped.items() if of == test}
        ordered = dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
        return {
            "seen": self.paired[test] + sum(reasons.values()),
            "paired": self.paired[test],
            "skipped": ordered,
        }

    @classmethod
    def from_json(cls, counts: Mapping[str, Any]) -> "Ledger":
        """The ledger that `as_json` wrote."""
        ledger = cls()
        for test, of_test in counts.items():
            ledger.paired[test] += of_test["paired"]
            for reason, n in of_test["skipped"].items():
                ledger.skipped[test, reason] += n
        return ledger
