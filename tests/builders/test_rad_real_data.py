"""rad-cads on real VQA questions: coverage, balance, and an independent parser's opinion of the English."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.builders.conftest import run

pytestmark = [pytest.mark.slow, pytest.mark.real_data]

# The sample is balanced by answer type; these are the types' shares of VQA v2's validation questions.
NATURAL = {"yes/no": 0.3757, "number": 0.1313, "other": 0.4930}
SAMPLED = {"yes/no": 4963, "number": 5019, "other": 5018}

LEAST_COVERED = {"yn_from_color": 0.059, "yn_from_how_many": 0.048, "yn_from_what_kind": 0.006}


@pytest.fixture(scope="module")
def real(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    out = tmp_path_factory.mktemp("real") / "out"
    assert run("build", "rad-cads", "--data", str(real_data), "--out", str(out), "--config", "vqa_v2") == 0
    return {name: pq.read_table(out / "data" / name).to_pylist() for name in LEAST_COVERED}


@pytest.mark.parametrize("test", LEAST_COVERED)
def test_enough_questions_are_covered(test: str, real: dict[str, list[dict[str, Any]]]) -> None:
    covered = sum(NATURAL[row["answer_type"]] / SAMPLED[row["answer_type"]] for row in real[test])
    assert covered >= LEAST_COVERED[test]


def test_half_of_the_answers_are_yes(real: dict[str, list[dict[str, Any]]]) -> None:
    answers = [row["perturbed_answer"] for rows in real.values() for row in rows]
    assert abs(answers.count("yes") / len(answers) - 0.5) < 0.01


def test_the_wrong_value_is_never_one_an_annotator_gave(real: dict[str, list[dict[str, Any]]]) -> None:
    for row in real["yn_from_color"]:
        if row["perturbed_answer"] == "no":
            value = row["bindings"].partition('"value":"')[2].partition('"')[0]
            assert value not in row["original_answers"]


@pytest.mark.parametrize("test", LEAST_COVERED)
def test_an_independent_parser_parses_the_questions(test: str, real: dict[str, list[dict[str, Any]]]) -> None:
    parser = shutil.which("link-parser")
    if parser is None:
        pytest.skip("link-parser is not installed (Debian's link-grammar)")
    questions = [row["perturbed_question"] for row in real[test]][:600]
    said = subprocess.run(
        [parser, "en", "-batch", "-verbosity=1", "-null=1"],
        input="\n".join(questions) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    wrong = [line for line in (said.stdout + said.stderr).splitlines() if line.startswith("+++++ error")]
    assert len(wrong) <= 0.03 * len(questions), wrong[:5]
