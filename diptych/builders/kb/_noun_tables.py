"""The reviewed tables of nouns: everyday kinds, narrower words, contrasts, and nouns that only a cue decides."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any

from diptych.builders.kb._sentence import word_list
from diptych.builders.kb._stand_ins import HYPERNYM, HYPONYM, SIBLING, StandIn
from diptych.builders.kb._table_files import TableFile
from diptych.errors import UnknownNameError
from diptych.kg import Synset, wordnet
from diptych.kg.senses import default_sense
from diptych.kg.vocabulary import sense_count
from diptych.language import plural

_COMMON_SENSES, _HEAD_STEPS = 3, 3
_NOUN = "is not a noun in WordNet; check the spelling, or write the name of a synset such as mouse.n.04"


@dataclass(frozen=True, slots=True)
class Kind:
    """An everyday kind: the word that is said, its sense, and the nouns that it is said of."""

    word: str
    sense: str
    members: frozenset[str]
    climbs: bool  # whether it is also said of every other noun below it in WordNet
    not_after: frozenset[str]  # prepositions that it cannot follow
    not_with: frozenset[str]  # words of a question in which nobody would say it


@dataclass(frozen=True, slots=True)
class NounTables:
    """What may stand in for a noun; entries are by word, or by word and synset for that sense alone."""

    kinds: tuple[Kind, ...]
    refused_kinds: Mapping[str, frozenset[str]]  # kinds that nobody says of a noun though WordNet has them above it
    narrower: Mapping[str, tuple[str, ...]]
    not_narrower_with: Mapping[str, frozenset[str]]  # words that exclude the narrower words of a noun
    contrasts: Mapping[str, tuple[str, ...]]
    no_contrast_with: Mapping[str, frozenset[str]]  # words that only the noun itself goes with
    only_with: Mapping[str, Mapping[str, frozenset[str]]]
    """Nouns of several senses: each sense to the words that decide for it; without one, the noun is left alone."""
    not_with: Mapping[str, frozenset[str]]  # words beside which a noun means something else
    _lists: dict[tuple[str, str, str, bool], list[StandIn]] = field(default_factory=dict, init=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return NounTables, tuple(getattr(self, field.name) for field in fields(self) if field.init)

    def find(self, relation: str, word: str, sense: str, *, is_plural: bool = False) -> list[StandIn]:
        """The stand-ins of a noun in a sense, in the order of the table."""
        key = relation, word, sense, is_plural
        if key not in self._lists:
            self._lists[key] = list(self._find(*key))
        return self._lists[key]

    def _find(self, relation: str, word: str, sense: str, is_plural: bool) -> Iterator[StandIn]:
        synset = wordnet().synset(sense)
        if relation == HYPERNYM:
            kinds = [(kind.word, wordnet().synset(kind.sense)) for kind in self._kinds_of(word, synset)]
            for kind, kind_sense in kinds or self._head(word, synset):
                yield _stand_in(relation, synset, kind, kind_sense)
            return
        table = self.narrower if relation == HYPONYM else self.contrasts
        entries = _entry(table, word, synset) or ()
        for entry in table.get(plural(word), entries) if is_plural and entries else entries:
            yield _stand_in(relation, synset, _said(entry), _sense_below(entry, synset, relation))

    def _kinds_of(self, word: str, synset: Synset) -> list[Kind]:
        refused = self.refused_kinds.get(word, frozenset())
        names = {f"{word} {synset.name}"} | ({word} if synset == default_sense(word, "n") else set())
        listed = [kind for kind in self.kinds if names & kind.members]
        climbed = [kind for kind in self.kinds if kind.climbs and not listed and _is_surely(kind.sense, word, synset)]
        return [kind for kind in listed or climbed if kind.word not in refused | {word}]

    def _head(self, word: str, synset: Synset) -> list[tuple[str, Synset]]:
        """The last word of a name that WordNet has above it: a train station is a station, a hot dog is no dog."""
        head = word.rpartition(" ")[2]
        unclear = self.only_with.keys() | self.not_with.keys() | word_list("nouns") | word_list("no_heads")
        if head == word or head in unclear:
            return []
        above = (kind for path in synset.hypernym_paths() for kind in reversed(path[-_HEAD_STEPS - 1 : -1]))
        return [(head, sense) for sense in above if head in sense.lemma_names][:1]

    def hypernyms(self, word: str, sense: str) -> list[StandIn]:
        """The everyday kinds of a noun, the preferred first."""
        return self.find(HYPERNYM, word, sense)

    def excludes(self, relation: str, noun: str, stand_in: str, preposition: str, words: set[str]) -> bool:
        """Whether a stand-in cannot follow a preposition, or other words of the question go with the noun alone."""
        if relation in {HYPONYM, SIBLING}:
            table = self.not_narrower_with if relation == HYPONYM else self.no_contrast_with
            return not words.isdisjoint(table.get(noun, ()))
        kind = next((kind for kind in self.kinds if relation == HYPERNYM and kind.word == stand_in), None)
        return kind is not None and (preposition in kind.not_after or not words.isdisjoint(kind.not_with))


def _entry(table: Mapping[str, tuple[str, ...]], word: str, synset: Synset) -> tuple[str, ...] | None:
    """The entry of a sense, or that of the word where its usual sense is meant."""
    by_sense = table.get(f"{word} {synset.name}")
    return by_sense if by_sense is not None or synset != default_sense(word, "n") else table.get(word)


def _said(entry: str) -> str:
    """The word of an entry, which may be the name of a synset.

    >>> _said("polar bear"), _said("hot_dog.n.02")
    ('polar bear', 'hot dog')
    """
    return entry.partition(".")[0].replace("_", " ")


def _key(entry: str) -> str:
    """The key of an entry: the word, with WordNet's own name of the synset where the entry is one."""
    return f"{_said(entry)} {wordnet().synset(entry).name}" if "." in entry else entry


def _sense_below(word: str, synset: Synset, relation: str) -> Synset:
    """The sense of a stand-in: its usual one, of a narrower word the first that is of the kind."""
    if "." in word:
        return wordnet().synset(word)
    senses = wordnet().synsets(word.replace(" ", "_"), "n") if relation == HYPONYM else ()
    usual = default_sense(word, "n")
    assert usual is not None  # every word of the tables is a noun
    return next((sense for sense in (usual, *senses) if sense != synset and sense.is_a(synset)), usual)


def _is_surely(sense: str, word: str, synset: Synset) -> bool:
    """Whether a noun of one word is of a kind in all its senses but the rare ones: no one says "person" of a sweet."""
    kind = wordnet().synset(sense)
    senses = {synset, *wordnet().synsets(word.replace(" ", "_"), "n")[:_COMMON_SENSES]}
    return " " not in word and synset != kind and all(sense.is_a(kind) for sense in senses)


def _stand_in(relation: str, synset: Synset, word: str, sense: Synset) -> StandIn:
    """A stand-in with its true distance, and whether WordNet has that relation."""
    distance = synset.shortest_path_distance(sense)
    assert distance is not None  # all nouns are below one
    is_related = {HYPERNYM: synset.is_a(sense), HYPONYM: sense.is_a(synset), SIBLING: distance == 2}[relation]
    return StandIn(word, sense.name, distance, sense_count(sense, word), "wordnet" if is_related else "table")


# Reading the tables.


def read_noun_tables(files: Mapping[str, Sequence[TableFile]]) -> NounTables:
    """The tables of nouns, every word of them checked."""
    kinds, narrower = _read_kinds(files["kinds"]), _read_narrower(files["narrower"])
    return NounTables(*kinds, *narrower, *_read_contrasts(files["contrasts"]), *_read_ambiguous(files["ambiguous"]))


def _read_kinds(files: Sequence[TableFile]) -> tuple[tuple[Kind, ...], dict[str, frozenset[str]]]:
    kinds: dict[str, Kind] = {}
    refused: dict[str, frozenset[str]] = {}
    for file in files:
        for section, entries in file.sections("kind", "refused"):
            if section == "refused":
                refused |= {word: frozenset(file.words(word, text)) for word, text in entries.items()}
                continue
            for entry in entries:
                kind = _read_kind(file, entry)
                earlier = kinds.get(f"{kind.word} {kind.sense}")
                members = kind.members | (earlier.members if earlier else frozenset())
                kinds[f"{kind.word} {kind.sense}"] = replace(kind, members=members)
    return tuple(kinds.values()), refused


def _read_kind(file: TableFile, entry: Mapping[str, Any]) -> Kind:
    word, sense = str(entry.get("word", "")), str(entry.get("sense", ""))
    if not word or not _is_synset(sense):
        raise file.error(sense or word or "kind", "needs `word` and `sense`, the name of a WordNet synset")
    unknown = sorted(entry.keys() - {field.name for field in fields(Kind)})
    if unknown:
        raise file.error(
            unknown[0], f"is not a key of a kind; keys are {', '.join(field.name for field in fields(Kind))}"
        )
    members = _nouns(file, word, entry.get("members", ""))
    not_after, not_with = (frozenset(file.words(word, entry.get(key, ""))) for key in ("not_after", "not_with"))
    return Kind(word, sense, frozenset(map(_key, members)), bool(entry.get("climbs", False)), not_after, not_with)


def _read_narrower(files: Sequence[TableFile]) -> tuple[dict[str, tuple[str, ...]], dict[str, frozenset[str]]]:
    table: dict[str, tuple[str, ...]] = {}
    not_with: dict[str, frozenset[str]] = {}
    for file in files:
        for section, entries in file.sections("narrower", "not_with"):
            for word, text in entries.items():
                _check_noun(file, word)
                if section == "not_with":
                    not_with[word] = frozenset(file.words(word, text))
                else:
                    table[_key(word)] = _nouns(file, word, text)
    return table, not_with


def _read_contrasts(files: Sequence[TableFile]) -> tuple[dict[str, tuple[str, ...]], dict[str, frozenset[str]]]:
    """Each word of a set to the others, those after it first, so that no word of the set is taken more than another."""
    table: dict[str, tuple[str, ...]] = {}
    not_with: dict[str, frozenset[str]] = {}
    for file in files:
        for section, text in file.sections("sets", "alone", "not_with"):
            if section == "not_with":
                not_with |= {word: frozenset(file.words(word, cues)) for word, cues in text.items()}
                continue
            if section == "alone":
                table |= dict.fromkeys(map(_key, _nouns(file, section, text)), ())
                continue
            sets = [_nouns(file, line, line) for line in reversed(str(text).strip().splitlines())]
            for is_first in (False, True):  # the line that begins with a word decides, else the first that has it
                for words in sets:
                    places = range(1) if is_first else range(1, len(words))
                    table |= {_key(words[place]): words[place + 1 :] + words[:place] for place in places}
    return table, not_with


def _read_ambiguous(
    files: Sequence[TableFile],
) -> tuple[dict[str, dict[str, frozenset[str]]], dict[str, frozenset[str]]]:
    only_with: dict[str, dict[str, frozenset[str]]] = {}
    not_with: dict[str, frozenset[str]] = {}
    for file in files:
        for section, entries in file.sections("only_with", "not_with"):
            for word, entry in entries.items():
                _check_noun(file, word)
                if section == "not_with":
                    not_with[word] = frozenset(file.words(word, entry))
                    continue
                if not isinstance(entry, dict):
                    raise file.error(word, 'must be senses with their words, such as { "mouse.n.04" = "computer" }')
                only_with[word] = {}
                for sense, cues in entry.items():
                    if not _is_synset(sense):
                        raise file.error(sense, "is not a synset of WordNet")
                    only_with[word][wordnet().synset(sense).name] = frozenset(file.words(sense, cues))
    return only_with, not_with


def _nouns(file: TableFile, entry: str, text: Any) -> tuple[str, ...]:
    words = file.words(entry, text)
    for word in words:
        _check_noun(file, word)
    return words


def _check_noun(file: TableFile, word: str) -> None:
    if not (_is_synset(word) if "." in word else default_sense(word, "n")):
        raise file.error(word, _NOUN)


@cache
def _is_synset(name: str) -> bool:
    try:
        wordnet().synset(name)
    except UnknownNameError:
        return False
    return True
