"""Putting another word into a question: in the form of the old one, with the right article and spacing."""

import re
from collections.abc import Callable

from diptych.builders.kb.words import Target
from diptych.language import Parse, article, base, gerund, is_plural, participle, past, plural, third_person

_VERB_FORMS: dict[str, Callable[[str], str]] = {
    "VB": base,
    "VBP": base,
    "VBZ": third_person,
    "VBD": past,
    "VBN": participle,
    "VBG": gerund,
}
_BEFORE_MARK = re.compile(r"\s+([?.,!;:])")
_SPACES = re.compile(r"\s{2,}")


def inflected(word: str, target: Target) -> str:
    """A word in the form of the one it replaces.

    >>> inflected("speak", Target(0, 1, "talk", "v", "VBG", None))
    'speaking'
    >>> inflected("wolf", Target(0, 1, "dog", "n", "NNS", None))
    'wolves'
    """
    if target.pos == "v":
        return _VERB_FORMS[target.tag](word)
    return plural(word) if target.tag == "NNS" else word


def replaced(parse: Parse, start: int, stop: int, text: str) -> str:
    """The question with other words in the place of some tokens; "a" or "an" before them is chosen anew.

    >>> from diptych.language import QuestionParser
    >>> replaced(QuestionParser()("Is there a dog?"), 3, 4, "animal")
    'Is there an animal?'
    >>> replaced(QuestionParser()("Are these people's hats red?"), 2, 3, "guys")
    "Are these guys' hats red?"
    """
    words = [token.text + " " * token.space for token in parse]
    if start and parse[start - 1].text.lower() in {"a", "an"} and text:
        fitting = article(text)
        words[start - 1] = (fitting.capitalize() if parse[start - 1].text[0] == "A" else fitting) + " "
    if stop < len(parse) and parse[stop].tag == "POS" and text:
        words[stop] = ("'" if text.endswith("s") and is_plural(text) else "'s") + " " * parse[stop].space
    shown = text.capitalize() if start == 0 and parse[0].text[:1].isupper() else text
    words[start:stop] = [shown + " " * parse[stop - 1].space]
    return tidy("".join(words))


def tidy(question: str) -> str:
    """A question with single spaces, none before its marks.

    >>> tidy("Where are the  ?")
    'Where are the?'
    """
    single = _SPACES.sub(" ", question) if "  " in question else question
    return _BEFORE_MARK.sub(r"\1", single).strip()


def warm_up() -> None:
    """Load the inflection libraries before processes are forked, so that each does not load them again."""
    article(plural("gnu"))
    gerund("gnaw")
