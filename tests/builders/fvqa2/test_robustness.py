"""What is wrong in fvqa2's sources is named and counted, and the rest is used all the same."""

import gzip
import json
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from datasets import load_dataset

from diptych.builders import BuildOptions
from diptych.builders.fvqa2 import Fvqa2
from diptych.builders.fvqa2._entities import thing_field
from diptych.builders.fvqa2._facts import fits_sense
from diptych.builders.fvqa2._images import coco_number, index_images, named_thing, thing_in_question
from diptych.errors import BadInputError
from diptych.sources import read_coco_instances, read_fvqa, read_vg_objects
from tests.builders.conftest import run
from tests.builders.fvqa2.small_world import question


@pytest.fixture
def mine(data: Path, tmp_path: Path) -> Path:
    """A copy of the sources that a test may break."""
    for name in ("fvqa", "conceptnet", "vg"):
        shutil.copytree(data / name, tmp_path / "data" / name)
    return tmp_path / "data"


def build(data: Path, out: Path, *more: str) -> dict[str, Any]:
    assert run("build", "fvqa2", "--data", str(data), "--out", str(out), "--config", "fold_0", *more) == 0
    manifest: dict[str, Any] = json.loads((out / "manifest.json").read_text())
    return manifest


def test_a_malformed_dump_line_is_named_and_the_rest_is_read(mine: Path, tmp_path: Path) -> None:
    before = build(mine, tmp_path / "before")["configs"]["fold_0"]
    (dump,) = (mine / "conceptnet").glob("conceptnet-assertions-*.csv*")
    lines = gzip.decompress(dump.read_bytes()) if dump.suffix == ".gz" else dump.read_bytes()
    broken = b"/a/oops\t/r/IsA\n" + lines
    dump.write_bytes(gzip.compress(broken) if dump.suffix == ".gz" else broken)
    after = build(mine, tmp_path / "after")["configs"]["fold_0"]
    assert before["notes"]["dump"]["malformed"] == 0
    assert after["notes"]["dump"]["malformed"] == 1
    (named,) = after["notes"]["dump"]["named"]
    assert re.match(rf"{re.escape(dump.name)}:\D*1\b", named)
    assert after["splits"]["adversarial"]["content_hash"] == before["splits"]["adversarial"]["content_hash"]


def test_a_fact_with_one_entity_is_counted_and_its_question_kept(mine: Path, tmp_path: Path) -> None:
    path = next((mine / "fvqa").glob("all_qs_dict_release.json*"))
    opened = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    entries = json.loads(opened)
    key = next(iter(entries))
    entries[key] |= {"fact": ["nowhere"], "fact_surface": "only [[one entity]]"}
    text = json.dumps(entries).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    entry = build(mine, tmp_path / "out")["configs"]["fold_0"]
    assert entry["notes"]["facts"]["without two entities"] == 1
    reasons = [
        reason
        for split in ("adversarial", "augmentation")
        for counts in entry["ledger"][split].values()
        for reason in counts["skipped"]
    ]
    assert "the fact does not name two entities" in reasons
    folds = load_dataset(str(tmp_path / "out"), "fold_0")
    asked = {row.partition("/")[2] for split in ("train", "test") for row in folds[split]["source_id"]}
    assert entries[key]["question_id"] in asked


def test_an_image_without_annotation_is_counted_and_its_question_kept(mine: Path, tmp_path: Path) -> None:
    shutil.rmtree(mine / "vg")
    images = index_images([(each.image, thing_in_question(each)) for each in read_fvqa(mine)], {})
    bare = [things for things in images.things if not things]
    entry = build(mine, tmp_path / "out")["configs"]["fold_0"]
    assert entry["notes"]["images without annotation"] == len(bare)


def test_blocked_rejected_and_light_facts_are_counted(mine: Path, tmp_path: Path) -> None:
    reject = tmp_path / "reject.txt"
    reject.write_text("*|UsedFor|*\n")
    before = build(mine, tmp_path / "before")["configs"]["fold_0"]["notes"]["facts"]
    after = build(mine, tmp_path / "after", "--reject", str(reject))["configs"]["fold_0"]["notes"]["facts"]
    assert before.get("rejected", 0) == 0
    assert after["rejected"] > 0
    assert after["used"] + after["rejected"] + after.get("too light", 0) == before["used"] + before.get("too light", 0)


def test_a_verdict_for_an_unknown_pair_is_named(mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(mine, tmp_path / "before")
    known = load_dataset(str(tmp_path / "before"), "fold_0")["adversarial"]["pair_id"][0]
    verdicts = tmp_path / "verdicts.jsonl"
    verdicts.write_text("".join(f'{{"pair_id": "{name}", "verdict": "accepted"}}\n' for name in (known, "nobody")))
    capsys.readouterr()
    told = build(mine, tmp_path / "after", "--verdicts", str(verdicts))["verdicts"]
    assert told == {"given": 2, "used": 1, "unknown": 1, "first_unknown": ["nobody"], "unreviewed": "keep"}
    assert "verdicts: 1 of 2 are for pairs that were not built: nobody" in capsys.readouterr().out


def test_visual_genome_names_things_by_coco_id_and_other_images_keep_what_fvqa_says(tmp_path: Path) -> None:
    home = tmp_path / "vg"
    home.mkdir()
    (home / "image_data.json").write_text(json.dumps([{"image_id": 1, "coco_id": 7}, {"image_id": 2, "coco_id": None}]))
    objects = [
        {"image_id": 1, "objects": [{"names": ["Fire Hydrants"]}, {"names": ["dog"]}]},
        {"image_id": 2, "objects": [{"names": ["zebra"]}]},
    ]
    (home / "objects.json").write_text(json.dumps(objects))
    asked = [
        question("Which object can fly?", "bird", "bird", "CapableOf", "fly", image="COCO_val2014_000000000007.jpg"),
        question("Which object can fly?", "kite", "kite", "CapableOf", "fly", image="ILSVRC2012_test_00000007.JPEG"),
        question(
            "Which place is it?", "zoo", "zoo", "IsA", "place", image="COCO_val2014_000000000008.jpg", concept="scn"
        ),
    ]
    numbers = {number for each in asked if (number := coco_number(each.image)) is not None}
    objects_by_number = {
        number: [thing for name in names if (thing := named_thing(name))]
        for number, names in read_vg_objects(tmp_path, numbers).items()
    }
    index = index_images([(each.image, thing_in_question(each)) for each in asked], objects_by_number)
    things = dict(zip(index.images, index.things, strict=True))
    assert things["COCO_val2014_000000000007.jpg"] == {("bird",), ("fire", "hydrant"), ("dog",)}
    assert things["ILSVRC2012_test_00000007.JPEG"] == {("kite",)}
    assert things["COCO_val2014_000000000008.jpg"] == frozenset()


def coco_instances(annotations: list[dict[str, int]]) -> str:
    categories = [{"id": 1, "name": "person"}, {"id": 33, "name": "suitcase"}]
    return json.dumps({"info": {}, "images": [], "annotations": annotations, "categories": categories})


def test_coco_instances_add_things_beside_visual_genome(tmp_path: Path) -> None:
    folder = tmp_path / "coco" / "annotations"
    folder.mkdir(parents=True)
    annotations = [{"id": 1, "image_id": 7, "category_id": 33}, {"id": 2, "image_id": 7, "category_id": 33}]
    annotations += [{"id": 3, "image_id": 7, "category_id": 1}, {"id": 4, "image_id": 8, "category_id": 1}]
    (folder / "instances_val2014.json").write_text(coco_instances(annotations))
    assert read_coco_instances(tmp_path, {7}) == {7: ("suitcase", "person")}


def test_coco_instances_are_found_in_their_archive(tmp_path: Path) -> None:
    (tmp_path / "coco").mkdir()
    with zipfile.ZipFile(tmp_path / "coco" / "annotations_trainval2014.zip", "w") as archive:
        text = coco_instances([{"id": 1, "image_id": 7, "category_id": 1}])
        archive.writestr("annotations/instances_train2014.json", text)
    assert read_coco_instances(tmp_path, {7}) == {7: ("person",)}


def test_an_unknown_category_is_named_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "coco").mkdir()
    file = tmp_path / "coco" / "instances_val2014.json"
    file.write_text(coco_instances([{"id": 1, "image_id": 7, "category_id": 99}]))
    with pytest.raises(BadInputError, match=r"instances_val2014\.json: category 99 of image 7 is not among"):
        read_coco_instances(tmp_path, {7})


def test_a_build_warns_where_little_is_known_of_the_images(
    mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(mine, tmp_path / "with")
    assert "warning" not in capsys.readouterr().err
    shutil.rmtree(mine / "vg")
    entry = build(mine, tmp_path / "without")["configs"]["fold_0"]
    (line,) = entry["warnings"]
    assert line.startswith(f"only {entry['notes']['things per image']:.1f} things are known per image")
    assert f"warning: {line}" in capsys.readouterr().err
    assert "things are known per image" in (tmp_path / "without" / "README.md").read_text()


def test_coco_instances_of_a_build_make_the_warning_go(
    mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(mine / "vg")
    (mine / "coco").mkdir()
    numbers = sorted({number for each in read_fvqa(mine) if (number := coco_number(each.image)) is not None})
    names = ["suitcase", "bench", "umbrella", "kite", "zebra", "oven"]
    annotations = [{"id": n, "image_id": n, "category_id": c} for n in numbers for c in range(len(names))]
    categories = [{"id": number, "name": name} for number, name in enumerate(names)]
    text = json.dumps({"annotations": annotations, "categories": categories})
    (mine / "coco" / "instances_val2014.json").write_text(text)
    entry = build(mine, tmp_path / "out")["configs"]["fold_0"]
    assert entry["notes"]["things per image"] > 3
    assert "warning" not in capsys.readouterr().err


def test_a_download_fetches_what_visual_genome_knows_of_the_images(tmp_path: Path) -> None:
    files = Fvqa2().downloads(BuildOptions(tmp_path))
    assert files["vg"] == ("image_data.json", "objects.json")
    assert {"fvqa", "conceptnet"} < set(files)


def test_what_is_dropped_of_the_dump_is_told_and_relations_can_be_chosen(mine: Path, tmp_path: Path) -> None:
    (dump,) = (mine / "conceptnet").glob("conceptnet-assertions-*.csv*")
    lines = gzip.decompress(dump.read_bytes()) if dump.suffix == ".gz" else dump.read_bytes()
    added = b'/a/x\t/r/IsA\t/c/en/dog\t/c/en/animal\t{"weight": -1.0}\n/a/x\t/r/IsA\t/c/de/hund\t/c/de/tier\t{}\n'
    dump.write_bytes(gzip.compress(added + lines) if dump.suffix == ".gz" else added + lines)
    told = build(mine, tmp_path / "all")["configs"]["fold_0"]["notes"]["dump"]
    assert told["with a negative weight"] == 1
    assert told["in other languages"] >= 1
    fewer = build(mine, tmp_path / "few", "--set", "relations=IsA,UsedFor", "--set", "languages=en,de")
    notes = fewer["configs"]["fold_0"]["notes"]["dump"]
    assert notes["in other languages"] == told["in other languages"] - 1
    assert notes["of other relations"] > told["of other relations"]
    assert "with a negative weight" in (tmp_path / "all" / "README.md").read_text()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("languages=English!", "are not codes separated by commas, such as en,de"),
        ("relations=UsedFro", "unknown relation 'UsedFro'; did you mean 'UsedFor'?"),
    ],
)
def test_wrong_languages_and_relations_are_refused(
    mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], setting: str, message: str
) -> None:
    assert run("build", "fvqa2", "--data", str(mine), "--out", str(tmp_path / "x"), "--set", setting) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("sense", "thing", "expected"),
    [
        ("", "dog", True),
        ("n", "dog", True),
        ("n/wn/animal", "dog", True),
        ("n/wn/person", "dog", False),
        ("v", "dog", False),
        ("n/wn/artifact", "mouse", True),  # a mouse in an image may be either
    ],
)
def test_edges_of_another_sense_are_not_about_the_thing(sense: str, thing: str, expected: bool) -> None:
    assert fits_sense(sense, thing_field((thing,))) is expected
