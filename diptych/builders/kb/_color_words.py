"""When a word of a question is a color, rather than a thing, a name, a people or a part of a set phrase."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from diptych.builders.kb._candidates import Target
from diptych.builders.kb._sentence import Sentence
from diptych.kg import wordnet
from diptych.kg.senses import default_sense
from diptych.kg.vocabulary import main_pos
from diptych.language import Token

_PHOTO_LEMMAS = frozenset("photo picture image photograph pic film shot".split())
_SHADES = frozenset("light dark bright pale deep hot neon sky royal forest lime baby navy off".split())
_SHADES_THAT_ARE_THINGS = frozenset("sky forest lime baby light dark".split())
_COPULAS = frozenset("be look appear seem paint color colour turn dye".split())
_NAME_TAGS = frozenset("NNP NNPS NNS".split())
_DETERMINERS = frozenset("DT PRP$ CD POS".split())


@dataclass(frozen=True, slots=True)
class ColorReadings:
    """The table of when a word is a color."""

    words: frozenset[str]
    """Every word that can be a color."""
    certain_words: frozenset[str]
    """Those that are a color wherever they describe something."""
    predicate_words: frozenset[str]
    """Those that are a color only as a predicate: "Is the ring gold?"."""
    plain_phrases: frozenset[str]
    """Set phrases of WordNet in which they are a color all the same."""
    fixed_phrases: frozenset[str]
    """Other set phrases, in which they are none."""
    unsaid_words: frozenset[str]
    """Words in names of colors that nobody would say to a stranger."""


@cache
def color_readings() -> ColorReadings:
    """The table that ships with the package."""
    table = tomllib.loads((files("diptych.kg") / "color_readings.toml").read_text(encoding="utf-8"))
    plain, fixed = (frozenset(re.split(r"[;\n]\s*", table[name].strip())) for name in ("plain", "fixed"))
    certain, by_position, by_predicate, unsaid = (
        frozenset(table[name].split()) for name in ("certain", "by_position", "by_predicate", "unsaid")
    )
    return ColorReadings(certain | by_position, certain, by_predicate, plain, fixed, unsaid)


def find_colors(sentence: Sentence) -> Iterator[Target]:
    """The words that are colors in a question, each with the shade before it where there is one: "light blue"."""
    for index, token in enumerate(sentence.tokens):
        word = token.text.lower()
        if word in color_readings().words and _is_color(sentence, index, word):
            shade = sentence.word(index - 1)
            if shade in _SHADES and not _is_thing(sentence, index - 1):
                yield Target(*sentence.place(index - 1, index + 1), f"{shade} {word}", token.tag, "")
            else:
                yield Target(*sentence.place(index, index + 1), word, token.tag, "")


def _is_thing(sentence: Sentence, index: int) -> bool:
    """Whether a word that can be a shade is what the color describes: "Is the sky blue?"."""
    is_named = sentence.word(index) in _SHADES_THAT_ARE_THINGS and sentence.tag(index - 1) in {"DT", "PRP$"}
    return is_named and _next_noun(sentence, index + 1) is None


def _is_color(sentence: Sentence, index: int, word: str) -> bool:
    token = sentence.tokens[index]
    if (index and token.text[0].isupper()) or token.tag in _NAME_TAGS or _is_joined(sentence, index):
        return False
    noun = _next_noun(sentence, index)
    if noun and (_is_set_phrase(word, noun) or _is_person(noun)):
        return False
    if _is_monochrome(sentence, index):
        return False
    is_predicate = _is_predicate(sentence, index)
    if word in color_readings().predicate_words:
        return is_predicate
    is_certain = word in color_readings().certain_words and not _is_headless(sentence, index)
    return is_certain or noun is not None or is_predicate


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


def _is_set_phrase(word: str, noun: Token) -> bool:
    phrases = {f"{word} {noun.text.lower()}", f"{word} {noun.lemma.lower()}"}
    if phrases & color_readings().fixed_phrases:
        return True
    in_wordnet = any(wordnet().synsets(phrase.replace(" ", "_"), "n") for phrase in phrases)
    return in_wordnet and not phrases & color_readings().plain_phrases


def _is_person(noun: Token) -> bool:
    """Whether the color would be that of people: "the black man"."""
    lemma = noun.lemma.lower()
    sense = default_sense(lemma, "n")
    return lemma in {"people", "person"} or (sense is not None and sense.lexname == "noun.person")


def _is_monochrome(sentence: Sentence, index: int) -> bool:
    """Whether "black and white" means a photo without colors."""
    words = [token.text.lower() for token in sentence.tokens[max(0, index - 3) : index + 4]]
    if "and" not in words or not {"black", "white"} <= set(words):
        return False
    is_photo = any(token.lemma.lower() in _PHOTO_LEMMAS for token in sentence.tokens)
    return is_photo or sentence.word(max(0, index - 1)) == "in"


def _is_predicate(sentence: Sentence, index: int) -> bool:
    """Whether the color is the predicate of something before it: "Is the car silver?", "painted gold"."""
    has_copula = any(token.lemma.lower() in _COPULAS for token in sentence.tokens[:index])
    is_determined = sentence.tag(index - 1) in _DETERMINERS | {"IN"}
    return has_copula and not is_determined and not sentence.tag(index + 1).startswith("NN")


def _is_headless(sentence: Sentence, index: int) -> bool:
    """Whether a color after a determiner describes nothing: "the green" of a golf course, "an orange"."""
    is_determined = sentence.tag(index - 1) in _DETERMINERS and sentence.tag(index) == "NN"
    return is_determined and not sentence.tag(index + 1).startswith(("NN", "JJ", "CC", ","))
