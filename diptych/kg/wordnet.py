"""WordNet 3.0 in the package: words to meanings, names to meanings, inflected forms to words.

Names, order of senses and morphology are those of nltk (3.9.2 or later), so that people can look things up there.
One thing to know about its names: satellite adjectives are counted apart, so the sixth sense of the adjective "good"
is `good.s.04` (older versions of nltk wrote `good.s.06`); `good.a.06` means that sense in every version.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from diptych.errors import UnknownNameError
from diptych.kg.synset import Synset
from diptych.kg.wordnet_table import POS_ORDER, Table, load_table

POS_NAMES = {"n": "noun", "v": "verb", "a": "adjective", "s": "satellite adjective", "r": "adverb"}
SEARCH_ORDER = "nvar"
"""The parts of speech in the order in which a word's meanings are listed."""

# WordNet's rules of detachment (its manual page morphy.7WN), in nltk's order, which decides the first base form.
ENDINGS = {
    "n": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "v": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "a": "er: est: er:e est:e",
    "r": "",
}
RULES = {pos: [tuple(rule.split(":")) for rule in rules.split()] for pos, rules in ENDINGS.items()}


@dataclass(frozen=True, slots=True)
class WordNet:
    """A WordNet to look things up in; `wordnet()` is the one in the package."""

    table: Table

    @property
    def version(self) -> str:
        """The version of the database."""
        return self.table.version

    def synsets(self, word: str, pos: str | None = None) -> tuple[Synset, ...]:
        """The meanings of a word or of an inflected form, the commonest first; none for an unknown word.

        Nouns come first, then verbs, adjectives and adverbs. Words of several parts are written with underscores.

        >>> wordnet().synsets("dogs", "n")[:2]
        (Synset('dog.n.01'), Synset('frump.n.01'))
        >>> wordnet().synsets("fire_hydrants")
        (Synset('fireplug.n.01'),)
        """
        word = word.lower()
        return tuple(
            Synset(number, self.table)
            for one in checked_pos(pos or SEARCH_ORDER)
            for entry in self._base_entries(word, one)
            for number in self.table.senses(entry, one)
        )

    def synset(self, name: str) -> Synset:
        """The meaning with a name; any of its words may stand in the name.

        >>> wordnet().synset("domestic_dog.n.01")
        Synset('dog.n.01')
        """
        word, pos, sense = self._parts(name)
        entry = self.table.find(word, pos)
        senses = self.table.senses(entry, pos) if entry is not None else []
        if not 1 <= sense <= len(senses):
            raise UnknownNameError(f"unknown synset {name!r}; {self._hint(word, pos)}")
        return Synset(senses[sense - 1], self.table)

    def morphy(self, form: str, pos: str | None = None) -> str | None:
        """The base form of an inflected form, if it has one that WordNet knows.

        >>> wordnet().morphy("geese"), wordnet().morphy("running", "v"), wordnet().morphy("xyzzy")
        ('goose', 'run', None)
        """
        for one in checked_pos(pos or SEARCH_ORDER):
            for entry in self._base_entries(form, one):
                return self.table.key(entry)
        return None

    def lemma_names(self, pos: str | None = None) -> Iterator[str]:
        """All words, in lower case, sorted within each part of speech; with no pos, each word once."""
        if pos is not None:
            return (self.table.key(entry) for one in checked_pos(pos) for entry in self.table.entries(one))
        keys = (self.table.key(entry) for one in POS_ORDER for entry in self.table.entries(one))
        return iter(dict.fromkeys(keys))

    def all_synsets(self, pos: str | None = None) -> Iterator[Synset]:
        """All meanings in the order of the database, or those of one part of speech ("a": satellites too)."""
        for one in checked_pos(pos or POS_ORDER):
            yield from (Synset(number, self.table) for number in self.table.synsets(one))

    def _base_entries(self, form: str, pos: str) -> list[int]:
        """The entries a form can belong to: itself, then its irregular base forms or else its regular ones."""
        place = "a" if pos == "s" else pos
        bases = self.table.exceptions[place].get(form)
        if bases is None:
            bases = [form[: -len(old)] + new for old, new in RULES[place] if form.endswith(old)]
        found = (self.table.find(base, pos) for base in dict.fromkeys([form, *bases]))
        return [entry for entry in found if entry is not None]

    def _parts(self, name: str) -> tuple[str, str, int]:
        parts = name.lower().rsplit(".", 2)
        if len(parts) < 3 or parts[1] not in POS_NAMES or not (parts[2].isascii() and parts[2].isdigit()):
            raise UnknownNameError(f"unknown synset {name!r}; a name is written like dog.n.01, with n, v, a, s or r")
        return parts[0], parts[1], int(parts[2])

    def _hint(self, word: str, pos: str) -> str:
        """What there is instead: the senses of the word, or a word spelled much the same."""
        counts = {one: self._sense_count(word, one) for one in POS_NAMES}
        known = [f"{count} as {POS_NAMES[one]}" for one, count in counts.items() if count]
        if known:
            apart = "; nltk before 3.9.2 numbered satellites as adjectives, so try pos a" if pos == "s" else ""
            return f"{word!r} has these senses: {', '.join(known)}{apart}"
        place, entries = self.table.place(word, pos), self.table.entries(pos)
        around = range(max(place - 20, entries.start), min(place + 20, entries.stop))
        near = get_close_matches(word, map(self.table.key, around), n=1)
        return f"did you mean {near[0]}.{pos}.01?" if near else f"WordNet has no {POS_NAMES[pos]} {word!r}"

    def _sense_count(self, word: str, pos: str) -> int:
        entry = self.table.find(word, pos)
        return 0 if entry is None else len(self.table.senses(entry, pos))


def checked_pos(pos: str) -> str:
    """One or more parts of speech, each a letter, refused if one is unknown."""
    for one in pos:
        if one not in POS_NAMES:
            raise UnknownNameError.among("part of speech", one, POS_NAMES)
    return pos


@lru_cache(maxsize=1)
def wordnet() -> WordNet:
    """The WordNet in the package, opened at the first call.

    >>> wordnet().version
    '3.0'
    """
    return WordNet(load_table())
