"""The two inflection libraries, imported at the first question they are asked.

`inflect` (rules) and `lemminflect` (a dictionary with counts) take a second or two to import, so nothing here is
imported before it is needed.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

Rule = Callable[[str], str]

if TYPE_CHECKING:
    import inflect


@cache
def _rules() -> "inflect.engine":
    import inflect

    return inflect.engine()


@cache
def _dictionary() -> Any:
    import lemminflect

    return lemminflect


def article_by_rule(word: str) -> str:
    """The article `inflect` would give, "a" or "an".

    >>> article_by_rule("hour")
    'an'
    """
    return _rules().a(word).split(" ", 1)[0]


@lru_cache(maxsize=65536)
def plural_by_rule(word: str) -> str:
    """The plural `inflect` gives a singular noun.

    >>> plural_by_rule("shelf")
    'shelves'
    """
    return str(_rules().plural_noun(word))


@lru_cache(maxsize=65536)
def singular_by_rule(word: str) -> str:
    """The singular `inflect` gives a plural noun, or the word itself where it sees no plural.

    >>> singular_by_rule("frisbees")
    'frisbee'
    """
    return str((word.strip() and _rules().singular_noun(word)) or word)


def words_of(number: int) -> str:
    """A number in words, as `inflect` writes it without commas and "and".

    >>> words_of(1021)
    'one thousand twenty-one'
    """
    return str(_rules().number_to_words(number, andword="", comma=""))  # type: ignore[arg-type]


@lru_cache(maxsize=65536)
def noun_lemmas(word: str) -> tuple[str, ...]:
    """The singulars the dictionary knows for a noun, most frequent first; empty for an unknown word.

    >>> noun_lemmas("mice")
    ('mouse',)
    """
    return tuple(_dictionary().getAllLemmas(word, upos="NOUN").get("NOUN", ()))


@lru_cache(maxsize=65536)
def noun_plurals(word: str) -> tuple[str, ...]:
    """The plurals the dictionary knows for a singular noun.

    >>> noun_plurals("scissors")
    ('scissors',)
    """
    return tuple(_dictionary().getAllInflections(word, upos="NOUN").get("NNS", ()))


@lru_cache(maxsize=65536)
def verb_lemmas(word: str) -> tuple[str, ...]:
    """The base forms the dictionary knows for a verb, most frequent first; empty for an unknown word.

    >>> verb_lemmas("lying")
    ('lie',)
    """
    return tuple(_dictionary().getAllLemmas(word, upos="VERB").get("VERB", ()))


@lru_cache(maxsize=65536)
def unknown_verb_lemma(word: str) -> str:
    """The base form of a verb outside the dictionary, by the patterns of those inside.

    >>> unknown_verb_lemma("windsurfing")
    'windsurf'
    """
    return str((*_dictionary().getAllLemmasOOV(word, upos="VERB").get("VERB", ()), word)[0])


@lru_cache(maxsize=65536)
def verb_form(lemma: str, tag: str) -> str:
    """The form of a verb that a Penn tag names.

    >>> verb_form("sit", "VBG")
    'sitting'
    """
    return str(_dictionary().getInflection(lemma, tag=tag)[0])


@lru_cache(maxsize=65536)
def is_word(word: str) -> bool:
    """Whether the dictionary knows the word as any part of speech.

    >>> is_word("stop"), is_word("mri")
    (True, False)
    """
    return bool(_dictionary().getAllLemmas(word))
