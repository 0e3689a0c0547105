"""The Hub as the commands see it: where a dataset is, how to get it, what to try again and how to say what failed."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from huggingface_hub import constants, errors, snapshot_download
from huggingface_hub.utils._validators import validate_repo_id

from diptych.errors import BadInputError, DiptychError, MissingFileError

T = TypeVar("T")

_ATTEMPTS = 5
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 120.0  # seconds
_TRY_AGAIN = frozenset({408, 429, 500, 502, 503, 504})

# The client library has changed its HTTP library more than once; what that raises derives from the base named here.
_HTTP_ERROR: type[Exception] = next(base for base in errors.HfHubHTTPError.__bases__ if base.__name__ == "HTTPError")
# What the clients raise when the Hub refuses or cannot be reached, and where they stumble over its answer.
_HUB_ERRORS = (_HTTP_ERROR, ConnectionError, TimeoutError, errors.LocalEntryNotFoundError, RuntimeError)
_STUMBLES = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)

_NO_REPOSITORY = (
    "the Hub has no such repository, or it is private and the token may not read it; "
    "look at the name, or log in with `hf auth login` as somebody who may"
)
# Why a call failed, by its error or its HTTP status; the first that fits.
_REASONS: tuple[tuple[type[Exception] | int, str], ...] = (
    (errors.OfflineModeIsEnabled, "HF_HUB_OFFLINE is set; unset it to reach the Hub"),
    (errors.RevisionNotFoundError, "the Hub has no such revision"),
    (errors.RepositoryNotFoundError, _NO_REPOSITORY),
    (401, "the Hub rejected the token; log in with `hf auth login` or set HF_TOKEN"),
    (403, "the token may not write there; use one with write access"),
)

_REPO = re.compile(r"(?a:[\w-][\w.-]*/[\w-][\w.-]*)")
_REVISION = re.compile(r"(?a:[\w][\w./-]{0,199})")


class HubError(DiptychError, ConnectionError):
    """The Hub refused, or could not be reached."""


class _GarbledAnswerError(ConnectionError):
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
    repo, _, revision = where.removeprefix("hf://datasets/").partition("@")
    if not _REPO.fullmatch(repo):
        raise MissingFileError(f"{where}: neither a built folder nor a Hub dataset (org/name@revision)")
    if revision and (not _REVISION.fullmatch(revision) or ".." in revision):
        raise BadInputError(f"{where}: {revision!r} is not the name of a branch, a tag or a commit")
    try:
        validate_repo_id(repo)
    except errors.HFValidationError as error:
        raise BadInputError(f"{where}: {_first_line(error)}") from None
    return HubDataset(repo, revision or None)


def download(dataset: HubDataset, patterns: Sequence[str], cache: Path | None = None, kind: str = "dataset") -> Path:
    """Download the files of a dataset, or of another kind of repository, that fit the patterns; say where they lie."""
    get: Callable[..., Any] = partial(snapshot_download, dataset.repo, repo_type=kind, revision=dataset.revision)
    call = partial(get, allow_patterns=list(patterns), cache_dir=cache)
    page = f"{constants.ENDPOINT}/{kind}s/{dataset.repo}"
    return Path(persistently(call, f"{dataset}: downloading", page=page))


def persistently(
    call: Callable[[], T],
    what: str,
    recover: Callable[[], T | None] = lambda: None,
    conflict: int = 0,
    page: str = "its page on the Hub",
) -> T:
    """Do what a Hub call does, again after a while where it may then succeed; a refusal is one clear line.

    Where an answer is lost, the work may have been done: `recover` finds its result, or None. A call that is then made
    again may be answered with the status `conflict`. The terms of a gated repository are on its `page`.
    """
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return call()
        except _HUB_ERRORS as error:
            cause = _cause(error)
        except _STUMBLES as error:
            if type(error) is ValueError:  # the client's own word for what it refuses to send
                raise BadInputError(f"{what}: {' '.join(str(error).split())}") from None
            cause = _GarbledAnswerError(f"{type(error).__name__}: {_first_line(error)}")
        if not _may_pass(cause) and _status(cause) != conflict:
            break
        if attempt < _ATTEMPTS:
            _wait(attempt, cause)
        result = recover()
        if result is not None:
            return result
    raise HubError(f"{what}: {_reason(cause, page)}")


def _cause(error: BaseException) -> BaseException:
    # A download that fails says "not found locally", an upload "error while uploading"; why it failed is behind it.
    while isinstance(error, errors.LocalEntryNotFoundError | RuntimeError) and error.__cause__ is not None:
        error = error.__cause__
    return error


def _may_pass(cause: BaseException) -> bool:
    """Whether a failure may be over in a moment: too many requests, an error of the server, a lost connection."""
    is_final = isinstance(cause, errors.OfflineModeIsEnabled | RuntimeError)
    return not is_final and (_status(cause) is None or _status(cause) in _TRY_AGAIN)


def _wait(attempt: int, cause: BaseException) -> None:
    """Wait before the next attempt: as long as the Hub asks, or twice as long each time."""
    asked = cause.response.headers.get("Retry-After", "") if isinstance(cause, errors.HfHubHTTPError) else ""
    seconds = float(asked) if asked.isdecimal() else _FIRST_WAIT * 2 ** (attempt - 1)
    time.sleep(min(seconds, _LONGEST_WAIT))


def _reason(cause: BaseException, page: str) -> str:
    """Why a call failed, and what to do."""
    status = _status(cause)
    if isinstance(cause, errors.GatedRepoError):
        return f"the repository is gated; accept its terms at {page} and log in with `hf auth login`"
    for kind, reason in _REASONS:
        if isinstance(cause, kind) if isinstance(kind, type) else status == kind:
            return reason
    if status in _TRY_AGAIN:
        return f"the Hub answered {status}, {_ATTEMPTS} times in a row; try again later"
    if status:
        message = str(getattr(cause, "server_message", "") or _first_line(cause))
        return f"the Hub answered {status}: {' '.join(message.splitlines())}"
    if isinstance(cause, _GarbledAnswerError):
        return f"the Hub's answer cannot be read ({_first_line(cause)}); try again later"
    if isinstance(cause, RuntimeError):
        return _first_line(cause)
    return f"{constants.ENDPOINT} cannot be reached ({_first_line(cause) or type(cause).__name__}); try again later"


def _status(error: BaseException) -> int | None:
    """The HTTP status of a refusal; None where no answer came."""
    response: Any = getattr(error, "response", None) if isinstance(error, errors.HfHubHTTPError) else None
    return None if response is None else int(response.status_code)


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), "")
