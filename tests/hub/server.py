"""The loopback Hub as a server: two ports, one for the Hub and one for its storage, as in the real thing.

Clients treat the two differently (a redirect carries the metadata, tokens stay with the Hub): one port would not do.
"""

import socket
import sys
import threading
import time
import traceback
from contextlib import suppress
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Literal, Self

from . import collections, contents, discussions, repositories
from .faults import Exchange, Fault, Faults
from .messages import HubError, Request, Response, json_response
from .routing import RequestContext, find_route
from .store import Account, Kind, Repo, Store

__all__ = ["LoopbackHub", "collections", "contents", "discussions", "repositories"]  # all but the first register routes

TOKEN = "hf_loopback"


class _Handler(BaseHTTPRequestHandler):
    """Reads a request, lets the Hub answer it and sends the answer, faults included."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: "_Port"

    def handle_request(self) -> None:
        path, _, query = self.path.partition("?")
        request = Request(self.command, path, query, self.headers, self._body())
        exchange, fault = self.server.hub.receive(request, storage=self.server.storage)
        response = self._answer(request, exchange, fault)
        if response is None:
            self._hang_up()
        else:
            exchange.status = response.status
            self._send(response, fault.keep if fault else None)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = handle_request  # noqa: N815 the library chooses these names

    def _answer(self, request: Request, exchange: Exchange, fault: Fault | None) -> Response | None:
        if fault is None:
            return self.server.hub.answer(request, exchange)
        time.sleep(fault.delay)
        response = self.server.hub.answer(request, exchange) if fault.processed else None
        if fault.drop:
            return None
        if fault.body is not None:
            return Response(200, fault.body, {}, "application/json")
        if fault.status is not None:
            headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
            return json_response({"error": f"injected {fault.name}"}, fault.status, headers)
        return response

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            size = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(size)
            if len(body) < size:
                raise ConnectionAbortedError("the client went away in the middle of its request")
            return body
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _send(self, response: Response, keep: float | None) -> None:
        self.send_response(response.status)
        self.send_header("Content-Type", response.content_type)
        self.send_header("Content-Length", str(len(response.body)))
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body if keep is None else response.body[: int(len(response.body) * keep)])
        if keep is not None:
            self._hang_up()

    def _hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):  # the client may have gone first
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: `LoopbackHub.requests` is the log."""


class _Port(ThreadingHTTPServer):
    """One of the Hub's two ports."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, hub: "LoopbackHub", *, storage: bool):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.hub, self.storage = hub, storage
        self.url = f"http://127.0.0.1:{self.server_port}"
        # A short poll, so that closing a hub does not wait.
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up in the middle is no news; anything else is."""
        if not isinstance(sys.exception(), ConnectionError):
            self.hub.crashes.append(traceback.format_exc())


class LoopbackHub:
    """A Hugging Face Hub on 127.0.0.1, for real clients over HTTP.

    >>> with LoopbackHub() as hub:
    ...     sorted(hub.env())[:3]
    ['HF_DATASETS_DISABLE_PROGRESS_BARS', 'HF_ENDPOINT', 'HF_HOME']
    """

    def __init__(self, *, page_size: int = 1000, home: Path | None = None):
        self.page_size = page_size
        self.token = TOKEN
        self.requests: list[Exchange] = []
        self.crashes: list[str] = []
        """Tracebacks of the Hub's own errors: a test that leaves any has found a bug in the Hub."""
        self.unknown: list[str] = []
        """Addresses that no route answers: a client has learned to ask for something new."""
        self.faults = Faults()
        self.store = Store()
        self.add_token(self.token, "tester", orgs=("org",))
        self._scratch = TemporaryDirectory(prefix="hub-home-", ignore_cleanup_errors=True)
        self.home = home or Path(self._scratch.name)
        self._ports = (_Port(self, storage=False), _Port(self, storage=True))
        self.url, self.storage_url = (port.url for port in self._ports)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop serving and remove the clients' home."""
        for port in self._ports:
            port.shutdown()
            port.server_close()
        self._scratch.cleanup()

    def reset(self) -> None:
        """Forget repositories, objects, requests and faults, but keep the address and the tokens."""
        with self.store.lock:
            self.store.repos.clear()
            self.store.collections.clear()
            self.store.objects.clear()
            self.requests.clear()
            self.faults.clear()

    def add_token(
        self, token: str, user: str, *, orgs: tuple[str, ...] = (), role: Literal["read", "write"] = "write"
    ) -> None:
        """Let a token speak for a user, who also owns what some organisations own."""
        self.store.accounts[token] = Account(user, orgs, role)

    def repo(self, kind: Kind, repo_id: str) -> Repo:
        """A repository to look into: `.files(rev)`, `.tags`, `.branches`, `.history()`, `.private`."""
        return self.store.repos[kind, repo_id]

    def env(self, *, token: str | None = TOKEN, home: Path | None = None, offline: bool = False) -> dict[str, str]:
        """The variables with which a client process talks to this Hub and to nothing else."""
        variables = {
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(home or self.home),
            "HF_TOKEN": token or "",
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        }
        return {**variables, "HF_HUB_OFFLINE": "1"} if offline else variables

    def receive(self, request: Request, *, storage: bool) -> tuple[Exchange, Fault | None]:
        """Log a request that has come and say whether it is to fail."""
        headers = request.headers
        exchange = Exchange(
            request.method, request.path, request.query, "Authorization" in headers, storage, headers.get("Range", "")
        )
        fault = self.faults.strike(exchange)
        exchange.fault = fault.name if fault else ""
        self.requests.append(exchange)
        return exchange, fault

    def answer(self, request: Request, exchange: Exchange) -> Response:
        """Do what a request asks and say how it went."""
        try:
            route = find_route(request)
            if route is None:
                self.unknown.append(str(exchange))
                raise HubError(404, f"Sorry, we can't find the page {request.path}")
            answer, request = route
            exchange.route = answer.__name__
            with self.store.lock:
                account = self._account(request.headers)
                return answer(RequestContext(request, self.store, account, self.url, self.storage_url, self.page_size))
        except HubError as refusal:
            return refusal.response()
        except Exception:  # a bug of the Hub itself: the client sees 500, the fixture sees the traceback
            self.crashes.append(traceback.format_exc())
            return json_response({"error": "the loopback Hub has crashed"}, 500)

    def _account(self, headers: Message) -> Account | None:
        token = headers.get("Authorization", "").removeprefix("Bearer ")
        if token and token not in self.store.accounts:
            raise HubError(401, "Invalid credentials in Authorization header")
        return self.store.accounts.get(token)
