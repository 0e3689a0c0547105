"""Small built folders with predictions of made-up models, compared, and their charts."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diptych.folder import BuiltFolder
from diptych.metrics import ModelComparison, compare_models
from diptych.report import Chart, report_charts
from tests.metrics.folders import make_folder

Rows = list[dict[str, Any]]
COLORS = ("red", "green", "blue", "white", "black", "gray")


@dataclass(frozen=True, slots=True)
class Scored:
    """A folder, its models side by side, and the charts of them."""

    folder: BuiltFolder
    comparison: ModelComparison
    charts: dict[str, Chart]  # by the last part of the key

    def __getitem__(self, name: str) -> Chart:
        return self.charts[name]


def pairs(family: str, count: int = 120) -> Rows:
    """Pairs of a family with the columns that its charts need."""
    return [
        {
            "pair_id": f"p{number}",
            "original_image_id": f"i{number // 3}",
            "original_question": f"What color is thing {number}?",
            "perturbed_question": f"Is thing {number} red?",
            **_COLUMNS[family](number),
        }
        for number in range(count)
    ]


def _answers(original: str, perturbed: str, expectation: str) -> dict[str, Any]:
    row: dict[str, Any] = {"original_answer": original, "perturbed_answer": perturbed, "expectation": expectation}
    return row | {"original_answers": [original], "perturbed_answers": [perturbed]}


def _rad(number: int) -> dict[str, Any]:
    test = ("rad.yn_from_color", "rad.yn_from_how_many")[number % 2]
    return {"test": test, **_answers(COLORS[number % 6], ("yes", "no")[number // 2 % 2], "given")}


def _carets(number: int) -> dict[str, Any]:
    test, answer = ("carets.rephrase", "carets.negation")[number % 2], ("yes", "no")[number // 2 % 2]
    other = {"yes": "no", "no": "yes"}[answer] if test.endswith("negation") else answer
    return {"test": test, **_answers(answer, other, "same" if other == answer else "different")}


def _bqd(number: int) -> dict[str, Any]:
    answer, columns = COLORS[number % 6], {"source_id": f"q{number // 3}", "partition": number % 3 + 1}
    return {"test": "bqd.gbqd", "answer_type": "other", **columns, **_answers(answer, answer, "same")}


def _kb(number: int) -> dict[str, Any]:
    test = ("kb.color_maximal", "kb.hypernym_noun")[number % 2]
    columns = {"colors": ("common", "uncommon")[number // 2 % 2] if "color" in test else "", "concept": "dog"}
    return {"test": test, **columns, **_answers(("yes", "no")[number // 2 % 2], "", "open")}


def _fvqa2(number: int) -> dict[str, Any]:
    test, answer = ("fvqa2.standard", "fvqa2.fix_a")[number % 2], COLORS[number % 6]
    rarity = ("10-49", "0", "3-9")[number // 2 % 3]
    columns = {"fold": f"fold_{number % 5}", "source_id": f"q{number // 2}", "answer_in_train": rarity}
    return {"test": test, **columns, **_answers(answer, answer, "same")}


_COLUMNS = {"rad": _rad, "carets": _carets, "bqd": _bqd, "kb": _kb, "fvqa2": _fvqa2}


def predictions(rows: Rows, wrong: int, unread: int = 0) -> Rows:
    """A model that is wrong about every so many perturbed sides, and about half as many originals."""
    answers = []
    for number, row in enumerate(rows):
        right = row["original_answer"], row["perturbed_answer"] or row["original_answer"]
        original = "purple" if number % (2 * wrong) == 1 else right[0]
        perturbed = _opposite(right[1]) if number % wrong == 0 else right[1]
        perturbed = "I would rather not say." if unread and number % unread == 0 else perturbed
        answers.append({"pair_id": row["pair_id"], "original": original, "perturbed": perturbed})
    return answers


def _opposite(answer: str) -> str:
    return {"yes": "no", "no": "yes"}.get(answer, "purple")


def two_models(rows: Rows) -> dict[str, Rows]:
    """A model that is mostly right, and a worse one."""
    return {"good": predictions(rows, 7), "poor": predictions(rows, 3, 11)}


def score(
    path: Path, family: str, models: Mapping[str, Any] | None = None, rows: Rows | None = None, **fields: Any
) -> Scored:
    """The charts of two made-up models, or of others, on pairs of a family."""
    rows = pairs(family) if rows is None else rows
    folder = make_folder(path / family, {"default": {"test": rows}}, score_family=family, **fields)
    chosen = two_models(rows) if models is None else models
    comparison = compare_models(folder, chosen, bootstrap=50)
    charts = report_charts(folder, comparison, chosen)
    return Scored(folder, comparison, {chart.key.rpartition("/")[2]: chart for chart in charts})
