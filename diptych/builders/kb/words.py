"""The words of a question that may be replaced: nouns, verbs and adjectives, each with its sense."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from diptych.kg import Synset, wordnet
from diptych.kg.color_graph import palette_colors
from diptych.kg.familiar import main_pos
from diptych.kg.senses import SEEN_KINDS, choose_sense, sense_table
from diptych.language import Parse, Token

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
    return frozenset(token.lemma.lower() for token in parse if token.tag[:2] in {"NN", "VB", "JJ"})


def nouns(parse: Parse) -> list[Target]:
    """The common nouns that WordNet knows; "fire hydrant" is one noun, and its parts are not looked at."""
    found, around, at = [], context_of(parse), 0
    while at < len(parse):
        stop, word = _noun_at(parse, at)
        if word:
            last = parse[stop - 1]
            sense = choose_sense(word, "n", around - {word})
            if sense is not None and sense.lexname not in SEEN_KINDS and main_pos(word) != "n":
                sense = None  # "cold" or "fit" is hardly a noun: the tagger was wrong
            modifies = stop < len(parse) and _is_noun(parse[stop]) and last.dep == "compound"
            found.append(Target(at, stop, word, "n", _number_tag(last), sense, modifies))
        at = max(stop, at + 1)
    return found


def _noun_at(parse: Parse, at: int) -> tuple[int, str]:
    """The longest noun of WordNet that starts here, its end and its base form; an empty form for none."""
    for size in (3, 2):
        run = parse[at : at + size]
        if len(run) == size and _is_noun(run[-1]) and all(_may_open(token) for token in run[:-1]):
            word = " ".join([*(token.text.lower() for token in run[:-1]), _base(run[-1])])
            if _is_noun_of_wordnet(word):
                return at + size, "" if _is_odd(parse, at, at + size) else word
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
    return token.tag in {"NN", "JJ", "VBG", "NNS"} and token.space and token.text.isalpha()


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
    return "NNS" if token.text.lower() == "people" else token.tag


def verbs(parse: Parse) -> list[Target]:
    """The full verbs that WordNet knows, without auxiliaries, light verbs and verbs with a particle."""
    around = context_of(parse)
    return [
        Target(
            at,
            at + 1,
            word,
            "v",
            _form_tag(parse, at),
            choose_sense(word, "v", (around - {word}) | _following(parse, at)),
        )
        for at, token in enumerate(parse)
        if (word := _verb(parse, at, token))
    ]


def _verb(parse: Parse, at: int, token: Token) -> str:
    word = token.lemma.lower()
    usable = token.tag.startswith("VB") and token.text.isalpha() and token.text.isascii()
    if not usable or word in left_alone()["verbs"] or token.dep in {"aux", "auxpass", "compound"}:
        return ""
    if token.tag in {"VB", "VBP", "VBZ"} and main_pos(word) not in {"v", ""}:
        return ""  # "objects" or "ovens", taken for a verb
    return "" if _is_odd(parse, at, at + 1) or _has_particle(parse, at, word) else word


def _form_tag(parse: Parse, at: int) -> str:
    """The tag of the form: after "did", "hit" is no past, whatever the tagger says."""
    helped = any(token.text.lower() in {"did", "does", "do", "to", "can", "will"} for token in parse[:at])
    tag = parse[at].tag
    return "VB" if helped and tag == "VBD" and parse[at].text.lower() == parse[at].lemma.lower() else tag


def _has_particle(parse: Parse, at: int, word: str) -> bool:
    """Whether the verb is the first part of another: "take off", "hang up", also with words between them."""
    particles = [token for token in parse[at + 1 : at + 5] if token.tag == "RP" or token.dep == "prt"]
    after = parse[at + 1].text.lower() if at + 1 < len(parse) else ""
    return bool(particles) or (after in _PARTICLES and bool(wordnet().synsets(f"{word}_{after}", "v")))


_PARTICLES = frozenset(
    [
        "up",
        "off",
        "out",
        "away",
        "down",
        "over",
        "back",
        "around",
        "about",
        "through",
        "along",
        "apart",
        "together",
        "like",
        "for",
    ]
)


def _following(parse: Parse, at: int) -> frozenset[str]:
    return frozenset({f"+{parse[at + 1].text.lower()}"} if at + 1 < len(parse) else ())


def adjectives(parse: Parse) -> list[Target]:
    """The adjectives that describe something, without colours, numbers and words that point or compare."""
    around = context_of(parse)
    return [
        Target(at, at + 1, word, "a", "JJ", choose_sense(word, "a", around - {word}))
        for at, token in enumerate(parse)
        if (word := _adjective(parse, at, token))
    ]


def _adjective(parse: Parse, at: int, token: Token) -> str:
    word = token.text.lower()
    if token.tag != "JJ" or not word.isalpha() or not word.isascii() or word in left_alone()["adjectives"]:
        return ""
    if (
        word in color_names()
        or _is_odd(parse, at, at + 1)
        or any(start <= at < stop for start, stop in _set_phrases(parse))
    ):
        return ""
    # "How old is it?" asks for a measure, which no synonym would.
    return "" if at and parse[at - 1].text.lower() in {"how", "too", "so"} else word


def _set_phrases(parse: Parse) -> Iterator[tuple[int, int]]:
    """Nouns of several words, whose adjectives do not describe: "hot dog", "polar bear", "high chair"."""
    at = 0
    while at < len(parse):
        stop, _ = _noun_at(parse, at)
        if stop > at + 1:
            yield at, stop
        at = max(stop, at + 1)


def every_noun(parse: Parse) -> list[Target]:
    """All common nouns, also those WordNet does not know; "fire hydrant" is one."""
    known = {target.start: target for target in nouns(parse)}
    found, at = [], 0
    while at < len(parse):
        target = known.get(at)
        if target is None and _is_noun(parse[at]) and not _is_odd(parse, at, at + 1):
            target = Target(at, at + 1, parse[at].lemma.lower(), "n", parse[at].tag, None)
        if target is not None:
            found.append(target)
        at = target.stop if target else at + 1
    return found
