"""Examples in the form of the knowledge-based paper's Figures 3 to 10: the wordings of one question, and the answers.

A question that was recolored is shown once, with its common and its uncommon new color beside the old one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import orjson

from diptych.metrics._brackets import mark_alternatives
from diptych.metrics.paired_vqa.columns import CodedColumn
from diptych.metrics.paired_vqa.families import FAMILIES
from diptych.metrics.paired_vqa.outcomes import Flags
from diptych.metrics.paired_vqa.references import References

Answers = Sequence[CodedColumn]  # of both sides, in the order of the references
_VARIANT = "colors"  # the column that tells the wordings of one question in one test apart


@dataclass(frozen=True, slots=True)
class FigureExample:
    """One question with its wordings in brackets, and what the model answered to each, the original first."""

    figure: str
    test: str
    image_id: str
    question: str
    answers: tuple[str, ...]


class Variants:
    """The pairs of the same question in the same test, which differ by a column."""

    def __init__(self, references: References) -> None:
        self._table = references.table
        self._groups: dict[tuple[str, str], list[int]] = {}
        self._keys: dict[int, tuple[str, str]] = {}
        names = ("test", "source_id", _VARIANT)
        if all(references.has_column(name) for name in names):
            columns = (self._table.column(name).to_pylist() for name in names)
            for row, (test, source, variant) in enumerate(zip(*columns, strict=True)):
                if variant:
                    self._keys[row] = str(test), str(source)
                    self._groups.setdefault(self._keys[row], []).append(row)

    def rows(self, row: int) -> list[int]:
        """The pairs of a pair's question and test, itself among them."""
        return self._groups[self._keys[row]] if row in self._keys else [row]

    def record(self, row: int) -> dict[str, Any]:
        """The columns of a pair."""
        record: dict[str, Any] = self._table.slice(row, 1).to_pylist()[0]
        return record

    def label(self, row: int) -> str:
        """What tells a pair from the others of its question."""
        return str(self.record(row).get(_VARIANT) or "")


def figure_examples(
    references: References, answers: Answers, variants: Variants, surprises: Flags, limit: int
) -> Iterator[FigureExample]:
    """At most so many examples for every figure, those first where the answer does not do what is expected."""
    rows_of_test = references.tests().groups()
    for test, figure in ((test, figure) for family in FAMILIES.values() for test, figure in family.figures.items()):
        rows = rows_of_test.get(test, np.zeros(0, dtype=np.int64))
        firsts = [row for row in rows.tolist() if variants.rows(row)[0] == row]
        for row in sorted(firsts, key=lambda row: (not surprises[variants.rows(row)].any(), row))[:limit]:
            yield _example(figure, test, [variants.record(each) for each in variants.rows(row)], answers, variants, row)


def _example(
    figure: str, test: str, records: Sequence[Mapping[str, Any]], answers: Answers, variants: Variants, row: int
) -> FigureExample:
    questions = [str(records[0].get("original_question") or "")]
    questions += [str(record.get("perturbed_question") or "") for record in records]
    original, perturbed = ([column.values[column.codes[each]] for each in variants.rows(row)] for column in answers)
    question = mark_alternatives(questions, ["", *map(new_words, records)])
    return FigureExample(
        figure, test, str(records[0].get("original_image_id") or ""), question, (original[0], *perturbed)
    )


def new_words(record: Mapping[str, Any]) -> str:
    """The words that were put into the perturbed question, where the bindings of a pair tell them."""
    try:
        bindings = orjson.loads(record.get("bindings") or "{}")
    except orjson.JSONDecodeError:
        return ""
    return str(bindings.get("text") or "") if isinstance(bindings, dict) else ""


def figure_sections(examples: Sequence[FigureExample]) -> list[str]:
    """The examples as text, one section per figure."""
    labels = {test: label for family in FAMILIES.values() for test, label in family.labels.items()}
    sections = []
    for (figure, test), group in groupby(examples, key=lambda example: (example.figure, example.test)):
        lines = [f"{labels.get(test, test)} (as {figure} of the paper)"]
        for example in group:
            replies = "/".join(" ".join(answer.split()) or "(nothing)" for answer in example.answers)
            lines += [f"  q: {example.question}  image {example.image_id}", f"  a: {replies}"]
        sections.append("\n".join(lines))
    return sections
