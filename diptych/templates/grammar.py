"""The English a template can ask for: filters, functions and tests with readable names.

A filter that takes a phrase takes a list of phrases as well and answers with a list, so that
`{{ things | a | either }}` says "a dog or a cat".
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jinja2 import Undefined

from diptych import language

Phrases = Sequence[str]
MAX_PHRASE = 500
MAX_ITEMS = 100
_HUGE = 10**12


def printable(value: object) -> str:
    """What `{{ … }}` may print: a text or a number; `None`, a list or a truth value in a question is a mistake.

    >>> printable(2)
    '2'
    >>> printable(None)
    Traceback (most recent call last):
    TypeError: a question cannot say None
    """
    if isinstance(value, str):
        return value
    if isinstance(value, Undefined) or (isinstance(value, int | float) and not isinstance(value, bool)):
        return str(value)
    raise TypeError(f"a question cannot say {_kind(value)}")


def joined(items: Phrases, word: str) -> str:
    """Join phrases as English does, without a comma before the last.

    >>> joined(["red", "blue", "green"], "or")
    'red, blue or green'
    """
    phrases = _list(items)
    *most, last = phrases
    return f"{', '.join(most)} {word} {last}" if most else last


def either(items: Phrases) -> str:
    """Join what one may choose from.

    >>> either(["a dog", "a cat"])
    'a dog or a cat'
    """
    return joined(items, "or")


def both(items: Phrases) -> str:
    """Join what belongs together.

    >>> both(["a dog", "a cat"])
    'a dog and a cat'
    """
    return joined(items, "and")


def word(number: int) -> str:
    """Say a number in words.

    >>> word(5)
    'five'
    """
    return language.number_word(_count(number))


def agree(noun: str, count: int) -> str:
    """Put a noun into the number its count asks for.

    >>> agree("cakes", 1), agree("dog", 0), agree("athlete", 5)
    ('cake', 'dogs', 'athletes')
    """
    return language.singular(_phrase(noun)) if _count(count) == 1 else language.plural(_phrase(noun))


def be(subject: str | int | Phrases) -> str:
    """Say "is" or "are", as a noun phrase, a count or a list of phrases asks.

    >>> be("dog"), be("people"), be(1), be(0), be(["a dog", "a cat"])
    ('is', 'are', 'is', 'are', 'are')
    """
    return "are" if _many(subject) else "is"


def does(subject: str | int | Phrases) -> str:
    """Say "does" or "do", as a noun phrase, a count or a list of phrases asks.

    >>> does("dog"), does("people")
    ('does', 'do')
    """
    return "do" if _many(subject) else "does"


def cap(text: str) -> str:
    """Write the first letter large.

    >>> cap("is it?")
    'Is it?'
    """
    return _phrase(text)[:1].upper() + text[1:]


def _many(subject: str | int | Phrases) -> bool:
    if isinstance(subject, str):
        return language.is_plural(_phrase(subject))
    if isinstance(subject, list | tuple):
        return len(_list(subject)) > 1 or language.is_plural(subject[0])
    return _count(subject) != 1


def _each(function: Callable[[str], str]) -> Callable[[Any], Any]:
    """Let a function of a phrase take a list of phrases too."""

    def of(value: str | Phrases) -> str | list[str]:
        if isinstance(value, list | tuple):
            return [function(phrase) for phrase in _list(value)]
        return function(_phrase(value))

    return of


def _phrase(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a text is needed here, not {_kind(value)}")
    if len(value) > MAX_PHRASE:
        raise ValueError(f"a phrase of {len(value):,} characters is too long; at most {MAX_PHRASE} are allowed")
    return value


def _list(value: object) -> Phrases:
    if not isinstance(value, list | tuple):
        raise TypeError(f"a list is needed here, not {_kind(value)}")
    if not 1 <= len(value) <= MAX_ITEMS:
        raise ValueError(f"a list of {len(value)} cannot be said; it must hold 1 to {MAX_ITEMS} phrases")
    return [_phrase(item) for item in value]


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"a whole number is needed here, not {_kind(value)}")
    if not -_HUGE < value < _HUGE:
        raise ValueError("the number is too large to say")
    return value


def _kind(value: object) -> str:
    """Name a value so that the writer of a template sees what went wrong.

    >>> _kind(None), _kind("red"), _kind(["red"]), _kind(True)
    ('None', "'red'", 'a list', 'True')
    """
    if isinstance(value, Undefined):
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return str(value)
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:40] + "…")
    return f"a {'list' if isinstance(value, list | tuple) else type(value).__name__}"


FUNCTIONS: dict[str, Callable[..., str]] = {"be": be, "does": does}

FILTERS: Mapping[str, Callable[..., Any]] = {
    "a": _each(language.indefinite),
    "an": _each(language.indefinite),
    "any": _each(language.with_any),
    "plural": _each(language.plural),
    "singular": _each(language.singular),
    "agree": agree,
    "word": word,
    "either": either,
    "both": both,
    "base": _each(language.base),
    "gerund": _each(language.gerund),
    "third_person": _each(language.third_person),
    "past": _each(language.past),
    "participle": _each(language.participle),
    "cap": _each(cap),
    "lower": _each(str.lower),
    "length": lambda items: len(_list(items)),
}

TESTS: Mapping[str, Callable[[str], bool]] = {
    "plural": lambda phrase: language.is_plural(_phrase(phrase)),
    "plural_only": lambda phrase: language.is_plural_only(_phrase(phrase)),
    "mass": lambda phrase: language.is_mass(_phrase(phrase)),
}
