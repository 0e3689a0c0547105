"""Findings of checks: helpers that word them."""

from collections.abc import Iterable, Mapping
from typing import Any

from diptych.folder import FindingEntry, Level

LEVELS: tuple[Level, ...] = ("ok", "warning", "error")
"""How grave a finding can be."""

EVERYWHERE = "all"
"""The place of a finding about the whole folder."""

_SHOWN = 3


def finding(
    name: str, level: Level, message: str, place: str = EVERYWHERE, numbers: Mapping[str, Any] | None = None
) -> FindingEntry:
    """The result of one check in one place."""
    return FindingEntry(name=name, level=level, message=message, place=place, numbers=dict(numbers or {}))


def result(name: str, faults: list[str], message: str, place: str = EVERYWHERE, **numbers: Any) -> FindingEntry:
    """An error where there are faults, otherwise ok with the message."""
    return finding(name, "error" if faults else "ok", "; ".join(faults) or message, place, numbers)


def first_few(names: Iterable[object]) -> str:
    """The first few of many, and how many more there are.

    >>> first_few(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    texts = [str(name) for name in names]
    more = f" and {len(texts) - _SHOWN:,} more" if len(texts) > _SHOWN else ""
    return ", ".join(texts[:_SHOWN]) + more


def percent(share: float) -> str:
    """A share as it is shown.

    >>> percent(0.5)
    '50.0 %'
    """
    return f"{100 * share:.1f} %"
