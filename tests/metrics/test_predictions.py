"""Predictions: their formats, and answers by the ids of questions."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from diptych.errors import BadInputError
from diptych.metrics import read_predictions, write_predictions
from tests.metrics.rows import pair

PREDICTIONS = {"pair_id": ["a", "b"], "original": ['red, or "pink"', "line\nbreak"], "perturbed": ["", "ja, ü"]}
BINDINGS = '{"original_questions": ["7", "8"], "perturbed_questions": ["9"]}'
PAIRS = pa.Table.from_pylist([pair("a", "red", "yes", bindings=BINDINGS)])


def by_question(*rows: tuple[str, str]) -> list[dict[str, Any]]:
    return [{"question_id": question_id, "answer": answer} for question_id, answer in rows]


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv", "parquet"])
def test_what_is_written_is_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "deep" / f"predictions.{suffix}"
    write_predictions(path, PREDICTIONS)
    assert read_predictions(path).to_pydict() == PREDICTIONS
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_an_unknown_format_is_neither_read_nor_written(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"predictions are \.jsonl, \.csv or \.parquet files"):
        write_predictions(tmp_path / "predictions.txt", PREDICTIONS)
    assert not list(tmp_path.iterdir())


def test_further_columns_are_ignored(tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text('{"pair_id": "a", "original": "x", "perturbed": 2, "question_id": "1", "log": [1]}\n\n', "utf-8")
    assert read_predictions(path).to_pydict() == {"pair_id": ["a"], "original": ["x"], "perturbed": ["2"]}


def test_answers_by_question_become_answers_by_pair() -> None:
    table = read_predictions(by_question(("8", "red"), ("9", "no"), ("10", "unused")), PAIRS)
    assert table.to_pylist() == [{"pair_id": "a", "original": "red", "perturbed": "no"}]


def test_a_question_without_an_answer_is_missing() -> None:
    table = read_predictions(by_question(("8", "red")), PAIRS)
    assert table.to_pylist() == [{"pair_id": "a", "original": "red", "perturbed": None}]


def test_the_same_answer_twice_counts_once_and_another_is_refused() -> None:
    rows = by_question(("7", "red"), ("7", "red"), ("9", "no"))
    assert read_predictions(rows, PAIRS).to_pylist() == [{"pair_id": "a", "original": "red", "perturbed": "no"}]
    with pytest.raises(BadInputError, match="question 7 has two different answers"):
        read_predictions([*rows, *by_question(("7", "blue"))], PAIRS)


def test_a_question_id_may_name_pair_and_side() -> None:
    rows = read_predictions(by_question(("a-b-original", "red"), ("a-b-perturbed", "no"))).to_pylist()
    assert rows == [
        {"pair_id": "a-b", "side": "original", "answer": "red"},
        {"pair_id": "a-b", "side": "perturbed", "answer": "no"},
    ]


def test_answers_by_question_need_pairs_that_name_their_questions() -> None:
    with pytest.raises(BadInputError, match="answers by pair_id are needed here"):
        read_predictions(by_question(("7", "red")))
    plain_pairs = pa.Table.from_pylist([pair("a", "red", "yes", bindings="{}")])
    with pytest.raises(BadInputError, match="pair a has no question_id"):
        read_predictions(by_question(("7", "red")), plain_pairs)
