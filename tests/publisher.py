"""A publisher's web server on this machine: it serves files, knows ranges, and fails when a test wants it to."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import unquote


@dataclass
class Publisher:
    """What is served, what was asked for, and how the next answers fail."""

    files: dict[str, bytes] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)  # path and range
    statuses: list[int] = field(default_factory=list)  # of the next answers, before anything is served
    cuts: list[int] = field(default_factory=list)  # bytes after which the next connections are cut
    knows_ranges: bool = True
    tags: bool = True
    url: str = ""


@contextmanager
def publisher(**files: bytes) -> Iterator[Publisher]:
    """A server that runs as long as the block."""
    state = Publisher({f"/{name}": content for name, content in files.items()})

    class Handler(_Handler):
        publisher = state

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        state.url = f"http://127.0.0.1:{http.server_port}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield state
        http.shutdown()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    publisher: ClassVar[Publisher]

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Serve a file, or the part of it that is asked for."""
        state, path = self.publisher, unquote(self.path)
        state.requests.append((path, self.headers.get("Range", "")))
        content = state.files.get(path)
        if state.statuses or content is None:
            self.send_response(state.statuses.pop(0) if state.statuses else 404)
            self.send_header("Retry-After", "0")
            self.end_headers()
            return
        tag = f'"{hash(content)}"'
        start = self._start(tag)
        if start > 0 and start >= len(content):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(content)}")
            self.end_headers()
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        if state.tags:
            self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self.wfile.write(content[start : start + state.cuts.pop(0)] if state.cuts else content[start:])

    def _start(self, tag: str) -> int:
        wanted = self.headers.get("Range", "").removeprefix("bytes=").removesuffix("-")
        is_same = self.headers.get("If-Range", tag) == tag
        return int(wanted) if wanted and is_same and self.publisher.knows_ranges else 0
