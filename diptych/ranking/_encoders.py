"""Sentence encoders behind one small interface: a name, a dimension, and a function from texts to float32 vectors.

`wordllama` is the default: its weights are part of its wheel, so it works offline. Files of vectors and weights are
somebody else's, and are checked before they are used.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from diptych.errors import BadInputError, MissingExtraError, MissingFileError, UnknownNameError
from diptych.files import read_text, reading
from diptych.ranking._equal_vectors import to_unit

Vectors = npt.NDArray[np.float32]

LARGEST_ARCHIVE = 8_000_000_000  # bytes that the arrays of a file may unpack to
LARGEST_COMPONENT = 1e9  # the largest number in a vector: the squares of larger ones leave 32-bit numbers

_FILE_NAMES = ("uni_skip.npz", "bi_skip.npz", "dictionary.txt", "utable.npy", "btable.npy")
_GRU_BATCH, _UNKNOWN_WORD = 256, "UNK"


class Encoder(Protocol):
    """Anything that turns texts into vectors."""

    name: str  # name and version, as the recipe records them
    dimension: int  # the number of components of a vector

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the texts, one per row."""
        ...


class WordLlamaEncoder:
    """Static token embeddings, averaged; the weights are part of the wordllama package."""

    def __init__(self) -> None:
        spec = find_spec("wordllama")
        if spec is None or spec.origin is None:
            raise MissingExtraError.for_extra("wordllama", "ranking")
        from wordllama import WordLlama

        # By default it searches a cache folder for its weights, and downloads them.
        self._model = WordLlama.load(cache_dir=Path(spec.origin).parent, disable_download=True)
        self.name = f"wordllama {version('wordllama')}"
        self.dimension = int(self._model.embedding.shape[1])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the texts, one per row."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        return np.asarray(self._model.embed(list(texts), norm=False), dtype=np.float32)


class SentenceTransformerEncoder:
    """A model of the sentence-transformers package, by name or folder."""

    def __init__(self, model: str) -> None:
        if find_spec("sentence_transformers") is None:
            raise MissingExtraError.for_extra("sentence-transformers", "sentence-transformers")
        from sentence_transformers import SentenceTransformer

        try:
            self._model = SentenceTransformer(model, device="cpu", local_files_only=not Path(model).is_dir())
        except (OSError, ValueError) as error:
            reason = (str(error).splitlines() or [""])[0]
            raise MissingFileError(
                f"sentence-transformers model {model!r} is not available locally: {reason}"
            ) from None
        digest = hashlib.sha256()  # of the weights: two models may be in folders of the same name
        for name, values in sorted(self._model.state_dict().items()):
            digest.update(f"{name} {tuple(values.shape)} ".encode() + values.float().numpy().tobytes())
        release = version("sentence-transformers")
        self.name = f"sentence-transformers:{Path(model).name} {release} {digest.hexdigest()[:16]}"
        self.dimension = int(self._model.encode(["What?"], show_progress_bar=False).shape[1])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the texts, one per row."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        return np.asarray(self._model.encode(list(texts), show_progress_bar=False), dtype=np.float32)


class TableEncoder:
    """Vectors from a file of the user: `.npz` with arrays `texts` and `vectors`."""

    def __init__(self, path: str) -> None:
        self._path = file = Path(path)
        if not file.is_file():
            raise MissingFileError(f"{file}: no such table of vectors")
        arrays = _load_arrays(file)
        if not {"texts", "vectors"} <= set(arrays) or arrays["texts"].dtype.kind != "U":
            raise BadInputError(f"{file}: not an .npz file with `texts` and `vectors`; it has {', '.join(arrays)}")
        texts, self._vectors = arrays["texts"], _as_vectors(arrays["vectors"], file)
        if texts.ndim != 1 or len(texts) != len(self._vectors):
            raise BadInputError(f"{file}: {texts.shape} texts for vectors of shape {self._vectors.shape}")
        _require_finite(self._vectors, file)
        with reading(file):  # NumPy finds out only here that a text holds no character
            self._row = {text: row for row, text in enumerate(texts.tolist())}
        self.name = f"table:{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()[:16]}"
        self.dimension = int(self._vectors.shape[1])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the texts, one per row; a text without a vector is an error."""
        try:
            rows = [self._row[text] for text in texts]
        except KeyError as error:
            raise BadInputError(f"{self._path}: no vector for the text {error}") from None
        vectors: Vectors = self._vectors[rows]
        return vectors


def _split_words(text: str) -> list[str]:
    """The words and punctuation of a sentence, split by nltk as in the published encoder."""
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
    """The combine-skip encoder of Kiros et al. (2015): a uni- and a bidirectional GRU, from the published files.

    A vector is the last state of the unidirectional encoder followed by the last states of the two halves of the
    bidirectional one, each of the two parts of unit length: 4800 numbers with the published sizes.
    """

    def __init__(self, path: str) -> None:
        self._folder = folder = Path(path)
        if missing_files := [name for name in _FILE_NAMES if not (folder / name).is_file()]:
            raise MissingFileError(f"{folder}: skip-thought's {', '.join(missing_files)} not found")
        self._tables = _load_table(folder / "utable.npy"), _load_table(folder / "btable.npy")
        uni_size, bi_size = (table.shape[1] for table in self._tables)
        self._uni = _load_gru_weights(folder / "uni_skip.npz", uni_size, ("encoder",))
        self._bi = _load_gru_weights(folder / "bi_skip.npz", bi_size, ("encoder", "encoder_r"))
        words = read_text(folder / "dictionary.txt").splitlines()
        self._row_of = {word: row for row, word in enumerate(words)}
        if any(len(table) < len(words) for table in self._tables) or _UNKNOWN_WORD not in self._row_of:
            raise BadInputError(f"{folder}: dictionary.txt does not fit the word tables, or lacks {_UNKNOWN_WORD}")
        digest = hashlib.sha256((folder / "uni_skip.npz").read_bytes() + (folder / "bi_skip.npz").read_bytes())
        self.name = f"skip-thought {digest.hexdigest()[:16]}"
        weights = (*self._uni.items(), *self._bi.items())
        self.dimension = sum(array.shape[1] for name, array in weights if name.endswith("_Ux"))

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the texts, one per row."""
        unknown = self._row_of[_UNKNOWN_WORD]
        rows = [[self._row_of.get(word, unknown) for word in _split_words(text)] for text in texts]
        out = np.zeros((len(texts), self.dimension), np.float32)
        order = iter(sorted(range(len(rows)), key=lambda number: len(rows[number])))
        while numbers := list(islice(order, _GRU_BATCH)):
            out[numbers] = self._encode_batch([rows[number] for number in numbers])
        return _require_finite(out, self._folder)

    def _encode_batch(self, rows: Sequence[list[int]]) -> Vectors:
        uni = run_gru(self._uni, *_pad(rows, self._tables[0]))
        forward = run_gru(self._bi, *_pad(rows, self._tables[1]))
        backward = run_gru(self._bi, *_pad([row[::-1] for row in rows], self._tables[1]), prefix="encoder_r")
        return np.hstack([to_unit(uni), to_unit(np.hstack([forward, backward]))])


def _load_gru_weights(path: Path, word_size: int, prefixes: Sequence[str]) -> dict[str, Vectors]:
    """The weights of a file, each of the shape that the others need."""
    arrays, weights = _load_arrays(path), {}
    for prefix in prefixes:
        state = arrays[f"{prefix}_Ux"].shape[-1] if f"{prefix}_Ux" in arrays and arrays[f"{prefix}_Ux"].ndim else 0
        shapes = {"W": (word_size, 2 * state), "Wx": (word_size, state), "U": (state, 2 * state), "Ux": (state, state)}
        for part, shape in {**shapes, "b": (2 * state,), "bx": (state,)}.items():
            name = f"{prefix}_{part}"
            if name not in arrays or arrays[name].shape != shape:
                raise BadInputError(f"{path}: no weights {name} of shape {shape}; use the published files")
            weights[name] = _as_vectors(arrays[name], path, name, len(shape))
    return weights


def _pad(rows: Sequence[Sequence[int]], table: Vectors) -> tuple[Vectors, Vectors]:
    steps = max(len(row) for row in rows)
    inputs = np.zeros((steps, len(rows), table.shape[1]), np.float32)
    mask = np.zeros((steps, len(rows)), np.float32)
    for number, row in enumerate(rows):
        inputs[: len(row), number], mask[: len(row), number] = table[list(row)], 1.0
    return inputs, mask


def _load_arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """The arrays of an `.npz` file by name; pickled objects are refused."""
    with reading(path, "it must be an .npz file of NumPy arrays"), np.load(path, allow_pickle=False) as archive:
        if not isinstance(archive, np.lib.npyio.NpzFile):
            raise BadInputError(f"{path}: not an .npz file but a single array")
        sizes = [int(member.file_size) for member in archive.zip.infolist()]  # type: ignore[union-attr]
        if sum(sizes) > LARGEST_ARCHIVE:
            raise BadInputError(f"{path}: its arrays unpack to {sum(sizes):,} bytes, more than {LARGEST_ARCHIVE:,}")
        arrays = dict(archive)
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):
            raise BadInputError(f"{path}: {name} is not a NumPy array")
    return arrays


def _load_table(path: Path) -> Vectors:
    """The vectors of an `.npy` file, mapped into memory."""
    with reading(path, "it must be an .npy file of vectors"):
        return _as_vectors(np.load(path, mmap_mode="r", allow_pickle=False), path)


def _as_vectors(array: npt.NDArray[Any], path: Path, name: str = "vectors", dimensions: int = 2) -> Vectors:
    """An array as 32-bit numbers, of so many dimensions."""
    if array.dtype.kind not in "fiu" or array.ndim != dimensions or 0 in array.shape:
        raise BadInputError(f"{path}: {name} of type {array.dtype} and shape {array.shape} are not vectors")
    with np.errstate(over="ignore"):
        return array.astype(np.float32, copy=False)


def _require_finite(vectors: Vectors, path: Path) -> Vectors:
    """The vectors, if every number in them can be computed with."""
    if not (np.abs(vectors) <= LARGEST_COMPONENT).all():
        raise BadInputError(f"{path}: a vector holds a number that is not finite, or more than {LARGEST_COMPONENT:g}")
    return vectors


_ENCODERS_BY_KIND: dict[str, Callable[[str], Encoder]] = {
    "sentence-transformers": SentenceTransformerEncoder,
    "skip-thought": SkipThoughtEncoder,
    "table": TableEncoder,
}
ENCODERS = ("wordllama", *(f"{kind}:…" for kind in _ENCODERS_BY_KIND))  # the names that `get_encoder` accepts


def check_encoder_name(name: str) -> None:
    """Raise an error for an unknown encoder name; its file or model is checked when it is loaded."""
    kind, _, argument = name.partition(":")
    if name != "wordllama" and (kind not in _ENCODERS_BY_KIND or not argument):
        raise UnknownNameError.among("encoder", name, ENCODERS)


def get_encoder(name: str = "wordllama") -> Encoder:
    """The encoder with a name such as `wordllama`, `table:FILE` or `skip-thought:FOLDER`.

    >>> get_encoder("word2vec")
    Traceback (most recent call last):
    ...
    diptych.errors.UnknownNameError: unknown encoder 'word2vec'; known: ...
    """
    check_encoder_name(name)
    kind, colon, argument = name.partition(":")
    return _ENCODERS_BY_KIND[kind](argument) if colon else WordLlamaEncoder()
