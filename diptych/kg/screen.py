"""Facts that no question should ask about: a committed block list and the user's own list.

A screen uses the caller's function for when two names are one entity, so that `kill` catches "killing people" and a
list that rejects `dog` also rejects "the dogs".

>>> screen = Screen(lambda name: tuple(name.lower().split()), frozenset({(("cat",), "*", ("*",))}))
>>> [screen.stops(*fact) for fact in (("gun", "UsedFor", "hunting"), ("cat", "IsA", "pet"), ("dog", "IsA", "pet"))]
['blocked', 'rejected', None]
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from diptych.errors import BadInputError
from diptych.files import read_package_toml, read_text

Key = tuple[str, ...]
Fact = tuple[Key, str, Key]

_WILDCARD: Key = ("*",)
_WORD = re.compile(r"[^\W_]+")


_BLOCK_LISTS = read_package_toml("diptych.kg", "blocked.toml")["words"].values()
BLOCKED_WORDS = frozenset(word for words in _BLOCK_LISTS for word in words.split())
"""The committed block list by stem: offensive, sexual, violent and private words."""


def read_rejects(path: Path, key_of: Callable[[str], Key]) -> frozenset[Fact]:
    """Read the facts that a user rejects: one `head|relation|tail` (or with tabs) per line; `*` matches anything."""
    lines = read_text(path).splitlines()
    return frozenset(
        _parse_reject(line, f"{path}:{number}", key_of)
        for number, line in enumerate(lines, start=1)
        if line.strip() and not line.lstrip().startswith("#")
    )


def _parse_reject(line: str, place: str, key_of: Callable[[str], Key]) -> Fact:
    parts = [part.strip() for part in re.split(r"[|\t]", line, maxsplit=3)]
    if len(parts) != 3 or not all(parts):
        raise BadInputError(f"{place}: {line!r} is not head|relation|tail")
    head, relation, tail = parts
    head_key, tail_key = (_WILDCARD if end == "*" else key_of(end) for end in (head, tail))
    return head_key, relation.removeprefix("/r/"), tail_key


@dataclass(frozen=True, slots=True)
class Screen:
    """Decides for each fact whether it may be used."""

    key_of: Callable[[str], Key]
    rejects: frozenset[Fact] = frozenset()

    def stops(self, head: str, relation: str, tail: str) -> str | None:
        """Why a fact may not be used: `blocked` by the committed list or `rejected` by the user's; None if it may."""
        head_key, tail_key = self.key_of(head), self.key_of(tail)
        words = {word for end in (head, tail) for word in _WORD.findall(end.lower().replace("_", " "))}
        if not BLOCKED_WORDS.isdisjoint(words.union(head_key, tail_key)):
            return "blocked"
        patterns = product((head_key, _WILDCARD), (relation, "*"), (tail_key, _WILDCARD))
        return None if self.rejects.isdisjoint(patterns) else "rejected"
