"""The sources that inflection draws on: `inflect` (rules), `lemminflect` (a dictionary) and our exception tables.

Both libraries are slow to import, so each is imported on first use.
"""

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from diptych.files import read_package_toml

if TYPE_CHECKING:
    import inflect


@cache
def exceptions(subject: str) -> dict[str, Any]:
    """The table of "articles", "nouns", "phrases", "tags" or "verbs": the TOML file of that name in this folder."""
    return read_package_toml("diptych.language", f"{subject}.toml")


@cache
def rules() -> "inflect.engine":
    """The rules of `inflect`, without its type checks: to compile them takes two seconds of every import."""
    import typeguard

    decorate = typeguard.typechecked
    typeguard.typechecked = lambda function: function  # type: ignore[assignment]
    try:
        import inflect
    finally:
        typeguard.typechecked = decorate
    return inflect.engine()


@cache
def _dictionary() -> Any:
    import lemminflect

    return lemminflect


@lru_cache(maxsize=65536)
def _lemmas(word: str) -> dict[str, tuple[str, ...]]:
    """The lemmas of a word by part of speech; one look-up for all of them, as each copies what it finds."""
    return {pos: tuple(lemmas) for pos, lemmas in _dictionary().getAllLemmas(word).items()}


def noun_lemmas(word: str) -> tuple[str, ...]:
    """The singulars of a noun, most frequent first; empty for a word that the dictionary does not list as a noun."""
    return _lemmas(word).get("NOUN", ())


@lru_cache(maxsize=65536)
def noun_plurals(word: str) -> tuple[str, ...]:
    """The plurals that the dictionary lists for a singular noun."""
    return tuple(_dictionary().getAllInflections(word, upos="NOUN").get("NNS", ()))


def verb_lemmas(word: str) -> tuple[str, ...]:
    """The base forms of a verb, most frequent first; empty for a word that the dictionary does not list as a verb."""
    return _lemmas(word).get("VERB", ())


@lru_cache(maxsize=65536)
def unknown_verb_lemma(word: str) -> str:
    """Guess the base form of a verb outside the dictionary by the patterns of those inside."""
    return str((*_dictionary().getAllLemmasOOV(word, upos="VERB").get("VERB", ()), word)[0])


@lru_cache(maxsize=65536)
def verb_form(lemma: str, tag: str) -> str:
    """The form of a verb for a Penn tag."""
    return str(_dictionary().getInflection(lemma, tag=tag)[0])


def is_word(word: str) -> bool:
    """Whether the dictionary lists the word as any part of speech."""
    return bool(_lemmas(word))
