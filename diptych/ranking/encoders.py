"""Sentence encoders behind one small interface: a name, a size, and texts to float32 vectors.

`wordllama` is the default: its weights come with its wheel, so it works offline. Vectors are kept on disk by what
made them (encoder and texts) and mapped into memory, so that a text is encoded once.
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

Vectors = npt.NDArray[np.float32]

_AT_ONCE = 4096
# Texts that are encoded together: it bounds the memory, and a vector may depend on its neighbours in the last bit.


class Encoder(Protocol):
    """Anything that turns texts into vectors."""

    @property
    def name(self) -> str:
        """Name and version: what the recipe says."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row a text."""
        ...


class WordLlamaEncoder:
    """Static token embeddings, averaged; the weights are part of the wordllama package."""

    def __init__(self) -> None:
        found = find_spec("wordllama")
        if found is None or found.origin is None:
            raise MissingExtraError.for_extra("wordllama", "ranking")
        from wordllama import WordLlama

        # By default it looks for its own weights in a cache folder, and downloads them.
        self._model = WordLlama.load(cache_dir=Path(found.origin).parent, disable_download=True)
        self.name = f"wordllama {version('wordllama')}"
        self.dimension = int(self._model.embedding.shape[1])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row a text."""
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
            why = (str(error).splitlines() or [""])[0]
            raise MissingFileError(f"sentence-transformers model {model!r} is not on this machine: {why}") from None
        weights = self._weights()
        self.name = f"sentence-transformers:{Path(model).name} {version('sentence-transformers')} {weights}"
        self.dimension = int(self._model.encode(["What?"], show_progress_bar=False).shape[1])

    def _weights(self) -> str:
        """A hash of the weights: two models may lie in folders of one name."""
        digest = hashlib.sha256()
        for name, values in sorted(self._model.state_dict().items()):
            digest.update(f"{name} {tuple(values.shape)} ".encode() + values.float().numpy().tobytes())
        return digest.hexdigest()[:16]

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row a text."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        return np.asarray(self._model.encode(list(texts), show_progress_bar=False), dtype=np.float32)


class TableEncoder:
    """Vectors from a file of the user's: `.npz` with arrays `texts` and `vectors`."""

    def __init__(self, path: str) -> None:
        file = Path(path)
        if not file.is_file():
            raise MissingFileError(f"{file}: no such table of vectors")
        try:
            with np.load(file, allow_pickle=False) as table:
                texts, self._vectors = table["texts"].tolist(), table["vectors"].astype(np.float32)
        except (OSError, ValueError, KeyError) as error:
            raise BadInputError(f"{file}: not an .npz file with `texts` and `vectors`: {error}") from None
        if self._vectors.ndim != 2 or len(texts) != len(self._vectors):
            raise BadInputError(f"{file}: {len(texts)} texts for vectors of shape {self._vectors.shape}")
        self._row = {text: row for row, text in enumerate(texts)}
        self._path = file
        self.name = f"table:{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()[:16]}"
        self.dimension = int(self._vectors.shape[1])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row a text; a text without a vector is an error."""
        try:
            rows = [self._row[text] for text in texts]
        except KeyError as missing:
            raise BadInputError(f"{self._path}: no vector for the text {missing}") from None
        vectors: Vectors = self._vectors[rows]
        return vectors


def _skip_thought(folder: str) -> Encoder:
    from diptych.ranking.skip_thought import SkipThoughtEncoder

    return SkipThoughtEncoder(Path(folder))


_WITH_ARGUMENT: dict[str, Callable[[str], Any]] = {
    "sentence-transformers": SentenceTransformerEncoder,
    "skip-thought": _skip_thought,
    "table": TableEncoder,
}
ENCODERS = ("wordllama", *(f"{kind}:…" for kind in _WITH_ARGUMENT))
"""What `get_encoder` understands."""


def get_encoder(name: str = "wordllama") -> Encoder:
    """The encoder of a name such as `wordllama`, `table:FILE` or `skip-thought:FOLDER`.

    >>> get_encoder("word2vec")
    Traceback (most recent call last):
    ...
    diptych.errors.UnknownNameError: unknown encoder 'word2vec'; known: ...
    """
    kind, colon, argument = name.partition(":")
    if kind == "wordllama" and not colon:
        return WordLlamaEncoder()
    if kind not in _WITH_ARGUMENT or not argument:
        raise UnknownNameError.among("encoder", name, ENCODERS)
    encoder: Encoder = _WITH_ARGUMENT[kind](argument)
    return encoder


def encoded(
    encoder: Encoder, texts: Sequence[str], folder: Path, advance: Callable[[int], None] = lambda _: None
) -> Vectors:
    """The vectors of the texts, encoded once and mapped into memory from a file named by what it holds."""
    digest = hashlib.sha256(f"{encoder.name}\0{encoder.dimension}\0".encode())
    for text in texts:
        digest.update(text.encode() + b"\0")
    path = folder / f"{digest.hexdigest()[:32]}.npy"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        shape = len(texts), encoder.dimension
        with open(temporary, "wb") as file:
            np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": shape})
            for start in range(0, len(texts), _AT_ONCE):
                part = texts[start : start + _AT_ONCE]
                file.write(np.ascontiguousarray(encoder.encode(part), dtype="<f4").tobytes())
                advance(len(part))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    vectors: Vectors = np.load(path, mmap_mode="r")
    return vectors
