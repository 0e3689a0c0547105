"""The adjectives of a question that describe something, each with its sense."""

from collections.abc import Iterator, Sequence
from functools import cache

from diptych.builders.kb._candidates import Adjective
from diptych.builders.kb._nouns import NounSpan
from diptych.builders.kb._sentence import Sentence, base_form_sense, excluded_words
from diptych.kg.color_graph import palette_colors

_BOUND_BEFORE = frozenset("year month foot inch word".split())
_BOUND_AFTER = frozenset("length size term way fashioned grown aged sized swing enough".split())


def find_adjectives(sentence: Sentence, spans: Sequence[NounSpan]) -> Iterator[Adjective]:
    """The adjectives that describe something, without colors, numbers and words that point or compare."""
    for index, token in enumerate(sentence.tokens):
        if token.tag != "JJ" or any(start <= index < stop and stop > start + 1 for start, stop, _ in spans):
            continue  # no adjective, or one that does not describe: "hot dog", "polar bear", "high chair"
        word = token.text.lower()
        if _is_replaceable(sentence, index, word):
            is_attributive = sentence.tag(index + 1)[:2] in {"NN", "JJ", "VB", "CD"}
            sense = base_form_sense(word, "a", sentence.context - {word})
            yield Adjective(*sentence.place(index, index + 1), word, "JJ", sense, is_attributive)


def _is_replaceable(sentence: Sentence, index: int, word: str) -> bool:
    if not word.isalpha() or not word.isascii() or word in excluded_words()["adjectives"] or word in _color_names():
        return False
    if sentence.is_joined(index, index + 1) or _is_bound(sentence, index):
        return False
    # "How old is it?" asks for a measure, which no synonym would.
    return sentence.word(index - 1) not in {"how", "too", "so"}


@cache
def _color_names() -> frozenset[str]:
    """Words that name colors, which the color tests replace."""
    return frozenset(color.name for color in palette_colors("css4"))


def _is_bound(sentence: Sentence, index: int) -> bool:
    """Whether the adjective is a part of another expression: "two years old", "old fashioned", "full grown"."""
    if index and sentence.tokens[index - 1].lemma.lower() in _BOUND_BEFORE:
        return True
    return sentence.tag(index + 1) in {"VBN", "VBD"} or sentence.word(index + 1) in _BOUND_AFTER
