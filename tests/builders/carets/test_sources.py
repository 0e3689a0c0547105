"""Where carets comes from: GQA or Visual Genome, and what becomes of graphs that cannot be used."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pyarrow.parquet as pq
import pytest
from datasets import load_dataset

from diptych.demo import make_world
from diptych.scenegraphs._readers import (
    DANGLING_RELATION,
    NO_AREA,
    NO_BOX,
    NO_NAME,
    NO_OBJECTS,
    NO_SIZE,
    NOT_A_GRAPH,
    OTHER_SENSE,
    OUTSIDE_IMAGE,
    UNREADABLE_RELATION,
)
from tests.builders.carets.oracle import oracle_answers
from tests.builders.conftest import run

FEW = ("--set", "pairs=150", "--set", "images=recipe")
VG_FILES = {"image_data.json", "objects.json", "attributes.json", "relationships.json"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world") / "data"
    make_world(folder, 60, pictures=False)
    return folder


@pytest.fixture(scope="module")
def only_vg(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vg")
    shutil.copytree(world / "vg", folder / "vg")
    return folder


@pytest.fixture(scope="module")
def from_vg(only_vg: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "carets"
    assert run("build", "carets", "--data", str(only_vg), "--out", str(out), *FEW) == 0
    return out


def manifest(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = orjson.loads((folder / "manifest.json").read_bytes())
    return read


def rows(folder: Path) -> dict[tuple[str, str], list[dict[str, Any]]]:
    files = sorted(folder.glob("data/*/*.parquet"))
    return {(file.parent.name, file.name.split("-")[0]): pq.read_table(file).to_pylist() for file in files}


def test_visual_genome_is_read_where_gqa_is_not_there(from_vg: Path) -> None:
    told = manifest(from_vg)
    assert list(told["sources"]) == ["vg"]
    recipe = told["recipes"]["negation"]
    assert set(recipe["sources"]) == VG_FILES
    assert recipe["parameters"]["graphs"] == "vg"
    assert {row["source"] for of in rows(from_vg).values() for row in of} == {"vg"}
    assert load_dataset(str(from_vg), "negation", split="train").num_rows > 100
    assert "Visual Genome's objects" in (from_vg / "README.md").read_text()


def test_the_oracle_is_right_on_every_pair_from_visual_genome(from_vg: Path, only_vg: Path) -> None:
    of_all = rows(from_vg)
    assert {config for config, _ in of_all} >= {"rephrase", "ontological", "order", "visual", "negation"}
    for (_, split), of in of_all.items():
        answers = oracle_answers(of, split, only_vg)
        for side in ("original", "perturbed"):
            assert answers[side] == [row[f"{side}_answer"] for row in of]


def test_things_of_another_sense_are_in_the_ledger_and_on_the_card(from_vg: Path) -> None:
    problem = manifest(from_vg)["configs"]["order"]["ledger"]["train"]["carets.order"]["problems"][OTHER_SENSE]
    assert problem["count"] >= len(problem["first"]) > 0
    assert problem["first"][0].startswith("image ")
    assert problem["first"][0] in (from_vg / "README.md").read_text()


def test_a_build_from_visual_genome_is_built_again_though_gqa_is_there_now(from_vg: Path, world: Path) -> None:
    assert run("build", str(from_vg), "--data", str(world)) == 0


@pytest.mark.parametrize(
    ("said", "source"), [((), "gqa"), (("--set", "graphs=gqa"), "gqa"), (("--set", "graphs=vg"), "vg")]
)
def test_where_both_are_there_one_may_choose(world: Path, tmp_path: Path, said: tuple[str, ...], source: str) -> None:
    args = ("--data", str(world), "--out", str(tmp_path / "o"), "--config", "negation", *FEW, *said)
    assert run("build", "carets", *args) == 0
    assert list(manifest(tmp_path / "o")["sources"]) == [source]


@pytest.mark.parametrize(("graphs", "code"), [("gqa", 2), ("coco", 2)])
def test_a_source_that_is_not_there_is_refused(only_vg: Path, tmp_path: Path, graphs: str, code: int) -> None:
    args = ("--data", str(only_vg), "--out", str(tmp_path / "o"), "--set", f"graphs={graphs}")
    assert run("build", "carets", *args) == code


@pytest.mark.slow
def test_visual_genome_gives_the_same_bytes_with_two_workers(from_vg: Path, only_vg: Path, tmp_path: Path) -> None:
    assert run("build", "carets", "--data", str(only_vg), "--out", str(tmp_path / "o"), *FEW, "--num-proc", "2") == 0
    for file in sorted(from_vg.glob("data/*/*.parquet")):
        assert (tmp_path / "o" / file.relative_to(from_vg)).read_bytes() == file.read_bytes(), file


# Every kind of damage, done to the graph of an image of its own.


def first(graph: dict[str, Any]) -> dict[str, Any]:
    thing: dict[str, Any] = next(iter(graph["objects"].values()))
    return thing


GQA_DAMAGE: dict[str, Callable[[dict[str, Any]], Any]] = {
    NO_NAME: lambda graph: first(graph).pop("name"),
    NO_BOX: lambda graph: first(graph).pop("w"),
    OUTSIDE_IMAGE: lambda graph: first(graph).update(x=9999),
    NO_AREA: lambda graph: first(graph).update(h=0),
    DANGLING_RELATION: lambda graph: first(graph)["relations"].append({"name": "on", "object": "nothing"}),
    UNREADABLE_RELATION: lambda graph: first(graph)["relations"].append("on"),
    NO_SIZE: lambda graph: graph.update(width=0),
    NOT_A_GRAPH: lambda graph: graph.pop("objects"),
    NO_OBJECTS: lambda graph: graph.update(objects={}),
}


def damaged_gqa(world: Path, data: Path) -> dict[str, str]:
    """A copy of the scene graphs with one damage an image; which image has which."""
    graphs = orjson.loads((world / "gqa" / "val_sceneGraphs.json").read_bytes())
    victims = dict(zip(GQA_DAMAGE, graphs, strict=False))
    for reason, image in victims.items():
        GQA_DAMAGE[reason](graphs[image])
    (data / "gqa").mkdir(parents=True)
    (data / "gqa" / "val_sceneGraphs.json").write_bytes(orjson.dumps(graphs))
    return victims


def test_damaged_graphs_are_reported_by_their_ids_and_crash_nothing(world: Path, tmp_path: Path) -> None:
    victims = damaged_gqa(world, tmp_path / "data")
    out = tmp_path / "o"
    assert run("build", "carets", "--data", str(tmp_path / "data"), "--out", str(out), *FEW) == 0
    for config, entry in manifest(out)["configs"].items():
        problems = entry["ledger"]["validation"][f"carets.{config}"]["problems"]
        assert {reason: problem["count"] for reason, problem in problems.items()} == dict.fromkeys(GQA_DAMAGE, 1)
        for reason, image in victims.items():
            assert problems[reason]["first"][0].startswith(f"image {image}")
    lost = {victims[reason] for reason in (NO_SIZE, NOT_A_GRAPH, NO_OBJECTS)}
    assert not lost & {row["original_image_id"] for of in rows(out).values() for row in of}
    assert run("check", str(out), "--oracle", "--data", str(tmp_path / "data")) == 0


def test_nothing_is_called_absent_where_a_thing_has_no_name(world: Path, tmp_path: Path) -> None:
    victims = damaged_gqa(world, tmp_path / "data")
    out = tmp_path / "o"
    args = ("--data", str(tmp_path / "data"), "--out", str(out), "--config", "negation", "--set", "pairs=2000")
    assert run("build", "carets", *args) == 0
    asked = [row for row in rows(out)["negation", "validation"] if row["original_image_id"] == victims[NO_NAME]]
    assert {row["original_answer"] for row in asked if row["question_type"] == "object"} == {"yes"}


VG_DAMAGE: dict[str, Callable[[dict[str, Any]], Any]] = {
    NO_NAME: lambda objects: objects.update(names=[]),
    NO_BOX: lambda objects: objects.update(x="left"),
    OUTSIDE_IMAGE: lambda objects: objects.update(y=-9999),
    NO_AREA: lambda objects: objects.update(w=0),
    DANGLING_RELATION: lambda objects: objects.update(object_id=-1),
}


def test_damaged_files_of_visual_genome_crash_nothing(world: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "vg"
    shutil.copytree(world / "vg", folder)
    images = orjson.loads((folder / "objects.json").read_bytes())
    related = orjson.loads((folder / "relationships.json").read_bytes())
    subjects = {
        record["image_id"]: [one["subject"]["object_id"] for one in record["relationships"]] for record in related
    }
    victims = {}
    for image in images:
        pending = next((reason for reason in VG_DAMAGE if reason not in victims), None)
        held = [one for one in image["objects"] if one["object_id"] in subjects[image["image_id"]]]
        if pending and held:
            gone = held[0]["object_id"]
            VG_DAMAGE[pending](held[0])
            victims[pending] = image["image_id"]
    (folder / "objects.json").write_bytes(orjson.dumps(images))
    described = orjson.loads((folder / "attributes.json").read_bytes())
    ends = [one[side] for record in related for one in record["relationships"] for side in ("subject", "object")]
    for one in (*ends, *(one for record in described for one in record["attributes"])):
        if one["object_id"] == gone:  # of the last one, which no file names any more
            one.pop("name", None)
            one.pop("names", None)
    (folder / "attributes.json").write_bytes(orjson.dumps(described))
    related[-1].pop("relationships")
    (folder / "relationships.json").write_bytes(orjson.dumps(related))
    out = tmp_path / "o"
    assert (
        run("build", "carets", "--data", str(tmp_path / "data"), "--out", str(out), "--config", "negation", *FEW) == 0
    )
    problems = manifest(out)["configs"]["negation"]["ledger"]["train"]["carets.negation"]["problems"]
    for reason, image_id in victims.items():
        assert problems[reason]["first"][0].startswith(f"image {image_id}, object")
    assert problems[NOT_A_GRAPH]["first"] == [f"image {related[-1]['image_id']}"]
    assert run("check", str(out), "--oracle", "--data", str(tmp_path / "data")) == 0


def test_what_only_the_relationships_of_visual_genome_name_is_there_for_the_oracle_too(
    world: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "data" / "vg"
    shutil.copytree(world / "vg", folder)
    related = orjson.loads((folder / "relationships.json").read_bytes())
    targets = {one["object"]["object_id"] for record in related for one in record["relationships"]}
    images = orjson.loads((folder / "objects.json").read_bytes())
    for image in images:
        image["objects"] = [thing for thing in image["objects"] if thing["object_id"] not in targets]
    (folder / "objects.json").write_bytes(orjson.dumps(images))
    out, data = tmp_path / "o", str(tmp_path / "data")
    assert run("build", "carets", "--data", data, "--out", str(out), "--config", "negation", *FEW) == 0
    assert run("check", str(out), "--oracle", "--data", data) == 0
    ids = {thing for row in rows(out)["negation", "train"] for thing in orjson.loads(row["bindings"])["objects"]}
    assert ids & set(map(str, targets))
