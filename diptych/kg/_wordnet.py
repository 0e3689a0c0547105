"""WordNet 3.0 in the package: from words and names to meanings, from inflected forms to words.

Names, order of senses and morphology are those of nltk (3.9.2 or later), so that results can be compared with it.
Satellite adjectives are numbered separately there: the sixth sense of the adjective "good" is `good.s.04` (older
versions of nltk wrote `good.s.06`); `good.a.06` means that sense in every version.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from diptych.errors import UnknownNameError, look_up
from diptych.kg._wordnet_table import SATELLITE, Table, load_table

if TYPE_CHECKING:
    import networkx as nx

_POS_NAMES = {"n": "noun", "v": "verb", "a": "adjective", "s": "satellite adjective", "r": "adverb"}
_SEARCH_ORDER = "nvar"  # the parts of speech in the order in which a word's meanings are listed

# WordNet's rules of detachment (its manual page morphy.7WN), in nltk's order, which decides the first base form.
_ENDINGS = {
    "n": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "v": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "a": "er: est: er:e est:e",
    "r": "",
}
_RULES = {pos: [tuple(rule.split(":")) for rule in rules.split()] for pos, rules in _ENDINGS.items()}


@dataclass(frozen=True, slots=True, repr=False)
class Synset:
    """One meaning: the words that share it and the meanings related to it.

    >>> dog = wordnet().synset("dog.n.01")
    >>> dog.lemma_names, dog.lexname
    (('dog', 'domestic_dog', 'Canis_familiaris'), 'noun.animal')
    >>> dog.hypernyms()
    (Synset('canine.n.02'), Synset('domestic_animal.n.01'))
    """

    number: int

    def __repr__(self) -> str:
        return f"Synset({self.name!r})"

    def __lt__(self, other: "Synset") -> bool:
        return self.name < other.name

    @property
    def name(self) -> str:
        """The name nltk gives it: first lemma, part of speech, sense number (`dog.n.01`)."""
        pos = self.pos
        key, sense = load_table().first_sense(self.number, pos)
        return f"{key}.{pos}.{sense + 1:02d}"

    @property
    def pos(self) -> str:
        """The part of speech: n(oun), v(erb), a(djective), s(atellite adjective) or (adve)r(b)."""
        kind = load_table().kinds[self.number]
        letters = load_table().lexnames[kind % SATELLITE][:3]
        return "s" if kind >= SATELLITE else "r" if letters == "adv" else letters[0]

    @property
    def lexname(self) -> str:
        """Its lexicographer file, a coarse kind such as `noun.animal` or `verb.motion`."""
        return load_table().lexnames[load_table().kinds[self.number] % SATELLITE]

    @property
    def lemma_names(self) -> tuple[str, ...]:
        """Its words, the most frequent first, with underscores for spaces."""
        return tuple(map(load_table().lemma_name, self._lemmas))

    @property
    def lemma_counts(self) -> tuple[int, ...]:
        """How often each of its words occurs with this meaning in the sense-tagged texts."""
        return tuple(map(load_table().lemma_count, self._lemmas))

    @property
    def _lemmas(self) -> range:
        return range(load_table().lemma_starts[self.number], load_table().lemma_starts[self.number + 1])

    def _related(self, relation: str) -> tuple["Synset", ...]:
        return tuple(Synset(number) for number in load_table().related(self.number, relation))

    def hypernyms(self) -> tuple["Synset", ...]:
        """The kinds that it is a kind of (dog: canine, domestic animal)."""
        return self._related("hypernym")

    def instance_hypernyms(self) -> tuple["Synset", ...]:
        """The kinds that it is an instance of (Paris: national capital)."""
        return self._related("instance_hypernym")

    def hyponyms(self) -> tuple["Synset", ...]:
        """Its own kinds (dog: poodle, puppy)."""
        return self._related("~hypernym")

    def instance_hyponyms(self) -> tuple["Synset", ...]:
        """Its instances (national capital: Paris)."""
        return self._related("~instance_hypernym")

    def similar_tos(self) -> tuple["Synset", ...]:
        """Similar adjectives: the satellites of a head, or the head of a satellite."""
        return self._related("similar_to")

    def siblings(self) -> tuple["Synset", ...]:
        """The other hyponyms of its hypernyms; for an instance, the other instances."""
        kinds = [kind for parent in self.hypernyms() for kind in parent.hyponyms()]
        instances = [instance for parent in self.instance_hypernyms() for instance in parent.instance_hyponyms()]
        return tuple(sibling for sibling in dict.fromkeys(kinds + instances) if sibling != self)

    def parents(self) -> tuple["Synset", ...]:
        """Its hypernyms, then its instance hypernyms."""
        return self.hypernyms() + self.instance_hypernyms()

    def hypernym_paths(self) -> tuple[tuple["Synset", ...], ...]:
        """All paths through parents, each from the root down to this synset."""
        parents = self.parents()
        if not parents:
            return ((self,),)
        return tuple((*path, self) for parent in parents for path in parent.hypernym_paths())

    def is_a(self, kind: "Synset") -> bool:
        """Whether it is the given synset, a kind of it or an instance of it."""
        return kind in ancestors(self)

    def shortest_path_distance(self, target: "Synset") -> int | None:
        """The fewest steps to another synset through a common hypernym; None if there is none."""
        up, down = ancestors(self), ancestors(target)
        return min((steps + down[synset] for synset, steps in up.items() if synset in down), default=None)


@lru_cache(maxsize=65536)
def ancestors(synset: Synset) -> dict[Synset, int]:
    """All synsets that can be reached through parents, itself first, with the fewest steps to each."""
    distances, frontier, steps = {synset: 0}, [synset], 0
    while frontier:
        steps += 1
        parents = dict.fromkeys(parent for kind in frontier for parent in kind.parents())
        frontier = [parent for parent in parents if parent not in distances]
        distances |= dict.fromkeys(frontier, steps)
    return distances


@dataclass(frozen=True, slots=True)
class WordNet:
    """A WordNet database; `wordnet()` opens the one in the package."""

    table: Table

    def synsets(self, word: str, pos: str | None = None) -> tuple[Synset, ...]:
        """The meanings of a word or of an inflected form, the most frequent first; none for an unknown word.

        Nouns come first, then verbs, adjectives and adverbs. Compounds are written with underscores.

        >>> wordnet().synsets("fire_hydrants")
        (Synset('fireplug.n.01'),)
        """
        word = word.lower()
        for letter in pos or "":
            look_up("part of speech", letter, _POS_NAMES)
        return tuple(
            Synset(number)
            for letter in pos or _SEARCH_ORDER
            for form in self._base_forms(word, letter)
            for number in self.table.senses(form, letter)
        )

    def synset(self, name: str) -> Synset:
        """The meaning with a name; the name may use any of its words.

        >>> wordnet().synset("domestic_dog.n.01")
        Synset('dog.n.01')
        """
        parts = name.lower().rsplit(".", 2)
        if len(parts) < 3 or parts[1] not in _POS_NAMES or not (parts[2].isascii() and parts[2].isdigit()):
            raise UnknownNameError(f"unknown synset {name!r}; a name is written like dog.n.01, with n, v, a, s or r")
        word, pos, sense = parts[0], parts[1], int(parts[2])
        senses = self.table.senses(word, pos)
        if not 1 <= sense <= len(senses):
            raise UnknownNameError(f"unknown synset {name!r}; {self._hint(word, pos)}")
        return Synset(senses[sense - 1])

    def _base_forms(self, form: str, pos: str) -> Iterable[str]:
        """The form itself, then its irregular base forms or else its regular ones."""
        base_pos = "a" if pos == "s" else pos
        bases = self.table.exceptions[base_pos].get(form)
        if bases is None:
            bases = [form[: -len(ending)] + base for ending, base in _RULES[base_pos] if form.endswith(ending)]
        return dict.fromkeys([form, *bases])

    def _hint(self, word: str, pos: str) -> str:
        """What exists instead: the senses of the word, or a word with a similar spelling."""
        counts = {letter: len(self.table.senses(word, letter)) for letter in _POS_NAMES}
        senses = [f"{count} as {_POS_NAMES[letter]}" for letter, count in counts.items() if count]
        if senses:
            advice = "; nltk before 3.9.2 numbered satellites as adjectives, so try pos a" if pos == "s" else ""
            return f"{word!r} has these senses: {', '.join(senses)}{advice}"
        place, entries = self.table.place(word, pos), self.table.entries(pos)
        neighbors = range(max(place - 20, entries.start), min(place + 20, entries.stop))
        spellings = get_close_matches(word, map(self.table.key, neighbors), n=1)
        return f"did you mean {spellings[0]}.{pos}.01?" if spellings else f"WordNet has no {_POS_NAMES[pos]} {word!r}"


@cache
def wordnet() -> WordNet:
    """The WordNet in the package, opened at the first call."""
    return WordNet(load_table())


def hypernym_path(synset_from: str, synset_to: str) -> "nx.DiGraph[str]":
    """The shortest path between two synsets through a common hypernym, with the edges leading up to it.

    Of several such paths, the one with the lowest (most specific) hypernym is taken. Synsets without a common hypernym
    give a graph of two nodes and no edge.

    >>> sorted(hypernym_path("dog.n.01", "cat.n.01").edges)
    [('canine.n.02', 'carnivore.n.01'), ('cat.n.01', 'feline.n.01'),
     ('dog.n.01', 'canine.n.02'), ('feline.n.01', 'carnivore.n.01')]
    """
    import networkx as nx  # slow to import, and looking words up does not need it

    ends = [wordnet().synset(name) for name in (synset_from, synset_to)]
    kinds: nx.DiGraph[Synset] = nx.DiGraph()
    kinds.add_nodes_from(ends)
    kinds.add_edges_from((kind, parent) for end in ends for kind in ancestors(end) for parent in kind.parents())
    ways = [nx.single_source_shortest_path(kinds, end) for end in ends]
    path: nx.DiGraph[str] = nx.DiGraph()
    path.add_nodes_from(end.name for end in ends)
    if common := ways[0].keys() & ways[1].keys():
        depths = {kind: max(map(len, kind.hypernym_paths())) for kind in common}
        meeting = min(common, key=lambda kind: (sum(len(way[kind]) for way in ways), -depths[kind], kind.name))
        for way in ways:
            nx.add_path(path, [kind.name for kind in way[meeting]])
    return path
