"""WordNet on disk: one file of plain arrays that is memory-mapped and read in place.

Terms:

- an *entry* is a lemma in one part of speech, in its most frequent spelling; entries are sorted by part of speech,
  then by lower-case spelling, so that a word is found by bisection;
- a *synset* is numbered in the order of the database's files;
- a *lemma* is one word of one synset: lemmas are numbered synset by synset, in the order the synset lists them.

The file is not compressed: nothing is unpacked when it is opened, processes share its pages, and its bytes do not
depend on the version of a compressor. Arrays that follow from others are computed on loading, which takes milliseconds.
"""

import json
import mmap
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diptych.errors import BadInputError, MissingFileError

Array = NDArray[np.unsignedinteger[Any]]

SIGNATURE = b"diptych wordnet table 1\n"
TABLE = Path(__file__).with_name("wordnet.bin")
POS_ORDER = "arnv"  # the parts of speech in the order of the table; satellite adjectives ("s") are among the adjectives
SATELLITE = 0x80  # the bit of a synset's kind that marks a satellite adjective; the other bits number its lexname


def unpack(buffer: mmap.mmap | bytes, path: Path) -> dict[str, Array]:
    """The arrays of a table file, as views that copy nothing."""
    if buffer[: len(SIGNATURE)] != SIGNATURE:
        raise BadInputError(f"{path} is not a WordNet table of this version; make it with scripts/make_wordnet.py")
    try:
        start = buffer.find(b"\n", len(SIGNATURE)) + 1
        places = json.loads(buffer[len(SIGNATURE) : start])
        return {
            name: np.frombuffer(buffer, f"<u{size}", count, start + place).astype(f"u{size}", copy=False)
            for name, (size, place, count) in places.items()
        }
    except ValueError:
        raise BadInputError(f"{path} is cut short; make it again with scripts/make_wordnet.py") from None


def starts(lengths: Array) -> Array:
    """The start of each of the parts with these lengths, and the end of the last one."""
    places = np.zeros(len(lengths) + 1, np.uint32)
    np.cumsum(lengths, out=places[1:])
    return places


class Table:
    """WordNet as numbers, which `Synset` and `WordNet` turn into words."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            # An empty file cannot be mapped; `unpack` refuses it with a message.
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""
            self._arrays = unpack(content, path)
        # Memoryviews return Python ints several times faster than numpy arrays do.
        self._text = self._arrays["text"].data
        self._text_starts = starts(self._arrays["entry_length"]).data
        self._lemma_entry = self._arrays["lemma_entry"].data
        self._lemma_sense = self._arrays["lemma_sense"].data
        self.lemma_starts = starts(self._arrays["synset_lemmas"]).data
        """By synset: its first lemma."""
        self.kinds = self._arrays["synset_kind"].data
        """By synset: the number of its lexname, with the bit of a satellite."""
        self._pos_starts = starts(self._arrays["pos_entries"]).tolist()
        self._sense_starts, self._sense_synset = self._index()
        self._relations: dict[str, tuple[Sequence[int], Array]] = {}

    def _index(self) -> tuple[Sequence[int], Sequence[int]]:
        """The synsets of each entry in the order of its senses: the inverse of the lemmas of the synsets."""
        entry, sense = self._arrays["lemma_entry"], self._arrays["lemma_sense"]
        count = np.zeros(len(self._arrays["entry_length"]), np.uint8)
        np.maximum.at(count, entry, sense + np.uint8(1))
        first = starts(count)
        synsets = np.zeros(int(first[-1]), np.uint32)
        lemmas = self._arrays["synset_lemmas"]
        synsets[first[entry] + sense] = np.repeat(np.arange(len(lemmas), dtype=np.uint32), lemmas)
        return first.data, synsets.data

    def _string(self, name: str) -> str:
        return self._arrays[name].tobytes().decode()

    @cached_property
    def lexnames(self) -> tuple[str, ...]:
        """The names of the lexicographer files, by number."""
        return tuple(self._string("lexnames").split())

    @cached_property
    def exceptions(self) -> dict[str, dict[str, list[str]]]:
        """The irregular forms of each part of speech, with their base forms."""
        forms: dict[str, dict[str, list[str]]] = {pos: {} for pos in POS_ORDER}
        for line in self._string("exceptions").splitlines():
            pos, form, *bases = line.split(" ")
            forms[pos][form] = bases
        return forms

    # Entries: lemmas in one part of speech.

    def entries(self, pos: str) -> range:
        """The numbers of all entries of a part of speech (satellites among the adjectives)."""
        rank = POS_ORDER.index("a" if pos == "s" else pos)
        return range(self._pos_starts[rank], self._pos_starts[rank + 1])

    def _key(self, entry: int) -> bytes:
        return bytes(self._text[self._text_starts[entry] : self._text_starts[entry + 1]]).lower()

    def key(self, entry: int) -> str:
        """The lower-case spelling of an entry."""
        return self._key(entry).decode()

    def place(self, key: str, pos: str) -> int:
        """The number that an entry has or would have."""
        entries = self.entries(pos)
        return entries.start + bisect_left(entries, key.encode("utf-8", "surrogatepass"), key=self._key)

    def senses(self, key: str, pos: str) -> list[int]:
        """The synsets of a word in the order of its senses, for "s" only the satellites; none for an unknown word."""
        place = self.place(key, pos)
        return self._senses(place, pos) if place in self.entries(pos) and self.key(place) == key else []

    def _senses(self, entry: int, pos: str) -> list[int]:
        synsets = list(self._sense_synset[self._sense_starts[entry] : self._sense_starts[entry + 1]])
        return [synset for synset in synsets if self.kinds[synset] >= SATELLITE] if pos == "s" else synsets

    # Synsets and their lemmas.

    def related(self, synset: int, relation: str) -> list[int]:
        """The synsets that a relation leads to, in order; "~" before its name inverts it."""
        if relation not in self._relations:
            sources, targets = (self._arrays[f"{relation.removeprefix('~')}_{end}"] for end in ("source", "target"))
            if relation.startswith("~"):
                order = np.argsort(targets, kind="stable")
                sources, targets = targets[order], sources[order]
            self._relations[relation] = sources.data, targets
        keys, values = self._relations[relation]
        start = bisect_left(keys, synset)
        return values[start : bisect_right(keys, synset, start)].tolist()  # type: ignore[no-any-return]

    def first_sense(self, synset: int, pos: str) -> tuple[str, int]:
        """The lower-case spelling of a synset's first lemma, and the number of that sense of it, from 0."""
        lemma = self.lemma_starts[synset]
        entry = self._lemma_entry[lemma]
        return self.key(entry), self._senses(entry, pos).index(synset) if pos == "s" else self._lemma_sense[lemma]

    def lemma_name(self, lemma: int) -> str:
        """The spelling of a lemma in its synset."""
        if lemma in self._variants:
            return self._variants[lemma]
        entry = self._lemma_entry[lemma]
        return bytes(self._text[self._text_starts[entry] : self._text_starts[entry + 1]]).decode()

    @cached_property
    def _variants(self) -> dict[int, str]:
        """The lemmas that differ in case from their entry (a few thousand)."""
        return dict(zip(self._arrays["variant_lemma"].tolist(), self._string("variants").splitlines(), strict=True))

    def lemma_count(self, lemma: int) -> int:
        """How often a lemma occurs in the texts that WordNet's authors tagged with senses."""
        places = self._arrays["count_lemma"].data
        place = bisect_left(places, lemma)
        return int(self._arrays["count_value"][place]) if place < len(places) and places[place] == lemma else 0


@lru_cache(maxsize=4)
def load_table(path: Path = TABLE) -> Table:
    """The table in a file; each file is opened once."""
    if not path.is_file():
        raise MissingFileError(f"no WordNet table at {path}; make it with scripts/make_wordnet.py")
    return Table(path)
