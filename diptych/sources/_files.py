"""Find, open and fetch official files under `--data`: plain, `.gz`, or inside an official `.zip`.

Each source has a folder. A file is looked up under its official name, then with `.gz` appended, then as a member of the
folder's `.zip` files; the first match is used.
"""

import gzip
import hashlib
import lzma
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import IO, cast

from diptych.downloads import download_file
from diptych.errors import BadInputError, DiptychError, MissingFileError, UnknownNameError
from diptych.files import (
    LARGEST_EXPANSION,
    SMALL_CONTENT,
    Stamp,
    cached_by_stamp,
    file_digest,
    file_stamp,
    format_bytes,
)
from diptych.progress import progress
from diptych.sources._catalog import Download, Source, find_download

DOWNLOAD_AGAIN = "download it again"
LARGEST_CONTENT = 2_000_000_000  # bytes of a file that is read whole
_BLOCK = 1 << 20
_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile, lzma.LZMAError)
_UNSUPPORTED = (RuntimeError, NotImplementedError)  # how zipfile refuses encrypted members and other compressions


@dataclass(frozen=True, slots=True)
class SourceFile:
    """An official file that exists: its path on disk, its official name, its member if it is in a `.zip`."""

    path: Path
    name: str
    member: str = ""

    @property
    def where(self) -> str:
        """The file as error messages name it: `vqa/q.zip:q.json`."""
        return f"{self.path}:{self.member}" if self.member else str(self.path)

    @property
    def format(self) -> str:
        """`plain`, `gz` or `zip`."""
        return "zip" if self.member else "gz" if self.path.name == f"{self.name}.gz" else "plain"

    @property
    def size(self) -> int:
        """Bytes on disk: those of the archive if the file is in one."""
        return self.path.stat().st_size

    @contextmanager
    def open(self) -> Iterator["HashedContent"]:
        """Open the decompressed content as a stream; damage found while reading it is a `BadInputError`."""
        stream: IO[bytes] | None = None
        with ExitStack() as stack:
            try:
                stamp = file_stamp(self.path)
                stream = self._open(stack)
                yield HashedContent(stream, self, stamp)
            except DiptychError:
                raise
            except _DAMAGE as error:
                position = 0 if stream is None or stream.closed else stream.tell()
                damage = "cut short" if isinstance(error, EOFError) else f"damaged or cut short: {error}"
                detail = f"the file is {damage} (after {position:,} bytes)"
                raise BadInputError(f"{self.where}: {detail}; {DOWNLOAD_AGAIN}") from error
            except _UNSUPPORTED as error:
                raise BadInputError(f"{self.where}: cannot be unpacked: {error}; {DOWNLOAD_AGAIN}") from error
            except OSError as error:
                raise BadInputError(f"{self.where}: cannot be read: {error.strerror or error}") from error

    def _open(self, stack: ExitStack) -> IO[bytes]:
        if self.member:
            archive = stack.enter_context(zipfile.ZipFile(self.path))
            # No more is unpacked than the directory of the archive promises.
            self._refuse_bomb(archive.getinfo(self.member).file_size, self.size)
            return stack.enter_context(archive.open(self.member))
        return cast(IO[bytes], stack.enter_context(_GzipFile(self) if self.format == "gz" else self.path.open("rb")))

    def _refuse_bomb(self, unpacked: int, packed: int) -> None:
        if unpacked > max(SMALL_CONTENT, LARGEST_EXPANSION * packed):
            sizes = f"{format_bytes(packed)} unpack to {format_bytes(unpacked)} or more"
            raise BadInputError(f"{self.where}: not an official file: {sizes}; {DOWNLOAD_AGAIN}")

    def read_bytes(self, limit: int = LARGEST_CONTENT) -> bytes:
        """Read the whole decompressed content."""
        with self.open() as stream:
            content = stream.read(limit + 1)
        if len(content) > limit:
            raise BadInputError(
                f"{self.where}: larger than {format_bytes(limit)}, more than a file of this kind can have"
            )
        return content

    def sha256(self) -> str:
        """Return the checksum of the decompressed content, which does not depend on how the file is compressed."""
        checksum = _CHECKSUMS.get((self, file_stamp(self.path)))
        if checksum is not None:
            return checksum
        with self.open() as stream:
            while stream.read(_BLOCK):
                pass
        return stream.hexdigest()

    def packed_digest(self) -> str:
        """Return the digest of the file on disk: it tells the same content, and need not unpack it."""
        return _packed_digest(self.path)


_CHECKSUMS: dict[tuple[SourceFile, Stamp], str] = {}  # a build asks for a checksum once per config
_packed_digest = cached_by_stamp(file_digest)


class HashedContent:
    """The content of a file, hashed as it is read: after its last block its checksum is known."""

    def __init__(self, stream: IO[bytes], file: SourceFile, stamp: Stamp) -> None:
        self._stream, self._key, self._sha256 = stream, (file, stamp), hashlib.sha256()

    def read(self, size: int) -> bytes:
        """Read so many bytes; fewer at the end."""
        block = self._stream.read(size)
        self._sha256.update(block)
        if len(block) < size:
            _CHECKSUMS[self._key] = self.hexdigest()
        return block

    def hexdigest(self) -> str:
        """SHA-256 of what was read so far."""
        return self._sha256.hexdigest()


class _GzipFile(gzip.GzipFile):
    """A `.gz` file whose content is measured as it is unpacked: nothing in it tells its size reliably."""

    def __init__(self, file: SourceFile) -> None:
        super().__init__(file.path, "rb")
        self._file, self._packed = file, file.size

    def read(self, size: int | None = -1) -> bytes:
        blocks: list[bytes] = []
        left = LARGEST_CONTENT + 1 if size is None or size < 0 else size
        while left and (block := super().read(min(left, _BLOCK))):
            blocks.append(block)
            left -= len(block)
            self._file._refuse_bomb(self.tell(), self._packed)
        return b"".join(blocks)


@cached_by_stamp  # every look-up lists the archives of its folder
def list_members(path: Path) -> tuple[str, ...]:
    """The names of the files in an archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (*_DAMAGE, *_UNSUPPORTED, OSError, ValueError) as error:
        raise BadInputError(f"{path}: a damaged or incomplete .zip file ({error}); {DOWNLOAD_AGAIN}") from error
    return tuple(name for name in names if not name.endswith("/") and not name.startswith("__MACOSX/"))


def find_file(data_dir: Path, folder: str, name: str) -> SourceFile | None:
    """Return the official file `name` of a source's folder, or None; a damaged archive that may have it is an error."""
    root, official = Path(data_dir) / folder, find_download(folder, name)
    for path in (root / name, root / f"{name}.gz"):
        if path.is_file():
            return SourceFile(path, name)
    damage: BadInputError | None = None
    archives = filter(Path.is_file, root.glob("*.zip"))
    for path in sorted(archives, key=lambda path: (not official or path.name != official.name, path.name)):
        try:
            # Some archives keep their files in a folder of their own; the shortest path is the official one.
            members = [member for member in list_members(path) if f"/{member}".endswith(f"/{name}")]
        except BadInputError as error:
            damage = damage or error
            continue
        if members:
            return SourceFile(path, name, min(members, key=len))
    if damage:
        raise damage
    return None


def require_file(data_dir: Path, folder: str, name: str) -> SourceFile:
    """Return the official file `name`; if it is missing, the error gives its address."""
    file = find_file(data_dir, folder, name)
    if file is None:
        download = find_download(folder, name)
        address = f"; get it from {download.url}" if download else ""
        raise MissingFileError(f"{Path(data_dir) / folder / name} is missing, also as .gz and in any .zip{address}")
    return file


def find_matching(data_dir: Path, folder: str, pattern: str) -> tuple[SourceFile, ...]:
    """Return the files of a source's folder whose official names match a shell pattern, in the order of the names."""
    root = Path(data_dir) / folder
    names: set[str] = set()
    for path in sorted(root.iterdir()) if root.is_dir() else ():
        if path.suffix == ".zip" and path.is_file():
            names.update(member.rsplit("/", 1)[-1] for member in list_members(path))
        elif path.is_file():
            names.add(path.name.removesuffix(".gz"))
    files = (find_file(data_dir, folder, name) for name in sorted(names) if fnmatch(name, pattern))
    return tuple(file for file in files if file is not None)


def fetch(source: Source, files: Iterable[str], data_dir: Path) -> tuple[Path, ...]:
    """Download files of a source (all of them if none is named) into `data_dir`, as their publisher serves them.

    A name is that of a download or of an official file inside one. Existing files are left as they are. A file whose
    size or checksum differs from the catalog is refused and leaves nothing behind; one that was cut off is continued.
    """
    folder = Path(data_dir) / source.folder
    return tuple(_fetch(download, folder) for download in _select_downloads(source, files))


def _select_downloads(source: Source, files: Iterable[str]) -> tuple[Download, ...]:
    by_name = {download.name: download for download in source.downloads}
    by_name |= {name: download for download, name in source.official_files()}
    names = tuple(files) or tuple(by_name)
    for name in names:
        if name not in by_name:
            raise UnknownNameError.among(f"file of {source.key}", name, by_name)
    return tuple(dict.fromkeys(by_name[name] for name in names))


def _fetch(download: Download, folder: Path) -> Path:
    target = folder / download.name
    if target.exists():
        return target
    if not download.direct:
        raise MissingFileError(
            f"{download.name} cannot be downloaded directly: get it from {download.url} into {folder}"
        )
    try:
        with progress(f"{download.name} (bytes)", download.size) as advance:
            download_file(download.url, target, size=download.size, sha256=download.sha256, advance=advance)
    except OSError as error:
        if isinstance(error, DiptychError):
            raise
        raise BadInputError(f"{target}: cannot be written: {error.strerror or error}") from None
    for suffix, is_of_format in ((".zip", zipfile.is_zipfile), (".gz", _is_gzip)):
        if download.name.endswith(suffix) and not is_of_format(target):
            target.unlink()
            raise BadInputError(f"{download.url}: the download is not a {suffix} file; download it manually")
    return target


def _is_gzip(path: Path) -> bool:
    with suppress(OSError, EOFError), gzip.open(path) as stream:
        stream.read(1)
        return True
    return False
