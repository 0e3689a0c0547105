"""When a word of a question is a color (rather than a thing, a name, a people), and the colors that may replace it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from diptych.builders.kb._sentence import Sentence, Target, word_list
from diptych.files import read_package_toml
from diptych.kg import wordnet
from diptych.kg.colors import NamedColor, color_graph
from diptych.kg.senses import default_sense
from diptych.kg.vocabulary import main_pos
from diptych.language import Token

COMMON, UNCOMMON = "common", "uncommon"
_NAME_TAGS = frozenset("NNP NNPS NNS".split())
_DETERMINERS = frozenset("DT PRP$ CD POS".split())


@cache
def color_words(name: str) -> frozenset[str]:
    """A list of the table of when a word is a color; `all` are the words that can be one.

    Those that are `certain` are a color wherever they describe something, those `by_predicate` only as a predicate ("Is
    the ring gold?"). In `plain` set phrases of WordNet they are a color all the same, in other `fixed` ones they are
    none. Words that are `unsaid` stand in names of colors that nobody would say to a stranger.
    """
    if name == "all":
        return color_words("certain") | color_words("by_position")
    words = read_package_toml("diptych.kg", "color_readings.toml")[name].strip()
    return frozenset(re.split(r"[;\n]\s*", words) if name in {"plain", "fixed"} else words.split())


def find_colors(sentence: Sentence) -> Iterator[Target]:
    """The words that are colors in a question, each with the shade before it where there is one: "light blue"."""
    for index, token in enumerate(sentence.tokens):
        word = token.text.lower()
        if word in color_words("all") and _is_color(sentence, index, word):
            start, shade = index, sentence.word(index - 1)
            # "Is the sky blue?": what can be a shade is what the color describes.
            is_thing = shade in word_list("shades_that_are_things") and sentence.tag(index - 2) in {"DT", "PRP$"}
            if shade in word_list("shades") and not (is_thing and _next_noun(sentence, index) is None):
                start, word = index - 1, f"{shade} {word}"
            yield Target(*sentence.place(start, index + 1), word, token.tag, "", "")


def _is_color(sentence: Sentence, index: int, word: str) -> bool:
    token = sentence.tokens[index]
    if (index and token.text[0].isupper()) or token.tag in _NAME_TAGS or _is_joined(sentence, index):
        return False
    noun = _next_noun(sentence, index)
    if (noun and _is_bound(word, noun)) or _is_monochrome(sentence, index):
        return False
    is_predicate = _is_predicate(sentence, index)
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
    phrases, sense = {f"{word} {noun.text.lower()}", f"{word} {lemma}"}, default_sense(lemma, "n")
    is_person = lemma in {"people", "person"} or (sense is not None and sense.lexname == "noun.person")
    if is_person or phrases & color_words("fixed"):
        return True
    in_wordnet = any(wordnet().synsets(phrase.replace(" ", "_"), "n") for phrase in phrases)
    return in_wordnet and not phrases & color_words("plain")


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
    is_determined = sentence.tag(index - 1) in _DETERMINERS | {"IN"}
    return has_copula and not is_determined and not sentence.tag(index + 1).startswith("NN")


@dataclass(frozen=True, slots=True)
class OtherColors:
    """The other colors of a palette by distance; each list is made once in the lifetime of the object."""

    palette: str
    metric: str
    common_colors: frozenset[str]  # those that the dataset's own questions name, by their Matplotlib names
    _lists: dict[tuple[str, str], list[tuple[float, NamedColor]]] = field(default_factory=dict, init=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return OtherColors, (self.palette, self.metric, self.common_colors)

    def name(self, words: str) -> str | None:
        """The name that the palette has for a color, with or without a shade; None where it has none."""
        return color_graph(self.palette).spelling(words.replace(" ", "") if self.palette == "css4" else words)

    def find(self, name: str, sort: str) -> list[tuple[float, NamedColor]]:
        """The other colors that are common, or uncommon, with their distances; the nearest first."""
        if (name, sort) not in self._lists:
            colors = self._lists[name, sort] = []
            for distance, color in color_graph(self.palette, self.metric).ordered(name):
                is_common = color.name.replace("grey", "gray") in self.common_colors
                words = color.text.split()  # no "blue/green", nothing vulgar
                is_sayable = "".join(words).isalpha() and color_words("unsaid").isdisjoint(words)
                if is_sayable and is_common == (sort == COMMON):
                    colors.append((distance, color))
        return self._lists[name, sort]


def count_raw_words(questions: Iterable[str]) -> Counter[str]:
    """How often each word is written in some questions: in lower case, with the marks around it."""
    return Counter(word for question in questions for word in question.lower().split())


def common_colors(raw_counts: Mapping[str, int], minimum: int) -> frozenset[str]:
    """The colors that questions name at least so often, by their Matplotlib names."""
    counts: Counter[str] = Counter()
    for word, count in raw_counts.items():
        counts[word.strip("?.,!'\"")] += count
    counts["gray"] += counts.pop("grey", 0)
    return frozenset(color for color in color_words("all") - {"grey"} if counts[color] >= minimum)
