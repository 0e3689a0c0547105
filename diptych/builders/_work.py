"""The work folder: sealed files on any fsspec location, and the shards that stages keep in it.

A file is its content followed by the SHA-256 of the content. The seal makes a file finished, not its name: where a
location cannot rename atomically, a torn file is noticed when it is read, removed and made again.
"""

import hashlib
import mmap
import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fsspec
import orjson
import pyarrow as pa
from fsspec.implementations.local import LocalFileSystem

from diptych.builders._ledger import Ledger
from diptych.errors import BadInputError
from diptych.files import remove_leftovers

_SEAL_SIZE = hashlib.sha256().digest_size
_IPC = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)


class DamagedFileError(Exception):
    """A file of the work folder that is not what was written; it is removed and made again."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


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

    def _path(self, name: str) -> str:
        return f"{fsspec.core.url_to_fs(self.url)[1].rstrip('/')}/{name}"

    def names(self, folder: str) -> set[str]:
        """The names of the files in a folder."""
        filesystem = self._filesystem
        filesystem.invalidate_cache()
        try:
            paths = filesystem.ls(self._path(folder), detail=False)
        except FileNotFoundError:
            return set()
        return {path.rstrip("/").rsplit("/", 1)[-1] for path in paths}

    def read(self, name: str) -> memoryview:
        """The verified content of a file."""
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
            return memoryview(self._filesystem.cat_file(self._path(name)))
        with open(self._path(name), "rb") as file:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))  # workers share its pages

    def write(self, name: str, content: Any) -> str:
        """Write a file whole or not at all, and return its seal."""
        seal = hashlib.sha256(content)
        if isinstance(self._filesystem, LocalFileSystem):
            _write_local(Path(self._path(name)), content, seal.digest())
        else:  # an object store shows an object when its upload is complete; renaming would copy it
            self._filesystem.pipe_file(self._path(name), b"".join((content, seal.digest())))
        return seal.hexdigest()

    def remove(self, name: str) -> None:
        """Remove a file that may be gone already."""
        with suppress(FileNotFoundError):
            self._filesystem.rm_file(self._path(name))


def _write_local(path: Path, content: Any, seal: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path, socket.gethostname())
    temporary = path.with_name(f".{path.name}.{socket.gethostname()}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.write(seal)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
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
