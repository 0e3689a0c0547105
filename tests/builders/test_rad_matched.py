"""Matched wrong values: within a subject, the text does not tell yes from no."""

from collections import Counter
from pathlib import Path

import pytest

from diptych.builders.rad.color import OPENING, TEST, read_color_question
from diptych.builders.rad.matched import SMALLEST_GROUP, matched_values
from diptych.builders.rad.reading import RadWorld, Reading
from diptych.pairs import Skip
from tests.builders.conftest import vqa_row


def readings(rad_world: RadWorld, subject: str, values: list[str], start: int = 0) -> list[tuple[str, Reading]]:
    made: list[tuple[str, Reading]] = []
    for number, value in enumerate(values, start):
        row = vqa_row(f"What color is the {subject}?", value, question_id=str(number))
        reading = read_color_question(row, rad_world, TEST, OPENING)
        assert not isinstance(reading, Skip)
        made.append((str(number), reading))
    return made


def test_the_wrong_values_of_a_subject_are_its_right_values(rad_world: RadWorld) -> None:
    rows = readings(rad_world, "bus", ["red"] * 10 + ["blue"] * 8 + ["yellow"] * 6)
    planned = matched_values(rows, seed=0)
    assert len(planned) == len(rows)
    right = dict(rows)
    assert Counter(planned.values()) == Counter(right[row_id].right for row_id in planned)
    assert all(right[row_id].excludes(value) for row_id, value in planned.items())


def test_a_row_that_finds_no_partner_is_left_out(rad_world: RadWorld) -> None:
    rows = readings(rad_world, "sky", ["blue"] * 20 + ["orange"] * 3)
    planned = matched_values(rows, seed=0)
    assert Counter(planned.values()) == {"blue": 3, "orange": 3}


def test_rare_subjects_share_a_group(rad_world: RadWorld) -> None:
    rows = readings(rad_world, "kettle", ["red"]) + readings(rad_world, "piano", ["black"], start=1)
    assert len(rows) < SMALLEST_GROUP
    assert matched_values(rows, seed=0) == {"0": "black", "1": "red"}


def test_the_plan_does_not_depend_on_the_order_of_the_rows(rad_world: RadWorld) -> None:
    rows = readings(rad_world, "bus", ["red"] * 10 + ["blue"] * 8 + ["yellow"] * 6)
    assert matched_values(rows, seed=3) == matched_values(rows[::-1], seed=3)


@pytest.mark.slow
@pytest.mark.real_data
def test_a_question_only_classifier_stays_near_chance(real_data: Path, tmp_path: Path) -> None:
    import numpy as np
    import pyarrow.parquet as pq
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_predict

    from tests.builders.conftest import run

    out = tmp_path / "out"
    args = ("--data", str(real_data), "--out", str(out), "--config", "matched", "--num-proc", "2")
    assert run("build", "rad-cads", *args) == 0
    rows = pq.read_table(out / "data" / "matched").to_pylist()
    for test in ("rad.yn_from_color", "rad.yn_from_how_many"):
        mine = [row for row in rows if row["test"] == test]
        words = CountVectorizer(ngram_range=(1, 2), token_pattern=r"\S+")
        features = words.fit_transform(row["perturbed_question"] for row in mine)
        labels = np.array([row["perturbed_answer"] for row in mine])
        images = [row["original_image_id"] for row in mine]
        said = cross_val_predict(LogisticRegression(max_iter=500), features, labels, groups=images, cv=GroupKFold(5))
        # Three points, and what the sample's size leaves open (two standard errors).
        room = 0.03 + 2 * (0.25 / len(mine)) ** 0.5
        assert abs(np.mean(said == labels) - 0.5) < room, test
