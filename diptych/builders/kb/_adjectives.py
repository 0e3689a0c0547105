"""The adjectives of a question that may be replaced, each with the noun it describes and the words beside it."""

from collections.abc import Iterator, Sequence

from diptych.builders.kb._sentence import Adjective, NounSpan, Sentence, word_list
from diptych.builders.kb._verbs import subject_of
from diptych.kg.colors import palette_colors
from diptych.kg.senses import sense_name

ATTRIBUTIVE, PREDICATIVE = "attributive", "predicative"
_COLOR_NAMES = frozenset(color.name for color in palette_colors("css4"))


def find_adjectives(sentence: Sentence, spans: Sequence[NounSpan]) -> Iterator[Adjective]:
    """The adjectives that describe something, without colors, numbers and words that point or compare."""
    for index, token in enumerate(sentence.tokens):
        if token.tag != "JJ" or any(
            start <= index < stop and stop > start + 1
            for start, stop, word in spans
            if word.replace(" ", "_") not in word_list("plain_compounds")
        ):
            continue  # no adjective, or one that does not describe: "hot dog", "polar bear", "high chair"
        word = token.text.lower()
        if _is_replaceable(sentence, index, word):
            is_attributive = sentence.tag(index + 1)[:2] in {"NN", "JJ", "VB", "CD"}  # it precedes what it describes
            sense = sense_name(word, "a", sentence.context - {word})
            frame = ATTRIBUTIVE if is_attributive else PREDICATIVE
            noun = _described_noun(sentence, index) if is_attributive else _predicate_subject(sentence, index)
            words = (frame, noun, sentence.word(index - 1), sentence.word(index + 1))
            unfit = PREDICATIVE if is_attributive else ""
            yield Adjective(*sentence.place(index, index + 1), word, "JJ", sense, unfit, *words)


def _is_replaceable(sentence: Sentence, index: int, word: str) -> bool:
    if not word.isalpha() or not word.isascii() or word in word_list("adjectives") or word in _COLOR_NAMES:
        return False
    if index and sentence.tokens[index - 1].lemma.lower() in word_list("bound_before"):
        return False  # "two years old"
    if sentence.tag(index + 1) in {"VBN", "VBD"} or sentence.word(index + 1) in word_list("bound_after"):
        return False  # "full grown", "old fashioned"
    # "How old is it?" asks for a measure, which no synonym would.
    return not sentence.is_joined(index, index + 1) and sentence.word(index - 1) not in {"how", "too", "so"}


def _described_noun(sentence: Sentence, index: int) -> str:
    """The last noun of the phrase that an adjective begins: "dog" of "small brown hunting dog"."""
    place = index + 1
    while sentence.tag(place)[:2] in {"JJ", "VB", "CD"} or sentence.word(place) in {"and", ","}:
        place += 1
    while sentence.tag(place) in {"NN", "NNS"} and sentence.tag(place + 1) in {"NN", "NNS"}:
        place += 1
    if sentence.tag(place) not in {"NN", "NNS"}:
        return ""
    return "person" if sentence.word(place) == "people" else sentence.tokens[place].lemma.lower()


def _predicate_subject(sentence: Sentence, index: int) -> str:
    """The subject of the verb that an adjective completes: that of "be", "look" or "seem"."""
    head = sentence.tokens[index].head
    return subject_of(sentence, head if sentence.tag(head)[:2] == "VB" else index, index)
