"""The reviewed synonyms of adjectives and verbs: which may stand in where, and the one that is taken in a question.

An entry of the tables has one or several stand-ins, equally good, and the conditions under which they can be said. The
first entry of a word whose conditions all hold is taken; of several stand-ins, the question's id decides which.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from diptych.builders.kb._sentence import Adjective, KbCandidate, Target, Verb
from diptych.builders.kb._stand_ins import StandIn
from diptych.builders.kb._synonym_links import ADJECTIVE, VERB, link_synonym, senses_of
from diptych.builders.kb._table_files import TableFile
from diptych.kg.families import family_of
from diptych.kg.senses import default_sense
from diptych.language import base
from diptych.pairs import Skip

_CONDITIONS = {
    ADJECTIVE: frozenset("frame of before next near".split()),
    VERB: frozenset("frame form subject object helper next near".split()),
}
"""By table, what an entry may ask for; with `not_` before it, what may not be."""
_FORMS = {"VB": "base", "VBP": "base", "VBZ": "third person", "VBD": "past", "VBN": "participle", "VBG": "gerund"}
_PERSONS = frozenset(
    "he she they who i you we someone anyone everyone somebody anybody person him her them me us".split()
)
_UNKNOWN = frozenset({"", "what", "which", "it", "this", "that", "there", "these", "those", "one", "thing", "object"})

NOT_IN_TABLE = "the tables have no synonym for its {part}s"
DOES_NOT_FIT = "no synonym of its {part}s fits the neighboring words"
ALREADY_SAID = "the synonym is in the question or its answer already"
HAS_ITS_SHARE = "this substitution has its share"


@dataclass(frozen=True, slots=True)
class Synonym:
    """An entry of a table: what may stand in for a word, and where."""

    stand_ins: tuple[str, ...]  # equally good ones
    tail: str  # the words after it that are replaced with it: "on" of "turn on"
    is_fixed: bool  # whether the stand-ins are said as they are, rather than in the form of the word
    is_exact: bool  # whether each means the same wherever this entry fits, so that an answer is kept
    share: float  # of the questions that it fits, the share in which it is taken
    conditions: tuple[tuple[str, frozenset[str]], ...]


@dataclass(frozen=True, slots=True)
class SynonymTables:
    """The entries of adjectives and verbs by word, in the order in which they are tried."""

    entries: Mapping[str, Mapping[str, tuple[Synonym, ...]]]  # by table and word

    def of(self, part: str, word: str) -> tuple[Synonym, ...]:
        """The entries of a word."""
        return self.entries[part].get(word, ())


def read_synonyms(files: Mapping[str, Sequence[TableFile]]) -> SynonymTables:
    """Read the tables of adjectives and verbs; an entry that cannot be understood is an error with its line."""
    entries: dict[str, dict[str, tuple[Synonym, ...]]] = {ADJECTIVE: {}, VERB: {}}
    for part, by_word in entries.items():
        for file in files[f"{part}s"]:
            for _, section in file.sections(part):
                for phrase, items in section.items():
                    word, _, tail = phrase.partition(" ")
                    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
                        raise file.error(phrase, 'must be a list of entries such as { to = "little" }')
                    own = tuple(_read_entry(file, part, phrase, tail, item) for item in items)
                    kept = tuple(entry for entry in by_word.get(word, ()) if entry.tail != tail)
                    # Longer phrases are tried first.
                    by_word[word] = tuple(sorted((*kept, *own), key=lambda entry: -len(entry.tail)))
    return SynonymTables(entries)


def _read_entry(file: TableFile, part: str, phrase: str, tail: str, item: Mapping[str, Any]) -> Synonym:
    names = _CONDITIONS[part]
    known = {"to", "as", "exact", "share", *names, *(f"not_{name}" for name in names)}
    if unknown := sorted(item.keys() - known):
        raise file.error(phrase, f"has {unknown[0]!r}, which is not one of {', '.join(sorted(known))}")
    if len(item.keys() & {"to", "as"}) != 1:
        raise file.error(phrase, "must have either `to` or `as`")
    share = item.get("share", 1.0)
    if not isinstance(share, float | int) or not 0 < share <= 1:
        raise file.error(phrase, "must have a share above 0 and up to 1")
    conditions = tuple(
        (name, frozenset(file.words(phrase, value)))
        for name, value in item.items()
        if name not in {"to", "as", "exact", "share"}
    )
    stand_ins = file.words(phrase, item.get("to", item.get("as")))
    if not stand_ins:
        raise file.error(phrase, "has no replacement")
    if missing := [words for words in (phrase, *stand_ins) if not senses_of(part, words)]:
        raise file.error(phrase, f"has words that WordNet does not have: {missing[0]!r}")
    return Synonym(stand_ins, tail, "as" in item, item.get("exact") is True, float(share), conditions)


# The choice in a question.


@dataclass(frozen=True, slots=True)
class SynonymChoice:
    """A word of a question and what may stand in for it, the preferred first."""

    target: Target
    synonym: Synonym
    stand_ins: tuple[StandIn, ...]


def choose_synonym(candidate: KbCandidate, part: str, tables: SynonymTables) -> SynonymChoice | Skip:
    """The first word of a question that has a fitting synonym, or why there is none."""
    targets: Sequence[Target] = candidate.adjectives if part == ADJECTIVE else candidate.verbs
    if not targets or (part == VERB and all(_is_bare_light_verb(target, tables) for target in targets)):
        return Skip(f"no {part} to replace")
    reasons = []
    for target in targets:
        outcome = _fit(candidate, part, target, tables)
        if isinstance(outcome, SynonymChoice):
            return outcome
        reasons.append(outcome)
    order = (HAS_ITS_SHARE, ALREADY_SAID, DOES_NOT_FIT, NOT_IN_TABLE)
    return Skip(min(reasons, key=order.index).format(part=part))


def _is_bare_light_verb(target: Target, tables: SynonymTables) -> bool:
    return isinstance(target, Verb) and target.is_light and not tables.of(VERB, target.word)


def _fit(candidate: KbCandidate, part: str, target: Target, tables: SynonymTables) -> SynonymChoice | str:
    """A word with its stand-ins, or the reason why it has none."""
    entries = tables.of(part, target.word)
    fitting = [entry for entry in entries if _fits(candidate, target, entry)]
    if not fitting:
        return DOES_NOT_FIT if entries else NOT_IN_TABLE
    own_text = candidate.row.question[target.start : target.end].lower()
    said = {*candidate.tokens.split(), *candidate.lemmas.split()} - {own_text, target.word}
    said |= {word for answer in (candidate.row.answer, *candidate.row.answers) for word in answer.split()}
    reason = ALREADY_SAID
    for entry in fitting:
        stand_ins = [word for word in entry.stand_ins if said.isdisjoint(_content(word, entry))]
        if stand_ins and _draw(candidate.key, f"share {target.word}") >= entry.share:
            reason = HAS_ITS_SHARE
        elif stand_ins:
            first = int(_draw(candidate.key, target.word) * len(stand_ins))
            words = stand_ins[first:] + stand_ins[:first]
            links = (link_synonym(part, target.word, entry.tail, word) for word in words)
            return SynonymChoice(_with_tail(candidate, target, entry), entry, tuple(links))
    return reason


def _content(stand_in: str, entry: Synonym) -> list[str]:
    """The words of a stand-in that would say what the question has already; particles may be there twice."""
    words = [word for word in stand_in.split() if len(word) > 3] or stand_in.split()
    return words if entry.is_fixed else [*words, base(words[0])]


def _draw(key: str, purpose: str) -> float:
    """A number from 0 to 1 that only the question's id and a purpose decide, in any build."""
    digest = blake2b(f"{purpose}\0{key}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def _with_tail(candidate: KbCandidate, target: Target, entry: Synonym) -> Target:
    """The target with the words after it that are replaced with it."""
    if not entry.tail:
        return target
    found = re.match(
        r"\s+" + r"\s+".join(map(re.escape, entry.tail.split())), candidate.row.question[target.end :], re.I
    )
    return replace(target, end=target.end + found.end()) if found else target


def _fits(candidate: KbCandidate, target: Target, entry: Synonym) -> bool:
    """Whether all conditions of an entry hold; a verb with a particle needs an entry for both."""
    tail = target.tail if isinstance(target, Verb) else target.next if isinstance(target, Adjective) else ""
    if entry.tail and f"{tail} ".find(f"{entry.tail} ") != 0:
        return False
    if isinstance(target, Verb) and target.particle and target.particle not in entry.tail.split():
        return False
    values = _values(candidate, target, entry)
    return all(_holds(values, name, words) for name, words in entry.conditions)


def _values(candidate: KbCandidate, target: Target, entry: Synonym) -> dict[str, Sequence[str]]:
    """What a condition is held against, by its name."""
    near = [word for word in candidate.lemmas.split() if word != target.word]
    if isinstance(target, Adjective):
        beside = {"of": [target.noun], "before": [target.before], "next": [target.next or "?"]}
        return {"frame": [target.frame], "near": near, **beside}
    assert isinstance(target, Verb)
    words = target.tail.split()[len(entry.tail.split()) :]
    next_word = words[0] if words else "?"
    next_kind = {"JJ": "ADJ", "RB": "ADV", "TO": "to"}.get(target.next_tag, "") if not entry.tail else ""
    return {
        "frame": [target.frame],
        "form": [_FORMS.get(target.tag, "")],
        "subject": [target.subject],
        "object": [target.object],
        "helper": [target.helper],
        "next": [next_word, next_kind],
        "near": near,
    }


def _holds(values: Mapping[str, Sequence[str]], name: str, words: frozenset[str]) -> bool:
    is_denied = name.startswith("not_")
    is_there = any(_is_of(value, words) for value in values[name.removeprefix("not_")])
    return is_there != is_denied


@lru_cache(maxsize=65536)
def _is_of(value: str, words: frozenset[str]) -> bool:
    """Whether a word is one of some, or of a family of words that they name with "@"; unknown things are "@unknown"."""
    return value in words or f"@{_family(value)}" in words


@lru_cache(maxsize=65536)
def _family(word: str) -> str:
    if word in _UNKNOWN:
        return "unknown"
    if word in _PERSONS:
        return "person"
    sense = default_sense(word, "n")
    return family_of(word, sense.name) if sense else "unknown"
