"""Random choices that take one number of the generator each: cheaper than `Random.choice`, and the same everywhere."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

Choice = TypeVar("Choice")


def pick(rng: Random, choices: Sequence[Choice]) -> Choice:
    """One of several values, each as likely."""
    return choices[int(rng.random() * len(choices))]


def pick_except(rng: Random, value: str, choices: Sequence[str]) -> str:
    """One of several words, but not `value`."""
    choice = pick(rng, choices)
    while choice == value:
        choice = pick(rng, choices)
    return choice
