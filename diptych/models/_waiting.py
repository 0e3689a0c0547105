"""What to do about a request that failed: stop, give up on the query, or wait and try again."""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from huggingface_hub import errors

from diptych.errors import printable

LONGEST_WAIT = 60.0  # seconds between two tries, unless the server asks for more
_LONGEST_REQUESTED_WAIT = 600.0
_FINAL = frozenset({401, 403, 404})  # the key, the right to use the model, or the model itself
_TRY_AGAIN = frozenset({408, 409, 425, 429})
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request failed: the status of an answer, or none where no sound answer came."""

    reason: str
    status: int | None = None
    wait: float | None = None
    """Seconds to wait, as the server asks for it."""
    is_offline: bool = False

    @classmethod
    def of(cls, error: Exception, redact: Callable[[str], str]) -> "Failure":
        """What an exception of the client means; its text, which quotes the server, without any key."""
        response: Any = getattr(error, "response", None) if isinstance(error, errors.HfHubHTTPError) else None
        reason = "no answer in time" if isinstance(error, TimeoutError) else _words(error)
        is_offline = isinstance(error, errors.OfflineModeIsEnabled)
        if response is None:
            return cls(redact(reason), is_offline=is_offline)
        server_message = _server_message(response)
        status = int(response.status_code)
        return cls(
            redact(f"{status}: {server_message}" if server_message else str(status)),
            status,
            requested_wait(response.headers.get("retry-after", "")),
        )

    def __str__(self) -> str:
        return self.reason

    @property
    def is_final(self) -> bool:
        """Whether every other query would fail in the same way."""
        return self.is_offline or self.status in _FINAL

    @property
    def may_pass(self) -> bool:
        """Whether the same query may have a reply later: too many requests, an error of the server, a lost answer."""
        return self.status is None or self.status >= 500 or self.status in _TRY_AGAIN


def _words(error: Exception) -> str:
    return printable(" ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":"), _LONGEST_REASON)


def _server_message(response: Any) -> str:
    try:
        return printable(" ".join(response.text.split()), _LONGEST_REASON)
    except Exception:  # a body that was not read, or is no text
        return ""


def requested_wait(value: str) -> float | None:
    """The seconds that a Retry-After header asks for: a number, or a date.

    >>> requested_wait("7"), requested_wait("soon")
    (7.0, None)
    """
    try:
        return min(max(float(value), 0.0), _LONGEST_REQUESTED_WAIT)
    except ValueError:
        pass
    try:
        seconds = parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(seconds, 0.0), _LONGEST_REQUESTED_WAIT)


class Waits:
    """Waits between tries: twice as long each time, with jitter, and for every query where the server asks for it."""

    def __init__(self, first_wait: float) -> None:
        self._first_wait = first_wait
        self._open_at = 0.0  # until then the server wants no request

    async def after(self, failure: Failure, attempt: int) -> None:
        """Wait after a failed try."""
        if failure.wait is not None:
            self._open_at = max(self._open_at, time.monotonic() + failure.wait)
            await asyncio.sleep(failure.wait)
        longest = min(self._first_wait * 2 ** (attempt - 1), LONGEST_WAIT)
        await asyncio.sleep(random.uniform(0, longest))  # so that those that failed together do not come back together

    async def pause(self) -> None:
        """Wait as long as the server wants no request."""
        while (seconds := self._open_at - time.monotonic()) > 0:
            await asyncio.sleep(seconds)
