"""The Hub as the commands see it: where a dataset is, how to get it, what to try again and how to say what failed."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from huggingface_hub import constants, snapshot_download
from huggingface_hub.errors import (
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.utils._validators import validate_repo_id

from diptych.errors import BadInputError, DiptychError, MissingFileError

T = TypeVar("T")

ATTEMPTS = 5
_FIRST_WAIT = 1.0
_LONGEST_WAIT = 120.0
_TRY_AGAIN = frozenset({408, 429, 500, 502, 503, 504})

# The client library has changed its HTTP library more than once; what that raises derives from the base named here.
_HTTP_ERROR: type[Exception] = next(base for base in HfHubHTTPError.__bases__ if base.__name__ == "HTTPError")
HUB_ERRORS: tuple[type[Exception], ...] = (
    _HTTP_ERROR,
    ConnectionError,
    TimeoutError,
    LocalEntryNotFoundError,
    RuntimeError,
)
"""What the clients raise when the Hub refuses or cannot be reached."""

_PREFIX = "hf://datasets/"
_REPO = re.compile(r"(?a:[\w-][\w.-]*/[\w-][\w.-]*)")
_REVISION = re.compile(r"(?a:[\w][\w./-]{0,199})")


class HubError(DiptychError, ConnectionError):
    """The Hub refused, or could not be reached."""


class GarbledAnswerError(ConnectionError):
    """An answer of the Hub, or of something in between, that says something else than was asked."""


@dataclass(frozen=True, slots=True)
class HubDataset:
    """A dataset on the Hub at a revision; no revision is the head of its main branch."""

    repo: str
    revision: str | None = None

    def __str__(self) -> str:
        return f"{self.repo}@{self.revision or 'main'}"


def hub_dataset(where: str) -> HubDataset:
    """Read `hf://datasets/org/name@revision`, or the same without `hf://datasets/`.

    >>> hub_dataset("hf://datasets/org/rad-cads@v1.0.0")
    HubDataset(repo='org/rad-cads', revision='v1.0.0')
    """
    repo, _, revision = where.removeprefix(_PREFIX).partition("@")
    if not _REPO.fullmatch(repo):
        raise MissingFileError(f"{where}: neither a built folder nor a Hub dataset (org/name@revision)")
    if revision and (not _REVISION.fullmatch(revision) or ".." in revision):
        raise BadInputError(f"{where}: {revision!r} cannot be a branch, a tag or a commit")
    try:
        validate_repo_id(repo)
    except HFValidationError as error:
        raise BadInputError(f"{where}: {_first_line(error)}") from None
    return HubDataset(repo, revision or None)


def fetch(where: str, patterns: Sequence[str]) -> Path:
    """The folder of a built dataset: itself, or what was downloaded of a Hub dataset at its revision."""
    folder = Path(where)
    return folder if folder.is_dir() else download(hub_dataset(where), patterns)


def download(dataset: HubDataset, patterns: Sequence[str], cache: Path | None = None) -> Path:
    """Download the files of a Hub dataset that fit the patterns, and say where they lie."""

    def get() -> str:
        found: str = snapshot_download(
            dataset.repo,
            repo_type="dataset",
            revision=dataset.revision,
            allow_patterns=list(patterns),
            cache_dir=cache,
        )
        return found

    return Path(persistently(get, f"{dataset}: downloading"))


def understood(call: Callable[[], T]) -> T:
    """Do what a Hub call does; an answer that the client stumbles over is a failure of the Hub."""
    try:
        return call()
    except HUB_ERRORS:
        raise
    except DiptychError:
        raise
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        if type(error) is ValueError:
            raise  # the client's own word for what it refuses to send
        raise GarbledAnswerError(f"{type(error).__name__}: {_first_line(error)}") from error


def persistently(call: Callable[[], T], what: str) -> T:
    """Do what a Hub call does, again after a while where it may then succeed; a refusal is one clear line."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return understood(call)
        except ValueError as error:
            raise HubError(f"{what}: {_first_line(error)}") from None
        except HUB_ERRORS as error:
            if attempt == ATTEMPTS or not may_pass(error):
                raise HubError(explain(error, what)) from None
            wait(attempt, error)
    raise AssertionError("unreachable")


def may_pass(error: Exception) -> bool:
    """Whether a failure may be over in a moment: too many requests, an error of the server, a lost connection."""
    cause = _cause(error)
    if isinstance(cause, OfflineModeIsEnabled | RuntimeError):
        return False
    status = _status(cause)
    return status in _TRY_AGAIN if status else True


def wait(attempt: int, error: Exception) -> None:
    """Wait before the next attempt: as long as the Hub asks, or twice as long each time."""
    cause = _cause(error)
    asked = cause.response.headers.get("Retry-After", "") if isinstance(cause, HfHubHTTPError) else ""
    seconds = float(asked) if asked.isdecimal() else _FIRST_WAIT * 2 ** (attempt - 1)
    time.sleep(min(seconds, _LONGEST_WAIT))


def explain(error: Exception, what: str) -> str:
    """One line about a failed call: what was done, why it failed, what to do."""
    cause = _cause(error)
    status = _status(cause)
    if isinstance(cause, OfflineModeIsEnabled):
        why = "HF_HUB_OFFLINE is set; unset it to reach the Hub"
    elif isinstance(cause, RevisionNotFoundError):
        why = "the Hub has no such revision"
    elif status == 401 and not isinstance(cause, RepositoryNotFoundError):
        why = "the Hub does not know the token; log in with `hf auth login` or set HF_TOKEN"
    elif isinstance(cause, RepositoryNotFoundError):
        why = "the Hub has no such repository, or it is private and the token may not read it"
    elif status == 403:
        why = "the token may not write there; use one with write access"
    elif status in _TRY_AGAIN:
        why = f"the Hub answered {status}, {ATTEMPTS} times over; try again later"
    elif status:
        why = f"the Hub answered {status}: {_said(cause)}"
    elif isinstance(cause, GarbledAnswerError):
        why = f"the Hub's answer cannot be read ({_first_line(cause)}); try again later"
    elif isinstance(cause, RuntimeError):
        why = _first_line(cause)
    else:
        why = f"{constants.ENDPOINT} cannot be reached ({_first_line(cause) or type(cause).__name__}); try again later"
    return f"{what}: {why}"


def status_of(error: Exception) -> int | None:
    """The HTTP status of a refusal; None where no answer came."""
    return _status(_cause(error))


def _cause(error: BaseException) -> BaseException:
    # A download that fails says "not found locally", an upload "error while uploading"; why it failed is behind it.
    while isinstance(error, LocalEntryNotFoundError | RuntimeError) and error.__cause__ is not None:
        error = error.__cause__
    return error


def _status(error: BaseException) -> int | None:
    response: Any = getattr(error, "response", None) if isinstance(error, HfHubHTTPError) else None
    return None if response is None else int(response.status_code)


def _said(error: BaseException) -> str:
    return str(getattr(error, "server_message", "") or _first_line(error)).replace("\n", " ")


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), "")
