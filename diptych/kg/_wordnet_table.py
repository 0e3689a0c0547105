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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diptych.errors import BadInputError, MissingFileError

Array = NDArray[np.unsignedinteger[Any]]

_SIGNATURE = b"diptych wordnet table 1\n"
TABLE = Path(__file__).with_name("wordnet.bin")
POS_ORDER = "arnv"
"""The parts of speech in the order of the table; satellite adjectives ("s") are among the adjectives."""
SATELLITE = 0x80
"""The bit of a synset's kind that marks a satellite adjective; the other bits number its lexname."""


def pack(arrays: Mapping[str, Array]) -> bytes:
    r"""The bytes of a table file: a signature line, a line of JSON with the place of each array, and the arrays.

    >>> pack({"a": np.array([1, 2], np.uint16)})[-8:]
    b'\x01\x00\x02\x00\x00\x00\x00\x00'
    """
    place, places, body = 0, {}, []
    for name, array in arrays.items():
        octets = array.astype(array.dtype.newbyteorder("<")).tobytes()
        places[name] = [array.dtype.itemsize, place, len(array)]
        body.append(octets + bytes(-len(octets) % 8))
        place += len(body[-1])
    head = _SIGNATURE + json.dumps(places).encode()
    return b"".join([head, b" " * (-(len(head) + 1) % 8), b"\n", *body])


def unpack(buffer: mmap.mmap | bytes, path: Path) -> dict[str, Array]:
    """The arrays of a table file, as views that copy nothing.

    >>> unpack(pack({"a": np.array([1, 2], np.uint16)}), Path("x.bin"))["a"].tolist()
    [1, 2]
    """
    if buffer[: len(_SIGNATURE)] != _SIGNATURE:
        raise BadInputError(f"{path} is not a WordNet table of this version; make it with scripts/make_wordnet.py")
    try:
        start = buffer.find(b"\n", len(_SIGNATURE)) + 1
        places = json.loads(buffer[len(_SIGNATURE) : start])
        return {
            name: np.frombuffer(buffer, f"<u{size}", count, start + place).astype(f"u{size}", copy=False)
            for name, (size, place, count) in places.items()
        }
    except ValueError:
        raise BadInputError(f"{path} is cut short; make it again with scripts/make_wordnet.py") from None


@dataclass(frozen=True, slots=True)
class Relation:
    """Pairs of numbers sorted by the first; `relation.of(1)` lists the targets of 1 in order."""

    sources: Array
    targets: Array

    def of(self, source: int) -> list[int]:
        """The targets of a source.

        >>> Relation(np.array([1, 1, 3], np.uint32), np.array([7, 5, 7], np.uint32)).of(1)
        [7, 5]
        """
        sources = self.sources.data
        start = bisect_left(sources, source)
        return self.targets[start : bisect_right(sources, source, start)].tolist()  # type: ignore[no-any-return]

    def inverse(self) -> "Relation":
        """The inverse relation, in the order of the sources.

        >>> Relation(np.array([1, 1, 3], np.uint32), np.array([7, 5, 7], np.uint32)).inverse().of(7)
        [1, 3]
        """
        order = np.argsort(self.targets, kind="stable")
        return Relation(self.targets[order], self.sources[order])


def starts(lengths: Array) -> Array:
    """The start of each of the parts with these lengths, and the end of the last one.

    >>> starts(np.array([2, 3], np.uint8)).tolist()
    [0, 2, 5]
    """
    places = np.zeros(len(lengths) + 1, np.uint32)
    np.cumsum(lengths, out=places[1:])
    return places


class Table:
    """WordNet as numbers, which `Synset` and `WordNet` turn into words."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            # An empty file cannot be mapped; `unpack` refuses it with a message.
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""
            self._arrays = unpack(content, path)
        # Memoryviews return Python ints several times faster than numpy arrays do.
        self._text = self._arrays["text"].data
        self._text_starts = starts(self._arrays["entry_length"]).data
        self._lemma_entry = self._arrays["lemma_entry"].data
        self._lemma_sense = self._arrays["lemma_sense"].data
        self._lemma_starts = starts(self._arrays["synset_lemmas"]).data
        self._kinds = self._arrays["synset_kind"].data
        self._pos_starts = starts(self._arrays["pos_entries"]).tolist()
        self._sense_starts, self._sense_synset = self._index()
        self._relations: dict[str, Relation] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return (load_table, () if self.path == TABLE else (self.path,))

    def __repr__(self) -> str:
        return f"Table({str(self.path)!r})"

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
    def version(self) -> str:
        """The version of the database the table was made from."""
        return self._string("version")

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
        rank = _pos_rank(pos)
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

    def find(self, key: str, pos: str) -> int | None:
        """The number of an entry, if there is one."""
        place = self.place(key, pos)
        return place if place in self.entries(pos) and self.key(place) == key else None

    def senses(self, entry: int, pos: str) -> list[int]:
        """The synsets of an entry in the order of its senses; for "s" only the satellites."""
        synsets = list(self._sense_synset[self._sense_starts[entry] : self._sense_starts[entry + 1]])
        return [synset for synset in synsets if self.is_satellite(synset)] if pos == "s" else synsets

    # Synsets.

    def __len__(self) -> int:
        return len(self._kinds)

    def is_satellite(self, synset: int) -> bool:
        """Whether a synset is a satellite adjective."""
        return self._kinds[synset] >= SATELLITE

    def lexname(self, synset: int) -> str:
        """The lexicographer file of a synset."""
        return self.lexnames[self._kinds[synset] % SATELLITE]

    def pos(self, synset: int) -> str:
        """The part of speech of a synset: n, v, a, s or r."""
        if self.is_satellite(synset):
            return "s"
        kind = self.lexname(synset).partition(".")[0]
        return "r" if kind == "adv" else kind[0]

    def name(self, synset: int) -> str:
        """The name nltk gives a synset: its first lemma, part of speech and sense number."""
        lemma, pos = self._lemma_starts[synset], self.pos(synset)
        entry = self._lemma_entry[lemma]
        sense = self.senses(entry, pos).index(synset) if pos == "s" else self._lemma_sense[lemma]
        return f"{self.key(entry)}.{pos}.{sense + 1:02d}"

    @cached_property
    def offsets(self) -> Array:
        """The byte offset of each synset in its file of the database."""
        total = starts(self._arrays["synset_gap"])[1:]
        first = starts(self._arrays["pos_synsets"])
        bases = np.concatenate([np.zeros(1, np.uint32), total[first[1:-1] - 1]])
        offsets: Array = total - np.repeat(bases, self._arrays["pos_synsets"])
        return offsets

    def synsets(self, pos: str) -> Iterator[int]:
        """The synsets of a part of speech in the order of the database; "a" includes satellites, "s" is only them."""
        rank = _pos_rank(pos)
        first = starts(self._arrays["pos_synsets"]).tolist()
        numbers = range(first[rank], first[rank + 1])
        return (number for number in numbers if self.is_satellite(number)) if pos == "s" else iter(numbers)

    def related(self, synset: int, relation: str) -> list[int]:
        """The synsets (for "antonym" the lemmas) that a relation leads to; "~" before its name inverts it."""
        return self._relation(relation).of(synset)

    def _relation(self, name: str) -> Relation:
        if name not in self._relations:
            base = name.removeprefix("~")
            relation = Relation(self._arrays[f"{base}_source"], self._arrays[f"{base}_target"])
            self._relations[name] = relation.inverse() if name.startswith("~") else relation
        return self._relations[name]

    # Lemmas: the words of a synset.

    def lemmas(self, synset: int) -> range:
        """The numbers of the lemmas of a synset, in its order."""
        return range(self._lemma_starts[synset], self._lemma_starts[synset + 1])

    def lemma_synset(self, lemma: int) -> int:
        """The synset of a lemma."""
        return bisect_right(self._lemma_starts, lemma) - 1

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


def _pos_rank(pos: str) -> int:
    return POS_ORDER.index("a" if pos == "s" else pos)


@lru_cache(maxsize=4)
def load_table(path: Path = TABLE) -> Table:
    """The table in a file; each file is opened once."""
    if not path.is_file():
        raise MissingFileError(f"no WordNet table at {path}; make it with scripts/make_wordnet.py")
    return Table(path)
