"""Files: atomic writes, locks, digests, JSON lines, caches that follow a file; and what `reading` has."""

import fcntl
import glob
import hashlib
import os
import shutil
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache, wraps
from importlib.resources import files
from io import BufferedWriter, FileIO
from pathlib import Path
from typing import Any, TypeVar

import orjson

from diptych.errors import BadInputError
from diptych.reading import LARGEST_EXPANSION as LARGEST_EXPANSION
from diptych.reading import READ_FAILURES as READ_FAILURES
from diptych.reading import SMALL_CONTENT as SMALL_CONTENT
from diptych.reading import format_bytes as format_bytes
from diptych.reading import read_bounded as read_bounded
from diptych.reading import reading as reading

T = TypeVar("T")
Stamp = tuple[str, int, int]  # a path with the time and size that tell whether its file has changed

LARGEST_JSON = 1_000_000_000  # bytes of a JSON file that is read whole; the official files are streamed
LARGEST_TEXT = 100_000_000  # bytes of a file of plain text
LONGEST_LINE = 100_000_000  # bytes of a line of JSON


@contextmanager
def atomic_writer(path: Path) -> Iterator["HashedFile"]:
    """Write a file atomically: it appears under its name, flushed to disk, only if the block succeeds."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise BadInputError(f"{path}: cannot be written: not a regular file; choose another")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(path)
        with HashedFile(temporary) as file:
            yield file
        temporary.replace(path)
    except OSError as error:
        raise BadInputError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Write a folder atomically: it replaces `path` only if the block succeeds."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    new, old = scratch / "new", scratch / "old"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(path)
        new.mkdir(parents=True)
        yield new
        if path.exists():
            path.rename(old)
        new.rename(path)
    except OSError as error:
        raise BadInputError(f"{path}: cannot be written: {error.strerror or error}; choose another folder") from None
    finally:
        if old.exists() and not path.exists():
            old.rename(path)
        shutil.rmtree(scratch, ignore_errors=True)


def remove_leftovers(path: Path, host: str = "") -> None:
    """Remove what killed writers of a file or folder, on this machine, left beside it; that of living ones stays."""
    stem = f"{path.name}.{host}" if host else path.name
    for leftover in path.parent.glob(f".{glob.escape(stem)}.*.tmp"):
        owner = leftover.name.split(".")[-2]
        if owner.isdecimal() and int(owner) != os.getpid() and not _is_alive(int(owner)):
            if leftover.is_dir():
                shutil.rmtree(leftover, ignore_errors=True)
            else:
                leftover.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (OSError, OverflowError) as error:
        return isinstance(error, PermissionError)  # it is somebody else's
    return True


_locks: set[int] = set()


def _close_locks() -> None:
    while _locks:
        os.close(_locks.pop())


# A forked worker must not hold the lock of a parent that was killed.
os.register_at_fork(after_in_child=_close_locks)


@contextmanager
def hold_lock(out: Path, what: str) -> Iterator[None]:
    """Hold the lock of an output, which a `build` or a `run` writes; only its holder removes it.

    Whoever opened a lock file that was then removed holds a lock that nobody sees, and opens it again.
    """
    path = out.parent / f".{out.name}.lock"
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise BadInputError(f"{out}: cannot be written: {error.strerror}; choose another --out") from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            problem = f"another {what} is writing to it"
            raise BadInputError(f"{out}: {problem}; wait for it or choose another --out") from None
        if _is_same_file(handle, path):
            break
        os.close(handle)
    _locks.add(handle)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        _locks.discard(handle)
        os.close(handle)


def _is_same_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    with atomic_writer(path) as file:
        file.write(text.encode())


def json_text(content: Any) -> str:
    """Indented JSON."""
    return orjson.dumps(content, option=orjson.OPT_INDENT_2).decode()


def write_json(path: Path, content: Any) -> None:
    """Write indented JSON atomically."""
    write_text(path, json_text(content))


class HashedFile(BufferedWriter):
    """A binary file that is hashed as it is written and flushed to the disk when it is closed."""

    def __init__(self, path: Path) -> None:
        super().__init__(FileIO(path, "wb"))
        self._sha256 = hashlib.sha256()
        self.size = 0

    def write(self, content: Any, /) -> int:
        """Write bytes and take them into the digest."""
        self._sha256.update(content)
        self.size += memoryview(content).nbytes
        return super().write(content)

    def hexdigest(self) -> str:
        """SHA-256 of what was written so far."""
        return self._sha256.hexdigest()

    def close(self) -> None:
        """Flush to the disk and close."""
        if not self.closed:
            self.flush()
            os.fsync(self.fileno())
        super().close()


def cache_folder() -> Path:
    """The user's own folder for what can be made again; a shared one could hold what somebody else put there."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "diptych"


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def file_digest(path: Path) -> str:
    """SHA-256 of a file, read block by block."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def json_digest(*parts: Any) -> str:
    """A short, stable name for anything that JSON can express, whatever the order of its keys."""
    content = orjson.dumps(parts, default=str, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(content).hexdigest()[:20]


def file_stamp(path: Path) -> Stamp:
    """What tells whether a file has changed since it was read."""
    status = path.stat()
    return str(path), status.st_mtime_ns, status.st_size


def cached_by_stamp(read: Callable[[Path], T]) -> Callable[[Path], T]:
    """Cache what a function finds out about a file, for as long as the file stays the same."""

    @lru_cache(maxsize=65536)
    def read_stamped(stamp: Stamp) -> T:
        return read(Path(stamp[0]))

    @wraps(read)
    def read_once(path: Path) -> T:
        return read_stamped(file_stamp(path))

    return read_once


def read_json(path: Path) -> Any:
    """The content of a JSON file; one that is missing or broken is one clear line."""
    with reading(path):
        return orjson.loads(read_bounded(path, LARGEST_JSON))


def read_text(path: Path) -> str:
    """The content of a file of plain text; one that is missing, too large or not UTF-8 is one clear line."""
    with reading(path):
        return read_bounded(path, LARGEST_TEXT).decode("utf-8-sig")


def read_package_toml(package: str, name: str) -> dict[str, Any]:
    """The content of a TOML file that lies beside the modules of a package of ours."""
    return tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8"))


def read_json_lines(path: Path, parse: Callable[[bytes], Any] = orjson.loads) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON-lines file with their line numbers; blank lines are skipped."""
    with reading(path), path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), start=1):
            if len(line) > LONGEST_LINE:
                raise BadInputError(f"{path}:{number}: a line of more than {format_bytes(LONGEST_LINE)}")
            if line.strip():
                yield number, parse_json_object(line, f"{path}:{number}", parse)


def parse_json_object(line: bytes, place: str, parse: Callable[[bytes], Any] = orjson.loads) -> dict[str, Any]:
    """The object in a line of JSON; the error for any other begins with the place."""
    try:
        row = parse(line)
    except ValueError as error:
        raise BadInputError(f"{place}: broken JSON: {error}") from None
    if not isinstance(row, dict):
        raise BadInputError(f"{place}: not a JSON object")
    return row


def write_json_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object per line, atomically."""
    with atomic_writer(path) as file:
        for row in rows:
            file.write(orjson.dumps(row) + b"\n")
