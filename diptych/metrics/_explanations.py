"""The reports of the knowledge-based paper: its Tables 2 and 3, and the pairs where an answer changed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from math import nan
from operator import eq
from typing import Any

import numpy as np

from diptych.metrics.paired_vqa.columns import align
from diptych.metrics.paired_vqa.outcomes import PARTS
from diptych.metrics.paired_vqa.scoring import ModelScores

_COLUMNS = ("pair_id", "original_image_id", "relation", "original_question", "perturbed_question")


def paper_tables(model: ModelScores) -> list[dict[str, Any]]:
    """Tables 2 and 3 of the paper for one model: the accuracy before and after, and the share of it that is lost.

    The color tests come first, one line each for common and uncommon new colors (Table 2).
    """
    table = model.references.table
    tests = model.references.tests().to_list()
    colors = table.column("colors").to_pylist() if model.references.has_column("colors") else [""] * len(tests)
    keys = [(test, kind or "") for test, kind in zip(tests, colors, strict=True)]
    table_rows = []
    for key in sorted(set(keys), key=lambda key: (key[1] not in ("common", "uncommon"), key)):
        rows = np.array([row_key == key for row_key in keys])
        sides = (model.outcome.original, model.outcome.perturbed)
        before, after = (float(side.accuracy[rows].mean() / PARTS) for side in sides)
        reduction = (before - after) / before if before else nan
        numbers = {"pairs": int(rows.sum()), "before": before, "after": after, "reduction": reduction}
        table_rows.append({"test": key[0], "colors": key[1], **numbers})
    return table_rows


def explain_changes(model: ModelScores, predictions: Any, limit: int) -> list[dict[str, Any]]:
    """At most `limit` pairs whose answer changed, the tests in turn, those of a test in the order of the dataset.

    Each has both questions, the changed words in brackets, and both answers.
    """
    table = model.references.table
    tests = model.references.tests().to_list()
    turns: Counter[str] = Counter()
    changed_rows = []
    for row in np.flatnonzero(model.outcome.changed).tolist():
        turns[tests[row]] += 1
        changed_rows.append((turns[tests[row]], tests[row], row))
    original, perturbed = align(predictions, model.references.ids)
    explanations = []
    for _, test, row in sorted(changed_rows)[:limit]:
        values = {name: table.column(name)[row].as_py() or "" for name in _COLUMNS if name in table.column_names}
        question_before, question_after = mark_difference(
            values.get("original_question", ""), values.get("perturbed_question", "")
        )
        explanations.append(
            {
                "pair_id": values["pair_id"],
                "test": test,
                "image_id": values.get("original_image_id", ""),
                "relation": values.get("relation", ""),
                "question_before": question_before,
                "question_after": question_after,
                "answer_before": original.values[original.codes[row]],
                "answer_after": perturbed.values[perturbed.codes[row]],
                "was_right": bool(model.outcome.original.right[row]),
            }
        )
    return explanations


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
    return sum(takewhile(bool, map(eq, original, perturbed)))


def _words(text: str) -> Iterator[str]:
    for word in text.split():
        stem = word.rstrip("?.!,")
        yield from (part for part in (stem, word[len(stem) :]) if part)


def _bracket(words: list[str], start: int, stop: int) -> str:
    end = len(words) - stop
    difference = " ".join(words[start:end]) or "_"
    text = " ".join([*words[:start], f"[{difference}]", *words[end:]])
    return text.replace(" ?", "?").replace(" .", ".").replace(" ,", ",").replace(" !", "!")
