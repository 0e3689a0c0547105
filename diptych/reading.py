"""Reading files that somebody else wrote: bounds, and one line for every failure."""

import csv
import lzma
import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from diptych.errors import BadInputError, DiptychError, MissingFileError

LARGEST_EXPANSION = 200  # how many times its own size a compressed file may unpack to; the official files stay under 30
SMALL_CONTENT = 5_000_000  # bytes that a file may unpack to in any case

# SyntaxError, SystemError and TokenError are how NumPy fails to read an array; ArithmeticError is for a number that no
# type holds, LookupError for an absent member or column, RuntimeError for too deep a nesting, an encrypted member or a
# compression that Python lacks, ValueError for broken JSON, TOML, NumPy or Arrow data and text that is not UTF-8.
_DAMAGE = (csv.Error, lzma.LZMAError, struct.error, tokenize.TokenError, zipfile.BadZipFile, zlib.error, EOFError)
_FAULTS = (ArithmeticError, LookupError, MemoryError, OSError, RuntimeError, SyntaxError, TypeError, ValueError)
READ_FAILURES = (*_DAMAGE, *_FAULTS, SystemError)
"""What reading a file that somebody else wrote may raise; Arrow's errors derive from these builtins."""


@contextmanager
def reading(place: object, remedy: str = "") -> Iterator[None]:
    """Turn every known failure of reading a file into one line that names it and says what to do."""
    try:
        yield
    except DiptychError:
        raise
    except FileNotFoundError:
        raise MissingFileError(f"{place}: not found") from None
    except READ_FAILURES as error:
        raise BadInputError(f"{place}: cannot be read: {_reason(error)}{f'; {remedy}' if remedy else ''}") from None


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 at byte {error.start:,}"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, MemoryError):
        return "too large for the memory"
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def read_bounded(path: Path, limit: int) -> bytes:
    """The content of a file, whatever size it claims to have: a device claims none."""
    with path.open("rb") as file:
        is_large = os.fstat(file.fileno()).st_size > limit
        content = b"" if is_large else file.read(limit + 1)
    if is_large or len(content) > limit:
        raise BadInputError(f"{path}: larger than {format_bytes(limit)}; it cannot be such a file")
    return content


def format_bytes(size: float) -> str:
    """A number of bytes for people.

    >>> format_bytes(512), format_bytes(1_234_567), format_bytes(3e9)
    ('512 B', '1.2 MB', '3.0 GB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
