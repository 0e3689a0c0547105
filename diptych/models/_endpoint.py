"""Models behind an OpenAI-compatible endpoint, asked through the asynchronous client of huggingface_hub.

Requests run in an event loop of a thread of its own, so that they go on while replies are written to the disk, and so
that a notebook, which has a loop already, can ask too.
"""

import asyncio
import threading
import time
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
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

_MOST_AT_ONCE = 1000
_SLOTS_OF_CLIENT = 4  # connections of a client
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
    """Timeout of a request in seconds."""
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
        if self.concurrency > _MOST_AT_ONCE:
            raise BadInputError(f"--concurrency {self.concurrency}: at most {_MOST_AT_ONCE}")
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
        raise BadInputError(
            "--base-url: must not contain a password or a query; the API key is read from the environment"
        )


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
        running, failures = 0, 0
        with _LoopThread() as loop:
            session = _Session(self, self._client)
            try:
                while True:
                    new_queries = list(islice(waiting, settings.concurrency - running))
                    running += len(new_queries)
                    if not running:
                        return
                    for query, reply in loop.run(session.exchange(new_queries)):
                        running -= 1
                        failures = failures + 1 if reply.error else 0
                        yield query, reply
                        if failures >= max(_FAILURES_IN_A_ROW, 2 * settings.concurrency):
                            raise OutageError(f"{failures} queries failed in a row, the last with: {reply.error}")
            finally:
                with suppress(TimeoutError):  # what hangs is left behind
                    loop.run(session.close(), _LAST_WORK)

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
            hint = f"it rejected the key in {self._key_source}" if self._key_source else "it needs an API key"
            return EndpointError(f"{place}: {failure.status}: {hint}; set DIPTYCH_API_KEY (see docs/predict.md)")
        if failure.status == 404:
            return EndpointError(f"{place}: 404: no model {self.name!r}, or another protocol: {failure}")
        return EndpointError(f"{place}: {failure}")


def messages(query: Query, picture: ShownPicture | None) -> list[dict[str, Any]]:
    """The conversation that asks a query: one message, with the picture first."""
    if picture is None:
        return [{"role": "user", "content": query.prompt}]
    content = [{"type": "image_url", "image_url": {"url": picture.uri}}, {"type": "text", "text": query.prompt}]
    return [{"role": "user", "content": content}]


class _Session:
    """The requests of one run: the client, the pictures at hand, and how long to wait."""

    def __init__(self, model: EndpointModel, make_client: Any) -> None:
        self.model, self.settings, self._make_client = model, model.settings, make_client
        self._decoding = self.settings.decoding()
        self._clients: list[AsyncInferenceClient] = []
        self._free_slots = list(range(self.settings.concurrency))
        self._pictures: dict[str, asyncio.Task[ShownPicture | None]] = {}
        self._waits = Waits(self.settings.first_wait)
        self._running: set[asyncio.Task[tuple[Query, Reply]]] = set()
        self._finished: list[asyncio.Task[tuple[Query, Reply]]] = []
        self._is_finished = asyncio.Event()

    async def exchange(self, queries: Sequence[Query]) -> list[tuple[Query, Reply]]:
        """Begin with some queries, and wait for replies to any."""
        for query in queries:
            task = asyncio.create_task(self._answer(query))
            self._running.add(task)  # the loop itself holds a task only weakly
            task.add_done_callback(self._finish)
        await self._is_finished.wait()
        self._is_finished.clear()
        finished, self._finished = self._finished, []
        return [task.result() for task in finished]

    def _finish(self, task: "asyncio.Task[tuple[Query, Reply]]") -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # one that is never asked for is printed when the loop ends
        self._finished.append(task)
        self._is_finished.set()

    async def _answer(self, query: Query) -> tuple[Query, Reply]:
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
                reply = await self._try(conversation, size)
            except Exception as error:
                failure = Failure.of(error, self.model.secrets.redact)
                if failure.is_final:
                    raise self.model.refuse(failure) from None
                if not failure.may_pass:
                    break
                if attempt < self.settings.tries:
                    await self._waits.after(failure, attempt)
            else:
                return query, self.model.secrets.redact_reply(reply)
        return query, Reply(None, image_size=size, error=str(failure))

    async def _try(self, conversation: list[dict[str, Any]], size: tuple[int, int] | None) -> Reply:
        began = time.monotonic()
        async with asyncio.timeout(self.settings.timeout):
            completion = await (self._stream(conversation) if self.settings.stream else self._complete(conversation))
        return read_completion(completion, round(time.monotonic() - began, 4), size)

    async def _complete(self, conversation: list[dict[str, Any]]) -> Any:
        slot = self._free_slots.pop()
        try:
            client = self._client_of(slot)
            return await client.chat_completion(conversation, model=self.model.name, extra_body=self._decoding)
        finally:
            self._free_slots.append(slot)

    async def _stream(self, conversation: list[dict[str, Any]]) -> dict[str, Any]:
        # The client holds every stream that it opened until it is closed itself: one client per stream.
        decoding = {"stream_options": {"include_usage": True}, **self._decoding}
        async with self._make_client() as client:
            chunks = await client.chat_completion(conversation, model=self.model.name, stream=True, extra_body=decoding)
            return await collect_stream(chunks)

    def _client_of(self, slot: int) -> AsyncInferenceClient:
        # A client looks at every idle connection whenever one is used: a few clients with few connections are faster.
        number = slot // _SLOTS_OF_CLIENT
        while len(self._clients) <= number:
            self._clients.append(self._make_client())
        return self._clients[number]

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
        for client in self._clients:
            await client.close()  # type: ignore[no-untyped-call]
        await asyncio.get_running_loop().shutdown_default_executor()


class _LoopThread:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="diptych-endpoint", daemon=True)

    def __enter__(self) -> "_LoopThread":
        self._thread.start()
        return self

    def run(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Do some work there, and wait for it here."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout)

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
