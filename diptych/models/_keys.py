"""API keys: they come from the environment alone, and no text that a server sends brings one into a file or a log."""

import os
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from diptych.models._model import Reply

_ENDPOINT_VARIABLES = ("DIPTYCH_API_KEY", "OPENAI_API_KEY")
_HUB_VARIABLE = "HF_TOKEN"
_HUB_HOSTS = (".huggingface.co", ".huggingface.cloud", ".hf.space")
_SHORTEST = 8  # characters of a key that is a secret; a placeholder such as EMPTY is none
_REPLACEMENT = "[API key]"
_TEXTS = ("text", "reasoning", "finish_reason", "server_model", "error")  # of a reply


def find_key(base_url: str | None) -> tuple[str | None, str]:
    """The key for an endpoint and the variable it comes from.

    An endpoint of somebody else never gets the token of the Hub.
    """
    host = urlsplit(base_url).hostname or "" if base_url else ".huggingface.co"
    is_hub = f".{host}".endswith(_HUB_HOSTS)
    for variable in (*_ENDPOINT_VARIABLES, *([_HUB_VARIABLE] if is_hub else [])):
        if key := os.environ.get(variable, "").strip():
            return key, variable
    if is_hub:
        from huggingface_hub import get_token  # what `hf auth login` has saved

        return get_token(), _HUB_VARIABLE
    return None, ""


@dataclass(frozen=True, slots=True)
class Secrets:
    """The keys that no output may show."""

    keys: tuple[str, ...]

    @classmethod
    def from_environment(cls, key: str | None) -> "Secrets":
        """Every key of the environment, and the one in use."""
        values = [key, *(os.environ.get(name, "").strip() for name in (*_ENDPOINT_VARIABLES, _HUB_VARIABLE))]
        return cls(tuple({value for value in values if value and len(value) >= _SHORTEST}))

    def redact(self, text: str) -> str:
        """A text without any of the keys.

        >>> Secrets(("sk-12345678",)).redact("unknown key sk-12345678")
        'unknown key [API key]'
        """
        for key in self.keys:
            text = text.replace(key, _REPLACEMENT)
        return text

    def redact_reply(self, reply: Reply) -> Reply:
        """A reply whose texts hold none of the keys."""
        values = {name: getattr(reply, name) for name in _TEXTS}
        if not any(key in value for key in self.keys for value in values.values() if value):
            return reply
        changes: dict[str, Any] = {name: self.redact(value) for name, value in values.items() if value}
        return replace(reply, **changes)
