"""Errors of scoring as errors of the package."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from diptych.errors import BadInputError
from diptych.metrics.paired_vqa.errors import ScoringError

P = ParamSpec("P")
T = TypeVar("T")


class UnscorableError(BadInputError, ScoringError):
    """A scoring error that the command line reports in one line."""


def readable_errors(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function raise `UnscorableError` where the code of the `evaluate` module raises `ScoringError`."""

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except ScoringError as error:
            raise UnscorableError(str(error)) from None

    return wrapper
