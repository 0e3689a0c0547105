"""`blind`, which reads the question alone."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import diptych
from diptych.demo import make_world as make_sources
from diptych.models import predict_blind
from diptych.models._lessons import clean_answer, half_of, read_course, split_course
from diptych.pairs import Pair, pairs_table
from tests.folders import some_pairs
from tests.models.worlds import lines_of


def right_share(pairs: pa.Table) -> float:
    """How often `blind` is right on the perturbed side."""
    _, answers = predict_blind(pairs)
    return sum(map(str.__eq__, answers, pairs["perturbed_answer"].to_pylist())) / pairs.num_rows


def telling(pair: Pair) -> Pair:
    """A pair whose wording gives the answer away."""
    word = "truly" if pair.perturbed.answer == "yes" else "perhaps"
    return replace(pair, perturbed=replace(pair.perturbed, question=f"Is it {word} red?"))


def test_where_words_tell_the_answer_it_is_right() -> None:
    assert right_share(pairs_table(map(telling, some_pairs()))) == 1


def test_where_words_tell_nothing_it_is_at_chance() -> None:
    assert right_share(pairs_table(some_pairs())) == pytest.approx(0.5, abs=0.1)


def test_the_order_of_pairs_decides_nothing() -> None:
    pairs = pairs_table(some_pairs(96))
    turned = pairs.take(list(reversed(range(96))))
    assert predict_blind(turned) == tuple(list(reversed(answers)) for answers in predict_blind(pairs))


def marked(pair: Pair) -> Pair:
    """A pair whose original answer names the half that it is in."""
    half = half_of({"original_image_id": pair.original.image_id})
    return replace(pair, original=replace(pair.original, answer=f"half {half}"))


def test_a_half_is_answered_by_what_the_other_half_teaches() -> None:
    """Every pair of one half has an answer of its own that the other half has never seen."""
    table = pairs_table(map(marked, some_pairs(64)))
    answers, _ = predict_blind(table)
    for row, answer in zip(table.to_pylist(), answers, strict=True):
        assert answer != row["original_answer"]
    assert {answer for answer in answers if answer.startswith("half")}


def test_halves_share_no_image() -> None:
    first, second = split_course(pairs_table(some_pairs(64)))
    assert first.lessons
    assert second.lessons
    assert first.header()["training_digest"] != second.header()["training_digest"]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    make_sources(folder / "sources", 60, 0, True)
    diptych.build("rad-cads", folder / "sources", folder / "out", configs=["vqa_v2"])
    return folder


def test_it_learns_from_the_training_questions_of_a_source(sources: Path) -> None:
    options = {"settings": {"data": sources / "sources"}, "images": sources / "sources" / "images"}
    header, *lines = lines_of(diptych.predict(sources / "out", "blind", sources / "blind.jsonl", **options).out)
    assert header["training"].startswith("vqa_v2 train, ")
    assert header["image_rule"] is None
    assert all(line["answer"] for line in lines)
    assert all(line["logprob"] <= 0 for line in lines)


def test_a_picture_that_is_asked_about_is_never_learned_from(sources: Path) -> None:
    course = read_course(sources / "sources")
    assert course
    picture = course.lessons[0].picture
    smaller = read_course(sources / "sources", {picture})
    assert smaller
    assert 0 < len(smaller.lessons) < len(course.lessons)
    assert picture not in {lesson.picture for lesson in smaller.lessons}


def test_without_training_files_it_learns_from_the_pairs(sources: Path) -> None:
    header = lines_of(diptych.predict(sources / "out", "blind", sources / "halves.jsonl").out)[0]
    assert header["training"].startswith("cross-fitted")
    assert len(set(header["training_digest"])) == 2


def test_answers_are_learned_as_people_write_them() -> None:
    assert [clean_answer(text) for text in ("Two", "hot  dog.", "YES")] == ["2", "hot dog", "yes"]
