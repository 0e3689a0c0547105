"""Predictions in the formats of other tools: told by content, whatever the name of the file."""

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diptych.errors import BadInputError
from diptych.metrics import read_predictions, score_predictions
from tests.metrics import logs
from tests.metrics.folders import make_folder
from tests.metrics.rows import pair

ANSWERS = {
    ("a", "original"): '<b>red</b> & "blue"',
    ("a", "perturbed"): "Yes,\nit\tis.",
    ("b", "original"): "ü!",
    ("b", "perturbed"): "",
}


def read(tmp_path: Path, content: bytes) -> dict[tuple[str, str], str]:
    path = tmp_path / "log.txt"
    path.write_bytes(content)
    rows = read_predictions(path).to_pylist()
    return {(row["pair_id"], row["side"]): row["answer"] for row in rows}


@pytest.mark.parametrize("name", logs.WRITERS)
def test_every_answer_is_read_as_it_was_written(name: str, tmp_path: Path) -> None:
    assert read(tmp_path, logs.WRITERS[name](ANSWERS)) == ANSWERS


def test_a_parquet_file_may_hold_samples(tmp_path: Path) -> None:
    rows = [orjson.loads(line) for line in logs.lm_eval(ANSWERS).splitlines()]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "samples.parquet")
    assert read(tmp_path, (tmp_path / "samples.parquet").read_bytes()) == ANSWERS


def test_the_samples_of_several_filters_are_one_answer(tmp_path: Path) -> None:
    assert read(tmp_path, logs.lm_eval(ANSWERS) * 2) == ANSWERS


def inspect_log(**changes: Any) -> bytes:
    log = orjson.loads(logs.inspect_json(ANSWERS))
    log["samples"][0] |= changes
    return orjson.dumps(log)


def test_later_epochs_are_left_out(tmp_path: Path) -> None:
    assert len(read(tmp_path, inspect_log(epoch=2))) == 3


def test_a_sample_that_failed_is_missing(tmp_path: Path) -> None:
    assert len(read(tmp_path, inspect_log(output={"completion": ""}, error={"message": "timeout"}))) == 3


def test_a_log_may_hold_numbers_that_json_lacks(tmp_path: Path) -> None:
    log = logs.inspect_json(ANSWERS).replace(b'"value": 0.0', b'"value": NaN')
    assert b"NaN" in log
    assert read(tmp_path, log) == ANSWERS


def test_truth_values_are_yes_and_no_and_nan_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(
        '[{"pair_id": "a", "original": true, "perturbed": NaN}, {"pair_id": "b", "original": 2.0, "perturbed": ""}]'
    )
    assert read_predictions(path).to_pylist() == [
        {"pair_id": "a", "original": "yes", "perturbed": None},
        {"pair_id": "b", "original": "2", "perturbed": ""},
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b'{"results": {}}',
            "log.txt: lacks the column pair_id, original, perturbed; it has 'results'; predictions are",
        ),
        (b'{\n "results": {}\n}', "samples of Inspect"),
        (b"[1]", "log.txt, row 1: not a JSON object"),
        (b'{"eval": {}, "samples": 3}', "log.txt: its samples are not a list"),
        (b'{"doc_id": 1, "filtered_resps": ["x"]}', "log.txt:1: no question_id, which identifies the question"),
        (b'{"index": 1, "prediction": {"a": 1}}', 'log.txt:1: answer must be text, not {"a":1}'),
        (logs.zipped({"other.txt": b""}, zipfile.ZIP_STORED), "neither a log of Inspect, with samples/, nor an Excel"),
        (logs.inspect_eval(ANSWERS)[:-9], "log.txt: cannot be read"),
        (logs.zipped({"samples/a.json": b"[1]"}, 93), "log.txt, samples/a.json 1: not a JSON object"),
    ],
)
def test_what_is_no_prediction_is_one_line(content: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError) as caught:
        read(tmp_path, content)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_damaged_sample_is_refused(tmp_path: Path) -> None:
    content = bytearray(logs.inspect_eval(ANSWERS))
    content[content.index(b"PK\1\2") + 16] ^= 1  # the checksum of the first sample
    with pytest.raises(BadInputError, match=r"samples/a-original_epoch_1\.json: damaged"):
        read(tmp_path, bytes(content))


def test_a_member_that_claims_to_be_too_large_is_not_unpacked(tmp_path: Path) -> None:
    content = bytearray(logs.inspect_eval(ANSWERS))
    start = content.index(b"PK\1\2") + 24
    content[start : start + 4] = (2_000_000_000).to_bytes(4, "little")
    with pytest.raises(BadInputError, match=r"unpack to 2\.0 GB"):
        read(tmp_path, bytes(content))


def test_an_archive_that_unpacks_to_far_more_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"unpack to 20\.0 MB; this is neither a log nor a workbook"):
        read(tmp_path, logs.zipped({f"samples/{number}.json": b" " * 10_000_000 for number in range(2)}, 93))


def test_a_workbook_that_declares_entities_is_refused(tmp_path: Path) -> None:
    sheet = b'<!DOCTYPE x [<!ENTITY a "b">]><worksheet/>'
    members = {"xl/workbook.xml": b"<workbook/>", "xl/worksheets/sheet1.xml": sheet}
    with pytest.raises(BadInputError, match="declares a document type"):
        read(tmp_path, logs.zipped(members, zipfile.ZIP_DEFLATED))


@pytest.mark.parametrize("name", logs.WRITERS)
def test_the_scores_are_those_of_our_own_format(name: str, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "out", {"c": {"test": [pair("a", "red", "yes"), pair("b", "blue", "no")]}})
    answers = {**ANSWERS, ("a", "original"): "red"}
    own_rows = [{"pair_id": key[0], "side": key[1], "answer": answer} for key, answer in answers.items()]
    path = tmp_path / name
    path.write_bytes(logs.WRITERS[name](answers))
    report = replace(score_predictions(folder, path, bootstrap=0), name="model")
    assert report.as_text() == score_predictions(folder, own_rows, bootstrap=0).as_text()
    assert report.scores["accuracy_both"].value == 0.5
