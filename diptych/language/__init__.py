"""English words: inflection, articles and number words, and the tagger that parses questions."""

from diptych.language._articles import article, indefinite, with_any
from diptych.language._lexicon import is_word, noun_lemmas, verb_lemmas
from diptych.language._nouns import head_of, is_listed_noun, is_mass, is_plural, is_plural_only, plural, singular
from diptych.language._numbers import number_word, parse_count
from diptych.language._tagger import Parse, QuestionParser, Token, tagger, tagger_version, words
from diptych.language._verbs import base, gerund, participle, past, third_person

__all__ = ["article", "indefinite", "is_word", "noun_lemmas", "verb_lemmas", "with_any"]
__all__ += [
    "head_of",
    "is_listed_noun",
    "is_mass",
    "is_plural",
    "is_plural_only",
    "number_word",
    "parse_count",
    "plural",
    "singular",
]
__all__ += ["Parse", "QuestionParser", "Token", "tagger", "tagger_version", "words"]
__all__ += ["base", "gerund", "participle", "past", "third_person"]
