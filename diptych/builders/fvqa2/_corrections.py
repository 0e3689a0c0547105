"""Grammar mistakes in the annotators' questions: corrected where a rule can, refused where none does.

A template repeats its question's wording many times over: a mistake in one question would be in many pairs.
"""

import re
from functools import cache

from diptych.builders.fvqa2._entities import word_lists
from diptych.language import is_plural
from diptych.pairs import Skip

BROKEN = Skip("the question is not good English and no rule corrects it")

_SUBJECT_AND_VERB = re.compile(
    r"^(?P<subject>(?:what|which)(?P<noun> [a-z]+)?"
    r"(?: (?:shown|seen|visible|depicted|pictured|presented))?(?: here| (?:in|of|on) (?:this|the|these) [a-z]+)?) "
    r"(?P<verb>[a-z]+)\b",
    re.IGNORECASE,
)
_CATEGORY = re.compile(r"\b(belongs?) (?:to|in) (?:the )?(?:category of )?<slot>")


@cache
def _rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(rule["from"], re.IGNORECASE), rule["to"]) for rule in word_lists()["corrections"])


@cache
def _broken() -> re.Pattern[str]:
    return re.compile("|".join(word_lists()["broken"]), re.IGNORECASE)


def correct(skeleton: str, relation: str, form: str) -> str:
    """A question's words around its slot, without the mistakes that rules know.

    >>> correct("Which object in this image could has <slot>", "HasA", "a")
    'Which object in this image could have <slot>'
    >>> correct("Which animal in this image like to <slot>", "Desires", "base")
    'Which animal in this image likes to <slot>'
    """
    for pattern, replacement in _rules():
        skeleton = pattern.sub(replacement, skeleton)
    if relation == "HasProperty":
        skeleton = skeleton.replace("property of <slot>", "property of being <slot>")
    if relation == "transnbhd" and form in {"singular", "bare"}:
        skeleton = _CATEGORY.sub(r"\1 to the category <slot>", skeleton)
    return _with_agreement(skeleton)


def _with_agreement(skeleton: str) -> str:
    """The verb in the number of its subject: "which objects has" is "which objects have"."""
    match = _SUBJECT_AND_VERB.match(skeleton)
    if match is None:
        return skeleton
    noun = (match["noun"] or "").strip().lower()
    has_plural_subject = bool(noun) and noun not in {"is", "in"} and is_plural(noun)
    verb = _verb_numbers(has_plural_subject).get(match["verb"].lower(), match["verb"])
    return f"{match['subject']} {verb}{skeleton[match.end() :]}"


@cache
def _verb_numbers(to_plural: bool) -> dict[str, str]:
    """Verbs for a plural subject to the same for a singular one, or the other way round."""
    pairs = (pair.split("/") for pair in word_lists()["agree"].split())
    return {(third if to_plural else plain): (plain if to_plural else third) for plain, third in pairs}


def is_broken(skeleton: str) -> bool:
    """Whether a question has a mistake that no rule corrects.

    >>> is_broken("Which object in this image is less greener than <slot>")
    True
    """
    return bool(_broken().search(skeleton))
