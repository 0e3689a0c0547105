"""Questions whose *yes* a synonym or a hypernym keeps: where there is a dog, there is a canine."""

import re

from diptych.builders.kb.words import Target
from diptych.language import Parse
from diptych.sources import VqaRow

LEAST_YES = 8
"""So many of ten annotators must have said yes."""

_EXISTS = re.compile(r"(?:is|are) there (?:an?|any|some)\b|(?:do|can) you see (?:an?|any|some)\b", re.IGNORECASE)
# What turns the direction of an inference, or compares the thing with the rest of its kind.
_TURNS = frozenset(
    re.findall(
        r"\S+",
        """no not n't without only just all every each both same different other another more less most least fewer few
    than enough except but besides never nothing none either neither or if too many much number exactly""",
    )
)


def keeps_yes(row: VqaRow, parse: Parse, target: Target) -> bool:
    """Whether the question asks if something is there, people said yes, and nothing turns the inference."""
    if row.answer != "yes" or not _EXISTS.match(row.question.strip()):
        return False
    agreed = sum(answer == "yes" for answer in row.answers) if len(row.answers) > 1 else 10
    if agreed < LEAST_YES or target.is_modifier:
        return False
    return not any(token.text.lower() in _TURNS or token.tag in {"JJS", "JJR", "RBS", "RBR"} for token in parse)
