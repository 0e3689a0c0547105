"""The error of scoring: one line that says what is wrong, where, and which names exist."""

from collections.abc import Iterable


class ScoringError(ValueError):
    """Predictions, references or options that cannot be scored as they are."""


def unknown_name(kind: str, name: str, names: Iterable[str]) -> ScoringError:
    """The error about a name that does not exist, with those that do."""
    return ScoringError(f"unknown {kind} {name!r}; known: {', '.join(names)}")


def first_few(names: Iterable[str], limit: int = 3) -> str:
    """The first few of many names, and how many there are: "'a', 'b', 'c', … (4 in all)"."""
    texts = [repr(name) for name in names]
    text = ", ".join(texts[:limit])
    return text if len(texts) <= limit else f"{text}, … ({len(texts)} in all)"
