"""The stages of a ranking: blocks of texts are encoded, then blocks of main questions are ranked over the pool.

A block is a fixed run of texts, so that its numbers depend neither on the number of workers nor on where an earlier
run was stopped.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, log10
from typing import Any

import numpy as np
import numpy.typing as npt

from diptych.builders import Item
from diptych.builders.bqd._records import MAIN, POOL, plain_words
from diptych.builders.bqd._settings import LASSO, Settings
from diptych.errors import BadInputError
from diptych.ranking import Encoder, find_equal_vectors, get_encoder, merge_equal_vectors, most_similar

ENCODED_TOGETHER = 4096
"""Texts in a block to encode: it bounds the memory, and a vector may depend on its neighbors in the last bit."""
RANKED_TOGETHER = 256
"""Main questions in a block to rank: it decides how often a killed build saves its work."""

_DECIMALS = 9
# Fewer would show the smallest coefficients at λ = 1e-6 as 0; more would show what rounding leaves.
_LEAST_BOUND = 1e-9

Arrays = Mapping[str, npt.NDArray[Any]]
Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TextBlock(Item):
    """Texts that are encoded together, and their vectors once they are."""

    role: str
    texts: tuple[str, ...]
    vectors: bytes = b""
    """Little-endian float32, one row per text."""

    def array(self) -> Vectors:
        """The vectors as an array."""
        return _vectors(self.vectors, len(self.texts))


@dataclass(frozen=True, slots=True)
class MainBlock(Item):
    """Distinct main questions that are ranked together."""

    texts: tuple[str, ...]
    exclusions: tuple[tuple[int, ...], ...]
    """For each, the basic questions that say the same."""
    vectors: bytes
    """Empty for a direct similarity."""


@dataclass(frozen=True, slots=True)
class RankedText(Item):
    """The basic questions of one distinct main question, the best first, and the certificate where there is one."""

    text: str
    indices: tuple[int, ...]
    scores: tuple[float, ...]
    gap: float | None = None
    excess: float | None = None
    support: int | None = None


@dataclass(frozen=True, slots=True)
class EncodingFacts:
    """What every block is encoded with, and the pool of basic questions."""

    encoder: str
    """With the path of its file."""
    encoder_name: str
    """With its version or the digest of its file."""
    pool: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RankingFacts:
    """What every block is ranked with: the method, the pool of basic questions and, for the LASSO, its vectors."""

    ranker: str
    k: int
    lam: float
    nonneg: bool
    convention: str
    pool: tuple[str, ...]
    first: npt.NDArray[np.int64] | None = None
    """For every basic question, the first one with its vector."""
    columns: Vectors | None = None
    """The distinct vectors."""

    @classmethod
    def from_settings(cls, settings: Settings, pool: tuple[str, ...]) -> "RankingFacts":
        """The part of the settings that decides a ranking."""
        return cls(settings.ranker, settings.k, settings.lam, settings.nonneg, settings.convention, pool)

    def with_vectors(self, blocks: Iterable[TextBlock]) -> "RankingFacts":
        """The facts with the vectors of the pool, equal ones merged."""
        vectors = np.concatenate([block.array() for block in blocks if block.role == POOL])
        first = merge_equal_vectors(vectors)
        columns = vectors[first == np.arange(len(first))]
        # Compiled here, once, and not by every worker.
        _rank()(columns[: self.k], columns.mean(axis=0, keepdims=True))
        return replace(self, first=first, columns=columns)


def text_blocks(test: str, role: str, texts: Sequence[str]) -> Iterator[TextBlock]:
    """Texts in blocks to encode."""
    for start in range(0, len(texts), ENCODED_TOGETHER):
        yield TextBlock(test, f"{role}/{start}", role, tuple(texts[start : start + ENCODED_TOGETHER]))


def encode_block(block: TextBlock, encoder: Encoder) -> TextBlock:
    """A block with its vectors."""
    return replace(block, vectors=np.ascontiguousarray(encoder.encode(block.texts), dtype="<f4").tobytes())


@lru_cache(maxsize=1)
def load_encoder(encoder: str, name: str) -> Encoder:
    """An encoder, loaded once in a process; its full name tells one version of its file from another."""
    return get_encoder(encoder)


def main_blocks(blocks: Iterable[TextBlock], pool: Sequence[str]) -> Iterator[MainBlock]:
    """The main questions among some blocks of texts, encoded or not, in blocks to rank."""
    positions = {plain_words(text): (position,) for position, text in enumerate(pool)}
    for block in blocks:
        if block.role != MAIN:
            continue
        exclusions = tuple(positions.get(plain_words(text), ()) for text in block.texts)
        size = len(block.vectors) // len(block.texts)
        for start in range(0, len(block.texts), RANKED_TOGETHER):
            span = slice(start, start + RANKED_TOGETHER)
            vectors = block.vectors[start * size : span.stop * size]
            yield MainBlock(block.test, f"{block.key}/{start}", block.texts[span], exclusions[span], vectors)


def rank_block(block: MainBlock, facts: RankingFacts) -> Iterator[RankedText]:
    """The rankings of a block of main questions."""
    arrays = _rank_by_lasso(block, facts) if facts.ranker == LASSO else _rank_by_similarity(block, facts)
    for number, text in enumerate(block.texts):
        indices = tuple(index for index in arrays["indices"][number].tolist() if index >= 0)
        scores = tuple(round(score, _DECIMALS) for score in arrays["scores"][number][: len(indices)].tolist())
        certificate = {name: arrays[name][number].item() for name in ("gap", "excess", "support") if name in arrays}
        yield RankedText(block.test, f"{block.key}/{number}", text, indices, scores, **certificate)


def _rank_by_similarity(block: MainBlock, facts: RankingFacts) -> Arrays:
    return most_similar(facts.ranker, facts.pool, block.texts, facts.k, block.exclusions)


def _rank_by_lasso(block: MainBlock, facts: RankingFacts) -> Arrays:
    first, columns = facts.first, facts.columns
    assert first is not None
    assert columns is not None
    positions = np.flatnonzero(first == np.arange(len(first)))  # of the columns in the pool
    column_numbers = np.searchsorted(positions, first)
    vectors = _vectors(block.vectors, len(block.texts))
    exclusions = [
        sorted({*parallel_columns, *column_numbers[list(same_questions)].tolist()})
        for parallel_columns, same_questions in zip(find_equal_vectors(columns, vectors), block.exclusions, strict=True)
    ]
    ranking = _rank()(columns, vectors, facts.lam, facts.k, exclusions, facts.nonneg, facts.convention)
    if not ranking.certified.all():
        text = block.texts[int(np.argmin(ranking.certified))]
        raise BadInputError(f"{text!r}: its ranking could not be certified; choose a larger --set lam")
    return {
        "indices": np.where(ranking.indices >= 0, positions[ranking.indices], -1),
        "scores": ranking.scores,
        "gap": _upper_bounds(ranking.gaps),
        "excess": _upper_bounds(ranking.excess),
        "support": ranking.supports,
    }


def _rank() -> Any:
    """The LASSO ranker, which needs the extra `ranking`."""
    from diptych.ranking import rank

    return rank


def _vectors(content: bytes, count: int) -> Vectors:
    """Vectors from their bytes; writable, since the ranker would compile anew for arrays that are not."""
    return np.frombuffer(bytearray(content), "<f4").reshape(count, -1)


def _upper_bounds(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The next power of ten, 1e-9 at least: below that rounding decides, and no byte may depend on the machine."""
    return np.array([10.0 ** ceil(log10(max(value, _LEAST_BOUND)) - 1e-9) for value in values])
