"""Chat completions of the OpenAI protocol as replies: whole, as a stream of pieces, or out of a batch."""

from collections.abc import AsyncIterable, Mapping
from typing import Any

from diptych.models._model import Reply


class UnreadableReplyError(ValueError):
    """An answer of the server that is no chat completion."""


def read_completion(completion: Any, seconds: float | None = None, image_size: tuple[int, int] | None = None) -> Reply:
    """The reply in a chat completion; anything else raises `UnreadableReplyError`.

    >>> read_completion({"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}).text
    'yes'
    """
    choice = _first(_object(completion, "an answer").get("choices"))
    if choice is None:
        problem = _object(completion, "an answer").get("error") or "a response without choices"
        raise UnreadableReplyError(" ".join(str(problem).split()))
    message = _object(choice.get("message"), "a message")
    text = message.get("content")
    if text is not None and not isinstance(text, str):
        raise UnreadableReplyError("a message whose content is not a string")
    if text is None and choice.get("finish_reason") is None:
        raise UnreadableReplyError("a message without content")
    usage = completion.get("usage") if isinstance(completion.get("usage"), Mapping) else {}
    return Reply(
        text or "",
        reasoning=_text(message.get("reasoning") or message.get("reasoning_content")),
        finish_reason=_text(choice.get("finish_reason")),
        logprob=_logprob(choice.get("logprobs")),
        seconds=seconds,
        image_size=image_size,
        server_model=_text(completion.get("model")),
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
    )


async def collect_stream(chunks: AsyncIterable[Any]) -> dict[str, Any]:
    """The completion that the pieces of a stream make together; one that breaks off raises `UnreadableReplyError`."""
    texts: dict[str, list[str]] = {"content": [], "reasoning": []}
    tokens: list[Any] = []
    completion: dict[str, Any] = {}
    finish_reason = None
    async for chunk in chunks:
        piece = _object(chunk, "a piece of a stream")
        completion |= {name: piece[name] for name in ("model", "usage", "error") if piece.get(name) is not None}
        choice = _first(piece.get("choices"))
        if choice is None:
            continue
        delta: Mapping[str, Any] = choice["delta"] if isinstance(choice.get("delta"), Mapping) else {}
        texts["content"].append(delta.get("content") or "")
        texts["reasoning"].append(delta.get("reasoning") or delta.get("reasoning_content") or "")
        tokens += (choice.get("logprobs") or {}).get("content") or []
        finish_reason = choice.get("finish_reason") or finish_reason
    if finish_reason is None:
        raise UnreadableReplyError(str(completion.get("error") or "a stream that ended early"))
    message = {"content": "".join(texts["content"]), "reasoning": "".join(texts["reasoning"]) or None}
    choice = {"message": message, "finish_reason": finish_reason, "logprobs": {"content": tokens} if tokens else None}
    return {**completion, "choices": [choice]}


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise UnreadableReplyError(f"{what} that is not an object")
    return value


def _first(choices: Any) -> Mapping[str, Any] | None:
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _logprob(logprobs: Any) -> float | None:
    """The sum over the tokens of a reply."""
    tokens = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    values = [token.get("logprob") for token in tokens or () if isinstance(token, Mapping)]
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    return sum(numbers) if numbers and len(numbers) == len(values) else None
