"""Fetch official files through a download manager into the `--data` layout, and check them on the way in."""

import gzip
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from diptych.errors import BadInputError, MissingFileError, UnknownNameError
from diptych.sources._catalog import Download, Source
from diptych.sources._files import SourceFile


class DownloadManager(Protocol):
    """The part of `datasets.DownloadManager` that is used; it has progress bars, retries and a cache."""

    def download(self, url_or_urls: Any) -> Any:
        """Fetch an address and return the path of the local copy."""
        ...


def fetch(source: Source, files: Iterable[str], data_dir: Path, download_manager: DownloadManager) -> tuple[Path, ...]:
    """Download files of a source (all of them if none is named) into `data_dir`, as their publisher serves them.

    A name is that of a download or of an official file inside one. Existing files are left as they are. A file whose
    size or checksum differs from the catalog is refused and leaves nothing behind.
    """
    folder = Path(data_dir) / source.folder
    return tuple(_fetch(download, folder, download_manager) for download in _select_downloads(source, files))


def _select_downloads(source: Source, files: Iterable[str]) -> tuple[Download, ...]:
    by_name = {download.name: download for download in source.downloads}
    by_name |= {name: download for download, name in source.official_files()}
    selection: dict[str, Download] = {}
    for name in tuple(files) or tuple(by_name):
        if name not in by_name:
            raise UnknownNameError.among(f"file of {source.key}", name, by_name)
        selection[by_name[name].name] = by_name[name]
    return tuple(selection.values())


def _fetch(download: Download, folder: Path, download_manager: DownloadManager) -> Path:
    target = folder / download.name
    if target.exists():
        return target
    if not download.direct:
        raise MissingFileError(f"{download.name} has no address of its own: get it from {download.url} into {folder}")
    cache_path = _download(download, download_manager)
    try:
        check_download(download, cache_path)
    except BadInputError:
        cache_path.unlink(missing_ok=True)
        cache_path.with_name(f"{cache_path.name}.json").unlink(missing_ok=True)
        raise
    _place(cache_path, target)
    return target


def _download(download: Download, download_manager: DownloadManager) -> Path:
    try:
        return Path(download_manager.download(download.url))
    except OSError as error:  # FileNotFoundError for a 404, ConnectionError for the rest
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise MissingFileError(f"{download.name} could not be downloaded from {download.url}: {reason}") from error


def check_download(download: Download, path: Path) -> None:
    """Refuse a file that differs from the catalog, or that should be an archive and is not."""
    size = path.stat().st_size
    if download.size is not None and size != download.size:
        raise BadInputError(f"{download.url}: got {size:,} bytes, not {download.size:,}; try again")
    if download.sha256 is not None and (sha256 := SourceFile(path, path.name).sha256()) != download.sha256:
        raise BadInputError(f"{download.url}: wrong checksum {sha256[:12]}…, not {download.sha256[:12]}…; try again")
    if download.name.endswith(".zip") and not zipfile.is_zipfile(path):
        raise BadInputError(f"{download.url}: the download is not a .zip file; get it by hand")
    if download.name.endswith(".gz") and not _is_gzip(path):
        raise BadInputError(f"{download.url}: the download is not a .gz file; get it by hand")


def _is_gzip(path: Path) -> bool:
    try:
        with gzip.open(path) as stream:
            stream.read(1)
    except (OSError, EOFError):
        return False
    return True


def _place(cache_path: Path, target: Path) -> None:
    # A copy under another name, then a rename: a killed download never leaves half a file under the official name.
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise BadInputError(f"{target.parent}: cannot be written: {error.strerror}") from error
    os.close(descriptor)
    copy = Path(name)
    try:
        shutil.copyfile(cache_path, copy)
        copy.chmod(0o644)
        copy.replace(target)
    except OSError as error:
        raise BadInputError(f"{target}: cannot be written: {error.strerror}") from error
    finally:
        copy.unlink(missing_ok=True)
