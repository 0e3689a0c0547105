"""From a ranked main question to its noisy versions, and to the row that shows the ranking."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from diptych.builders.bqd.inputs import key_of
from diptych.builders.bqd.ranked import Ranked, Task
from diptych.builders.bqd.ranked_table import RankedTable
from diptych.builders.bqd.settings import Settings
from diptych.builders.bqd.shuffling import shuffled
from diptych.builders.engine import Workers
from diptych.pairs import Expectation, Pair, Row, Side, Skip, row_rng
from diptych.sources import VqaRow

UNRANKED = Skip("the table does not rank this question")
TOO_FEW = Skip("fewer basic questions than the partition needs")
NO_ROOM = Skip("the word limit leaves no room for a basic question")
REPEATED = Skip("the same words as an earlier partition")
TOO_SHORT = Skip("too few different words to move so many")

EXTRA: dict[str, pa.DataType] = {
    "partition": pa.int8(),
    "basic_questions": pa.list_(pa.string()),
    "scores": pa.list_(pa.float64()),
    "words_cut": pa.int16(),
}

RANKED_SCHEMA = pa.schema([
    ("question_id", pa.string()), ("image_id", pa.string()), ("question", pa.string()), ("answer", pa.string()),
    ("answers", pa.list_(pa.string())), ("answer_type", pa.string()), ("question_type", pa.string()),
    ("source", pa.string()), ("basic_questions", pa.list_(pa.string())), ("scores", pa.list_(pa.float64())),
    ("same_vector", pa.list_(pa.list_(pa.string()))), ("gap", pa.float64()), ("excess", pa.float64()),
    ("support", pa.int32()),
])  # fmt: skip
"""The columns of a ranked question."""

Outcomes = Iterator[tuple[str, Row | Skip]]


@dataclass(frozen=True, slots=True)
class RankedQuestion:
    """A main question with its ranked basic questions and their certificate."""

    of: VqaRow
    ranked: Ranked

    def row(self) -> dict[str, Any]:
        """The columns by name."""
        told = {name: getattr(self.of, name) for name in RANKED_SCHEMA.names if hasattr(self.of, name)}
        return told | {
            "answers": list(self.of.answers),
            "basic_questions": list(self.ranked.basic),
            "scores": list(self.ranked.scores),
            "same_vector": [list(texts) for texts in self.ranked.same],
            "gap": self.ranked.gap,
            "excess": self.ranked.excess,
            "support": self.ranked.support,
        }


@dataclass(frozen=True, slots=True)
class RankedMaker:
    """Publishes the ranking itself."""

    test: str
    task: Task

    def prepare(self, pool: Workers, name: str) -> None:
        """Rank every distinct main question."""
        self.task.rank_all(pool, name)

    def outcomes(self, rows: Sequence[VqaRow]) -> Outcomes:
        """One row a main question."""
        for row in rows:
            yield self.test, RankedQuestion(row, self.task.of(row.question))


@dataclass(frozen=True, slots=True)
class NoisyMaker:
    """Appends the basic questions of every partition to the main question."""

    test: str
    task: Task
    settings: Settings

    def prepare(self, pool: Workers, name: str) -> None:
        """Rank every distinct main question."""
        self.task.rank_all(pool, name)

    def outcomes(self, rows: Sequence[VqaRow]) -> Outcomes:
        """One pair a main question and partition."""
        for row in rows:
            ranked = self.task.of(row.question)
            yield from noisy(self.test, row, ranked.basic, ranked.scores, self.settings)


@dataclass(frozen=True, slots=True)
class TableMaker:
    """Appends the basic questions that a table of the user's names."""

    test: str
    table: RankedTable
    settings: Settings

    def outcomes(self, rows: Sequence[VqaRow]) -> Outcomes:
        """One pair a main question and partition."""
        lines = self.table.lines()
        for row in rows:
            line = lines.get(key_of(row.question))
            if line is None:
                yield self.test, UNRANKED
            else:
                yield from noisy(self.test, row, line.basic, line.scores, self.settings)


def noisy(test: str, row: VqaRow, basic: Sequence[str], scores: Sequence[float], settings: Settings) -> Outcomes:
    """The main question with the basic questions of each partition behind it, cut at the word limit."""
    size, seen = settings.per_partition, set[str]()
    full = settings.word_limit and len((row.question + settings.separator).split()) >= settings.word_limit
    for partition in range(1, settings.partitions + 1):
        chosen = slice((partition - 1) * size, partition * size)
        if len(basic[chosen]) < size:
            yield test, TOO_FEW
            continue
        whole = settings.separator.join((row.question, *basic[chosen]))
        question, cut = cut_at(whole, settings.word_limit)
        if full:
            yield test, NO_ROOM
        elif question in seen:
            yield test, REPEATED
        else:
            seen.add(question)
            extra = {"basic_questions": list(basic[chosen]), "scores": list(scores[chosen]), "words_cut": cut}
            yield test, _pair(test, Expectation.SAME, row, question, partition, extra, {"partition": partition})


def cut_at(question: str, words: int) -> tuple[str, int]:
    """The first so many words of a question, and how many were cut off; 0 cuts nothing.

    >>> cut_at("Is it red? Is it a car?", 5)
    ('Is it red? Is it', 2)
    """
    said = question.split()
    if not words or len(said) <= words:
        return question, 0
    end = 0
    for word in said[:words]:
        end = question.index(word, end) + len(word)
    return question[:end], len(said) - words


@dataclass(frozen=True, slots=True)
class ShuffledMaker:
    """Moves words of a question to other places: partition p moves p + 1 of them, unless a distance is given.

    A shuffled question may say something else ("Is the man behind the woman?"), so the expectation is open.
    """

    test: str
    settings: Settings
    seed: int

    def outcomes(self, rows: Sequence[VqaRow]) -> Outcomes:
        """One pair a question and distance."""
        distances = [self.settings.distance] if self.settings.distance else range(2, self.settings.partitions + 2)
        for row in rows:
            for partition, distance in enumerate(distances, start=1):
                yield self.test, self._shuffled(row, partition, distance)

    def _shuffled(self, row: VqaRow, partition: int, distance: int) -> Pair | Skip:
        rng = row_rng(self.seed, self.test, f"{row.question_id}/{distance}")
        question = shuffled(row.question, distance, rng)
        if question is None:
            return TOO_SHORT
        extra: dict[str, Any] = {"basic_questions": [], "scores": [], "words_cut": 0}
        return _pair(self.test, Expectation.OPEN, row, question, partition, extra, {"distance": distance})


def _pair(
    test: str,
    expectation: Expectation,
    row: VqaRow,
    question: str,
    partition: int,
    extra: Mapping[str, Any],
    bindings: Mapping[str, Any],
) -> Pair:
    known = expectation is Expectation.SAME
    return Pair(
        test=test,
        expectation=expectation,
        original=Side(row.image_id, row.question, row.answer, row.answers),
        perturbed=Side(row.image_id, question, row.answer if known else "", row.answers if known else ()),
        answer_type=row.answer_type,
        question_type=row.question_type,
        source=row.source,
        source_id=row.question_id,
        bindings=bindings,
        extra={"partition": partition, **extra},
    )
