"""What a check found: how grave it is, where, in words, and in numbers."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Level = Literal["ok", "note", "wanting"]

LEVELS: tuple[Level, ...] = ("ok", "note", "wanting")
"""How grave a finding can be."""

EVERYWHERE = "all"
"""Where a finding is about the whole folder."""

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check in one place."""

    name: str
    level: Level
    what: str
    where: str = EVERYWHERE
    numbers: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Audit:
    """All findings about a built folder."""

    findings: tuple[Finding, ...]

    def count(self, level: Level) -> int:
        """How many findings have a level."""
        return sum(finding.level == level for finding in self.findings)

    @property
    def wanting(self) -> bool:
        """Whether something must be mended before the folder is published."""
        return self.count("wanting") > 0

    def as_json(self) -> dict[str, Any]:
        """The audit as plain data, for the manifest and `--json`."""
        return {
            "wanting": self.count("wanting"),
            "notes": self.count("note"),
            "findings": [asdict(finding) for finding in self.findings],
        }


def some(names: Iterable[object]) -> str:
    """The first few of many, and how many more there are.

    >>> some(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    listed = [str(name) for name in names]
    more = f" and {len(listed) - _SHOWN:,} more" if len(listed) > _SHOWN else ""
    return ", ".join(listed[:_SHOWN]) + more


def verdict(name: str, faults: list[str], fine: str, where: str = EVERYWHERE, **numbers: Any) -> Finding:
    """A finding that is wanting where there are faults, and ok where there is none."""
    return Finding(name, "wanting" if faults else "ok", "; ".join(faults) or fine, where, numbers)


def percent(share: float) -> str:
    """A share as it is shown.

    >>> percent(0.5)
    '50.0 %'
    """
    return f"{100 * share:.1f} %"
