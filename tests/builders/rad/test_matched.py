"""Matched wrong values: within a subject, the text does not tell yes from no."""

from collections import Counter
from pathlib import Path

import pytest

from diptych.builders.rad._pairs import SMALLEST_GROUP
from diptych.builders.rad._pairs import matched_values as match_rows
from diptych.builders.rad._readings import COLOR, COUNT, KIND, PackedReading, pack_reading, read_back
from diptych.pairs import Skip
from tests.builders.conftest import vqa_row
from tests.builders.rad.conftest import PAPER_RULES, Reader, build_rad


def matched_values(rows: list[tuple[str, PackedReading]], seed: int) -> dict[str, str]:
    """The wrong value of every row that finds a partner."""
    return {key: match.value for key, match in match_rows(rows, seed).items()}


def readings(reader: Reader, subject: str, values: list[str], start: int = 0) -> list[tuple[str, PackedReading]]:
    rows: list[tuple[str, PackedReading]] = []
    for number, value in enumerate(values, start):
        candidate = reader.candidate(vqa_row(f"What color is the {subject}?", value, question_id=str(number)), COLOR)
        assert not isinstance(candidate, Skip)
        packed = pack_reading(candidate, PAPER_RULES)
        assert not isinstance(packed, Skip)
        rows.append((str(number), packed))
    return rows


@pytest.mark.parametrize(
    ("test", "question", "values"),
    [
        (COLOR, "What color is the bus?", ("red", "maroon", "blue", "green")),
        (COUNT, "How many dogs are in the park?", ("3", "4", "5", "1")),
        (KIND, "What kind of animal is this?", ("cow", "bull", "elephant", "blue")),
    ],
)
def test_a_packed_reading_is_the_reading(test: str, question: str, values: tuple[str, ...], reader: Reader) -> None:
    candidate = reader.candidate(vqa_row(question, *values[:2]), test)
    assert not isinstance(candidate, Skip)
    reading, packed = read_back(candidate, PAPER_RULES), pack_reading(candidate, PAPER_RULES)
    assert not isinstance(reading, Skip)
    assert not isinstance(packed, Skip)
    assert packed.unpack()[:4] == reading[:4]
    for value in values:
        assert packed.unpack().excludes(value) == reading.excludes(value)
        assert packed.unpack().wording(value) == reading.wording(value)


def test_the_wrong_values_of_a_subject_are_its_right_values(reader: Reader) -> None:
    rows = readings(reader, "bus", ["red"] * 10 + ["blue"] * 8 + ["yellow"] * 6)
    values = matched_values(rows, seed=0)
    assert len(values) == len(rows)
    assert Counter(values.values()) == Counter(reading.right for _, reading in rows)


def test_the_value_of_a_partner_is_surely_wrong(reader: Reader) -> None:
    rows = dict(readings(reader, "bus", ["red"] * 10 + ["blue"] * 8 + ["yellow"] * 6))
    values = matched_values([*rows.items()], seed=0)
    assert all(rows[row_id].unpack().excludes(value) for row_id, value in values.items())


def test_partners_name_the_same_couple(reader: Reader) -> None:
    rows = readings(reader, "bus", ["red"] * 10 + ["blue"] * 8 + ["yellow"] * 6)
    couples = Counter(match.couple for match in match_rows(rows, seed=0).values())
    assert set(couples.values()) == {2}


def test_a_row_that_finds_no_partner_is_left_out(reader: Reader) -> None:
    rows = readings(reader, "sky", ["blue"] * 20 + ["orange"] * 3)
    values = matched_values(rows, seed=0)
    assert Counter(values.values()) == {"blue": 3, "orange": 3}


def test_rare_subjects_share_a_group(reader: Reader) -> None:
    rows = readings(reader, "kettle", ["red"]) + readings(reader, "piano", ["black"], start=1)
    assert len(rows) < SMALLEST_GROUP
    assert matched_values(rows, seed=0) == {"0": "black", "1": "red"}


def test_rare_subjects_about_one_noun_swap_among_themselves(reader: Reader) -> None:
    kettles = [("in the sink", "red"), ("by the door", "black"), ("on the left", "red"), ("on the right", "black")]
    kettles += [("near the cat", "red"), ("near the dog", "black")]
    rows = [
        row
        for number, (place, value) in enumerate(kettles)
        for row in readings(reader, f"kettle {place}", [value], start=number)
    ]
    rows += readings(reader, "piano", ["green", "yellow"], start=len(rows))
    values = matched_values(rows, seed=0)
    assert {values[str(number)] for number in range(len(kettles))} == {"red", "black"}


def test_the_plan_does_not_depend_on_the_order_of_the_rows(reader: Reader) -> None:
    rows = readings(reader, "bus", ["red"] * 10 + ["blue"] * 8 + ["yellow"] * 6)
    assert matched_values(rows, seed=3) == matched_values(rows[::-1], seed=3)


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.parametrize("test", ["rad.yn_from_color", "rad.yn_from_how_many"])
def test_a_question_only_classifier_stays_near_chance(test: str, matched_rows: list[dict[str, str]]) -> None:
    import numpy as np
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_predict

    rows = [row for row in matched_rows if row["test"] == test]
    words = CountVectorizer(ngram_range=(1, 2), token_pattern=r"\S+")
    features = words.fit_transform(row["perturbed_question"] for row in rows)
    labels = np.array([row["perturbed_answer"] for row in rows])
    images = [row["original_image_id"] for row in rows]
    answers = cross_val_predict(LogisticRegression(max_iter=500), features, labels, groups=images, cv=GroupKFold(5))
    # Three points, and what the sample's size leaves open (two standard errors).
    margin = 0.03 + 2 * (0.25 / len(rows)) ** 0.5
    assert abs(np.mean(answers == labels) - 0.5) < margin


@pytest.fixture(scope="module")
def matched_rows(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    folder = build_rad(real_data, tmp_path_factory.mktemp("matched"), "matched", num_proc=2)
    return [row for split in folder.splits("matched") for row in folder.table("matched", split).to_pylist()]
