"""Finished rankings: all of a build in one compact table that every worker shares, or that of a single question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa

from diptych.builders import ParameterValue, Rows
from diptych.builders._dataset import require_data
from diptych.builders._rows import to_table
from diptych.builders.bqd._blocks import (
    RankedText,
    RankingFacts,
    encode_block,
    main_blocks,
    rank_block,
    text_blocks,
)
from diptych.builders.bqd._records import MAIN, POOL, read_pool, splits_with_answers
from diptych.builders.bqd._settings import LASSO, Settings
from diptych.errors import BadInputError
from diptych.ranking import get_encoder

_COLUMNS = ("indices", "scores", "gap", "excess", "support")


@dataclass(frozen=True, slots=True)
class Ranking:
    """The basic questions of one main question, the best first, and the certificate where the ranker gives one."""

    texts: tuple[str, ...]
    scores: tuple[float, ...]
    same_vector: tuple[tuple[str, ...], ...]
    """For every rank, other basic questions with the same vector."""
    gap: float | None
    excess: float | None
    support: int | None
    pool_size: int
    """How many basic questions there are."""


@dataclass(frozen=True, slots=True)
class Rankings:
    """The rankings of many main questions over one pool."""

    pool: tuple[str, ...]
    table: pa.Table
    """One row per ranking, with positions in the pool."""
    twins: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """A position in the pool to later ones with the same vector."""

    @classmethod
    def from_rows(cls, rows: Rows, facts: RankingFacts) -> "Rankings":
        """The rankings that the stage `rank` made."""
        table = pa.concat_tables(rows.tables(*_COLUMNS)).combine_chunks()
        return cls(facts.pool, table, _find_twins(facts))

    @classmethod
    def from_texts(
        cls, pool: tuple[str, ...], texts: Sequence[RankedText], twins: Mapping[int, Sequence[int]] | None = None
    ) -> "Rankings":
        """Rankings that are in memory."""
        return cls(pool, to_table(texts, RankedText).select(list(_COLUMNS)), twins or {})

    def __getitem__(self, number: int) -> Ranking:
        indices, scores, gap, excess, support = (self.table[name][number].as_py() for name in _COLUMNS)
        texts = tuple(self.pool[index] for index in indices)
        same_vector = tuple(tuple(self.pool[twin] for twin in self.twins.get(index, ())) for index in indices)
        return Ranking(texts, tuple(scores), same_vector, gap, excess, support, len(self.pool))


def _find_twins(facts: RankingFacts) -> dict[int, list[int]]:
    twins: dict[int, list[int]] = {}
    if facts.first is not None:
        for position, first in enumerate(facts.first.tolist()):
            if position != first:
                twins.setdefault(first, []).append(position)
    return twins


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
    return Rankings.from_texts(pool, list(rank_block(block, facts)), _find_twins(facts))[0]
