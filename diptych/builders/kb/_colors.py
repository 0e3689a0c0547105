"""When a word of a question is a color (rather than a thing, a name, a people), and the colors that may replace it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from diptych.builders.kb._sentence import Sentence, Target, word_list
from diptych.files import read_package_toml
from diptych.kg import wordnet
from diptych.kg.colors import EVERYDAY_COLORS, NamedColor, color_graph
from diptych.kg.senses import default_sense
from diptych.kg.vocabulary import main_pos
from diptych.language import Token

COMMON, UNCOMMON = "common", "uncommon"
_PHRASES = frozenset({"plain", "fixed", "unclear"})  # lists with entries of several words
_PREMODIFIED_TAGS = frozenset("NN JJ CC VB".split())  # after a color that precedes what it describes
_MODIFIER_TAGS = frozenset("JJ RB VBN VBG".split())
_NAME_TAGS = frozenset("NNP NNPS NNS".split())
_DETERMINERS = frozenset("DT PRP$ CD POS".split())


@cache
def color_words(name: str) -> frozenset[str]:
    """A list of the table of when a word is a color; `all` are the words that can be one.

    Those that are `certain` are a color wherever they describe something, those `by_predicate` only as a predicate ("Is
    the ring gold?"). In `plain` set phrases of WordNet they are a color all the same, in other `fixed` ones they are
    none. `groups` are nouns of people. Words that are `unsaid` stand in names of colors that nobody would say to a
    stranger, and `unclear` names are of a thing or a person before they are of a color.
    """
    if name == "all":
        return color_words("certain") | color_words("by_position")
    words = read_package_toml("diptych.kg", "color_readings.toml")[name].strip()
    return frozenset(re.split(r"[;\n]\s*", words) if name in _PHRASES else words.split())


def find_colors(sentence: Sentence) -> Iterator[Target]:
    """The colors of a question; with a shade before it, "light blue" is one color."""
    for index, token in enumerate(sentence.tokens):
        word = token.text.lower()
        if word in color_words("all") and _is_color(sentence, index, word):
            start, shade = index, sentence.word(index - 1)
            if shade in word_list("shades") and not _is_described(sentence, index):
                start, word = index - 1, f"{shade} {word}"
            yield Target(*sentence.place(start, index + 1), word, token.tag, "", "")


def _is_described(sentence: Sentence, index: int) -> bool:
    """Whether what could be a shade is a thing that the color describes: "Is the sky blue?"."""
    shade = sentence.word(index - 1)
    is_predicate = sentence.tag(index + 1)[:2] not in _PREMODIFIED_TAGS
    if shade not in word_list("shades_that_are_things") or not is_predicate:
        return False
    before, tag = sentence.word(index - 2), sentence.tag(index - 2)
    is_compound = tag[:2] in {"NN", "JJ", "VB"} and bool(wordnet().synsets(f"{before}_{shade}", "n"))
    return tag in {"DT", "PRP$", "POS", "JJ"} or is_compound or before in word_list("lights")


def _is_color(sentence: Sentence, index: int, word: str) -> bool:
    token = sentence.tokens[index]
    if (index and token.text[0].isupper()) or token.tag in _NAME_TAGS or _is_joined(sentence, index):
        return False
    if word in word_list("shades") and sentence.word(index + 1) in color_words("all"):
        return False  # "lime green"
    noun = _next_noun(sentence, index)
    shared_noun = _next_noun(sentence, index + 2) if sentence.tag(index + 1) == "CC" else None  # "red or white wine"
    if any(_is_bound(word, each) for each in (noun, shared_noun) if each) or _is_monochrome(sentence, index):
        return False
    is_predicate = _is_predicate(sentence, index)
    if is_predicate and _is_person(sentence.tokens[index - 1].lemma.lower()):
        return False  # "Is the man white?"
    if word in color_words("by_predicate"):
        return is_predicate
    # After a determiner it may describe nothing: "the green" of a golf course, "an orange".
    is_determined = sentence.tag(index - 1) in _DETERMINERS and token.tag == "NN"
    is_headless = is_determined and not sentence.tag(index + 1).startswith(("NN", "JJ", "CC", ","))
    return (word in color_words("certain") and not is_headless) or noun is not None or is_predicate


def _is_joined(sentence: Sentence, index: int) -> bool:
    """Whether a color is a part of a longer word: "red-haired", "the green's"."""
    tokens = sentence.tokens
    if index and not tokens[index - 1].space and tokens[index - 1].text not in {'"', "("}:
        return True
    return not tokens[index].space and sentence.word(index + 1) in {"-", "/", "'s", "'"}


def _next_noun(sentence: Sentence, index: int) -> Token | None:
    if sentence.tag(index + 1) not in {"NN", "NNS"}:
        return None
    token = sentence.tokens[index + 1]
    return token if main_pos(token.lemma.lower()) in {"n", "v", ""} else None


def _is_bound(word: str, noun: Token) -> bool:
    """Whether word and noun are a set phrase, or the color would be that of people: "the black man"."""
    lemma = noun.lemma.lower()
    phrases = {f"{word} {noun.text.lower()}", f"{word} {lemma}"}
    if _is_person(lemma) or phrases & color_words("fixed"):
        return True
    in_wordnet = any(wordnet().synsets(phrase.replace(" ", "_"), "n") for phrase in phrases)
    return in_wordnet and not phrases & color_words("plain")


def _is_person(lemma: str) -> bool:
    sense = default_sense(lemma, "n")
    return lemma in color_words("groups") or (sense is not None and sense.lexname == "noun.person")


def _is_monochrome(sentence: Sentence, index: int) -> bool:
    """Whether "black and white" means a photo without colors."""
    words = [token.text.lower() for token in sentence.tokens[max(0, index - 3) : index + 4]]
    if "and" not in words or not {"black", "white"} <= set(words):
        return False
    is_photo = any(token.lemma.lower() in word_list("photos") for token in sentence.tokens)
    return is_photo or sentence.word(max(0, index - 1)) == "in"


def _is_predicate(sentence: Sentence, index: int) -> bool:
    """Whether the color is the predicate of something before it: "Is the car silver?", "painted gold"."""
    has_copula = any(token.lemma.lower() in word_list("copulas") for token in sentence.tokens[:index])
    start = index - 1
    while sentence.tag(start) in _MODIFIER_TAGS:
        start -= 1  # "a regularly sized orange"
    is_determined = sentence.tag(start) in _DETERMINERS | {"IN"}
    return has_copula and not is_determined and not sentence.tag(index + 1).startswith("NN")


@dataclass(frozen=True, slots=True)
class OtherColors:
    """The other colors of a palette by distance; each list is made once in the lifetime of the object."""

    palette: str
    metric: str
    _lists: dict[tuple[str, str], list[tuple[float, NamedColor]]] = field(default_factory=dict, init=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return OtherColors, (self.palette, self.metric)

    def name(self, words: str) -> str | None:
        """The name of a color in the palette or the survey; a shade that neither has is a shade of its color."""
        spelling = color_graph(self.palette).spelling
        return spelling(words) or spelling(words.rpartition(" ")[2])

    def find(self, name: str, sort: str) -> list[tuple[float, NamedColor]]:
        """The other colors that are common (everybody uses their names) or uncommon, with distances; nearest first."""
        if (name, sort) not in self._lists:
            self._lists[name, sort] = [
                (distance, color)
                for distance, color in color_graph(self.palette, self.metric).ordered(name)
                if _is_sayable(color.text)
                and (color.text.replace("grey", "gray") in EVERYDAY_COLORS) == (sort == COMMON)
            ]
        return self._lists[name, sort]


def _is_sayable(text: str) -> bool:
    """Whether a name can be said of anything: no "blue/green", nothing vulgar, nothing that sounds like a thing."""
    words = text.split()
    return "".join(words).isalpha() and color_words("unsaid").isdisjoint(words) and text not in color_words("unclear")
