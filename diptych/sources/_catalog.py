"""The catalog of public sources: titles, licenses, citations, addresses and checksums, from `sources.toml`.

A size or checksum that is not known for certain is left out rather than guessed.
"""

import re
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

    def __post_init__(self) -> None:
        if not self.url.startswith(("https://", "http://")):
            raise ValueError(f"{self.name}: {self.url!r} is not a web address")
        if self.sha256 is not None and not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise ValueError(f"{self.name}: {self.sha256!r} is not a SHA-256")
        if not self.files or (self.size is not None and self.size <= 0):
            raise ValueError(f"{self.name}: no files, or no size")


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

    def __post_init__(self) -> None:
        for name in ("folder", "title", "homepage", "license", "license_url", "citation_key", "citation"):
            if not getattr(self, name).strip():
                raise ValueError(f"source {self.key}: {name} is empty")
        if not re.match(rf"@\w+\{{{re.escape(self.citation_key)},", self.citation):
            raise ValueError(f"source {self.key}: the citation is not a BibTeX entry {self.citation_key!r}")

    def official_files(self) -> Iterator[tuple[Download, str]]:
        """The name of every official file, with the download that contains it."""
        for download in self.downloads:
            for name in download.files:
                yield download, name


@cache
def catalog() -> Mapping[str, Source]:
    """All sources by key, in the order of `sources.toml`.

    >>> catalog()["vqa_v2"].license
    'CC-BY-4.0'
    """
    text = files("diptych.sources").joinpath("sources.toml").read_text(encoding="utf-8")
    return MappingProxyType({key: _source(key, entry) for key, entry in tomllib.loads(text).items()})


def _source(key: str, entry: dict[str, Any]) -> Source:
    downloads = tuple(_download(download) for download in entry.pop("downloads"))
    return Source(key=key, downloads=downloads, **{name: value.strip() for name, value in entry.items()})


def _download(entry: dict[str, Any]) -> Download:
    return Download(**{**entry, "files": tuple(entry.get("files", (entry["name"],)))})


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
    """Return the download that contains an official file of a `--data` folder, or None if no source lists it.

    >>> find_download("gqa", "val_sceneGraphs.json").name
    'sceneGraphs.zip'
    """
    for source in catalog().values():
        for download, file_name in source.official_files():
            if source.folder == folder and file_name == name:
                return download
    return None
