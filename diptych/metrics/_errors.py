"""Errors of scoring as errors of the package."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from diptych.errors import BadInputError
from diptych.metrics.paired_vqa.errors import ScoringError

P = ParamSpec("P")
T = TypeVar("T")


class UnscorableError(BadInputError, ScoringError):
    """A scoring error that the command line reports in one line."""


@contextmanager
def scoring(place: object) -> Iterator[None]:
    """Name the file or folder, where `place` is one, in the errors of a block."""
    try:
        yield
    except ScoringError as error:
        prefix = f"{place}: " if isinstance(place, str | Path) else ""
        raise UnscorableError(f"{prefix}{error}") from None


def readable_errors(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function raise `UnscorableError` where the code of the `evaluate` module raises `ScoringError`."""

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except ScoringError as error:
            raise UnscorableError(str(error)) from None

    return wrapper
