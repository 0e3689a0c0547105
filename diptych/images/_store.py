"""A folder of pictures: plain files, the official folders below it, and the official archives, read in place.

The name of a picture comes from a dataset and is data: it never leads out of the folder that was named. A link inside
the folder may lead elsewhere only if the user put it there.
"""

import os
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock

from diptych.errors import BadInputError, MissingFileError
from diptych.images._names import (
    VG_FOLDERS,
    has_own_name,
    image_urls,
    is_part_of_coco,
    may_hold_numbers,
    official_folders,
    split_name,
)
from diptych.reading import LARGEST_EXPANSION, READ_FAILURES, SMALL_CONTENT, format_bytes, read_bounded, reading

LARGEST_FILE = 100_000_000  # bytes of an image file that is read
_DEEPEST, _MOST_FOLDERS = 4, 4096  # folders below the root that are looked into
_DOWNLOAD_AGAIN = "download it again"


class MissingImageError(BadInputError):
    """A picture that does not exist."""


@dataclass(frozen=True, slots=True)
class ImagePlace:
    """The location of a picture: its file, or the archive and its member."""

    path: Path
    member: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.member}" if self.member else str(self.path)


@dataclass(frozen=True)
class ImageStore:
    """The pictures below a folder. It can be sent to another process, and read by several threads."""

    root: Path
    _archives: dict[tuple[int, Path], zipfile.ZipFile] = field(default_factory=dict, repr=False, compare=False)
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    def __reduce__(self) -> tuple[type["ImageStore"], tuple[Path]]:
        return type(self), (self.root,)

    def find(self, file_name: str) -> ImagePlace | None:
        """The location of a picture by its official name; None if it does not exist."""
        parts = split_name(file_name)
        if not parts:
            return None
        *folders, name = parts
        place = self._find(tuple(folders), name)
        if place is None and folders and (has_own_name(name) or folders[0] in VG_FOLDERS):
            place = self._find((), name)  # the same picture, in another folder
        if place is None and self._damage:
            raise BadInputError(self._damage[0])
        return place

    def read(self, file_name: str) -> bytes:
        """The content of a picture, whole and of a bounded size."""
        place = self.find(file_name)
        if place is None:
            raise MissingImageError(f"{file_name}: no such picture below {self.root}; {_remedy(file_name)}")
        with reading(place, _DOWNLOAD_AGAIN):
            return self._read_member(place) if place.member else read_bounded(place.path, LARGEST_FILE)

    def present_name(self, names: Sequence[str]) -> str:
        """The first of several names of a picture that exists; the first name if none does."""
        return next((name for name in names if self.find(name) is not None), names[0])

    def missing(self, names: Iterable[str]) -> list[str]:
        """The distinct names whose pictures are missing."""
        return [name for name in dict.fromkeys(names) if self.find(name) is None]

    def _find(self, folders: tuple[str, ...], name: str) -> ImagePlace | None:
        """A picture by its name and by those folders archive_folders it that its source names."""
        is_unique = bool(folders) or has_own_name(name)
        for folder in self._search_order(official_folders(name), is_unique):
            path = folder.joinpath(*folders, name)
            if path.is_file():
                return ImagePlace(path)
        for archive, members in self._members.items():
            archive_folders = archive.relative_to(self.root).with_suffix("").parts
            for member in members.get(name, ()):
                inner = tuple(part for part in member.split("/")[:-1] if part not in ("", "."))
                fits = inner[len(inner) - len(folders) :] == folders
                if fits and (is_unique or self._may_hold_numbers((*archive_folders, *inner))):
                    return ImagePlace(archive, member)
        return None

    def _search_order(self, preferred: tuple[str, ...], is_unique: bool) -> tuple[Path, ...]:
        """The folders that may hold a picture, the official ones first."""
        key = preferred, is_unique
        if key not in self._orders:
            folders = [folder for folder in self._folders if is_unique or self._may_hold_numbers(folder)]
            folders.sort(key=lambda folder: not folder or folder[-1] not in preferred)
            self._orders[key] = tuple(self.root.joinpath(*folder) for folder in folders)
        return self._orders[key]

    def _may_hold_numbers(self, folders: tuple[str, ...]) -> bool:
        is_safe = not is_part_of_coco(self.root.absolute().name) or not set(VG_FOLDERS).isdisjoint(folders)
        return is_safe and may_hold_numbers(folders)

    @cached_property
    def _orders(self) -> dict[tuple[tuple[str, ...], bool], tuple[Path, ...]]:
        return {}

    @cached_property
    def _folders(self) -> tuple[tuple[str, ...], ...]:
        """The root and the folders below it, by their parts; hidden ones are left out."""
        folders: list[tuple[str, ...]] = [()]
        for folder in folders:  # grows on the way
            if len(folder) < _DEEPEST and len(folders) < _MOST_FOLDERS:
                folders += [(*folder, name) for name in sorted(_subfolders(self.root.joinpath(*folder)))]
        return tuple(folders)

    @cached_property
    def _members(self) -> dict[Path, dict[str, list[str]]]:
        """The pictures in every archive, by the names of their files."""
        archives: dict[Path, dict[str, list[str]]] = {}
        for folder in self._folders:
            for path in sorted(self.root.joinpath(*folder).glob("*.zip")):
                try:
                    names = self._open(path).namelist() if path.is_file() else []
                except READ_FAILURES as error:
                    self._damage.append(f"{path}: a damaged or incomplete .zip file ({error}); {_DOWNLOAD_AGAIN}")
                    continue
                members = archives.setdefault(path, {})
                for name in names:
                    members.setdefault(name.rpartition("/")[2], []).append(name)
        return archives

    @cached_property
    def _damage(self) -> list[str]:
        return []

    def _open(self, path: Path) -> zipfile.ZipFile:
        """An archive, which is opened once in a process: a handle that a fork inherits would be read by two."""
        key = os.getpid(), path
        with self._lock:
            if key not in self._archives:
                self._archives[key] = zipfile.ZipFile(path)
            return self._archives[key]

    def _read_member(self, place: ImagePlace) -> bytes:
        """A member of an archive: no more of it is unpacked than the directory of the archive promises."""
        archive = self._open(place.path)
        member = archive.getinfo(place.member)
        if member.file_size > min(LARGEST_FILE, max(SMALL_CONTENT, LARGEST_EXPANSION * member.compress_size)):
            raise BadInputError(f"{place}: unpacks to {format_bytes(member.file_size)}; this is not a picture")
        return archive.read(member)


def open_images(root: str | Path) -> ImageStore:
    """The pictures below a folder: as plain files, in the official folders, and in the official archives."""
    path = Path(root)
    if not path.is_dir():
        raise MissingFileError(f"{path}: no such folder of images")
    return ImageStore(path)


def _subfolders(folder: Path) -> Iterator[str]:
    with reading(folder), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):  # a link to itself
                if not entry.name.startswith(".") and entry.is_dir():
                    yield entry.name


def _remedy(file_name: str) -> str:
    """What to do about a picture that is not there."""
    folders = official_folders(file_name.rpartition("/")[2])
    place = " or ".join(f"{folder}/" for folder in folders)
    advice = (
        f"put it, or the official .zip, into this folder or its folder {place}"
        if place
        else "put it or its .zip into this folder"
    )
    urls = image_urls(file_name)
    return f"{advice}; `diptych images … --download` fetches it from {urls[0]}" if urls else advice
