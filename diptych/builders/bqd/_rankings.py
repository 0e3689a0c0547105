"""Rankings: how texts are encoded and ranked in blocks, and finished rankings, ours or of a table of the user's own.

A block is a fixed run of texts, so that its numbers depend neither on the number of workers nor on where an earlier
run was stopped.
"""

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
from diptych.builders import EVERY_TEST, Item, ParameterValue
from diptych.builders._dataset import require_data
from diptych.builders._rows import to_table
from diptych.builders.bqd._records import MAIN, POOL, plain_words, read_pool, splits_with_answers
from diptych.builders.bqd._settings import LASSO, Settings
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
RANKING_COLUMNS = ("indices", "scores", "gap", "excess", "support")

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
        vectors = np.concatenate([_vectors(block) for block in blocks if block.role == POOL])
        first = merge_equal_vectors(vectors)
        columns = vectors[first == np.arange(len(first))]
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


def main_blocks(blocks: Iterable[TextBlock], pool: Sequence[str]) -> Iterator[TextBlock]:
    """The main questions among some blocks of texts, encoded or not, in blocks to rank."""
    positions = {plain_words(text): (position,) for position, text in enumerate(pool)}
    for block in blocks:
        if block.role != MAIN:
            continue
        exclusions = tuple(positions.get(plain_words(text), ()) for text in block.texts)
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
    for number, text in enumerate(block.texts):
        indices = tuple(index for index in arrays["indices"][number].tolist() if index >= 0)
        scores = tuple(round(score, _DECIMALS) for score in arrays["scores"][number][: len(indices)].tolist())
        certificate = {name: arrays[name][number].item() for name in ("gap", "excess", "support") if name in arrays}
        yield RankedText(block.test, f"{block.key}/{number}", text, indices, scores, **certificate)


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
    if not ranking.certified.all():
        text = block.texts[int(np.argmin(ranking.certified))]
        raise BadInputError(f"{text!r}: its ranking could not be certified; choose a larger --set lam")
    indices = np.where(ranking.indices >= 0, positions[ranking.indices], -1)
    bounds = {"gap": _upper_bounds(ranking.gaps), "excess": _upper_bounds(ranking.excess)}
    return {"indices": indices, "scores": ranking.scores, **bounds, "support": ranking.supports}


def _vectors(block: TextBlock) -> Vectors:
    """The vectors of a block; writable, since the ranker would compile anew for arrays that are not."""
    return np.frombuffer(bytearray(block.vectors), "<f4").reshape(len(block.texts), -1)


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
    pool_size: int  # how many basic questions there are


@dataclass(frozen=True, slots=True)
class Rankings:
    """The rankings of many main questions over one pool."""

    pool: tuple[str, ...]
    table: pa.Table  # one row per ranking, with positions in the pool
    twins: Mapping[int, Sequence[int]] = field(default_factory=dict)

    def __getitem__(self, number: int) -> Ranking:
        indices, scores, gap, excess, support = (self.table[name][number].as_py() for name in RANKING_COLUMNS)
        texts = tuple(self.pool[index] for index in indices)
        same_vector = tuple(tuple(self.pool[twin] for twin in self.twins.get(index, ())) for index in indices)
        return Ranking(texts, tuple(scores), same_vector, gap, excess, support, len(self.pool))


def rank_question(
    question: str, data: Path, parameters: Mapping[str, ParameterValue] | None = None, yes_no: bool = False
) -> Ranking:
    """Rank all basic questions of a source for a single question."""
    if not question.strip():
        raise BadInputError("the main question is empty")
    settings = Settings.from_parameters({"partitions": 1, "per_partition": 1, **(parameters or {})})
    settings = settings.located(require_data(data))
    splits = splits_with_answers(settings.source, data)
    pool = read_pool(replace(settings, basic="+".join(splits) or settings.basic), data, yes_no)
    facts = RankingFacts.from_settings(settings, pool)
    (main,) = text_blocks("", MAIN, [question])
    if settings.ranker == LASSO:
        encoder = get_encoder(settings.encoder)
        main = encode_block(main, encoder)
        facts = facts.with_vectors(encode_block(block, encoder) for block in text_blocks("", POOL, pool))
    (block,) = main_blocks([main], pool)
    return Rankings(pool, to_table(list(rank_block(block, facts)), RankedText), facts.twins())[0]


def table_file(path: Path) -> SourceFile:
    """The file of a table, which must be there."""
    if not path.is_file():
        raise MissingFileError(f"{path}: no such table of ranked questions, nor of that name in the data folder's bqd/")
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
            raise BadInputError(f"{path}:{number}: {main!r} is ranked differently above; keep one line")
    numbers = {words: number for number, words in enumerate(rankings)}
    return numbers, Rankings(tuple(pool), to_table(list(rankings.values()), RankedText))


def _read_line(line: dict[str, Any], place: str) -> tuple[str, list[str], tuple[float, ...]]:
    main, texts = line.get("main"), line.get("basic")
    if not isinstance(main, str) or not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BadInputError(f"{place}: a ranked question has `main`, a text, and `basic`, a list of texts")
    if max(map(len, (main, *texts))) > LONGEST_TEXT:
        raise BadInputError(f"{place}: a question of more than {LONGEST_TEXT:,} characters")
    scores = line.get("scores") or [0.0] * len(texts)
    is_list = isinstance(scores, list) and len(scores) == len(texts)
    if not is_list or not all(isinstance(score, int | float) for score in scores):
        raise BadInputError(f"{place}: `scores` must hold a number for each of the {len(texts)} basic questions")
    return main, texts, tuple(map(float, scores))
