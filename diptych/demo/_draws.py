"""Random choices that take one number of the generator each: cheaper than `Random.choice`, and the same everywhere."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

Choice = TypeVar("Choice")


class NothingToAskError(Exception):
    """A scene has nothing that a question could be about."""


def require(condition: object) -> None:
    """Give up a question unless its condition holds."""
    if not condition:
        raise NothingToAskError


def pick(rng: Random, choices: Sequence[Choice]) -> Choice:
    """One of several values, each as likely; without any, there is nothing to ask."""
    require(choices)
    return choices[int(rng.random() * len(choices))]


def pick_except(rng: Random, value: str, choices: Sequence[str]) -> str:
    """One of several words, but not `value`."""
    choice = pick(rng, choices)
    while choice == value:
        choice = pick(rng, choices)
    return choice
