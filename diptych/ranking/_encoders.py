"""Sentence encoders behind one small interface: a name, a dimension, and a function from texts to float32 vectors.

`wordllama` is the default: its weights are part of its wheel, so it works offline. Vectors are cached on disk, keyed by
encoder and texts, and mapped into memory, so that a text is encoded once.
"""

import hashlib
import os
from collections.abc import Callable, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from diptych.errors import BadInputError, MissingExtraError, MissingFileError, UnknownNameError
from diptych.ranking._arrays import as_vectors, load_arrays, require_finite
from diptych.ranking._skip_thought import SkipThoughtEncoder

Vectors = npt.NDArray[np.float32]

# Texts that are encoded together: this bounds the memory, and the last bit of a vector may depend on its neighbors.
_BATCH = 4096


class Encoder(Protocol):
    """Anything that turns texts into vectors."""

    @property
    def name(self) -> str:
        """Name and version, as the recipe records them."""
        ...

    @property
    def dimension(self) -> int:
        """The number of components of a vector."""
        ...

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
            raise MissingFileError(f"sentence-transformers model {model!r} is not on this machine: {reason}") from None
        release = version("sentence-transformers")
        self.name = f"sentence-transformers:{Path(model).name} {release} {self._weights_digest()}"
        self.dimension = int(self._model.encode(["What?"], show_progress_bar=False).shape[1])

    def _weights_digest(self) -> str:
        """A hash of the weights: two models may be in folders of the same name."""
        digest = hashlib.sha256()
        for name, values in sorted(self._model.state_dict().items()):
            digest.update(f"{name} {tuple(values.shape)} ".encode() + values.float().numpy().tobytes())
        return digest.hexdigest()[:16]

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the texts, one per row."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        return np.asarray(self._model.encode(list(texts), show_progress_bar=False), dtype=np.float32)


class TableEncoder:
    """Vectors from a file of the user: `.npz` with arrays `texts` and `vectors`."""

    def __init__(self, path: str) -> None:
        file = Path(path)
        if not file.is_file():
            raise MissingFileError(f"{file}: no such table of vectors")
        arrays = load_arrays(file)
        if not {"texts", "vectors"} <= set(arrays) or arrays["texts"].dtype.kind != "U":
            raise BadInputError(f"{file}: not an .npz file with `texts` and `vectors`: it has {', '.join(arrays)}")
        texts, self._vectors = arrays["texts"].tolist(), as_vectors(arrays["vectors"], file)
        if arrays["texts"].ndim != 1 or len(texts) != len(self._vectors):
            raise BadInputError(f"{file}: {arrays['texts'].shape} texts for vectors of shape {self._vectors.shape}")
        require_finite(self._vectors, file)
        self._row = {text: row for row, text in enumerate(texts)}
        self._path = file
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


_ENCODERS_BY_KIND: dict[str, Callable[[str], Any]] = {
    "sentence-transformers": SentenceTransformerEncoder,
    "skip-thought": SkipThoughtEncoder,
    "table": TableEncoder,
}
ENCODERS = ("wordllama", *(f"{kind}:…" for kind in _ENCODERS_BY_KIND))
"""The names that `get_encoder` accepts."""


def check_encoder_name(name: str) -> None:
    """Refuse a name that no encoder has; whether its file or model is there is seen when it is loaded."""
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
    if not colon:
        return WordLlamaEncoder()
    encoder: Encoder = _ENCODERS_BY_KIND[kind](argument)
    return encoder


def encode_texts(
    encoder: Encoder, texts: Sequence[str], folder: Path, advance: Callable[[int], None] = lambda _: None
) -> Vectors:
    """The vectors of the texts, encoded once and mapped into memory from a file named after encoder and texts."""
    digest = hashlib.sha256(f"{encoder.name}\0{encoder.dimension}\0".encode())
    for text in texts:
        digest.update(text.encode() + b"\0")
    path = folder / f"{digest.hexdigest()[:32]}.npy"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        temporary_path = path.with_suffix(f".{os.getpid()}.tmp")
        shape = len(texts), encoder.dimension
        with open(temporary_path, "wb") as file:
            np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": shape})
            for start in range(0, len(texts), _BATCH):
                batch = texts[start : start + _BATCH]
                file.write(np.ascontiguousarray(encoder.encode(batch), dtype="<f4").tobytes())
                advance(len(batch))
            file.flush()
            os.fsync(file.fileno())
        temporary_path.replace(path)
    vectors: Vectors = np.load(path, mmap_mode="r")
    return vectors
