"""The ledger: how many inputs were seen, paired and skipped, by test and reason."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from diptych.pairs import Row, Skip

EVERY_TEST = ""  # stands for every test of the config at hand

_FIRST = 5

Place = tuple[str, str]  # a test and a reason


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of a source that could not be used; it is not an input of its own."""

    reason: str
    where: str


@dataclass(slots=True)
class Ledger:
    """Counts of what became of every input, so that nothing is lost silently.

    >>> ledger = Ledger()
    >>> ledger.count("rad.yn_from_color", Skip("the answer is not a color"))
    >>> ledger.as_json()
    {'rad.yn_from_color': {'seen': 1, 'paired': 0, 'skipped': {'the answer is not a color': 1}}}
    """

    paired: Counter[str] = field(default_factory=Counter)
    skipped: Counter[Place] = field(default_factory=Counter)
    problems: Counter[Place] = field(default_factory=Counter)
    places: dict[Place, list[str]] = field(default_factory=dict)
    """Where the first problems are, and the first skips that name their input."""
    kept: Counter[Place] = field(default_factory=Counter)  # why people's verdicts left a pair where it is

    def count(self, test: str, outcome: Row | Skip | Problem) -> None:
        """Count one outcome of a test."""
        match outcome:
            case Skip():
                self.skipped[outcome.test or test, outcome.reason] += 1
                self._add_places(outcome.test or test, outcome.reason, [outcome.where] if outcome.where else [])
            case Problem():
                self.problems[test, outcome.reason] += 1
                self._add_places(test, outcome.reason, [outcome.where])
            case _:
                self.paired[test] += 1

    def _add_places(self, test: str, reason: str, places: Iterable[str]) -> None:
        for place in places:
            first = self.places.setdefault((test, reason), [])
            if len(first) < _FIRST and place not in first:
                first.append(place)

    def add(self, ledger: "Ledger") -> None:
        """Take in the counts of another ledger."""
        self.paired.update(ledger.paired)
        self.skipped.update(ledger.skipped)
        self.problems.update(ledger.problems)
        self.kept.update(ledger.kept)
        for (test, reason), places in ledger.places.items():
            self._add_places(test, reason, places)

    def restricted(self, tests: Iterable[str]) -> "Ledger":
        """The counts of some tests; what was counted for every test is counted for each of these.

        Nothing is paired yet: what `read` kept is a candidate, and `make` decides.
        """
        ledger = Ledger()
        for test in tests:
            for counts, target in ((self.skipped, ledger.skipped), (self.problems, ledger.problems)):
                for (name, reason), number in counts.items():
                    if name in (test, EVERY_TEST):
                        target[test, reason] += number
            for (name, reason), places in self.places.items():
                if name in (test, EVERY_TEST):
                    ledger._add_places(test, reason, places)
        return ledger

    def as_json(self) -> dict[str, Any]:
        """By test: seen, paired, skipped and problems by reason, the most frequent reason first."""
        tests = sorted({*self.paired, *(test for test, _ in (*self.skipped, *self.problems))})
        return {test: self._test_json(test) for test in tests}

    def _test_json(self, test: str) -> dict[str, Any]:
        skipped = _reasons(test, self.skipped)
        problems = {
            reason: {"count": number, "first": self.places[test, reason]}
            for reason, number in _reasons(test, self.problems).items()
        }
        first = {reason: self.places[test, reason] for reason in skipped if (test, reason) in self.places}
        return {
            "seen": self.paired[test] + sum(skipped.values()),
            "paired": self.paired[test],
            "skipped": skipped,
            **({"kept": kept} if (kept := _reasons(test, self.kept)) else {}),
            **({"first": first} if first else {}),
            **({"problems": problems} if problems else {}),
        }

    @classmethod
    def from_json(cls, counts: Mapping[str, Any]) -> "Ledger":
        """The ledger that `as_json` wrote."""
        ledger = cls()
        for test, entry in counts.items():
            ledger.paired[test] += entry["paired"]
            for reason, number in entry["skipped"].items():
                ledger.skipped[test, reason] += number
            for reason, places in entry.get("first", {}).items():
                ledger._add_places(test, reason, places)
            for reason, problem in entry.get("problems", {}).items():
                ledger.problems[test, reason] += problem["count"]
                ledger._add_places(test, reason, problem["first"])
        return ledger


def _reasons(test: str, counts: Mapping[Place, int]) -> dict[str, int]:
    reasons = {reason: number for (name, reason), number in counts.items() if name == test}
    return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
