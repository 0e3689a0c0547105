"""rad-cads on real VQA questions: coverage, balance, and an independent parser's opinion of the English."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from diptych.folder import BuiltFolder
from diptych.sources import iter_vqa, vqa_files
from tests.builders.rad.conftest import build_rad

pytestmark = [pytest.mark.slow, pytest.mark.real_data]

Row = dict[str, Any]

# The sample is balanced by answer type; these are the types' shares of VQA v2's validation questions.
NATURAL = {"yes/no": 0.3757, "number": 0.1313, "other": 0.4930}
SAMPLED = {"yes/no": 4963, "number": 5019, "other": 5018}

LEAST_COVERED = {"rad.yn_from_color": 0.059, "rad.yn_from_how_many": 0.048, "rad.yn_from_what_kind": 0.0077}
LEAST_OF_MAJORITY = {r"what\s+colou?rs?\b": 0.92, r"how\s+many\b": 0.92, r"what\s+(?:kind|type|sort)s?\s+of\b": 0.45}
CONFIGS = ("yn_from_color", "yn_from_colors", "yn_from_how_many", "yn_from_what_kind")


@pytest.fixture(scope="module")
def folder(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    """The tests on VQA v2, and those of the paper's rule."""
    return build_rad(real_data, tmp_path_factory.mktemp("real"), "vqa_v2", "paper")


@pytest.fixture(scope="module")
def rows(folder: BuiltFolder) -> dict[str, list[Row]]:
    """The pairs by config."""
    return {name: folder.table(name, "validation").to_pylist() for name in (*CONFIGS, "paper")}


@pytest.mark.parametrize("test", LEAST_COVERED)
def test_the_papers_rule_has_the_papers_coverage(test: str, rows: dict[str, list[Row]]) -> None:
    of_test = (row for row in rows["paper"] if row["test"] == test)
    covered = sum(NATURAL[row["answer_type"]] / SAMPLED[row["answer_type"]] for row in of_test)
    assert covered >= LEAST_COVERED[test]


@pytest.mark.parametrize("opening", LEAST_OF_MAJORITY)
def test_most_questions_with_a_majority_answer_are_used(
    opening: str, real_data: Path, rows: dict[str, list[Row]]
) -> None:
    questions = iter_vqa(vqa_files(real_data), keep=lambda row: bool(re.match(opening, row.question, re.IGNORECASE)))
    sure = {row.question_id for row in questions if row.answers.count(row.answer) >= 6}
    paired = {row["source_id"] for name in CONFIGS for row in rows[name]}
    assert len(sure & paired) >= LEAST_OF_MAJORITY[opening] * len(sure)


def test_every_answer_has_a_majority(rows: dict[str, list[Row]]) -> None:
    assert min(row["agreement"] for name in CONFIGS for row in rows[name]) >= 6


def test_half_of_the_answers_are_yes(rows: dict[str, list[Row]]) -> None:
    answers = [row["perturbed_answer"] for name in CONFIGS for row in rows[name]]
    assert abs(answers.count("yes") / len(answers) - 0.5) < 0.01


def test_the_wrong_value_is_never_one_an_annotator_gave(rows: dict[str, list[Row]]) -> None:
    for row in rows["yn_from_color"]:
        if row["perturbed_answer"] == "no":
            value = row["bindings"].partition('"value":"')[2].partition('"')[0]
            assert value not in row["original_answers"]


@pytest.mark.parametrize("config", CONFIGS)
def test_an_independent_parser_parses_the_questions(config: str, rows: dict[str, list[Row]]) -> None:
    parser = shutil.which("link-parser")
    if parser is None:
        pytest.skip("link-parser is not installed (Debian's link-grammar)")
    questions = [row["perturbed_question"] for row in rows[config]][:600]
    process = subprocess.run(
        [parser, "en", "-batch", "-verbosity=1", "-null=1"],
        input="\n".join(questions) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    errors = [line for line in (process.stdout + process.stderr).splitlines() if line.startswith("+++++ error")]
    assert len(errors) <= 0.03 * len(questions), errors[:5]
