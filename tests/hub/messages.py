"""What goes over the wire: a request as the routes see it, a response before it is sent, and the Hub's errors."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import Any
from urllib.parse import parse_qs


class HubError(Exception):
    """A refusal, with the status and the `X-Error-Code` that the clients look at."""

    def __init__(self, status: int, message: str, code: str | None = None, headers: Mapping[str, str] | None = None):
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.headers = dict(headers or {})

    def response(self) -> "Response":
        """The refusal as the Hub words it: a JSON body, and the same again in headers for HEAD requests."""
        # A header is one line of ASCII, whatever the path in the message was.
        line = " ".join(self.message.split()).encode("ascii", "backslashreplace").decode()
        headers = {**self.headers, "X-Error-Message": line}
        if self.code:
            headers["X-Error-Code"] = self.code
        return json_response({"error": self.message}, self.status, headers)


@dataclass(frozen=True, slots=True)
class Request:
    """One request, already read: `params` are the parts of its path that the route names."""

    method: str
    path: str
    query: str
    headers: Message
    body: bytes
    params: Mapping[str, str] = field(default_factory=dict)

    def option(self, name: str, default: str = "") -> str:
        """The last value of a query parameter."""
        return parse_qs(self.query).get(name, [default])[-1]

    def flag(self, name: str) -> bool:
        """Whether a query parameter says yes."""
        return self.option(name).lower() in {"1", "true"}

    def json(self) -> Any:
        """The body as JSON; what cannot be read is the client's fault."""
        try:
            return json.loads(self.body or b"{}")
        except ValueError as error:
            raise HubError(400, f"the body is not JSON: {error}") from error

    def form(self) -> dict[str, list[str]]:
        """The body as a form, or as JSON where the client says so: `paths-info` takes both."""
        if "json" in self.headers.get("Content-Type", ""):
            return {key: value if isinstance(value, list) else [str(value)] for key, value in self.json().items()}
        return parse_qs(self.body.decode())


@dataclass(frozen=True, slots=True)
class Response:
    """One response, not yet sent; for HEAD the length of the body is announced and the body kept back."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json; charset=utf-8"


def json_response(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A value as a JSON response."""
    return Response(status, json.dumps(value).encode(), headers or {})
