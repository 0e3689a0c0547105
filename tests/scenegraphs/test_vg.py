"""Visual Genome's files: three streams in step, aliases, synsets, and their faults."""

import gzip
import json
import tracemalloc
import zipfile
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from diptych.demo import make_world
from diptych.errors import BadInputError, MissingFileError
from diptych.scenegraphs import (
    Phrase,
    Problem,
    SceneGraph,
    has_vg,
    parse_vg_image,
    read_aliases,
    read_images,
    truth,
    vg_files,
)
from diptych.scenegraphs._names import Aliases, contradicts, parse_aliases
from diptych.scenegraphs._readers import (
    DANGLING_RELATION,
    NO_BOX,
    NO_NAME,
    NO_SIZE,
    NOT_A_GRAPH,
    OTHER_SENSE,
    OUTSIDE_IMAGE,
    UNREADABLE_RELATION,
)
from diptych.sources import require_file
from tests.scenegraphs.readers import read_gqa, read_vg

BOX = {"x": 1, "y": 2, "w": 10, "h": 10}


def thing(key: int, name: str, *synsets: str, **more: Any) -> dict[str, Any]:
    return {"object_id": key, "names": [name], "synsets": list(synsets), "merged_object_ids": [], **BOX, **more}


def relation(subject: int, predicate: str, other: int) -> dict[str, Any]:
    return {
        "relationship_id": 5,
        "predicate": predicate,
        "synsets": [],
        "subject": {"object_id": subject},
        "object": {"object_id": other},
    }


def write(data: Path, objects: Iterable[Any], attributes: Iterable[Any] = (), relations: Iterable[Any] = ()) -> Path:
    """The four files about one image, number 7, of 100 by 50 pixels."""
    folder = data / "vg"
    folder.mkdir(parents=True, exist_ok=True)
    contents = {
        "image_data": {"image_id": 7, "width": 100, "height": 50},
        "objects": {"image_id": 7, "objects": objects},
        "attributes": {"image_id": 7, "attributes": attributes},
        "relationships": {"relationships": relations, "image_id": 7},
    }
    for name, record in contents.items():
        (folder / f"{name}.json").write_text(json.dumps([record]))
    return data


def read_one(data: Path) -> SceneGraph:
    (graph,) = read_vg(data)
    return graph


def test_names_attributes_and_relations_come_together_by_the_ids(tmp_path: Path) -> None:
    objects = [thing(1, "Man ", "man.n.01"), thing(2, "hat", "hat.n.01")]
    attributes = [{**objects[1], "attributes": ["Grey", " straw "]}]
    graph = read_one(write(tmp_path, objects, attributes, [relation(1, "WEARING", 2)]))
    assert [thing.name for thing in graph.objects] == ["man", "hat"]
    assert graph["1"].relations == (("wearing", "2"),)
    assert graph["2"].attributes == ("gray", "straw")
    assert (graph.width, graph.height, graph.problems) == (100, 50, ())


def test_what_was_merged_into_an_object_belongs_to_it(tmp_path: Path) -> None:
    objects = [thing(1, "man", merged_object_ids=[11, 12]), thing(2, "hat")]
    attributes = [{"object_id": 11, "attributes": ["tall"]}, {"object_id": 1, "attributes": ["happy"]}]
    graph = read_one(write(tmp_path, objects, attributes, [relation(12, "wearing", 2), relation(2, "on", 11)]))
    assert graph["1"].attributes == ("tall", "happy")
    assert (graph["1"].relations, graph["2"].relations) == ((("wearing", "2"),), (("on", "1"),))
    assert not graph.problems


def end(key: int, name: str, *synsets: str, **more: Any) -> dict[str, Any]:
    """An object as `relationships.json` has it: one name, and a box."""
    return {"object_id": key, "name": name, "synsets": list(synsets), "merged_object_ids": [], **BOX, **more}


def test_what_only_a_relationship_names_is_there_with_its_box(tmp_path: Path) -> None:
    listed = relation(1, "wearing", 2) | {"subject": end(1, "man"), "object": end(2, "hat", "hat.n.01", x=30, w=4)}
    graph = read_one(write(tmp_path, [thing(1, "man")], relations=[listed]))
    assert [(thing.id, thing.name, thing.box) for thing in graph.objects] == [
        ("1", "man", (1, 2, 10, 10)),
        ("2", "hat", (30, 2, 4, 10)),
    ]
    assert (graph["1"].relations, graph.problems) == ((("wearing", "2"),), ())


def test_what_only_the_attributes_name_is_there_and_not_called_absent(tmp_path: Path) -> None:
    attributes = [{**thing(2, "Umbrella"), "attributes": ["red"]}, {**thing(1, "man"), "attributes": ["tall"]}]
    graph = read_one(write(tmp_path, [thing(1, "man")], attributes))
    assert [(thing.name, thing.attributes) for thing in graph.objects] == [("man", ("tall",)), ("umbrella", ("red",))]
    assert truth(Phrase("umbrella"), graph) is True


def test_an_object_is_added_once_and_never_one_that_was_merged(tmp_path: Path) -> None:
    twice = [relation(1, "near", 3) | {"object": end(3, "dog")}, relation(3, "near", 1) | {"subject": end(3, "dog")}]
    merged = relation(11, "on", 3) | {"subject": end(11, "guy"), "object": end(3, "dog")}
    graph = read_one(write(tmp_path, [thing(1, "man", merged_object_ids=[11])], relations=[*twice, merged]))
    assert [thing.name for thing in graph.objects] == ["man", "dog"]
    assert graph["1"].relations == (("near", "3"), ("on", "3"))


def test_an_added_object_without_a_box_is_uncertain(tmp_path: Path) -> None:
    listed = relation(1, "near", 3) | {"object": {"object_id": 3, "name": "dog"}}
    graph = read_one(write(tmp_path, [thing(1, "man")], relations=[listed]))
    assert [thing.name for thing in graph.uncertain_objects] == ["dog"]
    assert truth(Phrase("dog"), graph) is None


def test_a_name_no_table_knows_goes_by_its_alias_in_its_number(tmp_path: Path) -> None:
    write(tmp_path, [thing(1, "an elephant"), thing(2, "giraffes are"), thing(3, "bike")])
    (tmp_path / "vg" / "object_alias.txt").write_text("elephant,an elephant\ngiraffe,giraffes are\nwheels,bike\n")
    (tmp_path / "vg" / "relationship_alias.txt").write_text("on,on the\n")
    assert [thing.name for thing in read_one(tmp_path).objects] == ["elephant", "giraffes", "bike"]


def test_a_relation_goes_by_its_alias(tmp_path: Path) -> None:
    write(tmp_path, [thing(1, "cup"), thing(2, "table")], relations=[relation(1, "is on the", 2)])
    (tmp_path / "vg" / "relationship_alias.txt").write_text("on,is on the,on a\n")
    assert read_one(tmp_path)["1"].relations == (("on", "2"),)


@pytest.mark.parametrize(
    ("annotated_name", "sense", "name"),
    [
        ("the cars", "", "cars"),
        ("sedan", "sedan.n.01", "car"),
        ("sedans", "sedan.n.01", "cars"),
        ("chihuahua", "chihuahua.n.03", "dog"),
        ("widget", "doodad.n.01", "widget"),
        ("dog", "cat.n.01", "dog"),
        ("zzz", "no.such.synset", "zzz"),
        ("zzz", "", "zzz"),
    ],
)
def test_a_name_no_table_knows_goes_by_the_nearest_name_above_its_synset(
    annotated_name: str, sense: str, name: str
) -> None:
    assert Aliases().object_name(annotated_name, sense) == name


def test_a_synset_of_another_meaning_makes_a_thing_unsure(tmp_path: Path) -> None:
    graph = read_one(write(tmp_path, [thing(1, "mouse", "mouse.n.01"), thing(2, "cat", "cat.n.01")]))
    assert [thing.name for thing in graph.objects] == ["cat"]
    assert [(thing.name, thing.sense) for thing in graph.uncertain_objects] == [("mouse", "mouse.n.01")]
    assert graph.problems == (Problem(OTHER_SENSE, "image 7, object 1 (mouse)"),)


@pytest.mark.parametrize(("name", "sense"), [("girl", "female_child.n.01"), ("dog", "puppy.n.01"), ("dog", "?")])
def test_a_neighboring_or_unknown_synset_contradicts_nothing(name: str, sense: str) -> None:
    assert not contradicts(name, sense)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [({"names": []}, NO_NAME), ({"names": None}, NO_NAME), ({"w": None}, NO_BOX), ({"x": 500}, OUTSIDE_IMAGE)],
)
def test_an_object_that_cannot_be_used_is_unsure_and_reported(
    tmp_path: Path, broken: dict[str, Any], reason: str
) -> None:
    graph = read_one(write(tmp_path, [thing(1, "man") | broken, thing(2, "hat")], relations=[relation(2, "on", 1)]))
    assert [thing.id for thing in graph.objects] == ["2"]
    assert graph["2"].relations == ()
    assert [(problem.reason, problem.location[:17]) for problem in graph.problems] == [(reason, "image 7, object 1")]


def test_dangling_and_unreadable_relations_are_reported(tmp_path: Path) -> None:
    relations = [relation(1, "on", 9), relation(9, "on", 1), {"relationship_id": 6}, "on"]
    graph = read_one(write(tmp_path, [thing(1, "man")], relations=relations))
    assert set(graph.problems) == {
        Problem(DANGLING_RELATION, "image 7, object 1 (man): on 9"),
        Problem(DANGLING_RELATION, "image 7, object 9 (on 1)"),
        Problem(UNREADABLE_RELATION, "image 7, relationship 6"),
        Problem(UNREADABLE_RELATION, "image 7, relationship (no id)"),
    }


@pytest.mark.parametrize("name", ["objects", "attributes", "relationships"])
def test_a_record_without_its_list_is_reported(tmp_path: Path, name: str) -> None:
    write(tmp_path, [thing(1, "man")])
    (tmp_path / "vg" / f"{name}.json").write_text('[{"image_id": 7}]')
    assert read_one(tmp_path).problems == (Problem(NOT_A_GRAPH, "image 7"),)


@pytest.mark.parametrize("sizes", ["[]", '[{"image_id": 7}]', '[{"image_id": 7, "width": 0, "height": 9}]'])
def test_an_image_without_a_size_is_reported(tmp_path: Path, sizes: str) -> None:
    write(tmp_path, [thing(1, "man")])
    (tmp_path / "vg" / "image_data.json").write_text(sizes)
    assert read_one(tmp_path).problems == (Problem(NO_SIZE, "image 7"),)


@pytest.mark.parametrize("content", ['[{"image_id": 8, "attributes": []}]', "[]", "[3]"])
def test_files_that_are_out_of_step_are_refused_with_the_image(tmp_path: Path, content: str) -> None:
    write(tmp_path, [thing(1, "man")])
    (tmp_path / "vg" / "attributes.json").write_text(content)
    with pytest.raises(BadInputError, match=r"attributes\.json: image .* where objects\.json has image 7"):
        list(read_vg(tmp_path))


@pytest.mark.parametrize("content", ["", "{}", '[{"image_id": 7', "null"])
def test_a_broken_file_is_one_clear_line(tmp_path: Path, content: str) -> None:
    write(tmp_path, [thing(1, "man")])
    (tmp_path / "vg" / "objects.json").write_text(content)
    with pytest.raises(BadInputError, match=r"objects\.json: "):
        list(read_vg(tmp_path))


def test_a_missing_file_is_named_with_where_to_get_it(tmp_path: Path) -> None:
    write(tmp_path, [])
    (tmp_path / "vg" / "attributes.json").unlink()
    assert not has_vg(tmp_path)
    with pytest.raises(MissingFileError, match=r"attributes\.json is missing.*visualgenome"):
        list(read_vg(tmp_path))


def test_zipped_and_gzipped_files_tell_the_same(tmp_path: Path) -> None:
    plain = write(tmp_path / "plain", [thing(1, "man"), thing(2, "hat")], relations=[relation(1, "wearing", 2)])
    packed = tmp_path / "packed" / "vg"
    packed.mkdir(parents=True)
    for file in (plain / "vg").iterdir():
        if file.name == "objects.json":
            (packed / "objects.json.gz").write_bytes(gzip.compress(file.read_bytes()))
        else:
            with zipfile.ZipFile(packed / f"{file.name}.zip", "w") as archive:
                archive.write(file, file.name)
    assert list(read_vg(tmp_path / "packed")) == list(read_vg(plain))


def test_gqa_and_visual_genome_tell_the_same_of_a_picture(tmp_path: Path) -> None:
    make_world(tmp_path, 6, pictures=False)
    files = [require_file(tmp_path, "gqa", f"{split}_sceneGraphs.json") for split in ("val", "train")]
    vg = {graph.image_id: graph for graph in read_vg(tmp_path)}
    for graph in (graph for file in files for graph in read_gqa(file)):
        same = vg[graph.image_id]
        things = sorted((*same.objects, *same.uncertain_objects), key=lambda thing: int(thing.id))
        assert [(t.name, t.box, t.attributes) for t in graph.objects] == [(t.name, t.box, t.attributes) for t in things]


def test_images_can_be_parsed_in_other_processes(tmp_path: Path) -> None:
    make_world(tmp_path, 6, pictures=False)
    files = vg_files(tmp_path)
    images, aliases = list(read_images(files)), read_aliases(files)
    with ProcessPoolExecutor(2) as pool:
        assert list(pool.map(parse_vg_image, images, [aliases] * len(images))) == list(read_vg(tmp_path))


def peak(data: Path) -> int:
    tracemalloc.start()
    try:
        for _ in read_vg(data):
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_the_files_are_never_held_whole(tmp_path: Path) -> None:
    for name, images in (("warm", 2), ("few", 60), ("many", 600)):
        make_world(tmp_path / name, images, pictures=False)
    peak(tmp_path / "warm")  # the tables and WordNet are read once
    few, many = peak(tmp_path / "few"), peak(tmp_path / "many")
    size = sum(file.stat().st_size for file in (tmp_path / "many" / "vg").glob("*.json"))
    assert many - few < size / 10


@pytest.mark.real_data
def test_the_real_aliases_keep_what_the_tables_know(real_data: Path) -> None:
    names = parse_aliases((real_data / "vg" / "object_alias.txt").read_text().splitlines())
    aliases = Aliases(names)
    assert aliases.object_name("bikes") == "bikes"
    assert aliases.object_name("giraffes are") == "giraffes"
    assert aliases.object_name("an oven") == "oven"
