"""Reading a question: tagged and parsed, with every noun, verb, adjective and color that a test may replace."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from diptych.builders import EVERY_TEST, Tools
from diptych.builders.kb._adjectives import find_adjectives
from diptych.builders.kb._colors import color_words, find_colors
from diptych.builders.kb._noun_guards import determiner, is_asked_for, is_object, noun_guard, number_of, preposition
from diptych.builders.kb._phrases import parse_with_names
from diptych.builders.kb._sentence import KbCandidate, Noun, NounSpan, Sentence, word_list
from diptych.builders.kb._verbs import find_verbs
from diptych.kg import wordnet
from diptych.kg.senses import SEEN_KINDS, VISIBLE_SENSES, choose_sense
from diptych.kg.vocabulary import main_pos
from diptych.language import Token, plural
from diptych.sources import VqaRow

LONGEST_QUESTION = 60  # words; a longer question is no question about an image
LEAST_AGREEMENT = 8  # annotators of ten who must have said yes where the answer is carried over

_EXISTENCE = re.compile(r"(?:is|are) there (?:an?|any|some)\b|(?:do|can) you see (?:an?|any|some)\b", re.IGNORECASE)
_COMPARING_TAGS = frozenset("JJS JJR RBS RBR".split())


def read_question(row: VqaRow, tools: Tools) -> KbCandidate:
    """The words of a question that the tests may replace, or why it cannot be read."""
    problem = reading_problem(row.question)
    if problem:
        return KbCandidate(EVERY_TEST, row.question_id, row, problem)
    assert tools.parser is not None
    sentence = Sentence.from_parse(parse_with_names(row.question, tools.parser))
    tokens = [token.text.lower() for token in sentence.tokens]
    spans, has_color_word = noun_spans(sentence), not color_words("all").isdisjoint(tokens)
    nouns, adjectives = tuple(find_nouns(sentence, spans)), tuple(find_adjectives(sentence, spans))
    words = (nouns, tuple(find_verbs(sentence)), adjectives, tuple(find_colors(sentence)) if has_color_word else ())
    flags = (has_color_word, _confirms_existence(row, sentence))
    lemmas = " ".join([token.lemma.lower() for token in sentence.tokens])
    texts = (lemmas, " ".join(tokens), " ".join(sorted(sentence.context)))
    return KbCandidate(EVERY_TEST, row.question_id, row, problem, *words, *flags, *texts)


def reading_problem(question: str) -> str:
    """Why a question cannot be read at all: no words, another script, or far too long; empty where it can."""
    start = question[:400]
    if not (start.isascii() and start[:1].isalpha()):
        letters = [char for char in start if char.isalpha()]
        if not letters:
            return "the question has no words"
        if sum(char.isascii() for char in letters) < 0.8 * len(letters):
            return "the question is not written in English letters"
    is_long = len(question) > 1000 or question.count(" ") >= LONGEST_QUESTION
    return f"the question has more than {LONGEST_QUESTION} words" if is_long else ""


def _confirms_existence(row: VqaRow, sentence: Sentence) -> bool:
    """Whether the question asks if something is there, people said yes, and nothing reverses the inference.

    A synonym or hypernym keeps such a *yes*: where there is a dog, there is a canine.
    """
    if row.answer != "yes" or not _EXISTENCE.match(row.question.strip()):
        return False
    agreement = sum(answer == "yes" for answer in row.answers) if len(row.answers) > 1 else 10
    return agreement >= LEAST_AGREEMENT and not any(
        token.text.lower() in word_list("reversing") or token.tag in _COMPARING_TAGS for token in sentence.tokens
    )


@lru_cache(maxsize=65536)
def _is_in_wordnet(word: str, pos: str) -> bool:
    return bool(wordnet().synsets(word.replace(" ", "_"), pos))


# Nouns.

_LETTERS = re.compile("[A-Za-z]+(?:[ -][A-Za-z]+)*")
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
        if len(phrase) < size or not _is_noun(phrase[-1]) or sentence.word(start) in word_list("free_adjectives"):
            continue  # "old man" and "little girl" are no names
        if all(token.tag in _OPENING_TAGS and token.space and token.text.isalpha() for token in phrase[:-1]):
            word = " ".join([*(token.text.lower() for token in phrase[:-1]), _base_form(phrase[-1])])
            if _is_in_wordnet(word, "n"):
                return start + size, "" if sentence.is_joined(start, start + size) else word
    if not _is_noun(tokens[start]) or sentence.is_joined(start, start + 1):
        return start + 1, ""
    word = _base_form(tokens[start])
    is_excluded = word in word_list("nouns") or (len(word) < 3 and word != "tv")
    return start + 1, "" if is_excluded else word


def _is_noun(token: Token) -> bool:
    return token.tag in {"NN", "NNS"} and _LETTERS.fullmatch(token.text) is not None


def _base_form(token: Token) -> str:
    text = token.text.lower()
    if text == "people":
        return "person"
    return text if (text, "n") in VISIBLE_SENSES and text != token.lemma.lower() else token.lemma.lower()


def find_nouns(sentence: Sentence, spans: Sequence[NounSpan]) -> Iterator[Noun]:
    """All common nouns: those that may be replaced, those that never are, and those that WordNet does not know."""
    for start, stop, word in spans:
        if not word and (stop > start + 1 or sentence.is_joined(start, stop)):
            continue
        base_form = word or sentence.tokens[start].lemma.lower()
        reading = _noun_reading(sentence, start, stop, word) if word else (sentence.tag(stop - 1), "", False, False)
        tag, sense, is_replaceable, is_modifier = reading
        phrase = _phrase_start(sentence, start)
        # The phrase can be spared if a preposition opens it and it hangs on more than a form of "be".
        is_spare = phrase > 0 and sentence.tag(phrase) == "IN"
        is_spare = is_spare and sentence.tokens[phrase - 1].lemma.lower() not in {"be", "there"}
        form, flags = (base_form, tag, sense, ""), (is_replaceable, is_modifier)
        guard = noun_guard(sentence, start, stop, base_form) if word else ""
        words = guard, determiner(sentence, start), preposition(sentence, start)
        is_bare = not words[1] and sentence.tag(start - 1)[:2] not in {"JJ", "NN", "RB"}
        uses = is_asked_for(sentence, start), is_object(sentence, start), is_bare
        yield Noun(*sentence.place(start, stop), *form, *flags, sentence.positions[phrase], is_spare, *words, *uses)


def _noun_reading(sentence: Sentence, start: int, stop: int, word: str) -> tuple[str, str, bool, bool]:
    """The tag and the sense of a noun, whether it may be replaced, and whether it only modifies another."""
    last = sentence.tokens[stop - 1]
    sense = choose_sense(word, "n", sentence.context - {word})
    is_modifier = stop < len(sentence.tokens) and _is_noun(sentence.tokens[stop]) and last.dep == "compound"
    if sense is not None and sense.lexname not in SEEN_KINDS:
        if is_modifier:
            return last.tag, "", False, False  # "safety gear", "a nature scene": nothing that an image shows
        if main_pos(word) != "n" and (word, "n") not in VISIBLE_SENSES:
            sense = None  # "cold" or "fit" is hardly a noun: the tagger was wrong
    text = last.text.lower()
    # What looks like a plural to the tagger alone ("a parka") is none.
    is_singular = last.tag == "NNS" and text == last.lemma.lower() and plural(text) != text
    tag = "NNS" if text == "people" else "NN" if is_singular else number_of(sentence, start, stop, word) or last.tag
    return tag, sense.name if sense else "", True, is_modifier


def _phrase_start(sentence: Sentence, noun: int) -> int:
    """The first token of a noun phrase, with its determiner, adjectives and preposition; the noun's at an opening."""
    start = noun
    while sentence.tag(start - 1) in _PHRASE_TAGS and sentence.word(start - 1) not in {"many", "much", "there"}:
        start -= 1
    if sentence.tag(start - 1) in {"IN", "TO"}:
        start -= 1
    return start or noun
