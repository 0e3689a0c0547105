"""Choice questions taken apart: 'Is this a man or a woman?' offers 'a man' and 'a woman'."""

import re
from dataclasses import dataclass

from diptych.builders import Item
from diptych.language import Parse
from diptych.sources import VqaRow

CHOICE = re.compile(r"(?P<opening>.+?) (?P<first>(?:an? )?\w+) or (?P<second>(?:an? )?\w+) ?\?")
_MODIFIERS = frozenset("advmod amod compound neg nmod nummod poss".split())


@dataclass(frozen=True, slots=True)
class Choice(Item):
    """A choice question; its key is the id of the question, its slots are what the template takes."""

    row: VqaRow
    slots: dict[str, str]


def is_parallel(match: re.Match[str], parse: Parse) -> bool:
    """Whether both alternatives have an article or none, are tagged alike, and share no word ('toy car or truck')."""
    first = max(position for position, token in enumerate(parse) if token.text == "or") - 1
    second = max(position for position, token in enumerate(parse) if token.text[-1].isalnum())
    same_form = parse[first].tag == parse[second].tag and (" " in match["first"]) == (" " in match["second"])
    return same_form and not any(token.head == first and token.dep in _MODIFIERS for token in parse[:first])
