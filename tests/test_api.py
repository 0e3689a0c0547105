"""The public API: what `import diptych` offers, and the way from official files to a score."""

from pathlib import Path
from typing import Any

import pytest
from datasets import load_dataset

import diptych
from diptych.demo import make_world
from diptych.folder import BuiltFolder

METRIC = Path(diptych.__file__).parent / "metrics" / "paired_vqa"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world") / "data"
    make_world(folder, 30, pictures=False)
    return folder


@pytest.fixture(scope="module")
def folder(data: Path, tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    return diptych.build("rad-cads", data, tmp_path_factory.mktemp("built") / "rad", configs=("vqa_v2",))


@pytest.fixture(scope="module")
def predictions(folder: BuiltFolder) -> list[dict[str, str]]:
    """A model that knows every original and always says yes."""
    rows = folder.pairs(folder.select()).to_pylist()
    return [{"pair_id": row["pair_id"], "original": row["original_answer"], "perturbed": "yes"} for row in rows]


@pytest.fixture(scope="module")
def share_of_yes(folder: BuiltFolder) -> float:
    answers = folder.pairs(folder.select())["perturbed_answer"].to_pylist()
    return answers.count("yes") / len(answers)


@pytest.mark.parametrize("name", diptych.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(diptych, name)


def test_the_public_names_are_listed() -> None:
    assert dir(diptych) == sorted(diptych.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'builds'"):
        _ = diptych.builds  # type: ignore[attr-defined]


def test_a_build_is_a_folder_with_its_audit(folder: BuiltFolder) -> None:
    assert folder.manifest.audit is not None
    assert diptych.open_folder(folder.path) == folder


def test_a_build_has_no_errors(folder: BuiltFolder) -> None:
    assert diptych.check(folder.path).errors == 0


def test_pairs_are_loaded_as_a_dataset(folder: BuiltFolder) -> None:
    pairs = diptych.load_pairs(folder.path)
    assert pairs["pair_id"][:] == folder.pairs(folder.select())["pair_id"].to_pylist()


def test_predictions_are_scored(folder: BuiltFolder, predictions: list[dict[str, str]], share_of_yes: float) -> None:
    scores = diptych.score(folder.path, predictions, bootstrap=0).scores
    assert scores["rad_forward"].value == pytest.approx(share_of_yes)
    assert scores["rad_backward"].value == pytest.approx(1.0)


def test_evaluate_gives_the_same_scores(
    folder: BuiltFolder, predictions: list[dict[str, str]], share_of_yes: float, tmp_path: Path
) -> None:
    import evaluate

    pairs = load_dataset(str(folder.path), split="validation", cache_dir=str(tmp_path))
    metric: Any = evaluate.load(str(METRIC), "rad")
    scores = metric.compute(predictions=predictions, references=list(pairs))
    assert scores["rad_forward"] == pytest.approx(share_of_yes)
    assert scores["rad_backward"] == pytest.approx(1.0)


def test_a_build_is_made_again_from_its_recipe(folder: BuiltFolder, data: Path) -> None:
    assert diptych.rebuild(folder.path, data).differences == ()


def test_a_pair_is_explained(folder: BuiltFolder) -> None:
    pair_id = folder.pairs(folder.select())["pair_id"][0].as_py()
    explanation = diptych.explain(folder.path, pair_id)
    assert explanation.row["pair_id"] == pair_id
