"""What the words of an entity are: a noun with its adjectives, a verb with its objects, a name, a substance."""

import re
from functools import lru_cache
from itertools import pairwise

from diptych.builders.fvqa2.entities import SILENT
from diptych.kg import wordnet
from diptych.kg.vocabulary import main_pos
from diptych.language import QuestionParser, is_plural, is_word, noun_lemmas, third_person, verb_lemmas

BEFORE_BASE = frozenset(
    [
        "to",
        "can",
        "could",
        "may",
        "might",
        "will",
        "would",
        "should",
        "cannot",
        "not",
        "you",
        "we",
        "people",
        "i",
        "they",
        "usually",
        "often",
    ]
)
"""Words after which a verb stands in its base form."""
JOINED = re.compile(r" (?:and|or) (\w+)")
"""What joins two parts of a phrase, and the word after it."""
LEADING = frozenset({"in", "on", "at", "inside", "near", "around", "of", "with", "for", "from", "under", "most"})
"""Words that begin a phrase which is no noun with its adjectives."""
SMALL = frozenset(
    {"from", "with", "for", "of", "into", "onto", "without", "and", "or", "than", "through", "during", "at", "to"}
    | {"between", "against", "under", "over", "behind", "around", "across", "their", "your"}
)
_UNCOUNTED = frozenset({"noun.feeling", "noun.state", "noun.attribute", "noun.process"})
_SUBSTANCES = frozenset({"substance.n.01", "substance.n.07", "fur.n.01", "hair.n.01", "meat.n.01"})
PARSER = QuestionParser()


def is_name(word: str) -> bool:
    """Whether a word is always written with a capital: Italian, January."""
    found = wordnet().synsets(word.lower())
    names = {name for synset in found for name in synset.lemma_names if name.lower() == word.lower()}
    return bool(names) and all(name[0].isupper() for name in names)


def is_third(word: str) -> bool:
    """Whether a word is a verb in the third person."""
    return word.endswith("s") and any(third_person(lemma) == word for lemma in verb_lemmas(word))


@lru_cache(maxsize=65536)
def is_noun_phrase(said: str) -> bool:
    """Whether a phrase ends in a noun and holds no verb."""
    last = said.split()[-1]
    nouns = wordnet().synsets(last, "n")
    if not nouns or not noun_lemmas(last):
        return False
    first = said.split()[0]
    return first == last or (
        first not in BEFORE_BASE and not re.search(r"\b(?:is|are|can|be|have|has|do|does)\b", said)
    )


def is_plural_noun(word: str) -> bool:
    """Whether a word is a noun in the plural and nothing else."""
    return is_plural(word) and bool(noun_lemmas(word)) and not wordnet().synsets(word, "a")


@lru_cache(maxsize=65536)
def is_verb_phrase(said: str) -> bool:
    """Whether a phrase begins with a verb in its base form or its gerund."""
    first = said.split()[0]
    lemmas = verb_lemmas(first)
    if not lemmas or is_third(first) or (first not in lemmas and not first.endswith("ing")):
        return False
    if first in lemmas and " " not in said:
        return not noun_lemmas(first) or commoner_as_verb(first)
    return first.endswith("ing") or commoner_as_verb(lemmas[0]) or _tagged_verb(said)


def _tagged_verb(said: str) -> bool:
    return PARSER(f"It can {said}.")[2].tag == "VB"


def may_be_verb(word: str) -> bool:
    """Whether a word is read as a verb."""
    lemmas = verb_lemmas(word)
    return bool(lemmas) and (word not in lemmas or commoner_as_verb(word))


def hides_a_verb(said: str) -> bool:
    """Whether a second verb lost its form among the stems: "chop wood for build fire"."""
    tokens = PARSER(f"It can {said}.")[3:-1]
    before = [said.split()[0], *(token.text for token in tokens)]
    return any(
        token.tag in {"VB", "VBP"} and last not in {"to", "and", "or"}
        for last, token in zip(before, tokens, strict=False)
    )


def is_adjective(said: str) -> bool:
    """Whether a word, or two with "very" and the like, say what something is like.

    >>> is_adjective("very expensive"), is_adjective("health")
    (True, False)
    """
    words = said.split()
    if len(words) > 2 or (len(words) == 2 and words[0] not in {"very", "usually", "often", "sometimes", "really"}):
        return False
    found = wordnet().synsets(words[-1], "a")
    counts = {pos: sum(sum(s.lemma_counts) for s in wordnet().synsets(words[-1], pos)) for pos in "avn"}
    return bool(found) and counts["a"] >= max(counts["n"], counts["v"])


@lru_cache(maxsize=65536)
def is_sayable(word: str) -> bool:
    """Whether a word is English, as far as the dictionaries know; the graph is full of slips."""
    if "-" in word or "'" in word or word == "a":
        return True
    known = is_word(word) or word in SILENT or word in SMALL or bool(wordnet().synsets(word))
    return word.isalpha() and len(word) > 1 and known


@lru_cache(maxsize=65536)
def is_stuff(said: str) -> bool:
    """Whether a noun names a substance, which takes no article."""
    found = wordnet().synsets(said.replace(" ", "_"), "n") or wordnet().synsets(said.split()[-1], "n")
    if not found:
        return False
    return found[0].lexname in _UNCOUNTED or any(each.name in _SUBSTANCES for each in (found[0], *found[0].closure()))


@lru_cache(maxsize=65536)
def keeps_its_words(said: str) -> bool:
    """Whether a noun phrase still says what it did: "domesticate plant" and "live room" lost an ending."""
    *before, last = said.lower().split()
    verbs = [word for word in before if main_pos(word) == "v" and not word.endswith(("ing", "ed"))]
    late = [word for one, word in pairwise((*before, last)) if main_pos(word) == "a" and main_pos(one) == "n"]
    return not verbs and not late and not {"no", "not"} & set(before)


@lru_cache(maxsize=65536)
def commoner_as_verb(word: str) -> bool:
    """Whether a word is a verb more often than a noun or an adjective."""
    counts = {pos: sum(sum(s.lemma_counts) for s in wordnet().synsets(word, pos)) for pos in "vna"}
    return counts["v"] > max(counts["n"], counts["a"])


@lru_cache(maxsize=65536)
def commoner_as_noun(word: str) -> bool:
    """Whether a word is a noun at least as often as a verb or an adjective."""
    counts = {pos: sum(sum(s.lemma_counts) for s in wordnet().synsets(word, pos)) for pos in "vna"}
    return bool(wordnet().synsets(word, "n")) and counts["n"] >= max(counts["v"], counts["a"])
