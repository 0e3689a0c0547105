"""Task folders: what the harnesses read, and the same scores as `diptych score` from the copied code."""

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import Any

import pytest
import yaml
from datasets import load_dataset
from PIL import Image

import diptych
from diptych.folder import BuiltFolder
from diptych.metrics import Options, score_pairs
from diptych.publishing.export import export_folder
from tests.sources.benchmark_files import write_all


class FunctionLoader(yaml.SafeLoader):
    """Reads `!function module.name` as its name."""


FunctionLoader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


def read_task(out: Path, name: str = "rad_cads_yn_from_color") -> dict[str, Any]:
    task: dict[str, Any] = yaml.load((out / f"{name}.yaml").read_text(encoding="utf-8"), FunctionLoader)
    return task


@pytest.fixture
def module(folder: BuiltFolder, tmp_path: Path) -> Iterator[Any]:
    """The exported functions, imported as a harness does."""
    with exported(folder, tmp_path / "tasks") as functions:
        yield functions


@contextmanager
def exported(folder: BuiltFolder, out: Path) -> Iterator[Any]:
    """Export the tasks of a folder and import their functions."""
    export_folder(folder, "lmms-eval", out)
    path, modules = list(sys.path), set(sys.modules)
    spec = importlib.util.spec_from_file_location("exported_utils", out / "utils.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if name.startswith("paired_vqa"):
            del sys.modules[name]


@pytest.fixture
def pairs(folder: BuiltFolder, tmp_path: Path) -> Any:
    return load_dataset(str(folder.path), cache_dir=str(tmp_path / "cache"))["validation"]


@pytest.mark.parametrize("harness", ["lm-eval", "lmms-eval"])
def test_every_function_a_task_names_exists(harness: str, folder: BuiltFolder, tmp_path: Path) -> None:
    export_folder(folder, harness, tmp_path)
    task, code = read_task(tmp_path), (tmp_path / "utils.py").read_text(encoding="utf-8")
    values = [*task.values(), *(metric["aggregation"] for metric in task["metric_list"])]
    functions = [value.partition(".")[2] for value in values if str(value).startswith("utils.")]
    assert len(functions) > 8
    assert [name for name in functions if f"def {name}(" not in code] == []


@pytest.mark.parametrize("harness", ["lm-eval", "lmms-eval"])
def test_a_task_reads_the_folder_and_the_split_that_is_judged(
    harness: str, folder: BuiltFolder, tmp_path: Path
) -> None:
    export_folder(folder, harness, tmp_path)
    task = read_task(tmp_path)
    assert (task["dataset_path"], task["dataset_name"]) == (str(folder.path), "yn_from_color")
    assert task["test_split"] == "validation"


def test_a_task_reads_a_repository_at_its_tag(folder: BuiltFolder, tmp_path: Path) -> None:
    export_folder(folder, "lmms-eval", tmp_path, repo="org/rad-cads")
    task = read_task(tmp_path)
    assert (task["dataset_path"], task["dataset_kwargs"]["revision"]) == ("org/rad-cads", "v1.0.0")


def test_text_models_have_a_task_without_images(folder: BuiltFolder, tmp_path: Path) -> None:
    export_folder(folder, "lm-eval", tmp_path)
    assert "doc_to_image" not in read_task(tmp_path, "rad_cads_yn_from_color_blind")
    assert "doc_to_image" in read_task(tmp_path)


def test_both_sides_of_a_pair_are_asked(module: Any, pairs: Any) -> None:
    questions = module.process_docs(pairs)
    assert questions.num_rows == 2 * pairs.num_rows
    assert questions["question"][:2] == [pairs[0]["original_question"], pairs[0]["perturbed_question"]]


def test_the_harness_gets_the_scores_of_diptych_score(module: Any, pairs: Any) -> None:
    questions = module.process_docs(pairs)
    answers = [question["answer"] if number % 3 else "No." for number, question in enumerate(questions)]
    results: dict[str, list[Any]] = {}
    for question, answer in zip(questions, answers, strict=True):
        for name, result in module.process_results_rad(question, [answer]).items():
            results.setdefault(name, []).append(result)
    scores = {name: getattr(module, f"rad_{name}")(values) for name, values in results.items()}
    predictions = [
        {"pair_id": pair["pair_id"], "original": answers[2 * number], "perturbed": answers[2 * number + 1]}
        for number, pair in enumerate(pairs)
    ]
    assert scores == score_pairs(predictions, pairs.to_list(), Options("rad", bootstrap=0), by=()).values()
    assert 0 < scores["rad_forward"] < 1


def test_scores_of_groups_come_through_a_harness(tmp_path: Path) -> None:
    write_all(tmp_path / "data")
    folder = diptych.build("paired-benchmarks", tmp_path / "data", tmp_path / "out")
    rows = folder.table("hallusionbench", "test").to_pylist()
    with exported(folder, tmp_path / "tasks") as functions:
        sides = [side for row in rows for side in functions.sides_of(row)]
        scores = functions.paired_scores([functions.answered(side, "yes") for side in sides], "grouped")
        questions_without_image = [side for side in sides if not side["image_id"]]
        assert [functions.doc_to_image(side) for side in questions_without_image] == [[]]
    predictions = [{"pair_id": row["pair_id"], "original": "yes", "perturbed": "yes"} for row in rows]
    values = diptych.score(folder.path, predictions, bootstrap=0).model.values()
    defined = {name: value for name, value in values.items() if not isnan(value)}
    assert {name: scores[name] for name in defined} == defined
    assert {"question_accuracy", "image_accuracy", "group_accuracy", "f1"} <= set(defined)


def test_an_image_is_found_by_its_folder_and_name(module: Any, tmp_path: Path) -> None:
    for place in ("existence/0001.jpg", "artwork/images/0001.jpg", "VD/figure/0_1.png"):
        path = tmp_path / "images" / place
        path.parent.mkdir(parents=True)
        path.write_bytes(b"")
    for image_id, place in (("artwork/0001", "artwork/images/0001.jpg"), ("VD/figure/0_1", "VD/figure/0_1.png")):
        assert module.image_file(image_id, str(tmp_path / "images")) == tmp_path / "images" / place


def test_half_a_pair_is_left_out(module: Any, pairs: Any) -> None:
    questions = list(module.process_docs(pairs))[:3]
    answers = [module.answered(question, question["answer"]) for question in questions]
    assert module.rad_rad_forward(answers) == 1


def test_a_score_over_no_whole_pair_is_undefined(module: Any, pairs: Any) -> None:
    question = module.process_docs(pairs)[0]
    assert isnan(module.rad_rad_forward([module.answered(question, question["answer"])]))


@pytest.mark.parametrize("name", ["7.png", "COCO_val2014_000000000007.png", "000000000007.png"])
def test_an_image_is_found_by_its_id(name: str, module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "images").mkdir()
    Image.new("RGB", (3, 2)).save(tmp_path / "images" / name)
    monkeypatch.setenv("DIPTYCH_IMAGES", str(tmp_path / "images"))
    (image,) = module.doc_to_image({"image_id": "7"})
    assert image.size == (3, 2)


def test_an_image_is_found_by_the_name_of_its_file(
    module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """COCO, Visual Genome and MMVP all have a picture 7."""
    coco = "COCO_val2014_000000000007.jpg"
    places = {"7.jpg": "VG_100K/7.jpg", coco: f"val2014/{coco}", "MMVP Images/7.jpg": "mmvp/MMVP Images/7.jpg"}
    for width, place in enumerate(places.values(), start=1):
        (tmp_path / place).parent.mkdir(parents=True)
        Image.new("RGB", (width, 2)).save(tmp_path / place)
    monkeypatch.setenv("DIPTYCH_IMAGES", str(tmp_path))
    for width, name in enumerate(places, start=1):
        (image,) = module.doc_to_image({"image_id": "7", "image_file": name})
        assert image.width == width
    (tmp_path / "VG_100K" / "7.jpg").unlink()
    (tmp_path / "val2014" / "7.jpg").write_bytes(b"")
    module.NAMES.clear(), module.FILES.clear()
    with pytest.raises(FileNotFoundError, match=r"image 7\.jpg: no file of that name"):
        module.doc_to_image({"image_id": "7", "image_file": "7.jpg"})


def test_a_picture_that_no_file_holds_is_not_taken_for_the_original(module: Any, pairs: Any) -> None:
    pair = {**pairs[0], "operation": "mask"}
    files = [side["image_file"] for side in module.sides_of(pair)]
    assert files == [pair["original_image_file"], ""]


def test_an_image_that_is_not_there_is_named(module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIPTYCH_IMAGES", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="image 8: no file of that name"):
        module.doc_to_image({"image_id": "8"})


def test_without_an_image_folder_the_message_says_what_to_set(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DIPTYCH_IMAGES", raising=False)
    with pytest.raises(FileNotFoundError, match="set DIPTYCH_IMAGES"):
        module.doc_to_image({"image_id": "7"})


def test_the_inspect_module_compiles_and_has_one_task_per_config(folder: BuiltFolder, tmp_path: Path) -> None:
    export_folder(folder, "inspect", tmp_path)
    code = (tmp_path / "tasks.py").read_text(encoding="utf-8")
    compile(code, "tasks.py", "exec")
    assert "@task\ndef rad_cads_yn_from_color(" in code


@pytest.mark.parametrize("harness", ["lm-eval", "lmms-eval", "inspect"])
def test_the_scoring_code_goes_along(harness: str, folder: BuiltFolder, tmp_path: Path) -> None:
    export_folder(folder, harness, tmp_path)
    assert (tmp_path / "paired_vqa" / "scoring.py").is_file()
