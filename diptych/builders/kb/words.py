"""The words of a question that may be replaced: nouns, verbs and adjectives, each with its sense."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from diptych.builders.kb.objects import has_object
from diptych.kg import Synset, wordnet
from diptych.kg.color_graph import palette_colors
from diptych.kg.senses import SEEN_KINDS, choose_sense, sense_table
from diptych.kg.vocabulary import main_pos
from diptych.language import Parse, Token, plural

LONGEST = 60
"""Words; a longer question is no question about an image."""


@dataclass(frozen=True, slots=True)
class Target:
    """A word, or a set phrase of several, that may be replaced: the tokens from `start` to `stop`."""

    start: int
    stop: int
    word: str
    pos: str
    tag: str
    sense: Synset | None
    is_modifier: bool = False
    has_object: bool = False
    stands_before: bool = False
    """Whether an adjective stands before what it describes."""


Span = tuple[int, int, str]
"""Where a noun starts and stops, and its base form; the form is empty for one that is left alone."""

_SPELT = {"cell phone": "cellphone"}
"""Set phrases that WordNet spells in one word."""

_OPENERS = frozenset({"NN", "JJ", "VBG", "NNS"})
_CONTENT = frozenset({"NN", "VB", "JJ"})


@cache
def left_alone() -> dict[str, frozenset[str]]:
    """The words that are never replaced, by part of speech."""
    table = tomllib.loads((files("diptych.builders.kb") / "left_alone.toml").read_text(encoding="utf-8"))
    return {kind: frozenset(words.split()) for kind, words in table.items()}


@cache
def color_names() -> frozenset[str]:
    """Words that name colours, which the colour tests replace."""
    return frozenset(color.name for color in palette_colors("css4"))


def context_of(parse: Parse) -> frozenset[str]:
    """The content words of a question, for choosing senses."""
    return frozenset([token.lemma.lower() for token in parse if token.tag[:2] in _CONTENT])


def noun_spans(parse: Parse) -> list[Span]:
    """The common nouns of a question; "fire hydrant" is one noun, and its parts are not looked at."""
    found, at = [], 0
    while at < len(parse):
        if parse[at].tag not in _OPENERS:
            at += 1
            continue
        stop, word = _noun_at(parse, at)
        if word or stop > at + 1 or _is_noun(parse[at]):
            found.append((at, stop, word))
        at = stop
    return found


def nouns(parse: Parse, spans: Sequence[Span], around: frozenset[str]) -> list[Target]:
    """The nouns that may be replaced; one that only modifies another must be something that is seen."""
    found = []
    for start, stop, word in spans:
        if not word:
            continue
        last = parse[stop - 1]
        sense = choose_sense(word, "n", around - {word})
        modifies = stop < len(parse) and _is_noun(parse[stop]) and last.dep == "compound"
        if sense is not None and sense.lexname not in SEEN_KINDS:
            if modifies:
                continue  # "safety gear", "a nature scene"
            if main_pos(word) != "n":
                sense = None  # "cold" or "fit" is hardly a noun: the tagger was wrong
        found.append(Target(start, stop, word, "n", _number_tag(last), sense, modifies))
    return found


def every_noun(parse: Parse, spans: Sequence[Span], found: Sequence[Target]) -> list[Target]:
    """All common nouns: those that may be replaced, those that never are, and those WordNet does not know."""
    known = {target.start: target for target in found}
    return [
        known.get(start) or Target(start, stop, word or parse[start].lemma.lower(), "n", parse[stop - 1].tag, None)
        for start, stop, word in spans
        if word or (stop == start + 1 and not _is_odd(parse, start, stop))
    ]


def _noun_at(parse: Parse, at: int) -> tuple[int, str]:
    """The longest noun of WordNet that starts here, its end and its base form; an empty form for none."""
    for size in (3, 2):
        run = parse[at : at + size]
        if len(run) == size and _is_noun(run[-1]) and all(_may_open(token) for token in run[:-1]):
            word = " ".join([*(token.text.lower() for token in run[:-1]), _base(run[-1])])
            if word in _SPELT or _is_noun_of_wordnet(word):
                return at + size, "" if _is_odd(parse, at, at + size) else _SPELT.get(word, word)
    if not _is_noun(parse[at]) or _is_odd(parse, at, at + 1):
        return at + 1, ""
    word = _base(parse[at])
    return at + 1, "" if word in left_alone()["nouns"] or (len(word) < 3 and word != "tv") else word


@lru_cache(maxsize=262144)
def _is_noun_of_wordnet(word: str) -> bool:
    return bool(wordnet().synsets(word.replace(" ", "_"), "n"))


def _is_noun(token: Token) -> bool:
    return token.tag in {"NN", "NNS"} and token.text.isalpha() and token.text.isascii()


def _may_open(token: Token) -> bool:
    """Whether a token can be the first part of a set phrase: a noun or adjective, and no name."""
    return token.tag in _OPENERS and token.space and token.text.isalpha()


def _is_odd(parse: Parse, start: int, stop: int) -> bool:
    """A part of a hyphenated word, an address or the like, which is better not touched."""
    before, after = parse[start - 1] if start else None, parse[stop] if stop < len(parse) else None
    glued = before is not None and not before.space and before.text not in {'"', "'", "(", "``"}
    return glued or (after is not None and after.text in {"-", "/", "–"} and not parse[stop - 1].space)


def _base(token: Token) -> str:
    text = token.text.lower()
    if text == "people":
        return "person"
    return text if (text, "n") in sense_table().visible and text != token.lemma.lower() else token.lemma.lower()


def _number_tag(token: Token) -> str:
    """The number of a noun; what looks like a plural to the tagger alone ("a parka") is none."""
    text = token.text.lower()
    if text == "people":
        return "NNS"
    return "NN" if token.tag == "NNS" and text == token.lemma.lower() and plural(text) != text else token.tag


def verbs(parse: Parse, around: frozenset[str]) -> list[Target]:
    """The full verbs that WordNet knows, without auxiliaries, light verbs and verbs with a particle."""
    return [
        Target(
            at,
            at + 1,
            word,
            "v",
            _form_tag(parse, at),
            _sense(word, "v", (around - {word}) | _following(parse, at)),
            has_object=has_object(parse, at),
        )
        for at, token in enumerate(parse)
        if token.tag[:2] == "VB" and (word := _verb(parse, at, token))
    ]


def _sense(word: str, pos: str, around: frozenset[str]) -> Synset | None:
    """The sense of a base form; a form the tagger did not take to its base ("eaten", "lighter") has none."""
    sense = choose_sense(word, pos, around)
    known = sense is not None and (word in sense.lemma_names or (word, pos) in sense_table().visible)
    return sense if known else None


def _verb(parse: Parse, at: int, token: Token) -> str:
    word = token.lemma.lower()
    if not token.text.isalpha() or not token.text.isascii() or word in left_alone()["verbs"]:
        return ""
    if token.dep in {"aux", "auxpass", "compound", "amod"} or token.text.lower() in left_alone()["verb_forms"]:
        return ""  # "living things", and "left" is a side
    if token.tag in {"VB", "VBP", "VBZ"} and main_pos(word) not in {"v", ""}:
        return ""  # "objects" or "ovens", taken for a verb
    return "" if _is_odd(parse, at, at + 1) or _has_particle(parse, at, word) else word


def _form_tag(parse: Parse, at: int) -> str:
    """The tag of the form: after "did", "hit" is no past, and after "has" it is a participle."""
    tag = parse[at].tag
    if tag != "VBD" and not (tag == "VB" and parse[at].lemma.lower() in _UNCHANGED):
        return tag
    before = {token.text.lower() for token in parse[:at]}
    if before & {"has", "have", "had", "been", "being", "was", "were", "is", "are"}:
        return "VBN"
    helped = bool(before & {"did", "does", "do", "to", "can", "will"})
    return "VB" if helped and parse[at].text.lower() == parse[at].lemma.lower() else tag


_UNCHANGED = frozenset({"hit", "cut", "put", "set", "shut", "hurt", "split", "spread", "cast", "cost", "let", "shed"})
_PARTICLES = frozenset(
    re.findall(r"\w+", "up off out away down over back around about through along apart together like for after upon")
)


def _has_particle(parse: Parse, at: int, word: str) -> bool:
    """Whether the verb is the first part of another: "take off", "hang up", also with words between them."""
    if any(token.tag == "RP" or token.dep == "prt" for token in parse[at + 1 : at + 5]):
        return True
    after = parse[at + 1].text.lower() if at + 1 < len(parse) else ""
    return after in _PARTICLES and _is_verb_of_wordnet(f"{word}_{after}")


@lru_cache(maxsize=65536)
def _is_verb_of_wordnet(word: str) -> bool:
    return bool(wordnet().synsets(word, "v"))


def _following(parse: Parse, at: int) -> frozenset[str]:
    """The word after a verb, marked as such; "How calm does it look?" ends as it does only by its order."""
    after = parse[at + 1].text.lower() if at + 1 < len(parse) else ""
    return frozenset() if not after or (after == "?" and parse[0].text.lower() == "how") else frozenset({f"+{after}"})


def adjectives(parse: Parse, spans: Sequence[Span], around: frozenset[str]) -> list[Target]:
    """The adjectives that describe something, without colours, numbers and words that point or compare."""
    found = []
    for at, token in enumerate(parse):
        if token.tag != "JJ" or any(start <= at < stop and stop > start + 1 for start, stop, _ in spans):
            continue  # no adjective, or one that does not describe: "hot dog", "polar bear", "high chair"
        word = _adjective(parse, at, token)
        if word:
            before = at + 1 < len(parse) and parse[at + 1].tag[:2] in {"NN", "JJ", "VB", "CD"}
            sense = _sense(word, "a", around - {word})
            found.append(Target(at, at + 1, word, "a", "JJ", sense, stands_before=before))
    return found


def _adjective(parse: Parse, at: int, token: Token) -> str:
    word = token.text.lower()
    if not word.isalpha() or not word.isascii() or word in left_alone()["adjectives"] or word in color_names():
        return ""
    if _is_odd(parse, at, at + 1) or _is_bound(parse, at):
        return ""
    # "How old is it?" asks for a measure, which no synonym would.
    return "" if at and parse[at - 1].text.lower() in {"how", "too", "so"} else word


_BINDS = frozenset({"length", "size", "term", "way", "fashioned", "grown", "aged", "sized", "swing", "enough"})


def _is_bound(parse: Parse, at: int) -> bool:
    """Whether the adjective is a part of another expression: "two years old", "old fashioned", "full grown"."""
    before = parse[at - 1].lemma.lower() if at else ""
    after = parse[at + 1] if at + 1 < len(parse) else None
    if before in {"year", "month", "foot", "inch", "word"}:
        return True
    return after is not None and (after.tag in {"VBN", "VBD"} or after.text.lower() in _BINDS)
