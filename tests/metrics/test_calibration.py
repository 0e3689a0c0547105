"""Calibration: bins and the ECE by hand, log-probabilities from files, and what is left out."""

from math import log
from pathlib import Path
from typing import Any

import pytest

from diptych.files import write_json_lines
from diptych.metrics import Options, score_pairs
from diptych.metrics._calibration import Calibration, calibrate, read_logprobs
from tests.metrics.rows import pair

HEADER = {"diptych": "predictions", "version": 1, "model": "m"}


def side(pair_id: str, name: str, answer: str, confidence: float | None) -> dict[str, Any]:
    row = {"pair_id": pair_id, "side": name, "answer": answer}
    return row if confidence is None else row | {"logprob": log(confidence)}


PAIRS = [pair("a", "red", "yes"), pair("b", "blue", "no")]
SIDES = [
    side("a", "original", "red", 0.95),
    side("a", "perturbed", "no", 0.92),
    side("b", "original", "blue", 0.31),
    side("b", "perturbed", "no", 0.62),
]


def calibration(sides: list[dict[str, Any]], pairs: list[dict[str, Any]] = PAIRS, rounds: int = 0) -> Calibration:
    options = Options(bootstrap=rounds)
    result = calibrate(score_pairs(sides, pairs, options), sides, options)
    assert result is not None
    return result


def test_replies_are_put_into_ten_bins_by_their_confidence() -> None:
    bins = calibration(SIDES).bins
    assert [(entry.n, entry.accuracy) for entry in bins] == [(1, 1.0), (1, 1.0), (2, 0.5)]
    assert [entry.confidence for entry in bins] == pytest.approx([0.31, 0.62, 0.935])


def test_the_ece_is_the_mean_distance_of_confidence_and_accuracy() -> None:
    ece = calibration(SIDES).ece
    assert ece.value == pytest.approx((0.69 + 0.38 + 2 * 0.435) / 4)
    assert ece.n == 4


def test_the_interval_of_the_ece_is_that_of_resampled_images() -> None:
    pairs = [pair(str(number), "red", "yes") for number in range(60)]
    sides = [
        side(row["pair_id"], name, answer, 0.8)
        for number, row in enumerate(pairs)
        for name, answer in (("original", "red"), ("perturbed", "yes" if number % 3 else "no"))
    ]
    ece = calibration(sides, pairs, rounds=200).ece
    assert ece.value == pytest.approx(5 / 6 - 0.8)
    assert ece.bootstrap[0] < ece.value < ece.bootstrap[1]
    assert ece == calibration(sides, pairs, rounds=200).ece


def test_a_certain_reply_is_in_the_last_bin() -> None:
    sides = [{**row, "logprob": 0.0} for row in SIDES]
    (entry,) = calibration(sides).bins
    assert (entry.confidence, entry.accuracy, entry.n) == (1.0, 0.75, 4)


def test_sides_without_a_log_probability_are_left_out_and_counted() -> None:
    result = calibration([*SIDES[:3], side("b", "perturbed", "no", None)])
    assert (result.ece.n, result.missing) == (3, 1)


def test_sides_whose_right_answer_is_unknown_are_left_out() -> None:
    pairs = [PAIRS[0], pair("b", "blue", "", expectation="open")]
    assert calibration(SIDES, pairs).ece.n == 3


def test_without_log_probabilities_there_is_no_calibration() -> None:
    sides = [side("a", "original", "red", None), side("a", "perturbed", "no", None)]
    assert calibrate(score_pairs(sides, PAIRS[:1], Options(bootstrap=0)), sides, Options(bootstrap=0)) is None


def test_log_probabilities_are_read_from_a_file_of_predict(tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    write_json_lines(path, [HEADER, *SIDES])
    assert read_logprobs(path) == read_logprobs(SIDES)
    assert read_logprobs(path)["a", "original"] == pytest.approx(0.95)


def test_other_files_and_odd_values_have_no_log_probabilities(tmp_path: Path) -> None:
    path = tmp_path / "predictions.csv"
    path.write_text("pair_id,original,perturbed\na,red,yes\n", encoding="utf-8")
    assert read_logprobs(path) == {}
    odd = [{"pair_id": "a", "side": "original", "logprob": value} for value in (None, "x", float("nan"), [1])]
    assert read_logprobs(odd) == {}
