"""Version numbers of published datasets, and the rule by which they go up."""

import re

from diptych.errors import BadInputError

LEVELS = {
    "major": "pairs removed or answers changed",
    "minor": "pairs added, or columns beside questions and answers changed",
    "patch": "the same pairs; only the card or what lies beside the data changed",
}
"""How much a version goes up, and when."""
_VERSION = re.compile(r"v?([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})")


def version_key(version: str) -> tuple[int, int, int]:
    """A version as numbers, by which versions are ordered; what is no version is refused.

    >>> version_key("v1.10.0") > version_key("1.9.2")
    True
    """
    match = _VERSION.fullmatch(version)
    if match is None:
        raise BadInputError(f"{version}: a version is three numbers, like 1.0.0 or, as a tag, v1.0.0")
    major, minor, patch = map(int, match.groups())
    return major, minor, patch


def is_tag(name: str) -> bool:
    """Whether a tag on the Hub is a version of ours."""
    return name.startswith("v") and _VERSION.fullmatch(name) is not None


def next_version(version: str, level: str | None) -> str:
    """The tag of the version after a change.

    >>> next_version("1.4.2", "minor"), next_version("v1.4.2", "major"), next_version("1.4.2", None)
    ('v1.5.0', 'v2.0.0', 'v1.4.2')
    """
    numbers = [*version_key(version)]
    if level is not None:
        place = [*LEVELS].index(level)
        numbers = [*numbers[:place], numbers[place] + 1, 0, 0][:3]
    return "v" + ".".join(map(str, numbers))
