"""Models behind an OpenAI-compatible endpoint, asked through the asynchronous client of huggingface_hub.

Requests run in an event loop of a thread of its own, so that they go on while replies are written to the disk, and so
that a notebook, which has a loop already, can ask too.
"""

import asyncio
import threading
import time
from base64 import b64encode
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from typing import Any, TypeVar
from urllib.parse import urlsplit

from huggingface_hub import AsyncInferenceClient

from diptych.errors import BadInputError, DiptychError
from diptych.models._completions import collect_stream, read_completion
from diptych.models._keys import Secrets, find_key
from diptych.models._model import Query, Reply
from diptych.models._pictures import ShownPicture, image_rule, prepare_picture
from diptych.models._waiting import Failure, Waits

T = TypeVar("T")

_MOST_CONNECTIONS = 100  # of the client
_LAST_WORK = 10.0  # seconds for closing connections
_FAILURES_IN_A_ROW = 20  # or two rounds of requests: nothing suggests that the next query would have a reply
_KEPT_PICTURES = 2  # per request that runs at once: queries about a picture follow each other


class EndpointError(DiptychError, ConnectionError):
    """An endpoint that answers no query at all: it refuses the key, has no such model, or cannot be reached."""


class OutageError(EndpointError):
    """An endpoint that has failed many queries in a row; those that it answered are kept."""


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """Where a model is and how it is asked."""

    base_url: str | None = None
    """The address of the endpoint, with or without `/v1`; None for the providers that the Hub routes to."""
    revision: str | None = None
    concurrency: int = 8
    timeout: float = 120.0
    """Seconds that a try may take."""
    tries: int = 8
    first_wait: float = 0.5
    """Seconds before the second try, at most; twice as many before each further one."""
    image_size: int = 1024
    """The longest side of a picture that is sent, in pixels."""
    max_tokens: int = 1024
    temperature: float = 0.0
    seed: int | None = None
    logprobs: bool = False
    stream: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further parameters of the request; one that is None takes the parameter of that name out."""

    def __post_init__(self) -> None:
        if self.base_url is not None:
            _check_address(self.base_url)
        for name, lowest in (("tries", 1), ("image_size", 16), ("concurrency", 1), ("max_tokens", 1)):
            if getattr(self, name) < lowest:
                raise BadInputError(f"--{name.replace('_', '-')} {getattr(self, name)}: at least {lowest}")
        if self.concurrency > _MOST_CONNECTIONS:
            raise BadInputError(f"--concurrency {self.concurrency}: at most {_MOST_CONNECTIONS}")
        if not self.timeout > 0:
            raise BadInputError(f"--timeout {self.timeout}: must be more than 0 seconds")

    def decoding(self) -> dict[str, Any]:
        """The parameters of a request besides model and messages."""
        values: dict[str, Any] = {"max_tokens": self.max_tokens, "temperature": self.temperature, "seed": self.seed}
        values |= {"logprobs": True} if self.logprobs else {}
        return {name: value for name, value in {**values, **self.extra}.items() if value is not None}


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_plain = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_plain = False
    if not is_plain:
        raise BadInputError("--base-url: must be an address such as http://localhost:8000/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadInputError("--base-url: may hold no password and no query; the API key comes from the environment")


class EndpointModel:
    """A model that answers the OpenAI chat protocol."""

    def __init__(self, name: str, settings: EndpointSettings | None = None) -> None:
        self.name, self.settings = name, settings or EndpointSettings()
        key, self._key_source = find_key(self.settings.base_url)
        self.secrets = Secrets.from_environment(key)
        self._key = key

    def header(self) -> Mapping[str, Any]:
        """Revision, decoding and the rule for pictures; never the address or the key."""
        settings = self.settings
        rule = image_rule(settings.image_size)
        return {"revision": settings.revision, "decoding": settings.decoding(), "image_rule": rule}

    def body(self, query: Query, picture: ShownPicture | None) -> dict[str, Any]:
        """The request that asks a query, as a batch file holds it."""
        return {"model": self.name, "messages": messages(query, picture), **self.settings.decoding()}

    def show(self, query: Query) -> ShownPicture | None:
        """The picture of a query, ready to be sent."""
        return prepare_picture(query.picture(), self.settings.image_size) if query.picture else None

    def ask(self, queries: Iterable[Query]) -> Iterator[tuple[Query, Reply]]:
        """Reply to queries as the replies come, at most `concurrency` at once."""
        settings, waiting = self.settings, iter(queries)
        results: SimpleQueue[Future[tuple[Query, Reply]]] = SimpleQueue()
        running, failures = 0, 0
        with _LoopThread() as loop:
            session = _Session(self, self._client)
            try:
                while True:
                    while running < settings.concurrency and (query := next(waiting, None)) is not None:
                        loop.start(session.answer(query)).add_done_callback(results.put)
                        running += 1
                    if not running:
                        return
                    for future in _ready(results):
                        running -= 1
                        query, reply = future.result()
                        failures = failures + 1 if reply.error else 0
                        yield query, reply
                        if failures >= max(20, 2 * settings.concurrency):
                            raise OutageError(
                                f"{self.name}: {failures} queries failed in a row, the last: {reply.error}"
                            )
            finally:
                loop.finish(session.close())

    def _client(self) -> AsyncInferenceClient:
        # Without a key of its own the client would send the Hub's token to whatever address it is given.
        key, timeout = self._key or "none", self.settings.timeout
        if self.settings.base_url is None:
            return AsyncInferenceClient(model=self.name, token=self._key, timeout=timeout)
        return AsyncInferenceClient(base_url=self.settings.base_url, api_key=key, timeout=timeout)

    def refuse(self, failure: Failure) -> EndpointError:
        """The one line for a failure that no other query would escape."""
        place = self.settings.base_url or "the Hub's providers"
        if failure.status in (401, 403):
            hint = f"it refuses the key in {self._key_source}" if self._key_source else "it asks for an API key"
            return EndpointError(f"{place}: {failure.status}: {hint}; set DIPTYCH_API_KEY (see docs/predict.md)")
        if failure.status == 404:
            return EndpointError(f"{place}: 404: it has no model {self.name!r}, or speaks another protocol: {failure}")
        return EndpointError(f"{place}: {failure}")


def messages(query: Query, picture: ShownPicture | None) -> list[dict[str, Any]]:
    """The conversation that asks a query: one message, with the picture first."""
    if picture is None:
        return [{"role": "user", "content": query.prompt}]
    uri = f"data:{picture.mime_type};base64,{b64encode(picture.content).decode()}"
    content = [{"type": "image_url", "image_url": {"url": uri}}, {"type": "text", "text": query.prompt}]
    return [{"role": "user", "content": content}]


def _ready(results: "SimpleQueue[T]") -> Iterator[T]:
    """What is in a queue now; waits for the first."""
    yield results.get()
    while not results.empty():
        yield results.get_nowait()


class _Session:
    """The requests of one run: the client, the pictures at hand, and how long to wait."""

    def __init__(self, model: EndpointModel, make_client: Any) -> None:
        self.model, self.settings, self._make_client = model, model.settings, make_client
        self._client: AsyncInferenceClient | None = None
        self._pictures: dict[str, asyncio.Task[ShownPicture | None]] = {}
        self._waits = Waits(self.settings.first_wait)

    async def answer(self, query: Query) -> tuple[Query, Reply]:
        """The reply to a query after as many tries as it takes, or an error after the last."""
        try:
            picture = await self._picture(query)
        except DiptychError as error:
            return query, Reply(None, error=str(error))
        size = picture.size if picture else None
        conversation = messages(query, picture)
        for attempt in range(1, self.settings.tries + 1):
            await self._waits.pause()
            try:
                reply = await self._try(conversation)
            except Exception as error:
                failure = Failure.of(error, self.model.secrets.redact)
                if failure.is_final:
                    raise self.model.refuse(failure) from None
                if not failure.may_pass:
                    break
                if attempt < self.settings.tries:
                    await self._waits.after(failure, attempt)
            else:
                return query, self.model.secrets.redact_reply(replace(reply, image_size=size))
        return query, Reply(None, image_size=size, error=str(failure))

    async def _try(self, conversation: list[dict[str, Any]]) -> Reply:
        began = time.monotonic()
        async with asyncio.timeout(self.settings.timeout):
            reply = await (self._stream(conversation) if self.settings.stream else self._complete(conversation))
        return replace(reply, seconds=round(time.monotonic() - began, 4))

    async def _complete(self, conversation: list[dict[str, Any]]) -> Reply:
        self._client = self._client or self._make_client()
        decoding = self.settings.decoding()
        return read_completion(
            await self._client.chat_completion(conversation, model=self.model.name, extra_body=decoding)
        )

    async def _stream(self, conversation: list[dict[str, Any]]) -> Reply:
        # The client holds every stream that it opened until it is closed itself: one client per stream.
        decoding = {"stream_options": {"include_usage": True}, **self.settings.decoding()}
        async with self._make_client() as client:
            chunks = await client.chat_completion(conversation, model=self.model.name, stream=True, extra_body=decoding)
            return read_completion(await collect_stream(chunks))

    async def _picture(self, query: Query) -> ShownPicture | None:
        """The picture of a query, made ready once for the queries that follow each other."""
        if query.picture is None:
            return None
        task = self._pictures.get(query.picture_key)
        if task is None:
            task = asyncio.create_task(asyncio.to_thread(self.model.show, query))
            self._pictures[query.picture_key] = task
            if len(self._pictures) > _KEPT_PICTURES * self.settings.concurrency:
                del self._pictures[next(iter(self._pictures))]
        return await asyncio.shield(task)

    async def close(self) -> None:
        """End what still runs, and close the client."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._client is not None:
            await self._client.close()  # type: ignore[no-untyped-call]
        await asyncio.get_running_loop().shutdown_default_executor()


class _LoopThread:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="diptych-endpoint", daemon=True)

    def __enter__(self) -> "_LoopThread":
        self._thread.start()
        return self

    def start(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Begin with some work."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def finish(self, work: Coroutine[Any, Any, None]) -> None:
        """Do the last work; what hangs is left behind."""
        with suppress(TimeoutError):
            self.start(work).result(timeout=_LAST_WORK)

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
