"""The reports of the knowledge-based paper: its Tables 2 and 3, and the pairs where an answer changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import nan
from typing import Any

import numpy as np
import pyarrow as pa

from diptych.metrics.paired_vqa.accuracy import PARTS
from diptych.metrics.paired_vqa.alignment import align
from diptych.metrics.paired_vqa.outcomes import Flags
from diptych.metrics.paired_vqa.scoring import ModelScores

_COLOR_KINDS = ("common", "uncommon")


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One line of Table 2 or 3: the accuracy before and after, and the share of it that is lost."""

    test: str
    colors: str
    """Common or uncommon new colors (Table 2); empty elsewhere (Table 3)."""
    pairs: int
    before: float
    after: float
    reduction: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """A pair where the answer of the model changed: both questions, the changed words in brackets, and both answers."""

    pair_id: str
    test: str
    image_id: str
    relation: str
    question_before: str
    question_after: str
    answer_before: str
    answer_after: str
    was_right: bool


def paper_tables(model: ModelScores) -> list[PaperRow]:
    """Tables 2 and 3 of the paper for one model, the color tests first, one line each for common and uncommon."""
    table = model.references.table
    tests = table.column("test").to_pylist()
    colors = table.column("colors").to_pylist() if model.references.has_column("colors") else [""] * len(tests)
    keys = [(test, kind or "") for test, kind in zip(tests, colors, strict=True)]
    order = sorted(set(keys), key=lambda key: (key[1] not in _COLOR_KINDS, key))
    return [_paper_row(key, np.array([row_key == key for row_key in keys]), model) for key in order]


def _paper_row(key: tuple[str, str], rows: Flags, model: ModelScores) -> PaperRow:
    sides = (model.outcome.original, model.outcome.perturbed)
    before, after = (float(side.accuracy[rows].mean() / PARTS) for side in sides)
    return PaperRow(*key, int(rows.sum()), before, after, (before - after) / before if before else nan)


def explain_changes(model: ModelScores, predictions: Any, limit: int) -> list[Explanation]:
    """At most `limit` pairs whose answer changed, the tests in turn, those of a test in the order of the dataset."""
    table = model.references.table
    original, perturbed = align(predictions, model.references.ids, is_checked=True)
    rows = _take_turns(np.flatnonzero(model.outcome.changed).tolist(), table.column("test").to_pylist())[:limit]
    names = ("pair_id", "test", "original_image_id", "relation", "original_question", "perturbed_question")
    columns = [_values(table, name, rows) for name in names]
    explanations = []
    for row, pair_id, test, image_id, relation, *questions in zip(rows, *columns, strict=True):
        question_before, question_after = mark_difference(*questions)
        explanation = Explanation(
            pair_id,
            test,
            image_id,
            relation,
            question_before,
            question_after,
            answer_before=original.values[original.codes[row]],
            answer_after=perturbed.values[perturbed.codes[row]],
            was_right=bool(model.outcome.original.right[row]),
        )
        explanations.append(explanation)
    return explanations


def _values(table: pa.Table, name: str, rows: Sequence[int]) -> list[str]:
    if name not in table.column_names:
        return [""] * len(rows)
    return [value or "" for value in table.column(name).take(pa.array(rows, pa.int64())).to_pylist()]


def _take_turns(rows: Sequence[int], tests: Sequence[str]) -> list[int]:
    """One row of each test, then the next of each, and so on."""
    counts: dict[str, int] = {}
    turn_rows = []
    for row in rows:
        counts[tests[row]] = counts.get(tests[row], 0) + 1
        turn_rows.append((counts[tests[row]], tests[row], row))
    return [row for _, _, row in sorted(turn_rows)]


def mark_difference(original_question: str, perturbed_question: str) -> tuple[str, str]:
    """Two questions with what differs in brackets; nothing is shown as `_`.

    >>> mark_difference("Is there a dog?", "Is there an animal?")
    ('Is there [a dog]?', 'Is there [an animal]?')
    >>> mark_difference("Where are the cakes?", "Where are the?")
    ('Where are the [cakes]?', 'Where are the [_]?')
    """
    original, perturbed = list(_words(original_question)), list(_words(perturbed_question))
    start = _common_length(original, perturbed)
    rest = min(len(original), len(perturbed)) - start
    stop = min(_common_length(original[::-1], perturbed[::-1]), rest)
    return _bracket(original, start, stop), _bracket(perturbed, start, stop)


def _common_length(original: Sequence[str], perturbed: Sequence[str]) -> int:
    """How many words two lists have in common from their start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(original, perturbed, strict=False)))


def _words(text: str) -> Iterator[str]:
    for word in text.split():
        stem = word.rstrip("?.!,")
        yield from (part for part in (stem, word[len(stem) :]) if part)


def _bracket(words: list[str], start: int, stop: int) -> str:
    end = len(words) - stop
    difference = " ".join(words[start:end]) or "_"
    text = " ".join([*words[:start], f"[{difference}]", *words[end:]])
    return text.replace(" ?", "?").replace(" .", ".").replace(" ,", ",").replace(" !", "!")
