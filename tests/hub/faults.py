"""What was asked of the Hub, and what goes wrong on purpose.

>>> faults = Faults()
>>> faults.on("POST", "/commit/", server_error(), times=2)
>>> faults.at(3, dropped())
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which a request fails; `processed` says whether it takes effect all the same."""

    name: str
    processed: bool = False
    status: int | None = None
    retry_after: int | None = None
    drop: bool = False
    keep: float | None = None
    delay: float = 0.0
    body: bytes | None = None


def garbage(body: bytes) -> Fault:
    """200 with a body that says something else, and nothing done."""
    return Fault(f"garbage {body[:20]!r}", body=body)


def server_error(status: int = 500, *, processed: bool = False) -> Fault:
    """An error page; `processed=True` is a gateway that gave up after the work was done."""
    return Fault(f"{status}", processed, status=status)


def rate_limited(retry_after: int = 0) -> Fault:
    """429 with `Retry-After`."""
    return Fault("429", status=429, retry_after=retry_after)


def dropped(*, processed: bool = False) -> Fault:
    """The connection closes without an answer, before or after the request took effect."""
    return Fault("dropped after" if processed else "dropped before", processed, drop=True)


def truncated(keep: float = 0.5) -> Fault:
    """The headers promise the whole body and a part of it comes; an empty body comes whole, and the line closes."""
    return Fault("truncated", processed=True, keep=keep)


def slow(seconds: float) -> Fault:
    """The answer takes its time."""
    return Fault("slow", processed=True, delay=seconds)


@dataclass(slots=True)
class Exchange:
    """One request in the log; never the token itself, only whether one came along."""

    method: str
    path: str
    query: str
    authorized: bool
    storage: bool
    """Whether it went to the storage host rather than to the Hub."""
    range: str = ""
    route: str = ""
    """The name of the function that answered; empty where the Hub knows no such address."""
    status: int = 0
    fault: str = ""

    def __str__(self) -> str:
        return f"{self.method} {self.path}{'?' + self.query if self.query else ''} {self.status} {self.fault}".strip()


@dataclass(slots=True)
class _Rule:
    matches: Callable[[Exchange], bool]
    fault: Fault
    skip: int
    times: int

    def strikes(self, exchange: Exchange) -> bool:
        if self.times == 0 or not self.matches(exchange):
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True


@dataclass(slots=True)
class Faults:
    """The faults still to come; each rule lets `skip` matching requests pass and then strikes `times` times."""

    _rules: list[_Rule] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def when(self, matches: Callable[[Exchange], bool], fault: Fault, *, skip: int = 0, times: int = 1) -> None:
        """Strike requests that a predicate chooses."""
        with self._lock:
            self._rules.append(_Rule(matches, fault, skip, times))

    def at(self, number: int, fault: Fault) -> None:
        """Strike the n-th request from now on; 1 is the very next."""
        self.when(lambda _: True, fault, skip=number - 1)

    def on(self, method: str, part: str, fault: Fault, *, skip: int = 0, times: int = 1) -> None:
        """Strike requests by method and a part of the path."""
        self.when(lambda exchange: exchange.method == method and part in exchange.path, fault, skip=skip, times=times)

    def clear(self) -> None:
        """Let everything pass again."""
        with self._lock:
            self._rules.clear()

    def pending(self) -> int:
        """How many strikes have not happened yet."""
        with self._lock:
            return sum(rule.times for rule in self._rules)

    def strike(self, exchange: Exchange) -> Fault | None:
        """The fault for a request that has just come, if any; every rule sees every request."""
        with self._lock:
            struck = [rule.fault for rule in self._rules if rule.strikes(exchange)]
        return struck[0] if struck else None
