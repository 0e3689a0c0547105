"""Side, Pair, Skip, Expectation and their Arrow schema: the data model of every dataset.

A *side* is one question about one image with its correct answers. A *pair* is two sides whose answers are tied by a
known *expectation*. An input that makes no pair is a *skip*, with its reason. Nothing here imports from the rest
of the package, but for its errors.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from typing import Any, Protocol

import numpy as np
import orjson
import pyarrow as pa

from diptych.errors import BadInputError


class Expectation(StrEnum):
    """How the answers of the two sides are related."""

    SAME = "same"  # invariance: both sides have one answer
    DIFFERENT = "different"  # directional: the answer must change
    GIVEN = "given"  # counterfactual: each side has its own known answer
    OPEN = "open"  # the perturbed answer is unknown; only the change of the model's answer is studied


@dataclass(frozen=True, slots=True)
class Side:
    """One question about one image, with its correct answers.

    `answers` holds ten entries where ten annotators answered, as in VQA; any other number of entries means that
    each of them is accepted as right. `answer` is the one to show.
    """

    image_id: str
    question: str
    answer: str
    answers: tuple[str, ...] = ()
    image_file: str = ""  # the official file name of the image; empty where the source does not tell it

    def all_answers(self) -> tuple[str, ...]:
        """The answers to score against: `answers`, or `answer` alone where no list was given.

        >>> Side("1", "Is there a dog?", "yes").all_answers()
        ('yes',)
        """
        return self.answers or ((self.answer,) if self.answer else ())


@dataclass(frozen=True, slots=True)
class Skip:
    """An input that makes no pair, and why; reasons come from the test's closed list and are counted."""

    reason: str
    where: str = ""  # which input it was, where the user can fix it
    test: str = ""  # the test that is skipped; empty for the test at hand

    def of(self, test: str) -> "Skip":
        """The same reason for a named test."""
        return Skip(self.reason, self.where, test)


class Row(Protocol):
    """Anything that is published as a row: a pair, or what a dataset publishes beside its pairs."""

    def row(self) -> dict[str, Any]:
        """The columns by name; the first is the row's id."""
        ...


@dataclass(frozen=True, slots=True)
class Pair:
    """An original side, a perturbed side, the expectation that ties them, and where they come from."""

    test: str
    expectation: Expectation
    original: Side
    perturbed: Side
    answer_type: str
    question_type: str
    source: str
    source_id: str
    template_id: str = ""
    template_hash: str = ""
    bindings: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)  # typed columns of the test's own, after the core ones
    group: str = ""  # what names the pairs that belong together; where empty, those of one original side do

    @property
    def pair_id(self) -> str:
        """A hash of what the pair says and of the record it was made from: stable across rebuilds and machines."""
        parts = [self.test, self.expectation.value, self.source, self.source_id]
        for side in (self.original, self.perturbed):
            parts += [side.image_id, side.question, side.answer]
        return hashlib.blake2b(orjson.dumps(parts), digest_size=12).hexdigest()

    @property
    def group_id(self) -> str:
        """A hash of what the pairs of a group have in common: their original side, or what a benchmark names."""
        side = self.original
        parts = [self.source, self.group] if self.group else [self.source, side.image_id, side.question, side.answer]
        return hashlib.blake2b(orjson.dumps(parts), digest_size=12).hexdigest()

    def row(self) -> dict[str, Any]:
        """The pair as one flat row, in the order of `CORE_SCHEMA`, with the test's own columns after it."""
        sides = (
            value
            for side in (self.original, self.perturbed)
            for value in (side.image_id, side.image_file, side.question, side.answer, list(side.all_answers()))
        )
        origin = (self.answer_type, self.question_type, self.source, self.source_id)
        bindings = orjson.dumps(dict(self.bindings), option=orjson.OPT_SORT_KEYS).decode()
        head = (self.pair_id, self.group_id, self.test, self.expectation.value)
        values = (*head, *sides, *origin, self.template_id, self.template_hash, bindings)
        return dict(zip(CORE_COLUMNS, values, strict=True)) | dict(self.extra)


def row_pair_id(row: Mapping[str, Any]) -> str:
    """The id that the pair of a published row has, from what the row says."""
    original, perturbed = (
        Side(row[f"{side}_image_id"], row[f"{side}_question"], row[f"{side}_answer"])
        for side in ("original", "perturbed")
    )
    expectation = Expectation(row["expectation"])
    return Pair(row["test"], expectation, original, perturbed, "", "", row["source"], row["source_id"]).pair_id


_SIDE_COLUMNS = ("image_id", "image_file", "question", "answer", "answers")
CORE_COLUMNS: tuple[str, ...] = (
    *"pair_id group_id test expectation".split(),
    *(f"{side}_{column}" for side in ("original", "perturbed") for column in _SIDE_COLUMNS),
    *"answer_type question_type source source_id template_id template_hash bindings".split(),
)

LATER_COLUMNS = frozenset({"group_id", "original_image_file", "perturbed_image_file"})
"""Core columns that pairs of earlier releases do not have."""

CORE_SCHEMA: pa.Schema = pa.schema(
    [(name, pa.list_(pa.string()) if name.endswith("_answers") else pa.string()) for name in CORE_COLUMNS]
)
"""The columns every published row has, whatever the dataset."""


def pair_schema(extra: Mapping[str, pa.DataType] | None = None) -> pa.Schema:
    """The core columns with a test's own after them.

    >>> pair_schema({"rank": pa.int32()}).names[-2:]
    ['bindings', 'rank']
    """
    return pa.schema([*CORE_SCHEMA, *(pa.field(name, kind) for name, kind in (extra or {}).items())])


def pairs_table(pairs: Iterable[Row], schema: pa.Schema = CORE_SCHEMA) -> pa.Table:
    """Pairs (or other rows) as an Arrow table; a row that does not fit the schema is an error, not a null."""
    return pa.Table.from_pylist([pair.row() for pair in pairs], schema=schema)


SEEDS = range(-(2**63), 2**63)  # the seeds that can be: those that a recipe can store


def check_seed(seed: int) -> int:
    """A seed that a recipe can store.

    >>> check_seed(7)
    7
    """
    if seed not in SEEDS:
        raise BadInputError(f"--seed {seed}: must fit 64 bits, from {SEEDS[0]} to {SEEDS[-1]}")
    return seed


def row_rng(seed: int, test: str, row_id: str) -> Random:
    """Randomness that belongs to one row, so that neither order, sharding nor worker count changes a draw.

    >>> row_rng(7, "rad.yn_from_color", "42").random() == row_rng(7, "rad.yn_from_color", "42").random()
    True
    """
    key = hashlib.blake2b(orjson.dumps([check_seed(seed), test, row_id]), digest_size=16)
    return Random(int.from_bytes(key.digest(), "big"))


DIGEST_SIZE = hashlib.sha256().digest_size  # bytes of the digest of a row


def content_hash(tables: Iterable[pa.Table]) -> str:
    """A hash of a set of rows: equal for equal rows, whatever their order, files or compression."""
    return combined_hash(b"".join(digest for table in tables for digest in row_digests(table)))


def combined_hash(digests: bytes | bytearray) -> str:
    """The hash of a set of rows from the digests of its rows, one after the other in any order."""
    return hashlib.sha256(np.sort(np.frombuffer(digests, f"S{DIGEST_SIZE}")).tobytes()).hexdigest()


def row_digests(table: pa.Table) -> Iterator[bytes]:
    """The digest of every row of a table, in order."""
    for batch in table.to_batches(max_chunksize=4096):
        for row in batch.to_pylist():
            yield hashlib.sha256(orjson.dumps(row, default=_digest_bytes, option=orjson.OPT_SORT_KEYS)).digest()


def _digest_bytes(value: object) -> str:
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    raise TypeError(f"a row cannot hold {type(value).__name__}")
