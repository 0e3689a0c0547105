"""Skip-thought vectors (Kiros et al. 2015) from the published weight files: a uni- and a bidirectional GRU encoder.

The folder holds the files as they were published: `uni_skip.npz`, `bi_skip.npz`, `dictionary.txt`, `utable.npy` and
`btable.npy`. A sentence is the last state of the one-way encoder beside the last states of the two-way encoder's
halves, each of the two parts of unit length: 4800 numbers with the published sizes.
"""

import hashlib
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from diptych.errors import BadInputError, MissingExtraError, MissingFileError

Vectors = npt.NDArray[np.float32]
_FILES = ("uni_skip.npz", "bi_skip.npz", "dictionary.txt", "utable.npy", "btable.npy")
_BATCH = 256
UNKNOWN = "UNK"


def words_of(text: str) -> list[str]:
    """The words and marks of a sentence, split as nltk does, which the published encoder used.

    >>> words_of("What's on the cat?")
    ['What', "'s", 'on', 'the', 'cat', '?']
    """
    if find_spec("nltk") is None:
        raise MissingExtraError.for_extra("nltk", "ranking")
    from nltk.tokenize import NLTKWordTokenizer

    return [str(word) for word in NLTKWordTokenizer().tokenize(text)]


def gru(weights: Mapping[str, Any], inputs: Vectors, mask: Vectors, prefix: str = "encoder") -> Vectors:
    """The last state of a GRU over a batch: `inputs` is steps × batch × words' size, `mask` steps × batch."""
    gates, candidate = weights[f"{prefix}_W"], weights[f"{prefix}_Wx"]
    back, back_candidate = weights[f"{prefix}_U"], weights[f"{prefix}_Ux"]
    size = back_candidate.shape[1]
    state = np.zeros((inputs.shape[1], size), np.float32)
    for step, present in zip(inputs, mask, strict=True):
        both = 1.0 / (1.0 + np.exp(-(step @ gates + weights[f"{prefix}_b"] + state @ back)))
        reset, update = both[:, :size], both[:, size:]
        proposed = np.tanh((state @ back_candidate) * reset + step @ candidate + weights[f"{prefix}_bx"])
        fresh = update * state + (1.0 - update) * proposed
        state = (present[:, None] * fresh + (1.0 - present[:, None]) * state).astype(np.float32)
    return state


class SkipThoughtEncoder:
    """The combine-skip encoder over the published files."""

    def __init__(self, folder: Path) -> None:
        missing = [name for name in _FILES if not (folder / name).is_file()]
        if missing:
            raise MissingFileError(f"{folder}: skip-thought's {', '.join(missing)} not there")
        self._uni, self._bi = (dict(np.load(folder / name)) for name in _FILES[:2])
        self._tables = _table(folder / "utable.npy"), _table(folder / "btable.npy")
        words = (folder / "dictionary.txt").read_text(encoding="utf-8").splitlines()
        self._row = {word: row for row, word in enumerate(words)}
        if any(len(table) < len(words) for table in self._tables) or UNKNOWN not in self._row:
            raise BadInputError(f"{folder}: dictionary.txt does not fit the word tables, or lacks {UNKNOWN}")
        digest = hashlib.sha256((folder / "uni_skip.npz").read_bytes() + (folder / "bi_skip.npz").read_bytes())
        self.name = f"skip-thought {digest.hexdigest()[:16]}"
        one, half = self._uni["encoder_Ux"].shape[1], self._bi["encoder_Ux"].shape[1]
        self.dimension = int(one + 2 * half)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row a text."""
        rows = [[self._row.get(word, self._row[UNKNOWN]) for word in words_of(text)] for text in texts]
        out = np.zeros((len(texts), self.dimension), np.float32)
        order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
        for start in range(0, len(order), _BATCH):
            chosen = order[start : start + _BATCH]
            out[chosen] = self._batch([rows[number] for number in chosen])
        return out

    def _batch(self, rows: Sequence[list[int]]) -> Vectors:
        one, half = self._tables
        uni = gru(self._uni, *_padded(rows, one))
        there = gru(self._bi, *_padded(rows, half))
        back = gru(self._bi, *_padded([row[::-1] for row in rows], half), prefix="encoder_r")
        bi = np.hstack([there, back])
        return np.hstack([_unit(uni), _unit(bi)])


def _table(path: Path) -> Vectors:
    table: Vectors = np.load(path, mmap_mode="r", encoding="latin1")
    return table


def _padded(rows: Sequence[Sequence[int]], table: Vectors) -> tuple[Vectors, Vectors]:
    steps = max(len(row) for row in rows)
    inputs = np.zeros((steps, len(rows), table.shape[1]), np.float32)
    mask = np.zeros((steps, len(rows)), np.float32)
    for number, row in enumerate(rows):
        inputs[: len(row), number], mask[: len(row), number] = table[list(row)], 1.0
    return inputs, mask


def _unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit
