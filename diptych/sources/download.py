"""Fetch official files through a download manager into the `--data` layout, and check them on the way in."""

import gzip
import hashlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from diptych.errors import BadInputError, MissingFileError, UnknownNameError
from diptych.sources.catalogue import Download, Source


class DownloadManager(Protocol):
    """What is needed of `datasets.DownloadManager`: it brings progress bars, retries and a cache."""

    def download(self, url_or_urls: Any) -> Any:
        """Fetch an address and return the path of the local copy."""
        ...


def fetch(source: Source, files: Iterable[str], data_dir: Path, download_manager: DownloadManager) -> tuple[Path, ...]:
    """Put the named files of a source (all, if none is named) under `data_dir`, as their publisher serves them.

    A name is that of a download or of an official file inside one. What is already there is left as it is. A file
    that has not the size or checksum of the catalogue is refused, and nothing of it is left behind.
    """
    folder = Path(data_dir) / source.folder
    return tuple(_fetch(download, folder, download_manager) for download in _chosen(source, files))


def _chosen(source: Source, files: Iterable[str]) -> tuple[Download, ...]:
    by_name = {download.name: download for download in source.downloads}
    by_name |= {name: download for download, name in source.official_files()}
    chosen: dict[str, Download] = {}
    for name in tuple(files) or tuple(by_name):
        if name not in by_name:
            raise UnknownNameError.among(f"file of {source.key}", name, by_name)
        chosen[by_name[name].name] = by_name[name]
    return tuple(chosen.values())


def _fetch(download: Download, folder: Path, download_manager: DownloadManager) -> Path:
    target = folder / download.name
    if target.exists():
        return target
    if not download.direct:
        raise MissingFileError(f"{download.name} has no address of its own: get it from {download.url} into {folder}")
    cached = _downloaded(download, download_manager)
    try:
        check_download(download, cached)
    except BadInputError:
        cached.unlink(missing_ok=True)
        cached.with_name(f"{cached.name}.json").unlink(missing_ok=True)
        raise
    _place(cached, target)
    return target


def _downloaded(download: Download, download_manager: DownloadManager) -> Path:
    try:
        return Path(download_manager.download(download.url))
    except OSError as error:  # FileNotFoundError for a 404, ConnectionError for the rest
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise MissingFileError(f"{download.name} could not be downloaded from {download.url}: {reason}") from error


def check_download(download: Download, path: Path) -> None:
    """Refuse a file that is not what the catalogue says, or that is no archive where one belongs."""
    size = path.stat().st_size
    if download.size is not None and size != download.size:
        raise BadInputError(f"{download.url}: {size:,} bytes came, not {download.size:,}; try again")
    if download.sha256 is not None and (found := _sha256(path)) != download.sha256:
        raise BadInputError(f"{download.url}: wrong checksum {found[:12]}…, not {download.sha256[:12]}…; try again")
    if download.name.endswith(".zip") and not zipfile.is_zipfile(path):
        raise BadInputError(f"{download.url}: what came is not a .zip file; get it by hand")
    if download.name.endswith(".gz") and not _is_gzip(path):
        raise BadInputError(f"{download.url}: what came is not a .gz file; get it by hand")


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _is_gzip(path: Path) -> bool:
    try:
        with gzip.open(path) as stream:
            stream.read(1)
    except (OSError, EOFError):
        return False
    return True


def _place(cached: Path, target: Path) -> None:
    # A copy under another name, then a rename: a killed download never leaves half a file under the official name.
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise BadInputError(f"{target.parent}: cannot be written: {error.strerror}") from error
    os.close(handle)
    partial = Path(name)
    try:
        shutil.copyfile(cached, partial)
        partial.chmod(0o644)
        partial.replace(target)
    except OSError as error:
        raise BadInputError(f"{target}: cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)
