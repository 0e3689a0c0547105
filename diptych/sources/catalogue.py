"""Where every official file is had: titles, licences, citations, addresses and checksums, from `sources.toml`.

What is not known for certain (a size, a checksum) is left out there rather than guessed.
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
    """One file as its publisher serves it: an archive or a plain file, and the official files it holds."""

    name: str
    url: str
    holds: tuple[str, ...]
    size: int | None = None
    """Bytes of the download itself, where known."""
    sha256: str | None = None
    """Checksum of the download itself (not of what is inside it), where known."""
    direct: bool = True
    """Whether `url` is the file itself; if not, it is the page that leads to it."""

    def __post_init__(self) -> None:
        if not self.url.startswith(("https://", "http://")):
            raise ValueError(f"{self.name}: {self.url!r} is not a web address")
        if self.sha256 is not None and not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise ValueError(f"{self.name}: {self.sha256!r} is not a SHA-256")
        if not self.holds or (self.size is not None and self.size <= 0):
            raise ValueError(f"{self.name}: holds nothing, or has no size")


@dataclass(frozen=True, slots=True)
class Source:
    """One public source: what it is, under which licence, how to cite it, and its files."""

    key: str
    folder: str
    """The folder under `--data` that its files lie in."""
    title: str
    homepage: str
    licence: str
    """An SPDX identifier, or the words of the publisher."""
    licence_url: str
    citation_key: str
    citation: str
    """A BibTeX entry."""
    downloads: tuple[Download, ...]
    note: str = ""

    def __post_init__(self) -> None:
        for name in ("folder", "title", "homepage", "licence", "licence_url", "citation_key", "citation"):
            if not getattr(self, name).strip():
                raise ValueError(f"source {self.key}: {name} is empty")
        if not re.match(rf"@\w+\{{{re.escape(self.citation_key)},", self.citation):
            raise ValueError(f"source {self.key}: the citation is not a BibTeX entry {self.citation_key!r}")

    def official_files(self) -> Iterator[tuple[Download, str]]:
        """Every official file by name, with the download that holds it."""
        for download in self.downloads:
            for name in download.holds:
                yield download, name


@cache
def catalogue() -> Mapping[str, Source]:
    """All sources by key, in the order of `sources.toml`.

    >>> catalogue()["vqa_v2"].licence
    'CC-BY-4.0'
    """
    text = files("diptych.sources").joinpath("sources.toml").read_text(encoding="utf-8")
    return MappingProxyType({key: _source(key, entry) for key, entry in tomllib.loads(text).items()})


def _source(key: str, entry: dict[str, Any]) -> Source:
    downloads = tuple(_download(each) for each in entry.pop("downloads"))
    return Source(key=key, downloads=downloads, **{name: value.strip() for name, value in entry.items()})


def _download(entry: dict[str, Any]) -> Download:
    return Download(**{**entry, "holds": tuple(entry.get("holds", (entry["name"],)))})


def get_source(key: str) -> Source:
    """One source by key; an unknown key is told what exists.

    >>> get_source("visdial").folder
    'visdial'
    """
    try:
        return catalogue()[key]
    except KeyError:
        raise UnknownNameError.among("source", key, catalogue()) from None


def download_of(folder: str, name: str) -> Download | None:
    """The download that holds an official file of a `--data` folder, or None if no source has it.

    >>> download_of("gqa", "val_sceneGraphs.json").name
    'sceneGraphs.zip'
    """
    for source in catalogue().values():
        for download, held in source.official_files():
            if source.folder == folder and held == name:
                return download
    return None
