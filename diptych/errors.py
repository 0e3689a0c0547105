"""Errors, each with a one-line message: what is wrong, where, and what to do.

Every error a user can cause derives from `DiptychError` and from the builtin it resembles, so that both
`except DiptychError` and `except ValueError` work. The command line prints the message alone and exits with 2.
"""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TypeVar

T = TypeVar("T")

LONGEST_MESSAGE = 1000  # characters of an error message; what is longer quotes the input, and is cut in the middle

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str, longest: int = LONGEST_MESSAGE) -> str:
    r"""A text as one line that any terminal can show, whatever input it quotes.

    >>> printable("a\nb\x1b[31m"), printable("x" * 9, 5)
    ('a b�[31m', 'xx…xx')
    """
    line = _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", " ".join(text.split("\n")))
    half = longest // 2
    return line if len(line) <= longest else f"{line[:half]}…{line[-half:]}"


class DiptychError(Exception):
    """An error that the user can fix; the message is one line with what is wrong, where, and what to do."""

    def __init__(self, message: str = "") -> None:
        super().__init__(printable(message))


class BadInputError(DiptychError, ValueError):
    """A file, a record or an option that cannot be used as it is."""


class MissingFileError(DiptychError, FileNotFoundError):
    """A required file that does not exist."""


class BadTemplateError(DiptychError, ValueError):
    """A template that cannot be used: the message names file, line and id."""


class UnknownNameError(DiptychError, LookupError):
    """A name that is not in a registry; the message lists what is."""

    @classmethod
    def among(cls, kind: str, name: str, known: Iterable[str]) -> "UnknownNameError":
        """Say what was asked for, what is nearest to it and what exists.

        >>> print(UnknownNameError.among("dataset", "radcads", ["carets", "rad-cads"]))
        unknown dataset 'radcads'; did you mean 'rad-cads'? known: carets, rad-cads
        """
        names = sorted(known)
        near = get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        return cls(f"unknown {kind} {name!r}; {hint}known: {', '.join(names) or 'none'}")


def look_up(kind: str, name: str, table: Mapping[str, T]) -> T:
    """The entry of a table under a name; an unknown name is an error that lists the known ones."""
    if name not in table:
        raise UnknownNameError.among(kind, name, table)
    return table[name]


class MissingExtraError(DiptychError, ImportError):
    """An optional package that is not installed; the message is the line that installs it."""

    @classmethod
    def for_extra(cls, what: str, extra: str) -> "MissingExtraError":
        """Name the feature and the exact install line.

        >>> print(MissingExtraError.for_extra("Ray", "ray"))
        Ray is not installed: pip install "diptych[ray]"
        """
        return cls(f'{what} is not installed: pip install "diptych[{extra}]"')
