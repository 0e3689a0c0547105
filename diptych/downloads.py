"""Downloads: only when they are asked for, checked, and continued where they were cut off."""

import fcntl
import os
import time
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from diptych import __version__
from diptych.errors import BadInputError, MissingFileError
from diptych.files import file_digest, format_bytes

ATTEMPTS = 5
"""How often in a row a server may fail without sending anything."""
_TIMEOUT = 60.0
_BLOCK = 1 << 20
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})  # answers of a server that may come to itself
_LONGEST_PAUSE = 30.0

Advance = Callable[[int], None]


class NotServedError(MissingFileError):
    """A file that its address does not have."""


def download_file(
    url: str,
    target: Path,
    *,
    size: int | None = None,
    sha256: str | None = None,
    limit: int | None = None,
    advance: Advance = lambda size: None,
) -> Path:
    """Fetch a file, whole or not at all; what was cut off goes on where it was, also in a later run.

    `advance` is told the bytes as they come. A file of another size or checksum, or of more bytes than `limit`, is
    refused and leaves nothing behind.
    """
    partial = target.with_name(f".{target.name}.part")
    target.parent.mkdir(parents=True, exist_ok=True)
    failures = 0
    advance(_size(partial))
    while True:
        before = _size(partial)
        try:
            if _receive(url, partial, limit, advance):
                break
            reason = "the connection was closed"
        except HTTPError as error:
            if error.code not in _PASSING:
                fault = f"the server answered {error.code} {error.reason}"
                raise NotServedError(f"{target.name} could not be downloaded from {url}: {fault}") from None
            time.sleep(min(_LONGEST_PAUSE, _number(error.headers.get("Retry-After")) or 0))
            reason = f"the server answered {error.code}"
        except (OSError, HTTPException) as error:
            reason = _reason(error)
        failures = 0 if _size(partial) > before else failures + 1
        if failures >= ATTEMPTS:
            kept = (
                f"; {format_bytes(_size(partial))} are kept: run the command again to resume" if _size(partial) else ""
            )
            raise MissingFileError(f"{target.name} could not be downloaded from {url}: {reason}{kept}")
        time.sleep(min(_LONGEST_PAUSE, 0.1 * 4**failures) if failures else 0)
    _check(url, partial, size, sha256)
    partial.replace(target)
    _forget(partial)
    return target


def _receive(url: str, partial: Path, limit: int | None, advance: Advance) -> bool:
    """Take what the server sends behind what is there; whether the file is complete."""
    start, tag = _size(partial), _tag_file(partial)
    headers = {"User-Agent": f"diptych/{__version__}", "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
        if tag.is_file():  # if the file is another one by now, the server sends it from its beginning
            headers["If-Range"] = tag.read_text(encoding="latin-1")
    try:
        response = urlopen(Request(url, headers=headers), timeout=_TIMEOUT)
    except HTTPError as error:
        if error.code != 416:
            raise
        is_complete = error.headers.get("Content-Range", "") == f"bytes */{start}"
        if not is_complete:
            _forget(partial)
        return is_complete
    with response:
        is_rest = response.status == 206 and response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
        if response.status == 206 and not is_rest:
            _forget(partial)
            return False
        _remember_tag(tag, response)
        expected = _number(response.headers.get("Content-Length"))
        received = 0
        with partial.open("ab") as file:
            _lock(file, url)
            file.truncate(start if is_rest else 0)
            while block := response.read(_BLOCK):
                received += file.write(block)
                advance(len(block))
                if limit is not None and file.tell() > limit:
                    _forget(partial)
                    raise BadInputError(
                        f"{url}: larger than {format_bytes(limit)}, more than a file of this kind can have"
                    )
            file.flush()
            os.fsync(file.fileno())
    return expected is None or received == expected


def _lock(file: Any, url: str) -> None:
    """Keep a second run away, which would write into the same file."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadInputError(f"{url}: another process is downloading it; wait until it is done") from None


def _check(url: str, path: Path, size: int | None, sha256: str | None) -> None:
    fault = ""
    if size is not None and _size(path) != size:
        fault = f"got {_size(path):,} bytes, not {size:,}"
    elif sha256 is not None and (digest := file_digest(path)) != sha256:
        fault = f"wrong checksum {digest[:12]}…, not {sha256[:12]}…"
    if fault:
        _forget(path)
        raise BadInputError(f"{url}: {fault}; try again")


def _tag_file(partial: Path) -> Path:
    return partial.with_name(f"{partial.name}.tag")


def _remember_tag(path: Path, response: Any) -> None:
    """Keep what tells whether the file at the address is still the same; a weak tag does not."""
    tag = response.headers.get("ETag", "")
    tag = response.headers.get("Last-Modified", "") if not tag or tag.startswith("W/") else tag
    if tag:
        path.write_text(tag, encoding="latin-1")
    else:
        path.unlink(missing_ok=True)


def _forget(partial: Path) -> None:
    for path in (partial, _tag_file(partial)):
        path.unlink(missing_ok=True)


def _size(path: Path) -> int:
    with suppress(FileNotFoundError):
        return path.stat().st_size
    return 0


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() else None


def _reason(error: BaseException) -> str:
    cause = error.reason if isinstance(error, URLError) else error
    text = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
    return str(text).splitlines()[0]
