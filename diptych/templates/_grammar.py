"""The filters, functions and tests that templates can use.

A filter that takes a phrase also takes a list of phrases and returns a list, so that `{{ things | a | either }}`
renders to "a dog or a cat".
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jinja2 import Undefined

from diptych import language
from diptych.errors import printable

Phrases = Sequence[str]
MAX_PHRASE = 500
MAX_ITEMS = 100
_MAX_NUMBER = 10**12


def finalize(value: object) -> str:
    """The text that `{{ … }}` prints for a value: only strings and numbers are allowed in a question.

    >>> finalize(None)
    Traceback (most recent call last):
    TypeError: None cannot be printed in a question
    """
    if isinstance(value, str):
        return value
    if isinstance(value, Undefined) or (isinstance(value, int | float) and not isinstance(value, bool)):
        return str(value)
    raise TypeError(f"{_describe(value)} cannot be printed in a question")


def agree(noun: str, count: int) -> str:
    """Inflect a noun to agree with a count.

    >>> agree("cakes", 1), agree("dog", 0), agree("athlete", 5)
    ('cake', 'dogs', 'athletes')
    """
    return language.singular(_phrase(noun)) if _count(count) == 1 else language.plural(_phrase(noun))


def _join(items: Phrases, conjunction: str) -> str:
    """Join phrases with commas and a conjunction, without a comma before it."""
    *phrases, last = _list(items)
    return f"{', '.join(phrases)} {conjunction} {last}" if phrases else last


def _is_plural(subject: str | int | Phrases) -> bool:
    if isinstance(subject, str):
        return language.is_plural(_phrase(subject))
    if isinstance(subject, list | tuple):
        return len(_list(subject)) > 1 or language.is_plural(subject[0])
    return _count(subject) != 1


def _map_phrases(function: Callable[[str], str]) -> Callable[[Any], Any]:
    """Make a function of a phrase accept a list of phrases as well."""
    return lambda value: (
        [function(phrase) for phrase in _list(value)] if isinstance(value, list | tuple) else function(_phrase(value))
    )


def _phrase(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a string, not {_describe(value)}")
    if len(value) > MAX_PHRASE:
        raise ValueError(f"a phrase of {len(value):,} characters is too long; at most {MAX_PHRASE} are allowed")
    return value


def _list(value: object) -> Phrases:
    if not isinstance(value, list | tuple):
        raise TypeError(f"expected a list, not {_describe(value)}")
    if not 1 <= len(value) <= MAX_ITEMS:
        raise ValueError(f"expected a list of 1 to {MAX_ITEMS} phrases, not of {len(value)}")
    return [_phrase(item) for item in value]


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"expected an integer, not {_describe(value)}")
    if not -_MAX_NUMBER < value < _MAX_NUMBER:
        raise ValueError("the number is too large")
    return value


def _describe(value: object) -> str:
    if value is None or isinstance(value, bool | int | float | Undefined):
        return str(value)
    if isinstance(value, str):
        return repr(printable(value, 40))
    return f"a {'list' if isinstance(value, list | tuple) else type(value).__name__}"


# The forms of "be" and "do" agree with a noun phrase, a count or a list of phrases.
FUNCTIONS: dict[str, Callable[..., str]] = {
    "be": lambda subject: "are" if _is_plural(subject) else "is",
    "does": lambda subject: "do" if _is_plural(subject) else "does",
}

_INFLECTIONS = "plural singular base gerund third_person past participle".split()
FILTERS: Mapping[str, Callable[..., Any]] = {
    "a": _map_phrases(language.indefinite),
    "an": _map_phrases(language.indefinite),
    "any": _map_phrases(language.with_any),
    **{name: _map_phrases(getattr(language, name)) for name in _INFLECTIONS},
    "agree": agree,
    "word": lambda number: language.number_word(_count(number)),
    "either": lambda items: _join(items, "or"),
    "both": lambda items: _join(items, "and"),
    "cap": _map_phrases(lambda phrase: phrase[:1].upper() + phrase[1:]),
    "lower": _map_phrases(str.lower),
    "length": lambda items: len(_list(items)),
}

TESTS: Mapping[str, Callable[[str], bool]] = {
    "plural": lambda phrase: language.is_plural(_phrase(phrase)),
    "plural_only": lambda phrase: language.is_plural_only(_phrase(phrase)),
    "mass": lambda phrase: language.is_mass(_phrase(phrase)),
}
