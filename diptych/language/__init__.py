"""English that is right: articles, nouns, numbers and verbs, and the tagger of questions."""

from diptych.language.articles import article, indefinite, with_any, with_article
from diptych.language.nouns import (
    be,
    does,
    head_noun,
    is_mass,
    is_plural,
    is_plural_only,
    plural,
    singular,
)
from diptych.language.numbers import number_word, parse_count
from diptych.language.parsing import Parse, QuestionParser, Token, words
from diptych.language.pipeline import tagger, tagger_version
from diptych.language.verbs import base, gerund, participle, past, third_person

__all__ = [
    "Parse",
    "QuestionParser",
    "Token",
    "article",
    "base",
    "be",
    "does",
    "gerund",
    "head_noun",
    "indefinite",
    "is_mass",
    "is_plural",
    "is_plural_only",
    "number_word",
    "parse_count",
    "participle",
    "past",
    "plural",
    "singular",
    "tagger",
    "tagger_version",
    "third_person",
    "with_any",
    "with_article",
    "words",
]
