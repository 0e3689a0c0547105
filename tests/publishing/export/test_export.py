"""Exports: what each harness reads, and the same scores as `diptych score` from the copied code."""

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from datasets import load_dataset
from PIL import Image

from diptych.cards.export import FORMS, export_built
from diptych.errors import BadInputError, UnknownNameError
from diptych.metrics.paired_vqa.scoring import Options, score_pairs
from tests.cards.folders import make_folder, some_pairs


class Functions(yaml.SafeLoader):
    """Reads `!function module.name` as its name."""


Functions.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("export") / "built", some_pairs())


@pytest.fixture
def module(built: Path, tmp_path: Path) -> Iterator[Any]:
    export_built(built, "lmms-eval", tmp_path / "tasks")
    path, known = list(sys.path), set(sys.modules)
    yield load(tmp_path / "tasks" / "utils.py")
    sys.path[:] = path
    for name in set(sys.modules) - known:
        if name.startswith("paired_vqa"):
            del sys.modules[name]


def load(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("exported_utils", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("form", ["lm-eval", "lmms-eval"])
def test_every_function_a_task_names_exists(form: str, built: Path, tmp_path: Path) -> None:
    export_built(built, form, tmp_path)
    task = yaml.load((tmp_path / "rad_cads_yn_from_color.yaml").read_text(encoding="utf-8"), Functions)
    code = (tmp_path / "utils.py").read_text(encoding="utf-8")
    named = [value for value in [*task.values(), *(each["aggregation"] for each in task["metric_list"])] if value]
    functions = [value.partition(".")[2] for value in named if isinstance(value, str) and value.startswith("utils.")]
    assert len(functions) > 8
    assert [name for name in functions if f"def {name}(" not in code] == []
    assert (task["dataset_path"], task["dataset_name"], task["test_split"]) == (
        str(built),
        "yn_from_color",
        "validation",
    )


def test_a_repository_is_loaded_at_its_tag(built: Path, tmp_path: Path) -> None:
    export_built(built, "lmms-eval", tmp_path, repo="org/rad-cads")
    task = yaml.load((tmp_path / "rad_cads_yn_from_color.yaml").read_text(encoding="utf-8"), Functions)
    assert (task["dataset_path"], task["dataset_kwargs"]["revision"]) == ("org/rad-cads", "v1.0.0")


def test_the_harness_gets_the_scores_of_diptych_score(module: Any, built: Path, tmp_path: Path) -> None:
    pairs = load_dataset(str(built), cache_dir=str(tmp_path / "cache"))["validation"]
    docs = module.process_docs(pairs)
    assert docs.num_rows == 2 * pairs.num_rows
    said = [doc["answer"] if number % 3 else "No." for number, doc in enumerate(docs)]
    answers: dict[str, list[Any]] = {}
    for doc, answer in zip(docs, said, strict=True):
        for name, told in module.process_results_rad(doc, [answer]).items():
            answers.setdefault(name, []).append(told)
    got = {name: getattr(module, f"rad_{name}")(told) for name, told in answers.items()}
    predictions = [
        {"pair_id": pair["pair_id"], "original": said[2 * row], "perturbed": said[2 * row + 1]}
        for row, pair in enumerate(pairs)
    ]
    assert got == score_pairs(predictions, pairs.to_list(), Options("rad", bootstrap=0), by=()).values()
    assert 0 < got["rad_forward"] < 1


def test_half_a_pair_is_left_out(module: Any, built: Path, tmp_path: Path) -> None:
    docs = module.process_docs(load_dataset(str(built), cache_dir=str(tmp_path / "cache"))["validation"])
    told = [module.answered(docs[at], docs[at]["answer"]) for at in range(3)]
    assert module.rad_rad_forward(told) == 1
    assert module.rad_rad_forward(told[:1]) != module.rad_rad_forward(told[:1])


@pytest.mark.parametrize("name", ["7.png", "COCO_val2014_000000000007.png", "000000000007.png"])
def test_images_are_found_by_their_ids(name: str, module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "images").mkdir()
    Image.new("RGB", (3, 2)).save(tmp_path / "images" / name)
    monkeypatch.setenv("DIPTYCH_IMAGES", str(tmp_path / "images"))
    (image,) = module.doc_to_image({"image_id": "7"})
    assert image.size == (3, 2)
    with pytest.raises(FileNotFoundError, match="image 8: no file of that name"):
        module.doc_to_image({"image_id": "8"})


def test_without_an_image_folder_the_message_says_what_to_set(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DIPTYCH_IMAGES", raising=False)
    with pytest.raises(FileNotFoundError, match="set DIPTYCH_IMAGES"):
        module.doc_to_image({"image_id": "7"})


def test_the_inspect_module_compiles_and_has_a_task_a_config(built: Path, tmp_path: Path) -> None:
    export_built(built, "inspect", tmp_path)
    code = (tmp_path / "tasks.py").read_text(encoding="utf-8")
    compile(code, "tasks.py", "exec")
    assert "@task\ndef rad_cads_yn_from_color(" in code
    assert (tmp_path / "paired_vqa" / "scoring.py").is_file()


def test_croissant_names_every_file_with_its_hash(built: Path, tmp_path: Path) -> None:
    export_built(built, "croissant", tmp_path, repo="org/rad-cads")
    told = json.loads((tmp_path / "croissant.json").read_text(encoding="utf-8"))
    (file,) = told["distribution"]
    assert file["contentUrl"].startswith("https://huggingface.co/datasets/org/rad-cads/resolve/v1.0.0/data/")
    assert len(file["sha256"]) == 64
    (records,) = told["recordSet"]
    fields = {field["name"]: field for field in records["field"]}
    assert fields["perturbed_answers"]["repeated"]
    assert fields["pair_id"]["source"] == {"fileObject": {"@id": file["@id"]}, "extract": {"column": "pair_id"}}


def test_eval_yaml_has_what_the_hub_asks_for(built: Path, tmp_path: Path) -> None:
    export_built(built, "eval-yaml", tmp_path)
    told = yaml.safe_load((tmp_path / "eval.yaml").read_text(encoding="utf-8"))
    assert {"name", "description", "evaluation_framework", "tasks"} == set(told)
    (task,) = told["tasks"]
    assert task["field_spec"]["target"] == "perturbed_answer"
    assert task["scorers"][0]["name"] == "pattern"


def test_vqa_goes_into_the_folder_that_was_named(built: Path, tmp_path: Path) -> None:
    paths = export_built(built, "vqa", tmp_path)
    assert {path.parent for path in paths} == {tmp_path / "yn_from_color"}
    assert len(json.loads(paths[0].read_text())["questions"]) == 384


@pytest.mark.parametrize("form", FORMS)
def test_an_export_is_the_same_every_time(form: str, built: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        export_built(built, form, tmp_path / name)
    one, two = (
        {
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in (tmp_path / name).rglob("*.*")
            if path.is_file()
        }
        for name in ("one", "two")
    )
    assert one == two


def test_an_unknown_form_lists_the_known_ones(built: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'lm-eval'"):
        export_built(built, "lmeval", tmp_path)


def test_a_place_that_cannot_be_written_is_said(built: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="cannot be written"):
        export_built(built, "vqa", tmp_path / "file" / "out")
