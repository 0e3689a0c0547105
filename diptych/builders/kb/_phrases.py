"""Names of several words: "fire hydrant", "stop sign" and "trash can" are one noun before a question is tagged.

The tagger takes *hydrant* for an adjective, *can* for an auxiliary and *teddy* for a name. So a name is replaced by a
plain noun of its number, the question is tagged, and the name is put back as one token.
"""

import re
from dataclasses import replace
from functools import cache, lru_cache
from itertools import accumulate
from typing import NamedTuple

from diptych.builders.kb._sentence import word_list
from diptych.files import read_package_toml
from diptych.kg import wordnet
from diptych.kg.senses import VISIBLE_SENSES, default_sense
from diptych.kg.vocabulary import main_pos
from diptych.language import Parse, QuestionParser, is_plural, singular
from diptych.scenegraphs import ontology

LONGEST_NAME = 3  # words
_PLACEHOLDERS = {"NN": "table", "NNS": "tables"}  # nouns that every tagger knows
_WORD = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*")


class Name(NamedTuple):
    """A name of several words in a question: its place in the text that is tagged, itself, base form and tag."""

    start: int
    text: str
    word: str
    tag: str


@lru_cache(maxsize=16384)
def replace_names(question: str) -> tuple[str, tuple[Name, ...]]:
    """The question as it is tagged, and the names that were taken out of it.

    >>> replace_names("Is the fire hydrant red?")
    ('Is the table red?', (Name(start=7, text='fire hydrant', word='fire hydrant', tag='NN'),))
    """
    words = list(_WORD.finditer(question))
    texts = [match.group().lower() for match in words]
    names: list[Name] = []
    index = end = 0
    tagged = ""
    while index < len(words) - 1:
        size, word = _name_at(question, words, texts, index)
        if word:
            start, stop = words[index].start(), words[index + size - 1].end()
            tag = "NNS" if is_plural(texts[index + size - 1]) else "NN"
            tagged += question[end:start]
            names.append(Name(len(tagged), question[start:stop], word, tag))
            tagged, end = tagged + _PLACEHOLDERS[tag], stop
        index += size
    return tagged + question[end:], tuple(names)


def _name_at(question: str, words: list[re.Match[str]], texts: list[str], index: int) -> tuple[int, str]:
    """The number of words of the longest name that starts at a word, and its base form; one word where none does."""
    for size in range(min(LONGEST_NAME, len(words) - index), 1, -1):
        span = question[words[index].start() : words[index + size - 1].end()]
        word = _base_form(" ".join(texts[index : index + size])) if span.count(" ") == size - 1 == _gaps(span) else ""
        is_clause = word in _listed("clauses") and not {"do", "does", "did", "will"}.isdisjoint(texts[:index])
        if word and not is_clause:
            return size, word
    return 1, ""


def _gaps(span: str) -> int:
    """The characters of a span that are neither letters nor hyphens."""
    return sum(not (char.isalpha() or char == "-") for char in span)


@cache
def _listed(name: str) -> dict[str, str]:
    """A part of the table of names: `spellings` by the form that WordNet has, the other parts by themselves."""
    entries = read_package_toml("diptych.builders.kb", "names.toml")[name]
    words = [] if isinstance(entries, dict) else [" ".join(word.split()) for word in entries.split(",")]
    return dict(zip(words, words, strict=True)) or entries


@lru_cache(maxsize=65536)
def _base_form(phrase: str) -> str:
    """The base form of a name; empty for words that are none."""
    *firsts, last = phrase.split()
    base = " ".join([*firsts, singular(last)])
    spellings = _listed("spellings")
    if phrase in spellings or base in spellings:
        return spellings.get(phrase) or spellings[base]
    if {phrase, base} & _listed("none").keys() or last.endswith("ing") or main_pos(singular(last)) == "r":
        return ""
    for word in (phrase, base):
        is_object = word in _listed("names") or word in ontology().synsets or (word, "n") in VISIBLE_SENSES
        if is_object or (_is_compound(firsts) and wordnet().synsets(word.replace(" ", "_"), "n")):
            return base if default_sense(base, "n") or base in ontology().synsets else phrase
    return ""


def _is_compound(firsts: list[str]) -> bool:
    """Whether the first words of a phrase are nouns, none of them a color or a word that frames questions."""
    left_alone = word_list("nouns") | word_list("photos") | word_list("free_adjectives")
    return all(main_pos(first) == "n" and first not in left_alone for first in firsts)


def parse_with_names(question: str, parser: QuestionParser) -> Parse:
    """The parse of a question in which every name is one token."""
    text, names = replace_names(question)
    tokens = parser(text)
    if not names:
        return tokens
    by_start = {name.start: name for name in names}
    starts = accumulate((len(token.text) + token.space for token in tokens), initial=0)
    return tuple(
        replace(token, text=name.text, lemma=name.word, pos="NOUN", tag=name.tag)
        if (name := by_start.get(start))
        else token
        for token, start in zip(tokens, starts, strict=False)
    )
