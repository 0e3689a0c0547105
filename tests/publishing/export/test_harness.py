"""Task folders: what the harnesses read, and the same scores as `diptych score` from the copied code."""

import copy
import csv
import importlib.util
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from datasets import load_dataset
from PIL import Image

import diptych
from diptych.folder import BuiltFolder, Manifest
from diptych.metrics import Options, score_pairs
from diptych.models import PredictOptions, Query, Reply, predict
from diptych.pairs import pairs_table
from diptych.publishing.export import export_folder
from diptych.publishing.export.task_code import lazy
from diptych.publishing.export.task_code.lazy import LazyImage
from tests.folders import CONFIG, SPLIT, fold_manifest, make_folder, make_pair, some_pairs, with_column
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
        if name.partition(".")[0].endswith("_pairs"):
            del sys.modules[name]


@pytest.fixture(scope="module")
def benchmarks(tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    data = tmp_path_factory.mktemp("benchmarks")
    write_all(data / "data")
    return diptych.build("paired-benchmarks", data / "data", data / "out")


def load_split(folder: BuiltFolder, config: str) -> Any:
    """The split that is judged, as a harness loads it."""
    split = folder.judged_split(config)
    return load_dataset("parquet", data_files={split: [str(path) for path in folder.files(config, split)]})[split]


@pytest.fixture
def pairs(folder: BuiltFolder) -> Any:
    return load_split(folder, "yn_from_color")


@pytest.mark.parametrize("harness", ["lm-eval", "lmms-eval"])
def test_every_function_a_task_names_exists(harness: str, folder: BuiltFolder, tmp_path: Path) -> None:
    export_folder(folder, harness, tmp_path)
    task, code = read_task(tmp_path), (tmp_path / "utils.py").read_text(encoding="utf-8")
    values = [*task.values(), *(metric["aggregation"] for metric in task["metric_list"])]
    functions = [value.partition(".")[2] for value in values if str(value).startswith("utils.")]
    assert len(functions) > 8
    assert [name for name in functions if f"def {name}(" not in code and f"\n{name} = " not in code] == []


@pytest.mark.parametrize("harness", ["lm-eval", "lmms-eval"])
def test_a_task_reads_the_folder_and_the_split_that_is_judged(
    harness: str, folder: BuiltFolder, tmp_path: Path
) -> None:
    export_folder(folder, harness, tmp_path)
    task = read_task(tmp_path)
    files = [str(path) for path in folder.files("yn_from_color", "validation")]
    assert (task["dataset_path"], task["dataset_kwargs"]) == ("parquet", {"data_files": {"validation": files}})
    assert task["test_split"] == "validation"


def test_a_task_reads_a_repository_at_its_tag(folder: BuiltFolder, tmp_path: Path) -> None:
    export_folder(folder, "lmms-eval", tmp_path, repo="org/rad-cads")
    task = read_task(tmp_path)
    assert (task["dataset_path"], task["dataset_kwargs"]["revision"]) == ("org/rad-cads", "v1.0.0")
    assert task["dataset_name"] == "yn_from_color"


def test_text_models_have_a_task_without_images(folder: BuiltFolder, tmp_path: Path) -> None:
    export_folder(folder, "lm-eval", tmp_path)
    assert "doc_to_image" not in read_task(tmp_path, "rad_cads_yn_from_color_blind")
    assert "doc_to_image" in read_task(tmp_path)


def test_both_sides_of_a_pair_are_asked(module: Any, pairs: Any) -> None:
    questions = module.ask_rad_cads_yn_from_color(pairs)
    assert questions.num_rows == 2 * pairs.num_rows
    assert questions["question"][:2] == [pairs[0]["original_question"], pairs[0]["perturbed_question"]]


def test_the_harness_gets_the_scores_of_diptych_score(module: Any, pairs: Any) -> None:
    questions = module.ask_rad_cads_yn_from_color(pairs)
    answers = [question["answer"] if number % 3 else "No." for number, question in enumerate(questions)]
    results: dict[str, list[Any]] = {}
    for question, answer in zip(questions, answers, strict=True):
        for name, result in module.process_results(question, [answer]).items():
            results.setdefault(name, []).append(result)
    scores = {name: getattr(module, name)(values) for name, values in results.items()}
    predictions = [
        {"pair_id": pair["pair_id"], "original": answers[2 * number], "perturbed": answers[2 * number + 1]}
        for number, pair in enumerate(pairs)
    ]
    assert scores == score_pairs(predictions, pairs.to_list(), Options("rad", bootstrap=0), by=()).values()
    assert 0 < scores["rad_forward"] < 1


def test_scores_of_groups_come_through_a_harness(benchmarks: BuiltFolder, tmp_path: Path) -> None:
    rows = benchmarks.table("hallusionbench", "test").to_pylist()
    with exported(benchmarks, tmp_path / "tasks") as functions:
        questions = list(functions.ask_paired_benchmarks_hallusionbench(load_split(benchmarks, "hallusionbench")))
        scores = functions.TASKS.scores([functions.TASKS.answered(question, "yes") for question in questions])
        assert [functions.doc_to_image(question) for question in questions if not question["has_image"]] == [[]]
    predictions = [{"pair_id": row["pair_id"], "original": "yes", "perturbed": "yes"} for row in rows]
    values = diptych.score(benchmarks.path, predictions, bootstrap=0).model.values()
    defined = {name: value for name, value in values.items() if not isnan(value)}
    assert {name: scores[name] for name in defined} == defined
    assert {"question_accuracy", "image_accuracy", "group_accuracy", "f1"} <= set(defined)


def test_prompts_are_those_of_predict(benchmarks: BuiltFolder, tmp_path: Path) -> None:
    """Yes/no questions, choices, counts and open questions: the strings that `diptych predict` sends."""
    rows = [*some_pairs(8), make_pair(9, answer_type="number")]
    rows = [
        replace(row, original=replace(row.original, question="How many {cats}?")) if n % 3 else row
        for n, row in enumerate(rows)
    ]
    rows[2] = replace(rows[2], bindings={**rows[2].bindings, "choices": ["red", "blue"]})
    folder = make_folder(tmp_path / "built", rows)
    sent: list[str] = []
    for built, config in ((folder, "yn_from_color"), (benchmarks, "hallusionbench"), (benchmarks, "mmvp")):
        model = Listener()
        predict(built, model, PredictOptions(tmp_path / f"{config}.jsonl", config=config, arm="no-image"))
        with exported(built, tmp_path / config) as functions:
            questions = getattr(functions, f"ask_{built.manifest.dataset.replace('-', '_')}_{config}")
            prompts = {functions.doc_to_text(question) for question in questions(load_split(built, config))}
        assert prompts == set(model.prompts)
        sent += model.prompts
    ends = {prompt.rpartition("\n")[2] for prompt in sent}
    assert {"Answer with yes or no.", "Answer with a number.", "Answer with one of these: red; blue."} < ends


def test_the_copied_code_needs_only_numpy_and_pyarrow(folder: BuiltFolder, tmp_path: Path) -> None:
    """Scored in a process where nothing else is importable, Diptych and `datasets` least of all."""
    table = folder.table("yn_from_color", "validation")
    pq.write_table(table, tmp_path / "pairs.parquet")
    export_folder(folder, "lm-eval", tmp_path / "tasks")
    process = subprocess.run(
        [sys.executable, "-c", LONELY, str(tmp_path)], capture_output=True, text=True, check=False, timeout=120
    )
    assert process.stdout.split() == ["1.0"], process.stderr[-2000:]


LONELY = """
import sys
from pathlib import Path
from importlib.abc import MetaPathFinder

class Refuse(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        first = name.partition(".")[0]
        if first[0] != "_" and first not in {*sys.stdlib_module_names, "numpy", "pyarrow", "rad_cads_pairs"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Refuse())
sys.path.insert(0, f"{sys.argv[1]}/tasks")
import pyarrow.parquet as pq
from rad_cads_pairs.tasks import Pairs

pairs = Pairs(pq.read_table(f"{sys.argv[1]}/pairs.parquet"))
answers = [{"pair_id": row["pair_id"], "side": side, "reply": row[f"{side}_answer"]}
           for row in pairs.table.to_pylist() for side in ("original", "perturbed")]
print(pairs.scores(answers, "rad")["accuracy_both"])
"""


def test_half_a_pair_is_left_out(module: Any, pairs: Any) -> None:
    questions = list(module.ask_rad_cads_yn_from_color(pairs))[:3]
    answers = [module.TASKS.answered(question, question["answer"]) for question in questions]
    assert module.rad_forward(answers) == 1


def test_a_score_over_no_whole_pair_is_undefined(module: Any, pairs: Any) -> None:
    question = module.ask_rad_cads_yn_from_color(pairs)[0]
    assert isnan(module.rad_forward([module.TASKS.answered(question, question["answer"])]))


def test_scores_have_their_directions(folder: BuiltFolder, tmp_path: Path) -> None:
    export_folder(folder, "lm-eval", tmp_path)
    directions = {metric["metric"]: metric["higher_is_better"] for metric in read_task(tmp_path)["metric_list"]}
    assert (directions["rad_forward"], directions["unread_rate"], directions["yes_rate"]) == (True, False, None)


# Pictures.


def question(pair_id: str, side: str = "original") -> dict[str, Any]:
    return {"pair_id": pair_id, "side": side, "config": CONFIG, "split": SPLIT, "has_image": True}


def with_images(path: Path, *names: str, source: str = "vqa_v2", **changes: Any) -> BuiltFolder:
    """Pairs about images of these names."""
    table = pairs_table([make_pair(number, source=source, **changes) for number in range(len(names))])
    for side in ("original", "perturbed"):
        table = with_column(table, f"{side}_image_file", pa.array(names))
    return make_folder(path, table)


def test_an_image_is_found_by_its_official_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """COCO, Visual Genome and MMVP all have a picture 7; FVQA names COCO's and ILSVRC's."""
    names = ("7.jpg", "COCO_val2014_000000000007.jpg", "MMVP Images/7.jpg", "ILSVRC2012_test_00000007.JPEG")
    places = ("VG_100K/7.jpg", "val2014/COCO_val2014_000000000007.jpg", "mmvp/MMVP Images/7.jpg", names[3])
    for width, place in enumerate(places, start=1):
        (tmp_path / "images" / place).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (width, 2)).save(tmp_path / "images" / place)
    folder = with_images(tmp_path / "built", *names)
    monkeypatch.setenv("DIPTYCH_IMAGES", str(tmp_path / "images"))
    with exported(folder, tmp_path / "tasks") as functions:
        for width, pair_id in enumerate(folder.table(CONFIG, SPLIT)["pair_id"].to_pylist(), start=1):
            (image,) = functions.doc_to_image(question(pair_id))
            assert image.width == width


def test_an_image_is_found_in_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "COCO_val2014_000000000007.jpg"
    Image.new("RGB", (3, 2), (200, 10, 10)).save(tmp_path / "picture.jpg")
    (tmp_path / "images").mkdir()
    with ZipFile(tmp_path / "images" / "val2014.zip", "w") as archive:
        archive.write(tmp_path / "picture.jpg", f"val2014/{name}")
    folder = with_images(tmp_path / "built", name)
    monkeypatch.setenv("DIPTYCH_IMAGES", str(tmp_path / "images"))
    with exported(folder, tmp_path / "tasks") as functions:
        (image,) = functions.doc_to_image(question(folder.table(CONFIG, SPLIT)["pair_id"][0].as_py()))
        assert image.tobytes() == Image.open(tmp_path / "picture.jpg").tobytes()


def test_an_image_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = with_images(tmp_path / "built", "COCO_val2014_000000000008.jpg")
    monkeypatch.setenv("DIPTYCH_IMAGES", str(tmp_path))
    with exported(folder, tmp_path / "tasks") as functions:
        ask = functions.doc_to_image, question(folder.table(CONFIG, SPLIT)["pair_id"][0].as_py())
        with pytest.raises(ValueError, match=r"COCO_val2014_000000000008\.jpg: no such picture below"):
            ask[0](ask[1])
        monkeypatch.delenv("DIPTYCH_IMAGES")
        with pytest.raises(ValueError, match="set DIPTYCH_IMAGES"):
            ask[0](ask[1])


def test_a_made_picture_is_not_taken_for_the_original(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = with_images(tmp_path / "built", "7.jpg")
    Image.new("RGB", (3, 2)).save(tmp_path / "7.jpg")
    monkeypatch.setenv("DIPTYCH_IMAGES", str(tmp_path))
    monkeypatch.setitem(sys.modules, "diptych.scenegraphs.image_operations", None)  # as where Diptych is not installed
    with exported(folder, tmp_path / "tasks"):
        package = sys.modules["rad_cads_pairs.tasks"]
        table = folder.table(CONFIG, SPLIT).append_column("operation", pa.array(["mask"]))
        pairs = package.Pairs(table.append_column("boxes", pa.array([[[0, 0, 1, 1]]])))
        pair_id = table["pair_id"][0].as_py()
        assert pairs.picture(pair_id, "original") == (tmp_path / "7.jpg").read_bytes()
        with pytest.raises(ValueError, match=r"made from the original one \(mask\); pip install diptych, or build"):
            pairs.picture(pair_id, "perturbed")


def test_images_are_decoded_when_they_are_used_and_not_kept(tmp_path: Path) -> None:
    Image.new("RGB", (640, 480), (1, 2, 3)).save(tmp_path / "one.png")
    reads: list[int] = []

    def read() -> bytes:
        reads.append(1)
        return (tmp_path / "one.png").read_bytes()

    image = LazyImage(read)
    assert (image.size, image.mode, len(reads)) == ((640, 480), "RGB", 1)
    assert image.convert("L").size == image.resize((640, 480)).size == image.copy().size
    assert image.tobytes() == Image.open(tmp_path / "one.png").tobytes()
    changed = copy.copy(image)
    changed.paste((9, 9, 9), (0, 0, 9, 9))
    assert (changed.getpixel((0, 0)), image.getpixel((0, 0))) == ((9, 9, 9), (1, 2, 3))
    others = [LazyImage(read) for _ in range(20)]
    assert all(other.getpixel((5, 5)) == (1, 2, 3) for other in others)
    assert lazy._decode.cache_info().currsize <= 8
    assert copy.deepcopy(image) is image


# Groups.


def test_a_group_holds_a_union_or_its_parts(tmp_path: Path) -> None:
    folder = BuiltFolder(tmp_path, Manifest.model_validate(fold_manifest(tmp_path)))
    export_folder(folder, "lm-eval", tmp_path / "tasks")
    groups = {path.stem: yaml.safe_load(path.read_text()) for path in (tmp_path / "tasks").glob("_*.yaml")}
    assert groups["_folded"] == {"group": "folded", "task": ["folded_default"]}
    assert groups["_folded_parts"] == {"group": "folded_parts", "task": ["folded_fold_0", "folded_fold_1"]}


# Other modules.


def test_the_inspect_module_compiles_and_has_one_task_per_config(folder: BuiltFolder, tmp_path: Path) -> None:
    export_folder(folder, "inspect", tmp_path)
    code = (tmp_path / "tasks.py").read_text(encoding="utf-8")
    compile(code, "tasks.py", "exec")
    assert "@task\ndef rad_cads_yn_from_color(" in code


@pytest.mark.parametrize("harness", ["lm-eval", "lmms-eval", "inspect", "vlmevalkit"])
def test_the_code_goes_along_and_names_nothing_of_ours_but_operations(
    harness: str, folder: BuiltFolder, tmp_path: Path
) -> None:
    export_folder(folder, harness, tmp_path)
    texts = [path.read_text(encoding="utf-8") for path in (tmp_path / "rad_cads_pairs").rglob("*.py")]
    imports = [line.split()[1] for text in texts for line in text.splitlines() if line.lstrip().startswith("from dipt")]
    assert imports == ["diptych.scenegraphs.image_operations"]


def test_the_tables_of_vlmevalkit_have_its_columns(folder: BuiltFolder, tmp_path: Path) -> None:
    export_folder(folder, "vlmevalkit", tmp_path)
    with (tmp_path / "rad_cads_yn_from_color.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    first = folder.table(CONFIG, SPLIT).to_pylist()[0]
    assert list(rows[0]) == ["index", "question", "answer", "image_path", "pair_id", "side"]
    assert rows[1]["question"] == f"{first['perturbed_question']}\nAnswer with yes or no."
    assert [row["index"] for row in rows] == [str(number) for number in range(2 * 384)]
    compile((tmp_path / "rad_cads_pairs_vlmevalkit.py").read_text(encoding="utf-8"), "module", "exec")


def test_a_table_of_vlmevalkit_is_scored_by_its_predictions(folder: BuiltFolder, tmp_path: Path) -> None:
    """Its column `answer` has the right answers, and is not what a model said."""
    export_folder(folder, "vlmevalkit", tmp_path)
    with (tmp_path / "rad_cads_yn_from_color.tsv").open(encoding="utf-8", newline="") as file:
        rows = [{**row, "prediction": "yes"} for row in csv.DictReader(file, delimiter="\t")]
    with (tmp_path / "log.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)
    scores = diptych.score(folder.path, tmp_path / "log.tsv", bootstrap=0).scores
    assert (scores["accuracy_original"].value, scores["accuracy_perturbed"].value) == (0.0, 0.5)


class Listener:
    """A model that keeps the prompts it is sent."""

    name = "listener"

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def header(self) -> dict[str, Any]:
        return {}

    def ask(self, queries: Iterable[Query]) -> Iterator[tuple[Query, Reply]]:
        for query in queries:
            self.prompts.append(query.prompt)
            yield query, Reply("yes")
