"""How WordNet lies on disk: one file of plain arrays that is mapped into memory and read in place.

The words:

- an *entry* is a lemma in one part of speech, in the spelling it mostly has; entries are sorted by part of speech,
  then by lower-case spelling, so that a word is found by bisection;
- a *synset* is numbered in the order of the database's files;
- a *lemma* is one word of one synset: lemmas are numbered synset by synset, in the order the synset lists them.

The file is not compressed: nothing is unpacked when it is opened, processes share its pages, and its bytes depend on no
version of a compressor. The few arrays that would only repeat others are worked out in milliseconds at loading.
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

MAGIC = b"diptych wordnet table 1\n"
TABLE = Path(__file__).with_name("wordnet.bin")
POS_ORDER = "arnv"
"""The parts of speech in the order of the table; a satellite adjective ("s") lies among the adjectives."""
SATELLITE = 0x80
"""The bit of a synset's kind that marks a satellite adjective; the other bits number its lexname."""


def pack(arrays: Mapping[str, Array]) -> bytes:
    r"""The bytes of a table file: a magic line, a line of JSON that says where each array lies, and the arrays.

    >>> pack({"a": np.array([1, 2], np.uint16)})[-8:]
    b'\x01\x00\x02\x00\x00\x00\x00\x00'
    """
    place, places, body = 0, {}, []
    for name, array in arrays.items():
        raw = array.astype(array.dtype.newbyteorder("<")).tobytes()
        places[name] = [array.dtype.itemsize, place, len(array)]
        body.append(raw + bytes(-len(raw) % 8))
        place += len(body[-1])
    head = MAGIC + json.dumps(places).encode()
    return b"".join([head, b" " * (-(len(head) + 1) % 8), b"\n", *body])


def unpack(buffer: mmap.mmap | bytes, where: Path) -> dict[str, Array]:
    """The arrays of a table file, as views that copy nothing.

    >>> unpack(pack({"a": np.array([1, 2], np.uint16)}), Path("x.bin"))["a"].tolist()
    [1, 2]
    """
    if buffer[: len(MAGIC)] != MAGIC:
        raise BadInputError(f"{where} is not a WordNet table of this version; make it with scripts/make_wordnet.py")
    try:
        start = buffer.find(b"\n", len(MAGIC)) + 1
        places = json.loads(buffer[len(MAGIC) : start])
        return {
            name: np.frombuffer(buffer, f"<u{size}", count, start + place).astype(f"u{size}", copy=False)
            for name, (size, place, count) in places.items()
        }
    except ValueError:
        raise BadInputError(f"{where} is cut short; make it again with scripts/make_wordnet.py") from None


@dataclass(frozen=True, slots=True)
class Relation:
    """Pairs of numbers sorted by the first; `relation.of(1)` is all that goes with 1, in order."""

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
        """The relation read backwards, in the order of the sources.

        >>> Relation(np.array([1, 1, 3], np.uint32), np.array([7, 5, 7], np.uint32)).inverse().of(7)
        [1, 3]
        """
        order = np.argsort(self.targets, kind="stable")
        return Relation(self.targets[order], self.sources[order])


def starts(lengths: Array) -> Array:
    """Where each of the parts with these lengths begins, and where the last one ends.

    >>> starts(np.array([2, 3], np.uint8)).tolist()
    [0, 2, 5]
    """
    found = np.zeros(len(lengths) + 1, np.uint32)
    np.cumsum(lengths, out=found[1:])
    return found


class Table:
    """WordNet as numbers: what `Synset` and `WordNet` look things up in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            # An empty file cannot be mapped; as no bytes at all it is refused in words.
            whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""
            self._arrays = unpack(whole, path)
        # Plain memoryviews give Python's own ints, several times faster than indexing a numpy array.
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
        """The synsets of each entry in the order of its senses: the lemmas of the synsets, turned round."""
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
        found: dict[str, dict[str, list[str]]] = {pos: {} for pos in POS_ORDER}
        for line in self._string("exceptions").splitlines():
            pos, form, *bases = line.split(" ")
            found[pos][form] = bases
        return found

    # Entries: lemmas in one part of speech.

    def entries(self, pos: str) -> range:
        """The numbers of all entries of a part of speech (satellites among the adjectives)."""
        at = POS_ORDER.index("a" if pos == "s" else pos)
        return range(self._pos_starts[at], self._pos_starts[at + 1])

    def _key(self, entry: int) -> bytes:
        return bytes(self._text[self._text_starts[entry] : self._text_starts[entry + 1]]).lower()

    def key(self, entry: int) -> str:
        """The lower-case spelling of an entry."""
        return self._key(entry).decode()

    def place(self, key: str, pos: str) -> int:
        """Where an entry lies or would lie."""
        entries = self.entries(pos)
        return entries.start + bisect_left(entries, key.encode("utf-8", "surrogatepass"), key=self._key)

    def find(self, key: str, pos: str) -> int | None:
        """The number of an entry, if there is one."""
        place = self.place(key, pos)
        return place if place in self.entries(pos) and self.key(place) == key else None

    def senses(self, entry: int, pos: str) -> list[int]:
        """The synsets of an entry in the order of its senses; with pos "s" the satellites alone."""
        found = list(self._sense_synset[self._sense_starts[entry] : self._sense_starts[entry + 1]])
        return [synset for synset in found if self.is_satellite(synset)] if pos == "s" else found

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
        before = np.concatenate([np.zeros(1, np.uint32), total[first[1:-1] - 1]])
        found: Array = total - np.repeat(before, self._arrays["pos_synsets"])
        return found

    def synsets(self, pos: str) -> Iterator[int]:
        """The synsets of a part of speech in the order of the database; with "a" satellites too, with "s" alone."""
        at = POS_ORDER.index("a" if pos == "s" else pos)
        first = starts(self._arrays["pos_synsets"]).tolist()
        numbers = range(first[at], first[at + 1])
        return (number for number in numbers if self.is_satellite(number)) if pos == "s" else iter(numbers)

    def related(self, synset: int, relation: str) -> list[int]:
        """The synsets (for "antonym" the lemmas) a relation leads to; "~" before its name reads it backwards."""
        return self._relation(relation).of(synset)

    def _relation(self, name: str) -> Relation:
        if name not in self._relations:
            forward = name.removeprefix("~")
            found = Relation(self._arrays[f"{forward}_source"], self._arrays[f"{forward}_target"])
            self._relations[name] = found.inverse() if name.startswith("~") else found
        return self._relations[name]

    # Lemmas: the words of a synset.

    def lemmas(self, synset: int) -> range:
        """The numbers of the lemmas of a synset, in its order."""
        return range(self._lemma_starts[synset], self._lemma_starts[synset + 1])

    def lemma_synset(self, lemma: int) -> int:
        """The synset a lemma belongs to."""
        return bisect_right(self._lemma_starts, lemma) - 1

    def lemma_name(self, lemma: int) -> str:
        """The spelling of a lemma in its synset."""
        if lemma in self._variants:
            return self._variants[lemma]
        entry = self._lemma_entry[lemma]
        return bytes(self._text[self._text_starts[entry] : self._text_starts[entry + 1]]).decode()

    @cached_property
    def _variants(self) -> dict[int, str]:
        """The lemmas that are spelled in another case than their entry (a few thousand)."""
        return dict(zip(self._arrays["variant_lemma"].tolist(), self._string("variants").splitlines(), strict=True))

    def lemma_count(self, lemma: int) -> int:
        """How often a lemma was seen in the texts WordNet's makers tagged with senses."""
        places = self._arrays["count_lemma"].data
        place = bisect_left(places, lemma)
        return int(self._arrays["count_value"][place]) if place < len(places) and places[place] == lemma else 0


@lru_cache(maxsize=4)
def load_table(path: Path = TABLE) -> Table:
    """The table in a file, opened once."""
    if not path.is_file():
        raise MissingFileError(f"no WordNet table at {path}; make it with scripts/make_wordnet.py")
    return Table(path)
