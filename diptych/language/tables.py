"""The exception tables: readable TOML files beside this module, read once."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    """The exceptions of one subject: "articles", "nouns" or "verbs".

    >>> table("nouns")["irregular"]["person"]
    'people'
    """
    return tomllib.loads((files("diptych.language") / f"{name}.toml").read_text(encoding="utf-8"))
