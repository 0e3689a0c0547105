"""The work folder: sealed files on any fsspec location, and the shards that stages keep in it.

A file is its content followed by the SHA-256 of the content. The seal makes a file finished, not its name: where a
location cannot rename atomically, a torn file is noticed when it is read, removed and made again.
"""

import hashlib
import mmap
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import fsspec
import orjson
import pyarrow as pa
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

from diptych.builders._ledger import Ledger
from diptych.errors import BadInputError, DiptychError
from diptych.files import remove_leftovers

T = TypeVar("T")

_SEAL_SIZE = hashlib.sha256().digest_size
_PAUSES = (0.1, 0.5, 2.0, 8.0)  # seconds before a location that failed is asked again
_MOST_DELIVERED = 4
_IPC = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)


class DamagedFileError(Exception):
    """A file of the work folder that is not what was written; it is removed and made again."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class UnfinishedError(DiptychError):
    """A step of a build some of whose shards are left to other slices."""

    def __init__(self, step: str, missing: int = 0, count: int = 0) -> None:
        number = f"{missing:,} of {count:,} shards are missing" if count else "not made yet"
        super().__init__(f"{step}: {number}")


_delivered: dict[tuple[str, str], memoryview] = {}


@dataclass(frozen=True, slots=True)
class WorkFolder:
    """A folder of sealed files, at a local path or any other fsspec location."""

    url: str

    def __post_init__(self) -> None:
        try:
            fsspec.core.url_to_fs(self.url)
        except Exception as error:  # whatever a file system of another package may raise
            raise BadInputError(f"--work {self.url}: cannot be opened: {error}") from None

    @property
    def _filesystem(self) -> Any:
        return fsspec.core.url_to_fs(self.url)[0]

    @property
    def is_of_one_process(self) -> bool:
        """Whether no other process sees what is written."""
        return isinstance(self._filesystem, MemoryFileSystem)

    def _path(self, name: str) -> str:
        return f"{fsspec.core.url_to_fs(self.url)[1].rstrip('/')}/{name}"

    def names(self, folder: str) -> set[str]:
        """The names of the files in a folder."""
        filesystem = self._filesystem
        filesystem.invalidate_cache()
        try:
            paths = self._persist(lambda: filesystem.ls(self._path(folder), detail=False))
        except FileNotFoundError:
            return set()
        return {path.rstrip("/").rsplit("/", 1)[-1] for path in paths}

    def read(self, name: str) -> memoryview:
        """The verified content of a file."""
        if (self.url, name) in _delivered:
            return _delivered[self.url, name]
        try:
            content = self._content(name)
        except (FileNotFoundError, ValueError):  # an empty file cannot be mapped
            raise DamagedFileError(name) from None
        body, seal = content[:-_SEAL_SIZE], content[-_SEAL_SIZE:]
        if hashlib.sha256(body).digest() != seal:
            raise DamagedFileError(name)
        return body

    def _content(self, name: str) -> memoryview:
        if not isinstance(self._filesystem, LocalFileSystem):
            return self._persist(lambda: memoryview(self._filesystem.cat_file(self._path(name))))
        with open(self._path(name), "rb") as file:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))  # workers share its pages

    def deliver(self, name: str, content: memoryview) -> None:
        """Take the verified content of a file from elsewhere: this process does not read it from the folder."""
        while len(_delivered) >= _MOST_DELIVERED:
            del _delivered[next(iter(_delivered))]
        _delivered[self.url, name] = content

    def write(self, name: str, content: Any) -> str:
        """Write a file whole or not at all, and return its seal."""
        seal = hashlib.sha256(content)
        if isinstance(self._filesystem, LocalFileSystem):
            with _temporary_file(Path(self._path(name)), content, seal.digest()) as temporary:
                temporary.replace(self._path(name))
        else:  # an object store shows an object when its upload is complete; renaming would copy it
            sealed = b"".join((content, seal.digest()))
            self._persist(lambda: self._filesystem.pipe_file(self._path(name), sealed))
        return seal.hexdigest()

    def create(self, name: str, content: Any) -> None:
        """Write a file whole, unless another process has written it before."""
        seal = hashlib.sha256(content).digest()
        with suppress(FileExistsError):
            if isinstance(self._filesystem, LocalFileSystem):
                with _temporary_file(Path(self._path(name)), content, seal) as temporary:
                    os.link(temporary, self._path(name))
            else:
                sealed = b"".join((content, seal))
                self._persist(lambda: self._filesystem.pipe_file(self._path(name), sealed, mode="create"))

    def remove_leftovers(self, name: str) -> None:
        """Remove what a process of this machine that was killed left beside a file."""
        if isinstance(self._filesystem, LocalFileSystem):
            remove_leftovers(Path(self._path(name)), socket.gethostname())

    def remove(self, name: str) -> None:
        """Remove a file that may be gone already."""
        with suppress(FileNotFoundError):
            self._persist(lambda: self._filesystem.rm_file(self._path(name)))

    def _persist(self, call: Callable[[], T]) -> T:
        """Ask a location that may fail for a while again after a pause, a few times; what is missing is missing."""
        pauses = iter(() if isinstance(self._filesystem, LocalFileSystem) else _PAUSES)
        while True:
            try:
                return call()
            except (FileNotFoundError, FileExistsError):
                raise
            except Exception as error:  # whatever a file system of another package may raise
                pause = next(pauses, None)
                if pause is None and isinstance(error, OSError):
                    raise
                if pause is None:
                    raise BadInputError(f"--work {self.url}: {type(error).__name__}: {error}") from None
                time.sleep(pause)


@contextmanager
def _temporary_file(path: Path, content: Any, seal: bytes) -> Iterator[Path]:
    """A file beside the place that it is for, complete and on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path, socket.gethostname())
    temporary = path.with_name(f".{path.name}.{socket.gethostname()}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.write(seal)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Shards:
    """The logical shards of one stage: Arrow streams, each with its ledger."""

    work: WorkFolder
    folder: str  # ends in the fingerprint of everything that decides the rows
    row_type: type | None  # what the rows are between stages; None for published rows, which stay Arrow
    count: int = 0  # how many there are; 0 while it is not known yet

    def finished(self) -> set[int]:
        """The shards that are there."""
        return {int(name.removesuffix(".arrow")) for name in self.work.names(self.folder) if name.endswith(".arrow")}

    def missing(self) -> list[int]:
        """The shards that are still to be made."""
        finished = self.finished()
        return [index for index in range(self.count) if index not in finished]

    def require(self, step: str) -> None:
        """Refuse to go on while some are missing."""
        if missing := len(self.missing()):
            raise UnfinishedError(step, missing, self.count)

    def write(self, index: int, table: pa.Table, ledger: Ledger) -> str:
        """Keep a finished shard, and return its seal."""
        table = table.replace_schema_metadata({"ledger": orjson.dumps(ledger.as_json())})
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema, options=_IPC) as writer:
            writer.write_table(table)
        return self.work.write(self._path(index), sink.getvalue())

    def read(self, index: int, columns: tuple[str, ...] = ()) -> pa.Table:
        """The rows of a shard, or some of their columns."""
        buffer = self._content(index)
        names = pa.ipc.open_stream(buffer).schema.names
        options = pa.ipc.IpcReadOptions(use_threads=False, included_fields=sorted(map(names.index, columns)) or None)
        table = pa.ipc.open_stream(buffer, options=options).read_all().replace_schema_metadata(None)
        return table.select(list(columns)) if columns else table

    def _content(self, index: int) -> pa.Buffer:
        return pa.py_buffer(self.work.read(self._path(index)))

    def _path(self, index: int) -> str:
        return f"{self.folder}/{index:05d}.arrow"

    def tables(self, *columns: str) -> Iterator[pa.Table]:
        """All rows, or some of their columns, with one shard in memory at a time."""
        return (self.read(index, columns) for index in range(self.count))

    def ledger(self) -> Ledger:
        """The counts of all shards."""
        total = Ledger()
        for index in range(self.count):
            metadata = pa.ipc.open_stream(self._content(index)).schema.metadata
            total.add(Ledger.from_json(orjson.loads(metadata[b"ledger"])))
        return total
