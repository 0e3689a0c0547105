"""What a user can mend before scoring: one line that says what is wrong, where, and what is known."""

from collections.abc import Iterable


class ScoringError(ValueError):
    """Predictions, references or options that cannot be scored as they are."""


def unknown(kind: str, name: str, known: Iterable[str]) -> ScoringError:
    """Say which name was asked for and which exist.

    >>> print(unknown("normaliser", "vq", ["exact", "vqa"]))
    unknown normaliser 'vq'; known: exact, vqa
    """
    return ScoringError(f"unknown {kind} {name!r}; known: {', '.join(known)}")


def some(names: Iterable[str], most: int = 3) -> str:
    """The first few of many names, and how many there are.

    >>> some(["a", "b", "c", "d"])
    "'a', 'b', 'c', … (4 in all)"
    >>> some(["a"])
    "'a'"
    """
    listed = list(names)
    shown = ", ".join(repr(name) for name in listed[:most])
    return shown if len(listed) <= most else f"{shown}, … ({len(listed)} in all)"
