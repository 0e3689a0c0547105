"""Find and open official files under `--data`: plain, `.gz`, or inside an official `.zip`.

A folder a source; a file is looked for under its official name, then with `.gz` behind it, then as a member of the
`.zip` files of the folder. Where several are there, the first of these is taken.
"""

import gzip
import hashlib
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path
from typing import IO, cast

from diptych.errors import BadInputError, DiptychError, MissingFileError
from diptych.sources.catalogue import Download, download_of

AGAIN = "download it again"
_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """An official file that is there: its path on disk, its member in a `.zip`, its official name."""

    path: Path
    name: str
    member: str = ""

    @property
    def where(self) -> str:
        """How error messages call the file.

        >>> SourceFile(Path("vqa/q.zip"), "q.json", "q.json").where
        'vqa/q.zip:q.json'
        """
        return f"{self.path}:{self.member}" if self.member else str(self.path)

    @property
    def format(self) -> str:
        """How the file is kept: `plain`, `gz` or `zip`."""
        if self.member:
            return "zip"
        return "gz" if self.path.name == f"{self.name}.gz" else "plain"

    @property
    def size(self) -> int:
        """Bytes on disk, of the archive where the file lies in one."""
        return self.path.stat().st_size

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The decompressed content as a stream; damage met while reading it is a `BadInputError`."""
        position = 0
        with ExitStack() as stack:
            try:
                stream = stack.enter_context(self._open())
                try:
                    yield stream
                finally:
                    position = 0 if stream.closed else stream.tell()
            except DiptychError:
                raise
            except _DAMAGE as error:
                raise BadInputError(f"{self.where}: {_damage(error)} (after {position:,} bytes); {AGAIN}") from error
            except OSError as error:
                raise BadInputError(f"{self.where}: cannot be read: {error.strerror or error}") from error

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        if self.member:
            with zipfile.ZipFile(self.path) as archive, archive.open(self.member) as stream:
                yield stream
        elif self.format == "gz":
            with gzip.open(self.path) as stream:
                yield cast(IO[bytes], stream)
        else:
            with self.path.open("rb") as stream:
                yield stream

    def read_bytes(self) -> bytes:
        """The whole decompressed content."""
        with self.open() as stream:
            return stream.read()

    def sha256(self) -> str:
        """The checksum of the decompressed content, so that plain, `.gz` and `.zip` of one file agree."""
        state = self.path.stat()
        return _sha256_as_of(self, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=64)
def _sha256_as_of(file: SourceFile, changed: int, size: int) -> str:
    """Kept while the file stays as it is: every config of a build asks for it."""
    digest = hashlib.sha256()
    with file.open() as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _damage(error: BaseException) -> str:
    if isinstance(error, EOFError):
        return "the file is cut short"
    return f"the file is damaged or cut short: {error}"


def find_file(data_dir: Path, folder: str, name: str) -> SourceFile | None:
    """The official file `name` of a source's folder, or None; a damaged archive that may hold it is an error."""
    root = Path(data_dir) / folder
    for path in (root / name, root / f"{name}.gz"):
        if path.is_file():
            return SourceFile(path, name)
    damaged: BadInputError | None = None
    for path in _archives(root, download_of(folder, name)):
        try:
            members = _members_named(path, name)
        except BadInputError as error:
            damaged = damaged or error
            continue
        if members:
            return SourceFile(path, name, members[0])
    if damaged:
        raise damaged
    return None


def require_file(data_dir: Path, folder: str, name: str) -> SourceFile:
    """The official file `name`; where it is missing, the error says where it is had."""
    found = find_file(data_dir, folder, name)
    if found is None:
        download = download_of(folder, name)
        hint = f"; get it from {download.url}" if download else ""
        raise MissingFileError(f"{Path(data_dir) / folder / name} is missing, also as .gz and in any .zip{hint}")
    return found


def find_matching(data_dir: Path, folder: str, pattern: str) -> tuple[SourceFile, ...]:
    """Every file of a source's folder whose official name fits a shell pattern, in the order of their names."""
    root = Path(data_dir) / folder
    names: set[str] = set()
    for path in sorted(root.iterdir()) if root.is_dir() else ():
        if path.suffix == ".zip":
            names.update(member.rsplit("/", 1)[-1] for member in _members(path))
        elif path.is_file():
            names.add(path.name.removesuffix(".gz"))
    found = (find_file(data_dir, folder, name) for name in sorted(names) if fnmatch(name, pattern))
    return tuple(file for file in found if file is not None)


def _archives(root: Path, official: Download | None) -> list[Path]:
    first = official.name if official else ""
    return sorted(root.glob("*.zip"), key=lambda path: (path.name != first, path.name))


def _members_named(path: Path, name: str) -> list[str]:
    # Some archives keep their files in a folder of their own; the shortest path is the official one.
    named = [member for member in _members(path) if member == name or member.endswith(f"/{name}")]
    return sorted(named, key=len)


def _members(path: Path) -> tuple[str, ...]:
    stat = path.stat()
    return _members_as_of(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=64)
def _members_as_of(path: Path, changed: int, size: int) -> tuple[str, ...]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError) as error:
        raise BadInputError(f"{path}: not a whole .zip file ({error}); {AGAIN}") from error
    return tuple(name for name in names if not name.endswith("/") and not name.startswith("__MACOSX/"))
