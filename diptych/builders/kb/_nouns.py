"""The nouns of a question that may be replaced or left out, each with its sense."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from diptych.builders.kb._candidates import Noun
from diptych.builders.kb._sentence import Sentence, excluded_words
from diptych.kg import wordnet
from diptych.kg.senses import SEEN_KINDS, choose_sense, sense_table
from diptych.kg.vocabulary import main_pos
from diptych.language import Token, plural

NounSpan = tuple[int, int, str]
"""The first token of a noun, the one after its last, and its base form; the form is empty for an excluded noun."""

_ONE_WORD_SPELLINGS = {"cell phone": "cellphone"}
"""Set phrases that WordNet spells in one word."""
_OPENING_TAGS = frozenset("NN JJ VBG NNS".split())
_PHRASE_TAGS = frozenset("DT PRP$ JJ JJR JJS CD NN VBG VBN POS PDT".split())
_LONGEST_PHRASE = 3


def noun_spans(sentence: Sentence) -> list[NounSpan]:
    """The common nouns of a question; "fire hydrant" is one noun, and its parts are not looked at."""
    spans, index = [], 0
    while index < len(sentence.tokens):
        if sentence.tokens[index].tag not in _OPENING_TAGS:
            index += 1
            continue
        stop, word = _longest_noun(sentence, index)
        if word or stop > index + 1 or _is_noun(sentence.tokens[index]):
            spans.append((index, stop, word))
        index = stop
    return spans


def _longest_noun(sentence: Sentence, start: int) -> tuple[int, str]:
    """The end and the base form of the longest noun of WordNet that starts here; an empty form for none."""
    tokens = sentence.tokens
    for size in range(_LONGEST_PHRASE, 1, -1):
        phrase = tokens[start : start + size]
        if len(phrase) == size and _is_noun(phrase[-1]) and all(_may_open(token) for token in phrase[:-1]):
            word = " ".join([*(token.text.lower() for token in phrase[:-1]), _base_form(phrase[-1])])
            if word in _ONE_WORD_SPELLINGS or _is_wordnet_noun(word):
                is_joined = sentence.is_joined(start, start + size)
                return start + size, "" if is_joined else _ONE_WORD_SPELLINGS.get(word, word)
    if not _is_noun(tokens[start]) or sentence.is_joined(start, start + 1):
        return start + 1, ""
    word = _base_form(tokens[start])
    is_excluded = word in excluded_words()["nouns"] or (len(word) < 3 and word != "tv")
    return start + 1, "" if is_excluded else word


@lru_cache(maxsize=262144)
def _is_wordnet_noun(word: str) -> bool:
    return bool(wordnet().synsets(word.replace(" ", "_"), "n"))


def _is_noun(token: Token) -> bool:
    return token.tag in {"NN", "NNS"} and token.text.isalpha() and token.text.isascii()


def _may_open(token: Token) -> bool:
    """Whether a token can be the first part of a set phrase: a noun or adjective, but no name."""
    return token.tag in _OPENING_TAGS and token.space and token.text.isalpha()


def _base_form(token: Token) -> str:
    text = token.text.lower()
    if text == "people":
        return "person"
    return text if (text, "n") in sense_table().visible and text != token.lemma.lower() else token.lemma.lower()


def find_nouns(sentence: Sentence, spans: Sequence[NounSpan]) -> Iterator[Noun]:
    """All common nouns: those that may be replaced, those that never are, and those that WordNet does not know."""
    for start, stop, word in spans:
        noun = _replaceable_noun(sentence, start, stop, word) if word else None
        if noun is not None:
            yield noun
        elif word or (stop == start + 1 and not sentence.is_joined(start, stop)):
            base_form = word or sentence.tokens[start].lemma.lower()
            yield _noun(sentence, start, stop, base_form, sentence.tokens[stop - 1].tag)


def _replaceable_noun(sentence: Sentence, start: int, stop: int, word: str) -> Noun | None:
    """A noun that may be replaced; one that only modifies another must be something that an image shows."""
    last = sentence.tokens[stop - 1]
    sense = choose_sense(word, "n", sentence.context - {word})
    is_modifier = stop < len(sentence.tokens) and _is_noun(sentence.tokens[stop]) and last.dep == "compound"
    if sense is not None and sense.lexname not in SEEN_KINDS:
        if is_modifier:
            return None  # "safety gear", "a nature scene"
        if main_pos(word) != "n":
            sense = None  # "cold" or "fit" is hardly a noun: the tagger was wrong
    return _noun(sentence, start, stop, word, _number_tag(last), sense.name if sense else "", True, is_modifier)


def _noun(
    sentence: Sentence,
    start: int,
    stop: int,
    word: str,
    tag: str,
    sense: str = "",
    is_replaceable: bool = False,
    is_modifier: bool = False,
) -> Noun:
    phrase = phrase_start(sentence, start)
    # The phrase can be spared if a preposition opens it and it hangs on more than a form of "be".
    is_spare = phrase > 0 and sentence.tag(phrase) == "IN"
    is_spare = is_spare and sentence.tokens[phrase - 1].lemma.lower() not in {"be", "there"}
    place = sentence.place(start, stop)
    return Noun(*place, word, tag, sense, is_replaceable, is_modifier, sentence.positions[phrase], is_spare)


def phrase_start(sentence: Sentence, noun: int) -> int:
    """The first token of a noun phrase, with its determiner, adjectives and preposition; the noun's at an opening."""
    start = noun
    while (
        start and sentence.tag(start - 1) in _PHRASE_TAGS and sentence.word(start - 1) not in {"many", "much", "there"}
    ):
        start -= 1
    if sentence.tag(start - 1) in {"IN", "TO"}:
        start -= 1
    return start or noun


def _number_tag(token: Token) -> str:
    """The number of a noun; what looks like a plural to the tagger alone ("a parka") is none."""
    text = token.text.lower()
    if text == "people":
        return "NNS"
    return "NN" if token.tag == "NNS" and text == token.lemma.lower() and plural(text) != text else token.tag
