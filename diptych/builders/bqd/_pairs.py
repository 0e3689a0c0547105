"""From a main question to its noisy or shuffled versions, and to the row that shows its ranking."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from diptych.builders.bqd._rankings import Ranking, Rankings
from diptych.builders.bqd._records import MainQuestion
from diptych.builders.bqd._settings import Settings
from diptych.builders.bqd._shuffling import shuffle_words
from diptych.pairs import Expectation, Pair, Side, Skip, row_rng
from diptych.sources import VqaRow

UNRANKED = Skip("the table does not rank this question")
TOO_FEW = Skip("fewer basic questions than the partition needs")
NO_ROOM = Skip("the word limit leaves no room for a basic question")
REPEATED = Skip("the same words as an earlier partition")
TOO_SHORT = Skip("too few different words to move so many")

COLUMNS: dict[str, pa.DataType] = {
    "partition": pa.int8(),
    "basic_questions": pa.list_(pa.string()),
    "scores": pa.list_(pa.float64()),
    "words_cut": pa.int16(),
}
"""The columns of a pair after the core ones."""

RANKED_SCHEMA = pa.schema([
    ("question_id", pa.string()), ("image_id", pa.string()), ("question", pa.string()), ("answer", pa.string()),
    ("answers", pa.list_(pa.string())), ("answer_type", pa.string()), ("question_type", pa.string()),
    ("source", pa.string()), ("basic_questions", pa.list_(pa.string())), ("scores", pa.list_(pa.float64())),
    ("same_vector", pa.list_(pa.list_(pa.string()))), ("gap", pa.float64()), ("excess", pa.float64()),
    ("support", pa.int32()),
])  # fmt: skip
"""The columns of a ranked question."""

_QUESTION_COLUMNS = RANKED_SCHEMA.names[: RANKED_SCHEMA.names.index("basic_questions")]


@dataclass(frozen=True, slots=True)
class NoiseFacts:
    """The rankings that noise is taken from, and how it is cut into partitions."""

    rankings: Rankings
    settings: Settings


@dataclass(frozen=True, slots=True)
class ShuffleFacts:
    """How many words are moved in each partition, and the seed of the draws."""

    distances: tuple[int, ...]
    seed: int

    @classmethod
    def from_settings(cls, settings: Settings, seed: int) -> "ShuffleFacts":
        """Partition p moves p + 1 words, unless a distance is set."""
        return cls((settings.distance,) if settings.distance else tuple(range(2, settings.partitions + 2)), seed)


@dataclass(frozen=True, slots=True)
class RankedQuestion:
    """A main question with its ranked basic questions and their certificate, published as it is."""

    question: VqaRow
    ranking: Ranking

    def row(self) -> dict[str, Any]:
        """The columns by name."""
        ranking = self.ranking
        return {name: getattr(self.question, name) for name in _QUESTION_COLUMNS} | {
            "basic_questions": ranking.texts,
            "scores": ranking.scores,
            "same_vector": ranking.same_vector,
            "gap": ranking.gap,
            "excess": ranking.excess,
            "support": ranking.support,
        }


def noisy_pairs(item: MainQuestion, facts: NoiseFacts) -> Iterator[Pair | Skip]:
    """The main question with the basic questions of each partition behind it, cut at the word limit."""
    if item.ranking < 0:
        yield UNRANKED
        return
    ranking, settings, question = facts.rankings[item.ranking], facts.settings, item.row.question
    size, noisy_questions = settings.per_partition, set[str]()
    is_full = settings.word_limit and len((question + settings.separator).split()) >= settings.word_limit
    for partition in range(1, settings.partitions + 1):
        span = slice((partition - 1) * size, partition * size)
        texts = ranking.texts[span]
        if len(texts) < size:
            yield TOO_FEW
            continue
        noisy_question, words_cut = cut_words(settings.separator.join((question, *texts)), settings.word_limit)
        if is_full:
            yield NO_ROOM
        elif noisy_question in noisy_questions:
            yield REPEATED
        else:
            noisy_questions.add(noisy_question)
            columns = {"basic_questions": list(texts), "scores": list(ranking.scores[span]), "words_cut": words_cut}
            yield _pair(
                item, Expectation.SAME, noisy_question, {"partition": partition}, {"partition": partition, **columns}
            )


def cut_words(question: str, limit: int) -> tuple[str, int]:
    """The first so many words of a question, and how many were cut off; 0 cuts nothing.

    >>> cut_words("Is it red? Is it a car?", 5)
    ('Is it red? Is it', 2)
    """
    words = question.split()
    if not limit or len(words) <= limit:
        return question, 0
    end = 0
    for word in words[:limit]:
        end = question.index(word, end) + len(word)
    return question[:end], len(words) - limit


def shuffled_pairs(item: MainQuestion, facts: ShuffleFacts) -> Iterator[Pair | Skip]:
    """The question with some of its words in other places, one pair per distance.

    A shuffled question may say something else ("Is the man behind the woman?"), so the expectation is open.
    """
    for partition, distance in enumerate(facts.distances, start=1):
        rng = row_rng(facts.seed, item.test, f"{item.key}/{distance}")
        question = shuffle_words(item.row.question, distance, rng)
        if question is None:
            yield TOO_SHORT
            continue
        columns = {"partition": partition, "basic_questions": [], "scores": [], "words_cut": 0}
        yield _pair(item, Expectation.OPEN, question, {"distance": distance}, columns)


def _pair(
    item: MainQuestion, expectation: Expectation, question: str, bindings: Mapping[str, Any], columns: Mapping[str, Any]
) -> Pair:
    row = item.row
    answer, answers = (row.answer, row.answers) if expectation is Expectation.SAME else ("", ())
    return Pair(
        test=item.test,
        expectation=expectation,
        original=Side(row.image_id, row.question, row.answer, row.answers, row.image_file),
        perturbed=Side(row.image_id, question, answer, answers, row.image_file),
        answer_type=row.answer_type,
        question_type=row.question_type,
        source=row.source,
        source_id=row.question_id,
        bindings=bindings,
        extra=columns,
    )
