"""Skip-thought vectors (Kiros et al. 2015) from the published weight files: a uni- and a bidirectional GRU encoder.

The folder holds the files as they were published: `uni_skip.npz`, `bi_skip.npz`, `dictionary.txt`, `utable.npy` and
`btable.npy`. The vector of a sentence is the last state of the unidirectional encoder followed by the last states of
the two halves of the bidirectional one, each of the two parts of unit length: 4800 numbers with the published sizes.
"""

import hashlib
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from diptych.errors import BadInputError, MissingExtraError, MissingFileError
from diptych.files import reading
from diptych.ranking._arrays import as_vectors, load_arrays, load_table, require_finite

Vectors = npt.NDArray[np.float32]
_FILE_NAMES = ("uni_skip.npz", "bi_skip.npz", "dictionary.txt", "utable.npy", "btable.npy")
_BATCH = 256
UNKNOWN_WORD = "UNK"


def split_words(text: str) -> list[str]:
    """The words and punctuation of a sentence, split by nltk as in the published encoder.

    >>> split_words("What's on the cat?")
    ['What', "'s", 'on', 'the', 'cat', '?']
    """
    if find_spec("nltk") is None:
        raise MissingExtraError.for_extra("nltk", "ranking")
    from nltk.tokenize import NLTKWordTokenizer

    return [str(word) for word in NLTKWordTokenizer().tokenize(text)]


def run_gru(weights: Mapping[str, Any], inputs: Vectors, mask: Vectors, prefix: str = "encoder") -> Vectors:
    """The last state of a GRU over a batch: `inputs` is steps × batch × word size, `mask` is steps × batch."""
    gate_weights, candidate_weights = weights[f"{prefix}_W"], weights[f"{prefix}_Wx"]
    gate_recurrence, candidate_recurrence = weights[f"{prefix}_U"], weights[f"{prefix}_Ux"]
    size = candidate_recurrence.shape[1]
    state = np.zeros((inputs.shape[1], size), np.float32)
    for step, present in zip(inputs, mask, strict=True):
        activations = 1.0 / (1.0 + np.exp(-(step @ gate_weights + weights[f"{prefix}_b"] + state @ gate_recurrence)))
        reset, update = activations[:, :size], activations[:, size:]
        candidate = np.tanh((state @ candidate_recurrence) * reset + step @ candidate_weights + weights[f"{prefix}_bx"])
        next_state = update * state + (1.0 - update) * candidate
        state = (present[:, None] * next_state + (1.0 - present[:, None]) * state).astype(np.float32)
    return state


class SkipThoughtEncoder:
    """The combine-skip encoder over the published files."""

    def __init__(self, path: str) -> None:
        folder = Path(path)
        missing_files = [name for name in _FILE_NAMES if not (folder / name).is_file()]
        if missing_files:
            raise MissingFileError(f"{folder}: skip-thought's {', '.join(missing_files)} not there")
        self._folder = folder
        self._tables = load_table(folder / "utable.npy"), load_table(folder / "btable.npy")
        uni_size, bi_size = (table.shape[1] for table in self._tables)
        self._uni = _load_weights(folder / "uni_skip.npz", uni_size, ("encoder",))
        self._bi = _load_weights(folder / "bi_skip.npz", bi_size, ("encoder", "encoder_r"))
        with reading(folder / "dictionary.txt"):
            words = (folder / "dictionary.txt").read_text(encoding="utf-8").splitlines()
        self._row_of = {word: row for row, word in enumerate(words)}
        if any(len(table) < len(words) for table in self._tables) or UNKNOWN_WORD not in self._row_of:
            raise BadInputError(f"{folder}: dictionary.txt does not fit the word tables, or lacks {UNKNOWN_WORD}")
        digest = hashlib.sha256((folder / "uni_skip.npz").read_bytes() + (folder / "bi_skip.npz").read_bytes())
        self.name = f"skip-thought {digest.hexdigest()[:16]}"
        uni_state, *bi_states = (
            weights[f"{prefix}_Ux"].shape[1]
            for weights, prefix in ((self._uni, "encoder"), (self._bi, "encoder"), (self._bi, "encoder_r"))
        )
        self.dimension = int(uni_state + sum(bi_states))

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the texts, one per row."""
        rows = [[self._row_of.get(word, self._row_of[UNKNOWN_WORD]) for word in split_words(text)] for text in texts]
        out = np.zeros((len(texts), self.dimension), np.float32)
        order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
        for start in range(0, len(order), _BATCH):
            numbers = order[start : start + _BATCH]
            out[numbers] = self._encode_batch([rows[number] for number in numbers])
        return require_finite(out, self._folder)

    def _encode_batch(self, rows: Sequence[list[int]]) -> Vectors:
        uni_table, bi_table = self._tables
        uni = run_gru(self._uni, *_pad(rows, uni_table))
        forward = run_gru(self._bi, *_pad(rows, bi_table))
        backward = run_gru(self._bi, *_pad([row[::-1] for row in rows], bi_table), prefix="encoder_r")
        bi = np.hstack([forward, backward])
        return np.hstack([_to_unit(uni), _to_unit(bi)])


def _load_weights(path: Path, word_size: int, prefixes: Sequence[str]) -> dict[str, Vectors]:
    """The weights of a file, each of the shape that the others need."""
    arrays, weights = load_arrays(path), {}
    for prefix in prefixes:
        state = arrays[f"{prefix}_Ux"].shape[-1] if f"{prefix}_Ux" in arrays and arrays[f"{prefix}_Ux"].ndim else 0
        shapes = {"W": (word_size, 2 * state), "Wx": (word_size, state), "U": (state, 2 * state), "Ux": (state, state)}
        for part, shape in {**shapes, "b": (2 * state,), "bx": (state,)}.items():
            name = f"{prefix}_{part}"
            if name not in arrays or arrays[name].shape != shape:
                raise BadInputError(f"{path}: no weights {name} of shape {shape}; take the published files")
            weights[name] = as_vectors(arrays[name], path, name, len(shape))
    return weights


def _pad(rows: Sequence[Sequence[int]], table: Vectors) -> tuple[Vectors, Vectors]:
    steps = max(len(row) for row in rows)
    inputs = np.zeros((steps, len(rows), table.shape[1]), np.float32)
    mask = np.zeros((steps, len(rows)), np.float32)
    for number, row in enumerate(rows):
        inputs[: len(row), number], mask[: len(row), number] = table[list(row)], 1.0
    return inputs, mask


def _to_unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit
