"""Checks of a dataset's own: where the truth of a pair can be computed again, it is."""

from collections.abc import Callable, Iterable, Iterator

from diptych.cards.audit.built import Built
from diptych.cards.audit.finding import Finding

Check = Callable[[Built], Iterable[Finding]]

ORACLES: dict[str, list[Check]] = {}
"""Dataset name to the checks that know its truth."""


def register_oracle(dataset: str, check: Check) -> None:
    """Have every audit of a dataset run a check of its own too."""
    ORACLES.setdefault(dataset, []).append(check)


def oracle(built: Built) -> Iterator[Finding]:
    """What the dataset's own checks find, where it has any."""
    checks = ORACLES.get(built.manifest["dataset"], [])
    for check in checks:
        yield from check(built)
    if not checks:
        yield Finding("oracle", "ok", "this dataset has no oracle: its truth is people's answers")
