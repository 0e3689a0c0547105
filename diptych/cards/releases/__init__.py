"""Release notes by version, a TOML file a dataset."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files

from diptych.errors import BadInputError


@dataclass(frozen=True, slots=True)
class Release:
    """What one version brought."""

    version: str
    notes: str


@dataclass(frozen=True, slots=True)
class Releases:
    """A dataset's title and its versions, newest first."""

    title: str
    releases: tuple[Release, ...] = ()


def releases_of(dataset: str) -> Releases:
    """The release notes of a dataset; one that has none yet is called by its name.

    >>> releases_of("rad-cads").title
    'RAD-CADs'
    """
    file = files(__package__) / f"{dataset}.toml"
    if not file.is_file():
        return Releases(dataset)
    try:
        told = tomllib.loads(file.read_text(encoding="utf-8"))
        versions = [Release(each["version"], each["notes"].strip()) for each in told.get("release", ())]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise BadInputError(f"{file}: cannot be read as release notes: {error}") from None
    return Releases(told.get("title", dataset), tuple(versions))
