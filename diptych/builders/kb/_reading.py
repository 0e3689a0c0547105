"""Reading a question: tagged and parsed, with every word that a test may replace."""

import re
from collections.abc import Iterable

from diptych.builders import EVERY_TEST, Tools
from diptych.builders.kb._adjectives import find_adjectives
from diptych.builders.kb._candidates import KbCandidate
from diptych.builders.kb._color_words import color_readings, find_colors
from diptych.builders.kb._nouns import find_nouns, noun_spans
from diptych.builders.kb._sentence import Sentence
from diptych.builders.kb._verbs import find_verbs
from diptych.sources import VqaRow

LONGEST_QUESTION = 60
"""Words; a longer question is no question about an image."""
LEAST_AGREEMENT = 8
"""Annotators of ten who must have said yes where the answer is carried over."""

NO_WORDS = "the question has no words"
OTHER_SCRIPT = "the question is not written in English letters"
TOO_LONG = f"the question has more than {LONGEST_QUESTION} words"

_EXISTENCE = re.compile(r"(?:is|are) there (?:an?|any|some)\b|(?:do|can) you see (?:an?|any|some)\b", re.IGNORECASE)
# What turns the direction of an inference, or compares the thing with the rest of its kind.
_REVERSING_WORDS = frozenset(
    """no not n't without only just all every each both same different other another more less most least fewer few
    than enough except but besides never nothing none either neither or if too many much number exactly""".split()
)
_COMPARING_TAGS = frozenset("JJS JJR RBS RBR".split())


def parsed_questions(row: VqaRow) -> Iterable[str]:
    """The question of a row, if it can be read."""
    return () if reading_problem(row.question) else (row.question,)


def read_question(row: VqaRow, tools: Tools) -> KbCandidate:
    """The words of a question that the tests may replace, or why it cannot be read."""
    problem = reading_problem(row.question)
    if problem:
        return KbCandidate(EVERY_TEST, row.question_id, row, problem)
    assert tools.parser is not None
    sentence = Sentence.from_parse(tools.parser(row.question))
    tokens = [token.text.lower() for token in sentence.tokens]
    spans = noun_spans(sentence)
    has_color_word = not color_readings().words.isdisjoint(tokens)
    return KbCandidate(
        EVERY_TEST,
        row.question_id,
        row,
        problem,
        nouns=tuple(find_nouns(sentence, spans)),
        verbs=tuple(find_verbs(sentence)),
        adjectives=tuple(find_adjectives(sentence, spans)),
        colors=tuple(find_colors(sentence)) if has_color_word else (),
        has_color_word=has_color_word,
        confirms_existence=_confirms_existence(row, sentence),
        lemmas=" ".join([token.lemma.lower() for token in sentence.tokens]),
        tokens=" ".join(tokens),
    )


def reading_problem(question: str) -> str:
    """Why a question cannot be read at all: no words, another script, or far too long; empty where it can."""
    start = question[:400]
    if not (start.isascii() and start[:1].isalpha()):
        letters = [char for char in start if char.isalpha()]
        if not letters:
            return NO_WORDS
        if sum(char.isascii() for char in letters) < 0.8 * len(letters):
            return OTHER_SCRIPT
    return TOO_LONG if len(question) > 1000 or question.count(" ") >= LONGEST_QUESTION else ""


def _confirms_existence(row: VqaRow, sentence: Sentence) -> bool:
    """Whether the question asks if something is there, people said yes, and nothing reverses the inference.

    A synonym or hypernym keeps such a *yes*: where there is a dog, there is a canine.
    """
    if row.answer != "yes" or not _EXISTENCE.match(row.question.strip()):
        return False
    agreement = sum(answer == "yes" for answer in row.answers) if len(row.answers) > 1 else 10
    return agreement >= LEAST_AGREEMENT and not any(
        token.text.lower() in _REVERSING_WORDS or token.tag in _COMPARING_TAGS for token in sentence.tokens
    )
