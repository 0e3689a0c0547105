"""Release notes by version, one TOML file per dataset."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files

from diptych.builders import get_dataset
from diptych.errors import BadInputError, UnknownNameError


@dataclass(frozen=True, slots=True)
class Release:
    """What one version brought."""

    version: str
    notes: str


@dataclass(frozen=True, slots=True)
class Releases:
    """The title of a dataset and its versions, newest first."""

    title: str
    releases: tuple[Release, ...] = ()


def read_releases(dataset: str) -> Releases:
    """The release notes of a dataset; one without notes is called by the title of its spec, or by its name.

    >>> read_releases("rad-cads").title
    'RAD-CADs'
    """
    file = files(__package__) / "releases" / f"{dataset}.toml"
    if not file.is_file():
        return Releases(_title(dataset))
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        releases = [Release(entry["version"], entry["notes"].strip()) for entry in table.get("release", ())]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise BadInputError(f"{file}: cannot be read as release notes: {error}") from None
    return Releases(table.get("title", dataset), tuple(releases))


def dataset_title(dataset: str) -> str:
    """What a dataset is called."""
    return read_releases(dataset).title


def _title(dataset: str) -> str:
    try:
        return get_dataset(dataset).spec.title or dataset
    except UnknownNameError:
        return dataset
