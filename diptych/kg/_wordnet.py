"""WordNet 3.0 in the package: from words and names to meanings, from inflected forms to words.

Names, order of senses and morphology are those of nltk (3.9.2 or later), so that results can be compared with it.
Satellite adjectives are numbered separately there: the sixth sense of the adjective "good" is `good.s.04` (older
versions of nltk wrote `good.s.06`); `good.a.06` means that sense in every version.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from diptych.errors import UnknownNameError
from diptych.kg._synset import Synset
from diptych.kg._wordnet_table import POS_ORDER, Table, load_table

_POS_NAMES = {"n": "noun", "v": "verb", "a": "adjective", "s": "satellite adjective", "r": "adverb"}
_SEARCH_ORDER = "nvar"
"""The parts of speech in the order in which a word's meanings are listed."""

# WordNet's rules of detachment (its manual page morphy.7WN), in nltk's order, which decides the first base form.
_ENDINGS = {
    "n": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "v": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "a": "er: est: er:e est:e",
    "r": "",
}
_RULES = {pos: [tuple(rule.split(":")) for rule in rules.split()] for pos, rules in _ENDINGS.items()}


@dataclass(frozen=True, slots=True)
class WordNet:
    """A WordNet database; `wordnet()` opens the one in the package."""

    table: Table

    @property
    def version(self) -> str:
        """The version of the database."""
        return self.table.version

    def synsets(self, word: str, pos: str | None = None) -> tuple[Synset, ...]:
        """The meanings of a word or of an inflected form, the most frequent first; none for an unknown word.

        Nouns come first, then verbs, adjectives and adverbs. Compounds are written with underscores.

        >>> wordnet().synsets("dogs", "n")[:2]
        (Synset('dog.n.01'), Synset('frump.n.01'))
        >>> wordnet().synsets("fire_hydrants")
        (Synset('fireplug.n.01'),)
        """
        word = word.lower()
        return tuple(
            Synset(number, self.table)
            for letter in _check_pos(pos or _SEARCH_ORDER)
            for entry in self._base_entries(word, letter)
            for number in self.table.senses(entry, letter)
        )

    def synset(self, name: str) -> Synset:
        """The meaning with a name; the name may use any of its words.

        >>> wordnet().synset("domestic_dog.n.01")
        Synset('dog.n.01')
        """
        word, pos, sense = _split_name(name)
        entry = self.table.find(word, pos)
        senses = self.table.senses(entry, pos) if entry is not None else []
        if not 1 <= sense <= len(senses):
            raise UnknownNameError(f"unknown synset {name!r}; {self._hint(word, pos)}")
        return Synset(senses[sense - 1], self.table)

    def morphy(self, form: str, pos: str | None = None) -> str | None:
        """The base form of an inflected form, or None if WordNet has none.

        >>> wordnet().morphy("geese"), wordnet().morphy("running", "v"), wordnet().morphy("xyzzy")
        ('goose', 'run', None)
        """
        for letter in _check_pos(pos or _SEARCH_ORDER):
            for entry in self._base_entries(form, letter):
                return self.table.key(entry)
        return None

    def lemma_names(self, pos: str | None = None) -> Iterator[str]:
        """All words in lower case, sorted within each part of speech; without `pos`, each word once."""
        if pos is not None:
            return (self.table.key(entry) for letter in _check_pos(pos) for entry in self.table.entries(letter))
        keys = (self.table.key(entry) for letter in POS_ORDER for entry in self.table.entries(letter))
        return iter(dict.fromkeys(keys))

    def all_synsets(self, pos: str | None = None) -> Iterator[Synset]:
        """All meanings in the order of the database, or those of one part of speech ("a" includes satellites)."""
        for letter in _check_pos(pos or POS_ORDER):
            yield from (Synset(number, self.table) for number in self.table.synsets(letter))

    def _base_entries(self, form: str, pos: str) -> list[int]:
        """The entries of a form: itself, then its irregular base forms or else its regular ones."""
        base_pos = "a" if pos == "s" else pos
        bases = self.table.exceptions[base_pos].get(form)
        if bases is None:
            bases = [form[: -len(ending)] + base for ending, base in _RULES[base_pos] if form.endswith(ending)]
        entries = (self.table.find(base, pos) for base in dict.fromkeys([form, *bases]))
        return [entry for entry in entries if entry is not None]

    def _hint(self, word: str, pos: str) -> str:
        """What exists instead: the senses of the word, or a word with a similar spelling."""
        counts = {letter: self._sense_count(word, letter) for letter in _POS_NAMES}
        senses = [f"{count} as {_POS_NAMES[letter]}" for letter, count in counts.items() if count]
        if senses:
            advice = "; nltk before 3.9.2 numbered satellites as adjectives, so try pos a" if pos == "s" else ""
            return f"{word!r} has these senses: {', '.join(senses)}{advice}"
        place, entries = self.table.place(word, pos), self.table.entries(pos)
        neighbors = range(max(place - 20, entries.start), min(place + 20, entries.stop))
        spellings = get_close_matches(word, map(self.table.key, neighbors), n=1)
        return f"did you mean {spellings[0]}.{pos}.01?" if spellings else f"WordNet has no {_POS_NAMES[pos]} {word!r}"

    def _sense_count(self, word: str, pos: str) -> int:
        entry = self.table.find(word, pos)
        return 0 if entry is None else len(self.table.senses(entry, pos))


def _split_name(name: str) -> tuple[str, str, int]:
    parts = name.lower().rsplit(".", 2)
    if len(parts) < 3 or parts[1] not in _POS_NAMES or not (parts[2].isascii() and parts[2].isdigit()):
        raise UnknownNameError(f"unknown synset {name!r}; a name is written like dog.n.01, with n, v, a, s or r")
    return parts[0], parts[1], int(parts[2])


def _check_pos(pos: str) -> str:
    """One or more parts of speech, a letter each; an unknown letter is refused."""
    for letter in pos:
        if letter not in _POS_NAMES:
            raise UnknownNameError.among("part of speech", letter, _POS_NAMES)
    return pos


@lru_cache(maxsize=1)
def wordnet() -> WordNet:
    """The WordNet in the package, opened at the first call.

    >>> wordnet().version
    '3.0'
    """
    return WordNet(load_table())
