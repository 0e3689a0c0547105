"""What can go wrong, said in one line: what, where, and what to do.

Every error a user can cause derives from `DiptychError` and from the builtin it resembles, so that both
`except DiptychError` and `except ValueError` work. The command line prints the message alone and exits with 2.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class DiptychError(Exception):
    """Something the user can mend; the message says what, where and how."""


class BadInputError(DiptychError, ValueError):
    """A file, a record or an option that cannot be used as it is."""


class MissingFileError(DiptychError, FileNotFoundError):
    """A file that should be there and is not."""


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


class MissingExtraError(DiptychError, ImportError):
    """An optional package that is not installed; the message is the line that installs it."""

    @classmethod
    def for_extra(cls, what: str, extra: str) -> "MissingExtraError":
        """Name the feature and the exact install line.

        >>> print(MissingExtraError.for_extra("Ray", "ray"))
        Ray is not installed: pip install "diptych[ray]"
        """
        return cls(f'{what} is not installed: pip install "diptych[{extra}]"')
