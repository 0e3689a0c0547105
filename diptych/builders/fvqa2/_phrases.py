"""What the words of an entity are: a noun with its adjectives, a verb with its objects, a name, a substance."""

import re
from functools import lru_cache
from itertools import pairwise

from diptych import language
from diptych.builders.fvqa2._entities import lineage, synsets, word_set
from diptych.kg.vocabulary import main_pos
from diptych.language import QuestionParser, noun_lemmas, verb_lemmas

CONJUNCTION = re.compile(r" (?:and|or) (\w+)")  # the conjunction between two parts of a phrase, and the word after it
_AUXILIARY = re.compile(r"\b(?:is|are|can|be|have|has|do|does)\b")
_ADVERBS = frozenset("very usually often sometimes really".split())
_UNCOUNTED_FIELDS = frozenset("noun.feeling noun.state noun.attribute noun.process".split())
_SUBSTANCES = frozenset("substance.n.01 substance.n.07 fur.n.01 hair.n.01 meat.n.01".split())
PARSER = QuestionParser()  # the parser in the package


@lru_cache(maxsize=65536)
def is_name(word: str) -> bool:
    """Whether a word is always written with a capital: Italian, January."""
    names = {name for synset in synsets(word.lower()) for name in synset.lemma_names if name.lower() == word.lower()}
    return bool(names) and all(name[0].isupper() for name in names)


def is_third_person(word: str) -> bool:
    """Whether a word is a verb in the third person."""
    return word.endswith("s") and any(language.third_person(lemma) == word for lemma in verb_lemmas(word))


@lru_cache(maxsize=65536)
def is_noun_phrase(phrase: str) -> bool:
    """Whether a phrase ends in a noun and has no verb."""
    first, last = phrase.split()[0], phrase.split()[-1]
    if not synsets(last, "n") or not noun_lemmas(last):
        return False
    return first == last or (first not in word_set("before_base") and not _AUXILIARY.search(phrase))


@lru_cache(maxsize=65536)
def is_verb_phrase(phrase: str, parser: QuestionParser = PARSER) -> bool:
    """Whether a phrase begins with a verb in its base form or its gerund."""
    first = phrase.split()[0]
    lemmas = verb_lemmas(first)
    if not lemmas or is_third_person(first) or (first not in lemmas and not first.endswith("ing")):
        return False
    if first in lemmas and " " not in phrase:
        return not noun_lemmas(first) or is_mainly_verb(first)
    return first.endswith("ing") or is_mainly_verb(lemmas[0]) or parser(f"It can {phrase}.")[2].tag == "VB"


def hides_a_verb(phrase: str, parser: QuestionParser = PARSER) -> bool:
    """Whether a second verb lost its form among the stems: "chop wood for build fire"."""
    tokens = parser(f"It can {phrase}.")[3:-1]
    preceding_words = [phrase.split()[0], *(token.text for token in tokens)]
    return any(
        token.tag in {"VB", "VBP"} and word not in {"to", "and", "or"}
        for word, token in zip(preceding_words, tokens, strict=False)
    )


def is_adjective(phrase: str) -> bool:
    """Whether a word, or two with "very" and the like, say what something is like."""
    words = phrase.split()
    if len(words) > 2 or (len(words) == 2 and words[0] not in _ADVERBS):
        return False
    counts = _pos_counts(words[-1])
    return bool(synsets(words[-1], "a")) and counts["a"] >= max(counts["n"], counts["v"])


@lru_cache(maxsize=65536)
def is_sayable(word: str) -> bool:
    """Whether a word is in a dictionary of English; the graph is full of misspellings."""
    if "-" in word or "'" in word or word == "a":
        return True
    is_listed = language.is_word(word) or word in word_set("function") | word_set("grammar")
    return word.isalpha() and len(word) > 1 and (is_listed or (len(word) > 2 and bool(synsets(word))))


@lru_cache(maxsize=65536)
def is_substance(noun: str) -> bool:
    """Whether a noun names a substance, which takes no article."""
    senses = synsets(noun.replace(" ", "_"), "n") or synsets(noun.split()[-1], "n")
    if not senses:
        return False
    if senses[0].lexname in _UNCOUNTED_FIELDS:
        return True
    return any(parent.name in _SUBSTANCES for parent in lineage(senses[0]))


@lru_cache(maxsize=65536)
def keeps_endings(phrase: str) -> bool:
    """Whether the words of a noun phrase have their endings: "domesticate plant" and "live room" lost one."""
    words = phrase.lower().split()
    verbs = [word for word in words[:-1] if main_pos(word) == "v" and not word.endswith(("ing", "ed"))]
    late_adjectives = [word for noun, word in pairwise(words) if main_pos(word) == "a" and main_pos(noun) == "n"]
    return not verbs and not late_adjectives and not {"no", "not"} & set(words[:-1])


@lru_cache(maxsize=65536)
def is_mainly_verb(word: str) -> bool:
    """Whether a word is a verb more often than a noun or an adjective."""
    counts = _pos_counts(word)
    return counts["v"] > max(counts["n"], counts["a"])


@lru_cache(maxsize=65536)
def is_mainly_noun(word: str) -> bool:
    """Whether a word is a noun at least as often as a verb or an adjective."""
    counts = _pos_counts(word)
    return bool(synsets(word, "n")) and counts["n"] >= max(counts["v"], counts["a"])


def _pos_counts(word: str) -> dict[str, int]:
    """How often the meanings of a word occur as verb, noun and adjective in the sense-tagged texts."""
    return {pos: sum(sum(synset.lemma_counts) for synset in synsets(word, pos)) for pos in "vna"}
