"""What a model is asked and what it replies: queries, replies, and the protocol between them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

YES_OR_NO, NUMBER, CHOICE, OPEN = "yes/no", "number", "choice", "open"
ANSWER_TYPES = (YES_OR_NO, NUMBER, CHOICE, OPEN)
"""The kinds of answers that a question asks for; each has a prompt."""


@dataclass(frozen=True, slots=True)
class Query:
    """One distinct question about one picture, as it is put to a model; many sides of pairs may share it."""

    key: str
    """SHA-256 of everything that decides the reply: prompt, picture, header of the model, round."""
    prompt: str
    """The text that the model is given, rendered from the prompt template of the answer type."""
    question: str
    answer_type: str = OPEN
    choices: tuple[str, ...] = ()
    picture: Callable[[], bytes] | None = field(default=None, compare=False, repr=False)
    """Reads the picture, an encoded image file as it is stored; None where there is none to show."""
    picture_key: str = ""
    """The SHA-256 of the picture; empty where there is none. Queries come in the order of pictures."""
    fold: int = 0
    """Which part of a model replies, where it learned one part from each half of the pairs for the other half."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a model to a query, with its metadata."""

    text: str | None
    """The raw reply; None where there is none, and `error` says why."""
    reasoning: str | None = None
    finish_reason: str | None = None
    logprob: float | None = None
    """The sum of the log-probabilities of its tokens, where the model offers them."""
    seconds: float | None = None
    server_model: str | None = None
    image_size: tuple[int, int] | None = None
    """Width and height of the picture as it was shown to the model."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    error: str | None = None


class Model(Protocol):
    """Anything that answers queries."""

    name: str

    def header(self) -> Mapping[str, Any]:
        """What decides replies besides the query, as JSON: `revision`, `decoding`, `image_rule` and the like."""
        ...

    def ask(self, queries: Iterable[Query]) -> Iterator[tuple[Query, Reply]]:
        """Reply to queries, in any order.

        Queries are taken lazily, as many at a time as are asked together, and the replies that are ready are yielded
        before the next are taken: whoever iterates has them on disk by then. A reply with an `error` is about its query
        alone; what stops every query is raised.
        """
        ...
