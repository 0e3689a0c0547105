"""Rankings: how texts are encoded and ranked in blocks, and finished rankings, ours or of a table of the user's own.

A block is a fixed run of texts, so that its numbers depend neither on the number of workers nor on where an earlier
run was stopped.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import ceil, log10
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from diptych import ranking as rankers
from diptych.builders import EVERY_TEST, Item
from diptych.builders._dataset import Rows
from diptych.builders._rows import to_table
from diptych.builders.bqd._records import MAIN, POOL
from diptych.builders.bqd._settings import LASSO, Settings
from diptych.builders.bqd._variants import core_letters, plain_words
from diptych.errors import BadInputError, MissingFileError
from diptych.files import read_json_lines
from diptych.ranking import Encoder, find_equal_vectors, get_encoder, merge_equal_vectors, most_similar
from diptych.sources import LONGEST_TEXT, SourceFile

ENCODED_TOGETHER = 4096
"""Texts in a block to encode: it bounds the memory, and a vector may depend on its neighbors in the last bit."""
RANKED_TOGETHER = 256  # main questions in a block to rank: it decides how often a killed build saves its work

_DECIMALS = 9
# Fewer would show the smallest coefficients at λ = 1e-6 as 0; more would show what rounding leaves.
_LEAST_BOUND = 1e-9
RANKING_COLUMNS = ("indices", "scores", "gap", "excess", "support", "certified")
FAINT_SCORE, CLEAR_SCORE, FEW = 1e-4, 1e-3, 3  # a ranking is degenerate with few clear scores, and then faint ones

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TextBlock(Item):
    """Distinct texts that are encoded together, or main questions that are ranked together."""

    role: str
    texts: tuple[str, ...]
    vectors: bytes = b""
    """Little-endian float32, one row per text; empty before they are encoded, and for a direct similarity."""
    exclusions: tuple[tuple[int, ...], ...] = ()
    """For each main question that is ranked, the basic questions that say the same."""


@dataclass(frozen=True, slots=True)
class RankedText(Item):
    """The basic questions of one distinct main question, the best first, and the certificate where there is one."""

    text: str
    indices: tuple[int, ...]
    scores: tuple[float, ...]
    gap: float | None = None
    excess: float | None = None
    support: int | None = None
    certified: bool = True  # False where the LASSO's certificate does not hold; direct similarities need none


@dataclass(frozen=True, slots=True)
class EncodingFacts:
    """The encoder with the path of its file, its name with its version or digest, and the pool of basic questions."""

    encoder: str
    encoder_name: str
    pool: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RankingFacts:
    """What every block is ranked with: the method, the pool of basic questions and, for the LASSO, its vectors."""

    ranker: str
    k: int
    lam: float
    nonneg: bool
    convention: Literal["paper", "sklearn"]
    pool: tuple[str, ...]
    first: npt.NDArray[np.int64] | None = None  # for every basic question, the first one with its vector
    columns: Vectors | None = None  # the distinct vectors

    @classmethod
    def from_settings(cls, settings: Settings, pool: tuple[str, ...]) -> "RankingFacts":
        """The part of the settings that decides a ranking."""
        return cls(settings.ranker, settings.k, settings.lam, settings.nonneg, settings.convention, pool)

    def with_vectors(self, blocks: Iterable[TextBlock]) -> "RankingFacts":
        """The facts with the vectors of the pool, equal ones merged."""
        vectors = _stack((_vectors(block) for block in blocks if block.role == POOL), len(self.pool))
        first = merge_equal_vectors(vectors)
        is_first = first == np.arange(len(first))
        columns = vectors if is_first.all() else vectors[is_first]
        # Compiled here, once, and not by every worker.
        rankers.rank(columns[: self.k], columns.mean(axis=0, keepdims=True))
        return replace(self, first=first, columns=columns)

    def twins(self) -> dict[int, list[int]]:
        """A position in the pool to later ones with the same vector."""
        twins: dict[int, list[int]] = {}
        for position, first in enumerate(() if self.first is None else self.first.tolist()):
            if position != first:
                twins.setdefault(first, []).append(position)
        return twins


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


def identify(texts: Iterable[str], settings: Settings) -> list[str]:
    """What makes each text the same question as another."""
    return list(map(core_letters if settings.identity == "letters" else plain_words, texts))


def main_blocks(blocks: Iterable[TextBlock], identities: Sequence[str], settings: Settings) -> Iterator[TextBlock]:
    """The main questions among some blocks of texts, encoded or not, in blocks to rank; `identities` are the pool's."""
    positions = {identity: (position,) for position, identity in enumerate(identities)}
    for block in blocks:
        if block.role != MAIN:
            continue
        exclusions = tuple(positions.get(identity, ()) for identity in identify(block.texts, settings))
        size = len(block.vectors) // len(block.texts)
        for start in range(0, len(block.texts), RANKED_TOGETHER):
            span = slice(start, start + RANKED_TOGETHER)
            texts, vectors = block.texts[span], block.vectors[start * size : span.stop * size]
            yield TextBlock(block.test, f"{block.key}/{start}", MAIN, texts, vectors, exclusions[span])


def rank_block(block: TextBlock, facts: RankingFacts) -> Iterator[RankedText]:
    """The rankings of a block of main questions."""
    if facts.ranker == LASSO:
        arrays = _rank_by_lasso(block, facts)
    else:
        arrays = most_similar(facts.ranker, facts.pool, block.texts, facts.k, block.exclusions)
    proof = [name for name in ("gap", "excess", "support", "certified") if name in arrays]
    for number, text in enumerate(block.texts):
        indices, scores = published_order(arrays["indices"][number].tolist(), arrays["scores"][number].tolist())
        certificate = {name: arrays[name][number].item() for name in proof}
        yield RankedText(block.test, f"{block.key}/{number}", text, indices, scores, **certificate)


def published_order(indices: Iterable[int], scores: Iterable[float]) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Basic questions and their scores as they are published, the best first; of equals, the earlier is first.

    They are put in order after rounding: scores that the ranker takes for equal may be rounded to different numbers.
    What is rounded to 0 is left out.

    >>> published_order([4, 7, 2, -1], [0.49999999949999, 0.49999999950001, 1e-12, 0.0])
    ((7, 4), (0.5, 0.499999999))
    """
    rounded = ((round(score, _DECIMALS), index) for index, score in zip(indices, scores, strict=True))
    order = sorted(((score, index) for score, index in rounded if score > 0.0), key=lambda pair: (-pair[0], pair[1]))
    return tuple(index for _, index in order), tuple(score for score, _ in order)


def _rank_by_lasso(block: TextBlock, facts: RankingFacts) -> dict[str, npt.NDArray[Any]]:
    first, columns = facts.first, facts.columns
    assert first is not None
    assert columns is not None
    positions = np.flatnonzero(first == np.arange(len(first)))  # of the columns in the pool
    column_numbers = np.searchsorted(positions, first)
    vectors = _vectors(block)
    exclusions = [
        sorted({*parallel_columns, *column_numbers[list(same_questions)].tolist()})
        for parallel_columns, same_questions in zip(find_equal_vectors(columns, vectors), block.exclusions, strict=True)
    ]
    ranking = rankers.rank(columns, vectors, facts.lam, facts.k, exclusions, facts.nonneg, facts.convention)
    indices = np.where(ranking.indices >= 0, positions[ranking.indices], -1)
    bounds = {"gap": _upper_bounds(ranking.gaps), "excess": _upper_bounds(ranking.excess)}
    proof = {**bounds, "support": ranking.supports, "certified": ranking.certified}
    return {"indices": indices, "scores": ranking.scores, **proof}


def _vectors(block: TextBlock) -> Vectors:
    """The vectors of a block; writable, since the ranker would compile anew for arrays that are not."""
    return np.frombuffer(bytearray(block.vectors), "<f4").reshape(len(block.texts), -1)


def _stack(blocks: Iterable[Vectors], count: int) -> Vectors:
    """The vectors of all blocks in one array, with one block in memory at a time."""
    stacked, end = np.empty((count, 0), np.float32), 0
    for vectors in blocks:
        if not end:
            stacked = np.empty((count, vectors.shape[1]), np.float32)
        stacked[end : end + len(vectors)] = vectors
        end += len(vectors)
    return stacked


def _upper_bounds(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The next power of ten, 1e-9 at least: below that rounding decides, and no byte may depend on the machine."""
    return np.array([10.0 ** ceil(log10(max(value, _LEAST_BOUND)) - 1e-9) for value in values])


@dataclass(frozen=True, slots=True)
class Ranking:
    """The basic questions of one main question, the best first, and the certificate where the ranker gives one."""

    texts: tuple[str, ...]
    scores: tuple[float, ...]
    same_vector: tuple[tuple[str, ...], ...]  # for every rank, other basic questions with the same vector
    gap: float | None
    excess: float | None
    support: int | None
    certified: bool
    pool_size: int  # how many basic questions there are

    def without_basic_questions(self) -> "Ranking":
        """What is published of a ranking that is not certified."""
        return replace(self, texts=(), scores=(), same_vector=(), gap=None, excess=None, support=None)


@dataclass(frozen=True, slots=True)
class Rankings:
    """The rankings of many main questions over one pool."""

    pool: tuple[str, ...]
    table: pa.Table | None  # one row per ranking, with positions in the pool
    twins: Mapping[int, Sequence[int]] = field(default_factory=dict)

    def __getitem__(self, number: int) -> Ranking:
        assert self.table is not None
        return self.read(RankedText("", "", "", *(self.table[name][number].as_py() for name in RANKING_COLUMNS)))

    def read(self, ranked: RankedText) -> Ranking:
        """A ranking with the texts that its positions stand for."""
        indices, certificate = ranked.indices, (ranked.gap, ranked.excess, ranked.support, ranked.certified)
        texts = tuple(self.pool[index] for index in indices)
        same_vector = tuple(tuple(self.pool[twin] for twin in self.twins.get(index, ())) for index in indices)
        return Ranking(texts, tuple(ranked.scores), same_vector, *certificate, len(self.pool))


def describe_rankings(rows: Rows, settings: Settings) -> dict[str, int]:
    """How many rankings by the LASSO are degenerate, short or uncertified: counts of distinct main questions."""
    counts = Counter[str]()
    for scores, certified in rows.columns("scores", "certified"):
        counts["main questions"] += 1
        counts["places"] += settings.k
        counts["faint places"] += settings.k - sum(score >= FAINT_SCORE for score in scores)
        counts["degenerate"] += sum(score > CLEAR_SCORE for score in scores) <= FEW
        counts["short"] += len(scores) < settings.k
        counts["uncertified"] += not certified
    return dict(counts)


def table_file(path: Path) -> SourceFile:
    """The file of a table, which must be there."""
    if not path.is_file():
        raise MissingFileError(
            f"{path}: no such table of ranked questions, also not in the folder bqd/ of the data folder"
        )
    return SourceFile(path, path.name)


def read_table(path: Path) -> tuple[dict[str, int], Rankings]:
    """The rankings of a table, and the number of each by the plain words of its main question.

    A line of the file is a JSON object with `main`, `basic` (the best first) and, if you like, `scores`.
    """
    pool: dict[str, int] = {}
    rankings: dict[str, RankedText] = {}
    for number, line in read_json_lines(path):
        main, texts, scores = _read_line(line, f"{path}:{number}")
        indices = tuple(pool.setdefault(" ".join(text.split()), len(pool)) for text in texts)
        words = plain_words(main)
        ranking = RankedText(EVERY_TEST, words, words, indices, scores)
        if rankings.setdefault(words, ranking) != ranking:
            raise BadInputError(f"{path}:{number}: {main!r} is ranked differently above; keep one of the lines")
    numbers = {words: number for number, words in enumerate(rankings)}
    return numbers, Rankings(tuple(pool), to_table(list(rankings.values()), RankedText))


def _read_line(line: dict[str, Any], place: str) -> tuple[str, list[str], tuple[float, ...]]:
    main, texts = line.get("main"), line.get("basic")
    if not isinstance(main, str) or not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BadInputError(f"{place}: a ranked question has `main`, a string, and `basic`, a list of strings")
    if max(map(len, (main, *texts))) > LONGEST_TEXT:
        raise BadInputError(f"{place}: a question of more than {LONGEST_TEXT:,} characters")
    scores = line.get("scores") or [0.0] * len(texts)
    is_list = isinstance(scores, list) and len(scores) == len(texts)
    if not is_list or not all(isinstance(score, int | float) for score in scores):
        raise BadInputError(f"{place}: `scores` must hold a number for each of the {len(texts)} basic questions")
    return main, texts, tuple(map(float, scores))
