"""rad-cads on real VQA questions: coverage, balance, and an independent parser's opinion of the English."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.builders.rad.conftest import build_rad

pytestmark = [pytest.mark.slow, pytest.mark.real_data]

Row = dict[str, Any]

# The sample is balanced by answer type; these are the types' shares of VQA v2's validation questions.
NATURAL = {"yes/no": 0.3757, "number": 0.1313, "other": 0.4930}
SAMPLED = {"yes/no": 4963, "number": 5019, "other": 5018}

LEAST_COVERED = {"yn_from_color": 0.059, "yn_from_how_many": 0.048, "yn_from_what_kind": 0.006}


@pytest.fixture(scope="module")
def rows(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Row]]:
    """The pairs of the three configs on VQA v2."""
    folder = build_rad(real_data, tmp_path_factory.mktemp("real"), "vqa_v2")
    return {
        name: [row for split in folder.splits(name) for row in folder.table(name, split).to_pylist()]
        for name in LEAST_COVERED
    }


@pytest.mark.parametrize("test", LEAST_COVERED)
def test_enough_questions_are_covered(test: str, rows: dict[str, list[Row]]) -> None:
    covered = sum(NATURAL[row["answer_type"]] / SAMPLED[row["answer_type"]] for row in rows[test])
    assert covered >= LEAST_COVERED[test]


def test_half_of_the_answers_are_yes(rows: dict[str, list[Row]]) -> None:
    answers = [row["perturbed_answer"] for of_config in rows.values() for row in of_config]
    assert abs(answers.count("yes") / len(answers) - 0.5) < 0.01


def test_the_wrong_value_is_never_one_an_annotator_gave(rows: dict[str, list[Row]]) -> None:
    for row in rows["yn_from_color"]:
        if row["perturbed_answer"] == "no":
            value = row["bindings"].partition('"value":"')[2].partition('"')[0]
            assert value not in row["original_answers"]


@pytest.mark.parametrize("test", LEAST_COVERED)
def test_an_independent_parser_parses_the_questions(test: str, rows: dict[str, list[Row]]) -> None:
    parser = shutil.which("link-parser")
    if parser is None:
        pytest.skip("link-parser is not installed (Debian's link-grammar)")
    questions = [row["perturbed_question"] for row in rows[test]][:600]
    process = subprocess.run(
        [parser, "en", "-batch", "-verbosity=1", "-null=1"],
        input="\n".join(questions) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    errors = [line for line in (process.stdout + process.stderr).splitlines() if line.startswith("+++++ error")]
    assert len(errors) <= 0.03 * len(questions), errors[:5]
