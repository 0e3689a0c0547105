"""Slips of grammar in the annotators' questions: mended where a rule can, refused where none does.

A template repeats its question's wording many times over, so that a slip in one question would be in many pairs.
"""

import re
from functools import cache

from diptych.builders.fvqa2.entities import word_lists
from diptych.language import is_plural
from diptych.pairs import Skip

BROKEN = Skip("the question is not good English and no rule mends it")

_AGREES = re.compile(
    r"^(?P<open>(?:what|which)(?P<noun> [a-z]+)?"
    r"(?: (?:shown|seen|visible|depicted|pictured|presented))?(?: here| (?:in|of|on) (?:this|the|these) [a-z]+)?) "
    r"(?P<verb>[a-z]+)\b",
    re.IGNORECASE,
)
_OF_ONE = re.compile(r"(?<=of) <slot>$")


@cache
def _rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(rule["from"], re.IGNORECASE), rule["to"]) for rule in word_lists()["mended"])


@cache
def _broken() -> re.Pattern[str]:
    return re.compile("|".join(word_lists()["broken"]), re.IGNORECASE)


def mend(skeleton: str, relation: str, form: str) -> str:
    """A question's words around its slot, without the slips that rules know.

    >>> mend("Which object in this image could has <slot>", "HasA", "a")
    'Which object in this image could have <slot>'
    >>> mend("Which animal in this image like to <slot>", "Desires", "base")
    'Which animal in this image likes to <slot>'
    """
    for pattern, good in _rules():
        skeleton = pattern.sub(good, skeleton)
    if relation == "HasProperty":
        skeleton = skeleton.replace("property of <slot>", "property of being <slot>")
    if relation == "transnbhd" and form in {"singular", "bare"}:
        skeleton = re.sub(
            r"\b(belongs?) (?:to|in) (?:the )?(?:category of )?<slot>", r"\1 to the category <slot>", skeleton
        )
    return _agreed(skeleton)


def _agreed(skeleton: str) -> str:
    """The verb in the number of what is asked for: "which objects has" is "which objects have"."""
    match = _AGREES.match(skeleton)
    if match is None:
        return skeleton
    verbs = dict(pair.split("/") for pair in word_lists()["agree"].split())
    noun = (match["noun"] or "").strip().lower()
    many = bool(noun) and noun not in {"is", "in"} and is_plural(noun)
    said = match["verb"].lower()
    good = {one: several for several, one in verbs.items()} if many else verbs
    return f"{match['open']} {good.get(said, match['verb'])}{skeleton[match.end() :]}"


def is_broken(skeleton: str) -> bool:
    """Whether a question has a slip that no rule mends.

    >>> is_broken("Which object in this image is less greener than <slot>")
    True
    """
    return bool(_broken().search(skeleton))
