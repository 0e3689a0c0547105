import csv
import gzip
import io
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from diptych.demo import ask_questions, make_scene, make_world
from diptych.demo._facts import CLAIMS, FACTS
from diptych.demo._questions import QUESTION_TYPES
from diptych.errors import BadInputError
from tests.demo import checker
from tests.demo.checker import Graph

IMAGES = 40


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "world"
    make_world(folder, IMAGES, seed=3)
    return folder


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def vqa(world: Path, split: str) -> tuple[Any, Any]:
    return (
        load(world / "vqa" / f"v2_OpenEnded_mscoco_{split}_questions.json"),
        load(world / "vqa" / f"v2_mscoco_{split}_annotations.json"),
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_same_seed_gives_the_same_bytes(world: Path, tmp_path: Path) -> None:
    make_world(tmp_path / "again", IMAGES, seed=3)
    assert contents(tmp_path / "again") == contents(world)


def test_another_seed_gives_another_world(world: Path, tmp_path: Path) -> None:
    make_world(tmp_path / "other", IMAGES, seed=4, pictures=False)
    questions = "vqa/v2_OpenEnded_mscoco_val2014_questions.json"
    assert contents(tmp_path / "other")[questions] != contents(world)[questions]


def test_hash_order_changes_nothing(world: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from diptych.demo import make_world;"
        f"make_world(Path(sys.argv[1]), {IMAGES}, seed=3)"
    )
    for hash_seed in ("1", "77"):
        folder = tmp_path / hash_seed
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        subprocess.run([sys.executable, "-c", code, str(folder)], check=True, env=environment)
        assert contents(folder) == contents(world)


def test_a_larger_world_begins_with_the_smaller(world: Path, tmp_path: Path) -> None:
    larger = tmp_path / "larger"
    make_world(larger, 2 * IMAGES, seed=3, pictures=False)
    for split in ("val2014", "train2014"):
        for small, large, field in zip(
            vqa(world, split), vqa(larger, split), ("questions", "annotations"), strict=True
        ):
            assert large[field][: len(small[field])] == small[field]
    for name in ("val", "train"):
        small_graphs = load(world / "gqa" / f"{name}_sceneGraphs.json")
        large_graphs = load(larger / "gqa" / f"{name}_sceneGraphs.json")
        assert small_graphs.items() <= large_graphs.items()
    for path in sorted((world / "vg").iterdir()):
        assert load(larger / "vg" / path.name)[:IMAGES] == load(path)
    small_talk, large_talk = (load(folder / "visdial" / "visdial_1.0_val.json")["data"] for folder in (world, larger))
    assert large_talk["dialogs"][: len(small_talk["dialogs"])] == small_talk["dialogs"]
    assert large_talk["questions"][: len(small_talk["questions"])] == small_talk["questions"]
    assert (
        load(world / "fvqa" / "all_qs_dict_release.json").items()
        <= load(larger / "fvqa" / "all_qs_dict_release.json").items()
    )


@pytest.mark.parametrize("split", ["val2014", "train2014"])
def test_vqa_files_have_the_official_layout(world: Path, split: str) -> None:
    questions, annotations = vqa(world, split)
    assert questions["task_type"] == "Open-Ended"
    for file in (questions, annotations):
        assert {"info", "license", "data_subtype", "data_type"} <= set(file)
        assert file["data_subtype"] == split
    by_id = {question["question_id"]: question for question in questions["questions"]}
    assert len(by_id) == len(questions["questions"]) == len(annotations["annotations"])
    for annotation in annotations["annotations"]:
        question = by_id[annotation["question_id"]]
        assert question["image_id"] == annotation["image_id"] == annotation["question_id"] // 1000
        assert annotation["question_type"] in QUESTION_TYPES
        assert annotation["answer_type"] in ("yes/no", "number", "other")
        assert [entry["answer_id"] for entry in annotation["answers"]] == list(range(1, 11))
        assert {entry["answer_confidence"] for entry in annotation["answers"]} <= {"yes", "maybe", "no"}
        answer, votes = Counter(entry["answer"] for entry in annotation["answers"]).most_common(1)[0]
        assert answer == annotation["multiple_choice_answer"]
        assert votes >= 7


def test_some_annotators_disagree(world: Path) -> None:
    annotations = vqa(world, "val2014")[1]["annotations"]
    disputes = sum(len({entry["answer"] for entry in annotation["answers"]}) > 1 for annotation in annotations)
    assert 0.2 < disputes / len(annotations) < 0.7


def test_the_splits_share_no_image(world: Path) -> None:
    image_ids = [
        {question["image_id"] for question in vqa(world, split)[0]["questions"]} for split in ("val2014", "train2014")
    ]
    assert len(image_ids[0]) == len(image_ids[1]) == IMAGES // 2
    assert not image_ids[0] & image_ids[1]


def test_vqacp_redistributes_the_same_questions(world: Path) -> None:
    parts = {part: load(world / "vqacp" / f"vqacp_v2_{part}_questions.json") for part in ("train", "test")}
    questions = [question for part in parts.values() for question in part]
    assert all(part for part in parts.values())
    official = [
        q | {"coco_split": split} for split in ("val2014", "train2014") for q in vqa(world, split)[0]["questions"]
    ]
    assert sorted(questions, key=lambda q: q["question_id"]) == sorted(official, key=lambda q: q["question_id"])
    answers = {part: load(world / "vqacp" / f"vqacp_v2_{part}_annotations.json") for part in parts}
    priors = [{(a["question_type"], a["multiple_choice_answer"]) for a in answers[part]} for part in parts]
    assert not priors[0] & priors[1]
    for part, entries in parts.items():
        assert [q["question_id"] for q in entries] == [a["question_id"] for a in answers[part]]


def test_vqa_answers_follow_from_the_scene_graphs_on_disk(world: Path) -> None:
    image_of = {image["coco_id"]: str(image["image_id"]) for image in load(world / "vg" / "image_data.json")}
    for split in ("val", "train"):
        graphs = load(world / "gqa" / f"{split}_sceneGraphs.json")
        questions, annotations = vqa(world, f"{split}2014")
        for question, annotation in zip(questions["questions"], annotations["annotations"], strict=True):
            if not question["question"].startswith("What time"):
                graph = Graph(graphs[image_of[question["image_id"]]])
                assert checker.answer(question["question"], graph) == annotation["multiple_choice_answer"]


def test_scene_graphs_hold_what_the_scenes_hold(world: Path) -> None:
    graphs = {**load(world / "gqa" / "val_sceneGraphs.json"), **load(world / "gqa" / "train_sceneGraphs.json")}
    for number in range(IMAGES):
        scene, graph = make_scene(3, number), graphs[str(number + 1)]
        assert (graph["width"], graph["height"], graph["location"]) == (320, 240, scene.place.location)
        assert Counter(entry["name"] for entry in graph["objects"].values()) == Counter(i.name for i in scene.items)
        for entry in graph["objects"].values():
            assert set(entry) == {"name", "x", "y", "w", "h", "attributes", "relations"}
            assert all(relation["object"] in graph["objects"] for relation in entry["relations"])


def test_visual_genome_agrees_with_the_scene_graphs(world: Path) -> None:
    graphs = {**load(world / "gqa" / "val_sceneGraphs.json"), **load(world / "gqa" / "train_sceneGraphs.json")}
    files = {path.stem: load(path) for path in (world / "vg").iterdir()}
    assert [image["image_id"] for image in files["image_data"]] == list(range(1, IMAGES + 1))
    for objects, attributes in zip(files["objects"], files["attributes"], strict=True):
        graph = graphs[str(objects["image_id"])]["objects"]
        for entry, attribute_entry in zip(objects["objects"], attributes["attributes"], strict=True):
            gqa_entry = graph[str(entry["object_id"])]
            assert entry["names"] == [gqa_entry["name"]]
            assert attribute_entry["attributes"] == gqa_entry["attributes"]
            assert entry["synsets"][0].split(".")[1] == "n"
    for entry in files["relationships"]:
        graph = graphs[str(entry["image_id"])]["objects"]
        for relation in entry["relationships"]:
            subject, target = graph[str(relation["subject"]["object_id"])], str(relation["object"]["object_id"])
            assert {"object": target, "name": relation["predicate"]} in subject["relations"]
    qas = [qa for entry in files["question_answers"] for qa in entry["qas"]]
    assert all(qa["answer"].endswith(".") and qa["answer"][0] == qa["answer"][0].upper() for qa in qas)
    assert not any(qa["answer"] in ("Yes.", "No.") for qa in qas)
    assert 0.5 < sum(qa["question"].endswith("?") and "  " not in qa["question"] for qa in qas) / len(qas) < 1


def test_dialogs_have_ten_rounds_with_the_answer_among_a_hundred(world: Path) -> None:
    file = load(world / "visdial" / "visdial_1.0_val.json")
    data = file["data"]
    assert (file["version"], file["split"]) == ("1.0", "val2018")
    assert len(set(data["answers"])) == len(data["answers"])
    assert len(data["dialogs"]) == IMAGES // 4
    for dialog in data["dialogs"]:
        assert len(dialog["dialog"]) == 10
        assert dialog["caption"]
        for entry in dialog["dialog"]:
            question = data["questions"][entry["question"]]
            assert question == question.lower().rstrip("?")
            assert len(set(entry["answer_options"])) == 100
            assert entry["answer_options"][entry["gt_index"]] == entry["answer"] < len(data["answers"])


def test_dialog_answers_are_true(world: Path) -> None:
    data = load(world / "visdial" / "visdial_1.0_val.json")["data"]
    graphs = load(world / "gqa" / "val_sceneGraphs.json")
    for dialog in data["dialogs"]:
        for entry in dialog["dialog"]:
            question, answer = data["questions"][entry["question"]], data["answers"][entry["answer"]]
            if not question.startswith("what time"):
                truth = checker.answer(f"{question.capitalize()}?", Graph(graphs[str(dialog["image_id"])]))
                answer = {"yep": "yes", "nope": "no"}.get(answer, answer)
                assert answer == truth or (answer.startswith((f"{truth},", "there ", "it ")) and truth in answer)


def test_fvqa_has_the_official_layout(world: Path) -> None:
    questions = load(world / "fvqa" / "all_qs_dict_release.json")
    facts = load(world / "fvqa" / "all_fact_triples_release.json")
    assert len(facts) == len(FACTS)
    for key, question in questions.items():
        assert question["question_id"] == key
        (fact,) = (facts[fact] for fact in question["fact"])
        assert question["fact_surface"] == fact["surface"]
        assert question["kb_source"] == fact["KB"]
        assert fact["surface"].count("[[") == fact["surface"].count("]]") == 2
        label = fact["e1_label"] if question["ans_source"] == "image" else fact["e2_label"]
        assert question["answer"] == label
    images = {question["img_file"] for question in questions.values()}
    for fold in range(5):
        sides = [
            set((world / "fvqa" / "Name_Lists" / f"{part}_list_{fold}.txt").read_text().split())
            for part in ("train", "test")
        ]
        assert not sides[0] & sides[1]
        assert images <= sides[0] | sides[1]


def test_a_fact_question_has_one_answer_in_its_picture(world: Path) -> None:
    graphs = load(world / "gqa" / "val_sceneGraphs.json")
    claims = {fact.key: claim for claim in CLAIMS for fact in claim.facts.values()}
    count = 0
    for question in load(world / "fvqa" / "all_qs_dict_release.json").values():
        if question["ans_source"] == "image":
            graph = graphs[str(int(question["img_file"][-16:-4]))]
            names = {entry["name"] for entry in graph["objects"].values()}
            claim = claims[question["fact"][0]]
            assert names & set(claim.facts) == {question["answer"]}
            assert not names & claim.doubtful
            count += 1
    assert count


def test_conceptnet_has_the_official_columns(world: Path) -> None:
    data = (world / "conceptnet" / "conceptnet-assertions-demo.csv.gz").read_bytes()
    rows = list(csv.reader(io.StringIO(gzip.decompress(data).decode()), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) > 100
    for uri, relation, start, end, details in rows:
        assert uri == f"/a/[{relation}/,{start}/,{end}/]"
        assert start.startswith("/c/en/")
        assert json.loads(details)["weight"] > 0
    assert len({row[0] for row in rows}) == len(rows)


def test_convqa_sets_are_true(world: Path) -> None:
    graphs = load(world / "gqa" / "val_sceneGraphs.json")
    common_sense = load(world / "convqa" / "CommonSense_ConVQA_consistent.json")
    logical = load(world / "convqa" / "cleaned_Logical_ConVQA_test.json")
    assert len(common_sense) == len(logical) == IMAGES // 8
    rows = [(str(int(url[-16:-4])), q, a) for url, entries in common_sense.items() for q, a in entries]
    rows += [(image, e["question"], e["answer"]) for image, sets in logical.items() for group in sets for e in group]
    for image, question, answer in rows:
        assert checker.answer(f"{question.capitalize()}?", Graph(graphs[image])) == answer


def test_every_picture_opens_under_both_names(world: Path) -> None:
    questions = [q for split in ("val2014", "train2014") for q in vqa(world, split)[0]["questions"]]
    assert len(list((world / "images").glob("COCO_*.jpg"))) == len({q["image_id"] for q in questions}) == IMAGES
    for image in load(world / "vg" / "image_data.json"):
        with Image.open(world / "images" / f"{image['image_id']}.jpg") as picture:
            picture.load()
            assert picture.size == (image["width"], image["height"])


def test_no_pictures_means_no_images_folder_and_the_same_text(world: Path, tmp_path: Path) -> None:
    make_world(tmp_path / "plain", IMAGES, seed=3, pictures=False)
    text_files = contents(tmp_path / "plain")
    assert text_files == {name: data for name, data in contents(world).items() if not name.startswith("images")}


def test_the_summary_counts_what_was_written(tmp_path: Path) -> None:
    steps: list[int] = []
    summary = make_world(tmp_path / "w", 10, pictures=False, progress=steps.append)
    questions = sum(len(ask_questions(make_scene(0, number), 0)) for number in range(10))
    assert summary.val_questions + summary.train_questions == questions
    assert (summary.images, summary.dialogs) == (10, 3)
    assert steps == list(range(1, 11))


def test_a_taken_folder_is_refused_and_untouched(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(BadInputError, match="not empty"):
        make_world(tmp_path, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]


def test_force_replaces_an_earlier_world(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    make_world(folder, 1)
    make_world(folder, 2, pictures=False, force=True)
    assert not (folder / "images").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["w"]


def test_a_failure_in_the_middle_leaves_nothing_behind(tmp_path: Path) -> None:
    def stop(images: int) -> None:
        if images == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_world(tmp_path / "w", 10, pictures=False, progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_a_world_without_images_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="at least 1"):
        make_world(tmp_path / "w", 0)


@pytest.mark.slow
def test_every_synset_is_in_wordnet_where_a_database_is_present(world: Path) -> None:
    nltk = pytest.importorskip("nltk.corpus")
    try:
        nltk.wordnet.synsets("dog")
    except LookupError:
        pytest.skip("no WordNet database for nltk")
    names = {entry["synsets"][0] for image in load(world / "vg" / "objects.json") for entry in image["objects"]}
    for name in sorted(names):
        assert nltk.wordnet.synset(name)
