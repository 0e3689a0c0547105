"""`seeing`, which looks: it learns from pictures, and its answers follow them."""

from pathlib import Path
from typing import Any

import pytest

import diptych
from diptych.demo import make_world as make_sources
from diptych.errors import BadInputError
from diptych.metrics._comparison import ALL_TESTS
from tests.models.worlds import lines_of, without_timings


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A world of 60 images, and the pairs of one config."""
    folder = tmp_path_factory.mktemp("small")
    make_sources(folder / "sources", 60, 0, True)
    diptych.build("rad-cads", folder / "sources", folder / "out", configs=["vqa_v2"])
    return folder


def ask(folder: Path, name: str, model: str = "seeing", **options: Any) -> Path:
    sources = folder / "sources"
    options = {"images": sources / "images", "settings": {"data": sources}, **options}
    return diptych.predict(folder / "out", model, folder / name, **options).out


def test_the_header_says_what_it_learned_from(small: Path) -> None:
    header, *lines = lines_of(ask(small, "a.jsonl"))
    assert header["training"].startswith("vqa_v2 train, ")
    assert header["pictures"] > 10
    assert all(line["answer"] and line["image_size"] for line in lines)


def test_the_same_pictures_give_the_same_answers(small: Path) -> None:
    assert without_timings(ask(small, "b.jsonl")) == without_timings(ask(small, "c.jsonl"))


def test_another_picture_gives_other_answers(small: Path) -> None:
    full, other = (
        [line["answer"] for line in lines_of(ask(small, f"{arm}.jsonl", arm=arm))[1:]]
        for arm in ("full", "other-image")
    )
    assert full != other


@pytest.mark.parametrize("options", [{"images": None}, {"settings": {}}], ids=["no images", "no data"])
def test_it_needs_pictures_and_questions(small: Path, options: dict[str, Any]) -> None:
    with pytest.raises(BadInputError, match="pass --data DIR and --images DIR"):
        ask(small, "never.jsonl", **options)
    assert not (small / "never.jsonl").exists()


def test_a_folder_without_the_training_pictures_is_one_line(small: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="none of the training pictures of vqa_v2 train"):
        ask(small, "never.jsonl", images=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dataset", "parameters", "sample", "both_right"),
    [
        ("rad-cads", (), None, "accuracy_both"),
        ("carets", ("pairs=1000", "images=recipe"), 1500, "comprehensive_accuracy"),
    ],
)
def test_on_the_miniature_world_looking_helps(
    dataset: str, parameters: tuple[str, ...], sample: int | None, both_right: str, tmp_path: Path
) -> None:
    """`seeing` is better than `blind`, and worse without pictures, by intervals that exclude 0."""
    from diptych.builders import get_dataset

    make_sources(tmp_path / "sources", 400, 0, True)
    chosen = get_dataset(dataset).spec.parse_parameters(parameters)
    diptych.build(dataset, tmp_path / "sources", tmp_path / "out", parameters=chosen, num_proc=2)
    seeing = ask(tmp_path, "seeing.jsonl", sample=sample)
    # Without a picture both sides of a pair look alike, and are right together: accuracies tell the arms apart.
    accuracies = ["accuracy_original", "accuracy_perturbed"]
    blind = ask(tmp_path, "blind.jsonl", "blind", sample=sample)
    no_image = ask(tmp_path, "no-image.jsonl", arm="no-image", sample=sample)
    for rival, scores in ((blind, [*accuracies, both_right]), (no_image, accuracies)):
        report = diptych.score(tmp_path / "out", seeing, against=rival, allow_missing=sample is not None)
        assert report.differences
        for score in scores:
            assert report.differences[ALL_TESTS][score].low > 0, (rival.name, score)
