"""An OpenAI-compatible endpoint on 127.0.0.1 with faults, which counts what it is asked.

Its answer is a function of the request alone, so that any two runs have the same replies. Each fault strikes a query a
few times and then lets it through, or for ever.
"""

import hashlib
import json
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-loopback-0123456789"

Plan = Callable[[str, int], str]
"""The fault for a query, by its digest and the number of the try, or an empty text."""


def fault_every(*faults: str, share: float = 0.2) -> Plan:
    """Faults that strike a share of the queries, each once or twice."""

    def choose(digest: str, attempt: int) -> str:
        number = int(digest[:8], 16)
        strikes = number % 1000 < share * 1000 and attempt <= 1 + number % 2
        return faults[(number >> 10) % len(faults)] if strikes else ""

    return choose


def always(fault: str) -> Plan:
    return lambda digest, attempt: fault


def never(digest: str, attempt: int) -> str:
    return ""


@dataclass
class LoopbackEndpoint:
    """The endpoint, and what it saw: `requests` counts the tries of each query, `answered` those that it replied to."""

    plan: Plan = never
    delay: float = 0.0
    key: str | None = KEY
    reply: Callable[[dict[str, Any]], str] = field(default_factory=lambda: default_reply)
    retry_after: str = "0"
    requests: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    times: list[tuple[float, str]] = field(default_factory=list)
    most_at_once: int = 0
    keeps_bodies: bool = True

    def __enter__(self) -> "LoopbackEndpoint":
        self.lock, self.at_once = threading.Lock(), 0
        endpoint = self

        class Handler(_Handler):
            pass

        Handler.endpoint = endpoint
        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def texts(self) -> list[str]:
        """The prompts in the order in which they came."""
        return [prompt_of(body) for body in self.bodies]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that is killed is no news."""


class _Handler(BaseHTTPRequestHandler):
    endpoint: LoopbackEndpoint
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""

    def do_POST(self) -> None:
        endpoint = self.endpoint
        content = self.rfile.read(int(self.headers["Content-Length"]))
        if endpoint.key is not None and self.headers["Authorization"] != f"Bearer {endpoint.key}":
            self._send(401, {"error": {"message": f"Incorrect API key: {self.headers['Authorization']}"}})
            return
        if not self.path.endswith("/v1/chat/completions"):
            self._send(404, {"error": {"message": f"no {self.path}"}})
            return
        digest = hashlib.sha256(content).hexdigest()
        body = json.loads(content)
        with endpoint.lock:
            endpoint.requests[digest] += 1
            attempt = endpoint.requests[digest]
            endpoint.at_once += 1
            endpoint.most_at_once = max(endpoint.most_at_once, endpoint.at_once)
            endpoint.times.append((time.monotonic(), digest))
            if endpoint.keeps_bodies:
                endpoint.bodies.append(body)
        try:
            self._answer(digest, attempt, body)
        finally:
            with endpoint.lock:
                endpoint.at_once -= 1

    def _answer(self, digest: str, attempt: int, body: dict[str, Any]) -> None:
        endpoint = self.endpoint
        fault = endpoint.plan(digest, attempt)
        time.sleep(endpoint.delay)
        match fault:
            case "429":
                self._send(429, {"error": "slow down"}, {"Retry-After": endpoint.retry_after})
            case "echo":
                self._send(400, {"error": f"bad header {self.headers['Authorization']}"})
            case "400" | "401" | "403" | "404" | "500" | "503":
                self._send(int(fault), {"error": {"message": f"made to fail with {fault}"}})
            case "garbage":
                self._send(200, b"\x00<html>not json")
            case "empty":
                self._send(200, b"")
            case "list":
                self._send(200, [])
            case "no-choices":
                self._send(200, {"choices": []})
            case "drop":
                self._drop()
            case "half":
                self._half(self._completion(body))
            case "hang":
                time.sleep(3)
                self._drop()
            case _:
                self._complete(digest, body, fault)

    def _complete(self, digest: str, body: dict[str, Any], fault: str) -> None:
        if fault == "slow":
            time.sleep(0.05)
        if body.get("stream"):
            self._stream(self._completion(body), breaks=fault == "break")
        else:
            self._send(200, self._completion(body))
        with self.endpoint.lock:
            self.endpoint.answered[digest] += 1

    def _completion(self, body: dict[str, Any]) -> dict[str, Any]:
        text = self.endpoint.reply(body)
        choice: dict[str, Any] = {
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": "stop",
        }
        if body.get("logprobs"):
            choice["logprobs"] = {"content": [{"token": text, "logprob": -0.25}, {"token": ".", "logprob": -0.5}]}
        usage = {"prompt_tokens": len(prompt_of(body)), "completion_tokens": 2, "total_tokens": 0}
        return {"id": "x", "object": "chat.completion", "model": "loopback-7b", "choices": [choice], "usage": usage}

    def _send(self, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def _half(self, content: Any) -> None:
        data = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2])
        self._drop()

    def _drop(self) -> None:
        self.wfile.flush()
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _stream(self, completion: dict[str, Any], breaks: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        choice = completion.pop("choices")[0]
        text = choice["message"]["content"]
        head = {name: completion[name] for name in ("id", "model")}
        pieces: Sequence[dict[str, Any]] = [{"delta": {"content": letter}, "finish_reason": None} for letter in text]
        pieces = [*pieces, {"delta": {}, "finish_reason": "stop"}]
        for piece in pieces[:1] if breaks else pieces:
            self._event({**head, "choices": [{"index": 0, **piece}]})
        if not breaks:
            self._event({**head, "choices": [], "usage": completion["usage"]})
            self.wfile.write(b"data: [DONE]\n\n")
        self.wfile.flush()
        self.close_connection = True

    def _event(self, content: dict[str, Any]) -> None:
        self.wfile.write(b"data: " + json.dumps(content).encode() + b"\n\n")
        self.wfile.flush()


def prompt_of(body: dict[str, Any]) -> str:
    """The text of a request."""
    content = body["messages"][0]["content"]
    return content if isinstance(content, str) else content[-1]["text"]


def picture_of(body: dict[str, Any]) -> str | None:
    """The picture of a request, as a data URI."""
    content = body["messages"][0]["content"]
    return None if isinstance(content, str) else content[0]["image_url"]["url"]


def default_reply(body: dict[str, Any]) -> str:
    """Yes or no by a hash of picture and prompt."""
    content = f"{picture_of(body)}{prompt_of(body)}"
    return "yes" if hashlib.sha256(content.encode()).digest()[0] % 2 else "No."


def main() -> None:
    """Serve until the standard input ends: `python -m tests.models.endpoint DELAY`; prints the address."""
    with LoopbackEndpoint(delay=float(sys.argv[1]), keeps_bodies=False) as endpoint:
        sys.stdout.write(f"{endpoint.url}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
