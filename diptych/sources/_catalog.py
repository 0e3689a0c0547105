"""The catalog of public sources: titles, licenses, citations, addresses and checksums, from `sources.toml`.

A size or checksum that is not known for certain is left out rather than guessed.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from diptych.errors import UnknownNameError


@dataclass(frozen=True, slots=True)
class Download:
    """One file as its publisher serves it: an archive or a plain file, and the official files in it."""

    name: str
    url: str
    files: tuple[str, ...]
    size: int | None = None
    """Bytes of the download itself, where known."""
    sha256: str | None = None
    """Checksum of the download itself (not of its contents), where known."""
    direct: bool = True
    """Whether `url` is the file itself; if not, it is the page that links to it."""


@dataclass(frozen=True, slots=True)
class Source:
    """One public source: its title, license, citation and files."""

    key: str
    folder: str
    """The folder of its files under `--data`."""
    title: str
    homepage: str
    license: str
    """An SPDX identifier, or the publisher's own words."""
    license_url: str
    citation_key: str
    citation: str
    """A BibTeX entry."""
    downloads: tuple[Download, ...]
    note: str = ""

    def official_files(self) -> Iterator[tuple[Download, str]]:
        """The name of every official file, with the download that contains it."""
        return ((download, name) for download in self.downloads for name in download.files)


@cache
def catalog() -> Mapping[str, Source]:
    """All sources by key, in the order of `sources.toml`.

    >>> catalog()["vqa_v2"].license
    'CC-BY-4.0'
    """
    text = files("diptych.sources").joinpath("sources.toml").read_text(encoding="utf-8")
    return MappingProxyType({key: _source(key, entry) for key, entry in tomllib.loads(text).items()})


def _source(key: str, entry: dict[str, Any]) -> Source:
    downloads = tuple(
        Download(**{**download, "files": tuple(download.get("files", (download["name"],)))})
        for download in entry.pop("downloads")
    )
    return Source(key=key, downloads=downloads, **{name: value.strip() for name, value in entry.items()})


def get_source(key: str) -> Source:
    """Return one source; the error for an unknown key lists the known ones.

    >>> get_source("visdial").folder
    'visdial'
    """
    try:
        return catalog()[key]
    except KeyError:
        raise UnknownNameError.among("source", key, catalog()) from None


def find_download(folder: str, name: str) -> Download | None:
    """Return the download that contains an official file of a `--data` folder, or None if no source lists it."""
    for source in catalog().values():
        for download, file_name in source.official_files():
            if source.folder == folder and file_name == name:
                return download
    return None
