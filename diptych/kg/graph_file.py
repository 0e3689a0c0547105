"""A file of named arrays that opens at once: a JSON header, then the arrays, memory-mapped."""

import glob
import mmap
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import orjson
from numpy.typing import NDArray

from diptych.errors import BadInputError, MissingFileError

_MAGIC = b"DIPTYCHG"
_ALIGN = 64


def write_arrays(path: Path, about: Mapping[str, Any], parts: Mapping[str, tuple[str, IO[bytes]]]) -> None:
    """Join files of raw numbers into one; `parts` maps a name to its dtype and its file. Whole or not at all."""
    layout: dict[str, dict[str, Any]] = {}
    at = 0
    for name, (dtype, part) in parts.items():
        size = part.seek(0, os.SEEK_END)
        layout[name] = {"dtype": dtype, "at": at, "bytes": size}
        at += -(-size // _ALIGN) * _ALIGN
    header = orjson.dumps({"about": dict(about), "arrays": layout}, option=orjson.OPT_SORT_KEYS)
    start = -(-(len(_MAGIC) + 8 + len(header)) // _ALIGN) * _ALIGN
    _remove_stale(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as out:
            out.write((_MAGIC + len(header).to_bytes(8, "little") + header).ljust(start, b"\0"))
            for name, (_, part) in parts.items():
                out.seek(start + layout[name]["at"])
                part.seek(0)
                shutil.copyfileobj(part, out, 1 << 20)
            out.truncate(start + at)
            out.flush()
            os.fsync(out.fileno())
        partial.replace(path)
    except OSError as error:
        raise BadInputError(f"{path}: cannot be written: {error.strerror}; name another place") from None
    finally:
        partial.unlink(missing_ok=True)


def _remove_stale(path: Path) -> None:
    """Remove what a killed process may have left of the same file."""
    for partial in path.parent.glob(f".{glob.escape(path.name)}.*.partial"):
        try:
            os.kill(int(partial.name.split(".")[-2]), 0)
        except (ProcessLookupError, ValueError):
            partial.unlink(missing_ok=True)
        except OSError:
            pass  # somebody else's process is at work on it


def read_about(path: Path) -> dict[str, Any]:
    """What the header says of a file's making."""
    about: dict[str, Any] = _header(path)[0]["about"]
    return about


def _header(path: Path) -> tuple[dict[str, Any], int]:
    try:
        with path.open("rb") as file:
            magic, size = file.read(len(_MAGIC)), int.from_bytes(file.read(8), "little")
            if magic != _MAGIC:
                raise BadInputError(f"{path}: not a graph file of ours; delete it and make it again")
            header: dict[str, Any] = orjson.loads(file.read(size))
    except FileNotFoundError:
        raise MissingFileError(f"{path}: no such graph file") from None
    except orjson.JSONDecodeError:
        raise BadInputError(f"{path}: the graph file is damaged; delete it and make it again") from None
    return header, -(-(len(_MAGIC) + 8 + size) // _ALIGN) * _ALIGN


class ArrayFile:
    """The arrays of such a file by name; nothing is read until it is looked at."""

    def __init__(self, path: Path) -> None:
        header, start = _header(path)
        self.path, self.about = path, header["about"]
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._layout = header["arrays"]
        end = max((start + each["at"] + each["bytes"] for each in self._layout.values()), default=0)
        if len(self._map) < end:
            raise BadInputError(f"{path}: the graph file is cut short; delete it and make it again")
        self._start = start

    def array(self, name: str) -> NDArray[Any]:
        """One array, read-only."""
        entry = self._layout[name]
        dtype = np.dtype(entry["dtype"])
        return np.frombuffer(self._map, dtype, entry["bytes"] // dtype.itemsize, self._start + entry["at"])

    def text(self, name: str) -> memoryview:
        """The bytes of one array."""
        entry = self._layout[name]
        start = self._start + entry["at"]
        return memoryview(self._map)[start : start + entry["bytes"]]
