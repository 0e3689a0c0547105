"""The catalog of public sources: titles, licenses, citations, addresses and checksums, from `sources.toml`.

A size or checksum that is not known for certain is left out rather than guessed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Literal

from diptych.errors import look_up
from diptych.files import read_package_toml


@dataclass(frozen=True, slots=True)
class Download:
    """One file as its publisher serves it: an archive or a plain file, and the official files in it."""

    name: str
    url: str
    files: tuple[str, ...]
    size: int | None = None  # bytes of the download itself, where known
    sha256: str | None = None  # checksum of the download itself (not of its contents), where known
    images: str = ""  # for an archive of images, the shell pattern of their official names
    direct: bool = True  # whether `url` is the file itself; if not, it is the page that links to it


PictureTerms = Literal["licensed", "restricted", "unknown"]
"""Whether the pictures of a source may be published again: each under its own license, not by its terms, not known."""


@dataclass(frozen=True, slots=True)
class Source:
    """One public source: its title, license, citation and files."""

    key: str
    folder: str  # the folder of its files under `--data`
    title: str
    homepage: str
    license: str  # an SPDX identifier, or the publisher's own words
    license_url: str
    citation_key: str
    citation: str  # a BibTeX entry
    downloads: tuple[Download, ...]
    note: str = ""
    pictures: PictureTerms = "unknown"
    picture_terms: str = ""  # what is publicly said of its pictures, in a sentence

    def official_files(self) -> Iterator[tuple[Download, str]]:
        """The name of every official file, with the download that contains it."""
        return ((download, name) for download in self.downloads for name in download.files)


@cache
def catalog() -> Mapping[str, Source]:
    """All sources by key, in the order of `sources.toml`."""
    table = read_package_toml("diptych.sources", "sources.toml")
    return {key: _parse_source(key, **entry) for key, entry in table.items()}


def _parse_source(key: str, downloads: list[dict[str, Any]], **texts: Any) -> Source:
    files = (Download(**{**entry, "files": tuple(entry.get("files", (entry["name"],)))}) for entry in downloads)
    return Source(key=key, downloads=tuple(files), **{name: text.strip() for name, text in texts.items()})


def get_source(key: str) -> Source:
    """Return one source; the error for an unknown key lists the known ones.

    >>> get_source("vqa_v2").license
    'CC-BY-4.0'
    """
    return look_up("source", key, catalog())


def find_download(folder: str, name: str) -> Download | None:
    """Return the download that contains an official file of a `--data` folder, or None if no source lists it."""
    sources = (source for source in catalog().values() if source.folder == folder)
    files = (entry for source in sources for entry in source.official_files())
    return next((download for download, file_name in files if file_name == name), None)


def image_archives(file_name: str) -> list[tuple[Source, Download]]:
    """The archives that an image may be in, by its official name: any of them, or one of two.

    >>> [download.name for _, download in image_archives("COCO_val2014_000000262148.jpg")]
    ['val2014.zip']
    """
    entries = ((source, download) for source in catalog().values() for download in source.downloads)
    return [entry for entry in entries if entry[1].images and fnmatchcase(file_name, entry[1].images)]
