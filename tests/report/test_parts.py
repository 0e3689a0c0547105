"""Files of predictions find the datasets that they are about."""

import json
from pathlib import Path

import pytest

from diptych.errors import BadInputError
from diptych.report import compare_parts, sort_arguments
from diptych.report._parts import BASELINE, CONTROL, MODEL, Predictions
from tests.folders import make_folder, some_pairs


def write(path: Path, **header: object) -> Path:
    """Predictions on the pairs of `make_folder`, with a header where it is not empty."""
    lines = [{"diptych": "predictions", **header}] if header else []
    rows = [{"pair_id": pair.pair_id, "original": "red", "perturbed": "yes"} for pair in some_pairs(64)]
    path.write_text("".join(json.dumps(line) + "\n" for line in [*lines, *rows]), encoding="utf-8")
    return path


def test_arguments_come_in_any_order(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl")
    datasets, files = sort_arguments([str(file), str(tmp_path), f"large={file}", "org/name"])
    assert datasets == [str(tmp_path), "org/name"]
    assert files == [str(file), f"large={file}"]


def test_with_one_dataset_a_file_needs_no_header(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "built", some_pairs(64))
    (part,) = compare_parts([folder.path], [write(tmp_path / "large.jsonl")], bootstrap=0)
    assert (part.name, list(part.files), len(part.references)) == ("rad-cads", ["large"], 64)


def test_a_file_is_about_the_dataset_of_its_header(datasets: dict[str, Path], predictions: list[Path]) -> None:
    parts = compare_parts(list(datasets.values()), predictions, bootstrap=0)
    assert [(part.name, list(part.files)) for part in parts] == [
        ("rad-cads", ["large", "small", "majority"]),
        ("carets", ["large", "small", "majority"]),
    ]


def test_the_order_of_arguments_does_not_matter(datasets: dict[str, Path], predictions: list[Path]) -> None:
    (first, _), (second, _) = (
        compare_parts(list(datasets.values()), files, bootstrap=0) for files in (predictions, predictions[::-1])
    )
    assert set(first.files) == set(second.files)


def test_with_several_datasets_a_file_needs_a_header(datasets: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no header names its dataset"):
        compare_parts(list(datasets.values()), [write(tmp_path / "a.jsonl")])


def test_a_file_about_another_dataset_is_refused(datasets: dict[str, Path], tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", model="m", dataset="bqd")
    with pytest.raises(BadInputError, match="is about bqd"):
        compare_parts(list(datasets.values()), [file])


def test_two_models_of_one_name_are_refused(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "built", some_pairs(64))
    files = [write(tmp_path / "a.jsonl", model="m"), write(tmp_path / "b.jsonl", model="m")]
    with pytest.raises(BadInputError, match="another model is also named 'm'"):
        compare_parts([folder.path], files)
    (part,) = compare_parts([folder.path], [files[0], f"other={files[1]}"], bootstrap=0)
    assert list(part.files) == ["m", "other"]


def test_something_must_be_named(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "built", some_pairs(64))
    with pytest.raises(BadInputError, match="no predictions"):
        compare_parts([folder.path], [])
    with pytest.raises(BadInputError, match="no dataset"):
        compare_parts([], [write(tmp_path / "a.jsonl")])


def test_a_repetition_alone_is_refused(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "built", some_pairs(64))
    with pytest.raises(BadInputError, match="repeats a model"):
        compare_parts([folder.path], [write(tmp_path / "a.jsonl", model="m", arm="repeat")])


@pytest.mark.parametrize(
    ("header", "role"),
    [
        ({"model": "gpt"}, MODEL),
        ({"model": "gpt", "arm": "no-image"}, CONTROL),
        ({"model": "blind"}, CONTROL),
        ({"model": "always-yes"}, BASELINE),
    ],
)
def test_models_that_do_not_look_are_no_models(header: dict[str, str], role: str) -> None:
    assert Predictions(Path("a"), "a", header).role == role
