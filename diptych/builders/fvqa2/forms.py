"""The grammatical form a slot asks for, and how an entity is put into it.

ConceptNet says entities by their stems ("drive car", "make from bean"), so what it leaves out is put back: the
article, the plural of what nobody says in the singular, "the" before the sun.
"""

import re
from functools import cache, lru_cache

from diptych.builders.fvqa2.entities import SILENT, split_words, word_lists
from diptych.kg import wordnet
from diptych.language import (
    QuestionParser,
    base,
    engines,
    gerund,
    indefinite,
    is_mass,
    is_plural,
    participle,
    plural,
    singular,
    third_person,
)

FORMS = ("gerund", "base", "third_person", "participle", "a", "plural", "singular", "bare")
"""The forms of a slot; all but `bare` are also filters of the templates."""

VERBAL = frozenset(FORMS[:4])
_BEFORE_BASE = frozenset(
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
_BE = frozenset(["is", "are", "be", "been", "being", "was", "were"])
_PREPOSITIONS = frozenset({"in", "on", "at", "inside", "near", "around"})
_NEEDS_ARTICLE = {
    "AtLocation": _PREPOSITIONS,
    "HasA": frozenset({"has", "have", "contains", "with"}),
    "PartOf": frozenset({"has", "have", "contains", "with"}),
}
_LEADING = frozenset({"in", "on", "at", "inside", "near", "around", "of", "with", "for", "from", "under", "most"})
_ARTICLES = ("a ", "an ", "the ")
_COUNTED = re.compile(r"(?:two|three|four|five|six|eight|ten|many|several|our|their|its|your|his|her|most|all)\b")
_SMALL = frozenset(
    {"from", "with", "for", "of", "into", "onto", "without", "and", "or", "than", "through", "during", "at", "to"}
    | {"between", "against", "under", "over", "behind", "around", "across", "their", "your"}
)
_DETERMINERS = frozenset({"DT", "PRP$", "CD", "POS", "PRP"})
_VERBAL_RELATIONS = frozenset({"UsedFor", "CapableOf", "Desires", "ReceivesAction"})
_LONGEST = 6
_UNSAYABLE = frozenset(
    [
        "i",
        "he",
        "she",
        "they",
        "it",
        "we",
        "him",
        "them",
        "me",
        "us",
        "this",
        "that",
        "these",
        "those",
        "there",
        "who",
        "what",
        "when",
        "where",
        "why",
        "how",
        "which",
        "if",
        "because",
        "so",
        "something",
        "someone",
        "somebody",
        "anything",
        "everything",
        "nothing",
        "everyone",
        "anyone",
        "you",
        "also",
        "etc",
        "one",
        "ones",
    ]
)
_PARSER = QuestionParser()


@cache
def _list(name: str) -> frozenset[str]:
    return frozenset(word_lists()["forms"][name].split())


def form_of(words: tuple[str, ...], start: int, end: int, relation: str) -> str:
    """The form of the words of a question from `start` to `end`: what else stood there would need it too.

    >>> form_of(("which", "can", "be", "used", "for", "holding", "water"), 5, 7, "UsedFor")
    'gerund'
    """
    first = words[start].lower()
    before = words[start - 1].lower() if start else ""
    lemmas = engines.verb_lemmas(first)
    if lemmas and relation in _VERBAL_RELATIONS:
        if first.endswith("ing") and first not in lemmas:
            return "gerund"
        if first in lemmas and (before in _BEFORE_BASE or relation == "CapableOf"):
            return "gerund" if before == "of" else "base"
        if relation == "ReceivesAction" and before in _BE:
            return "participle"
        if first not in lemmas and _is_third(first) and relation in {"CapableOf", "UsedFor"}:
            return "third_person"
    if relation == "HasProperty":
        return "bare"
    if first in {"a", "an"}:
        return "a"
    said = " ".join(words[start:end]).lower()
    if is_plural(said):
        return "plural"
    # Where the annotators left the article out or the noun needs none, another noun may need it.
    if before in (_BE if relation == "IsA" else _NEEDS_ARTICLE.get(relation, ())):
        return "a"
    return "bare" if plural(said) == said else "singular"


def _is_third(word: str) -> bool:
    return word.endswith("s") and any(third_person(lemma) == word for lemma in engines.verb_lemmas(word))


@lru_cache(maxsize=65536)
def say(entity: str, form: str) -> str:
    """An entity in the form a slot asks for.

    >>> say("drive a car", "gerund"), say("jazz clubs", "a"), say("a farm animal", "plural")
    ('driving a car', 'a jazz club', 'farm animals')
    """
    said = _bare(entity)
    match form:
        case "gerund":
            return gerund(said)
        case "base":
            return base(said)
        case "third_person":
            return third_person(said)
        case "participle":
            return participle(said)
        case "a":
            return indefinite(singular(said))
        case "plural":
            return plural(said)
        case "singular":
            return singular(said)
    return said


def _bare(entity: str) -> str:
    """The entity without its article; small letters where it only begins a sentence."""
    words = list(split_words(entity))
    while len(words) > 1 and words[0].lower() in {"a", "an", "the", "to"}:
        del words[0]
    if words and words[0][1:].islower() and not _is_name(words[0]):
        words[0] = words[0].lower()
    return " ".join(words)


def _hides_a_verb(said: str) -> bool:
    """Whether a second verb lost its form among the stems: "chop wood for build fire"."""
    tokens = _PARSER(f"It can {said}.")[3:-1]
    before = [said.split()[0], *(token.text for token in tokens)]
    return any(
        token.tag in {"VB", "VBP"} and last not in {"to", "and", "or"}
        for last, token in zip(before, tokens, strict=False)
    )


def _is_name(word: str) -> bool:
    """Whether a word is always written with a capital: Italian, January."""
    found = wordnet().synsets(word.lower())
    names = {name for synset in found for name in synset.lemma_names if name.lower() == word.lower()}
    return bool(names) and all(name[0].isupper() for name in names)


@lru_cache(maxsize=65536)
def fill(entity: str, form: str, relation: str, stemmed: bool = True) -> str | None:
    """A new entity ready for a slot of some form, or nothing where the question would not be good English.

    `stemmed` says that articles and plurals were lost and are to be put back.

    >>> fill("drive car", "gerund", "UsedFor"), fill("city", "gerund", "UsedFor")
    ('drive a car', None)
    """
    said = _bare(entity)
    words = [word.lower() for word in split_words(said)]
    if not 1 <= len(words) <= _LONGEST or not _UNSAYABLE.isdisjoint(words) or not all(map(_is_sayable, words)):
        return None
    if not _fits(said, form, relation) or (form in VERBAL and entity.lower().startswith(_ARTICLES)):
        return None
    if form in VERBAL and stemmed and _hides_a_verb(said):
        return None
    if form in VERBAL:
        return _with_articles(said if form == "participle" else base(said)) if stemmed else said
    return _bare(entity)


def _fits(said: str, form: str, relation: str) -> bool:
    if form == "participle":
        return bool(engines.verb_lemmas(said.split()[0]))
    if form in VERBAL:
        return _is_verb_phrase(said)
    if relation == "HasProperty":
        return _is_adjective(said)
    if relation in {"CapableOf", "ReceivesAction"} or said.split()[0] in _LEADING or not _is_noun_phrase(said):
        return False
    if form in {"a", "singular"} and _COUNTED.match(said):
        return False
    return " " not in said or (" than " not in said and not _commoner_as_verb(said.split()[0]))


@lru_cache(maxsize=65536)
def _is_sayable(word: str) -> bool:
    """Whether a word is English, as far as the dictionaries know; the graph is full of slips."""
    if "-" in word or "'" in word or word == "a":
        return True
    known = engines.is_word(word) or word in SILENT or word in _SMALL or bool(wordnet().synsets(word))
    return word.isalpha() and len(word) > 1 and known


@lru_cache(maxsize=65536)
def _is_verb_phrase(said: str) -> bool:
    first = said.split()[0]
    lemmas = engines.verb_lemmas(first)
    if not lemmas or _is_third(first) or (first not in lemmas and not first.endswith("ing")):
        return False
    if first in lemmas and " " not in said:
        return not engines.noun_lemmas(first) or _commoner_as_verb(first)
    return first.endswith("ing") or _commoner_as_verb(lemmas[0]) or _tagged_verb(said)


@lru_cache(maxsize=65536)
def _commoner_as_verb(word: str) -> bool:
    counts = {pos: sum(sum(s.lemma_counts) for s in wordnet().synsets(word, pos)) for pos in "vna"}
    return counts["v"] > max(counts["n"], counts["a"])


def _tagged_verb(said: str) -> bool:
    return _PARSER(f"It can {said}.")[2].tag == "VB"


@lru_cache(maxsize=65536)
def _is_noun_phrase(said: str) -> bool:
    last = said.split()[-1]
    nouns = wordnet().synsets(last, "n")
    if not nouns or not engines.noun_lemmas(last):
        return False
    first = said.split()[0]
    return first == last or (
        first not in _BEFORE_BASE and not re.search(r"\b(?:is|are|can|be|have|has|do|does)\b", said)
    )


def _is_adjective(said: str) -> bool:
    words = said.split()
    if len(words) > 2 or (len(words) == 2 and words[0] not in {"very", "usually", "often", "sometimes", "really"}):
        return False
    found = wordnet().synsets(words[-1], "a")
    counts = {pos: sum(sum(s.lemma_counts) for s in wordnet().synsets(words[-1], pos)) for pos in "avn"}
    return bool(found) and counts["a"] >= max(counts["n"], counts["v"])


@lru_cache(maxsize=65536)
def _with_articles(said: str) -> str:
    """A verb phrase with what the graph leaves out: "put food in bowl" is "put food in a bowl"."""
    words = said.split()
    tags = [token.tag for token in _PARSER(f"It can {said}.")[2:-1]]
    if len(tags) != len(words):
        return said
    out = list(words)
    at = len(words) - 1
    while at > 0:
        if tags[at] not in {"NN", "NNP", "JJ"} or not engines.noun_lemmas(words[at]):
            at -= 1
            continue
        start = at
        while start > 1 and tags[start - 1] in {"NN", "JJ", "VBG", "NNP", "VBN"}:
            start -= 1
        _determine(out, words, tags, start, at)
        at = start - 1
    return " ".join(out)


def _determine(out: list[str], words: list[str], tags: list[str], start: int, end: int) -> None:
    """Give one noun phrase of a verb phrase the number or the article it needs."""
    noun, whole = words[end], " ".join(words[start : end + 1])
    if tags[end] == "JJ" and not wordnet().synsets(noun, "n"):
        return
    if noun in _list("many") and tags[start - 1] not in {"DT", "CD"}:
        out[end] = plural(noun)
    elif (
        tags[start - 1] in {"DT", "PRP$", "CD", "POS", "PRP"}
        or noun in _list("bare")
        or is_mass(whole)
        or is_plural(whole)
    ):
        return
    elif noun in _list("the") and start == end:
        out[start] = f"the {out[start]}"
    else:
        out[start] = f"{indefinite(whole).split()[0]} {out[start]}" if indefinite(whole) != whole else out[start]
