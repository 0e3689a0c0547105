import gzip
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from diptych.demo import make_world
from diptych.errors import BadInputError
from diptych.scenegraphs import Problem, parse_graph
from diptych.scenegraphs._readers import (
    DANGLING_RELATION,
    NO_AREA,
    NO_BOX,
    NO_NAME,
    NO_OBJECTS,
    NO_SIZE,
    NOT_A_GRAPH,
    OUTSIDE_IMAGE,
    UNREADABLE_RELATION,
)
from diptych.sources import SourceFile, members, require_file
from tests.scenegraphs.readers import read_gqa


def graph_file(folder: Path, content: object) -> SourceFile:
    path = folder / "val_sceneGraphs.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="ascii")
    return SourceFile(path, path.name)


def thing(name: str = "cat", **more: object) -> dict[str, object]:
    return {"name": name, "x": 0, "y": 0, "w": 10, "h": 10, "attributes": [], "relations": []} | more


def one_image(**objects: object) -> dict[str, object]:
    return {"7": {"width": 100, "height": 50, "objects": objects}}


def test_a_box_is_clipped_to_the_image(tmp_path: Path) -> None:
    (graph,) = read_gqa(graph_file(tmp_path, one_image(a=thing(x=95, w=30, y=-5))))
    assert graph["a"].box == (95, 0, 5, 5)


@pytest.mark.parametrize(
    ("box", "reason"),
    [
        ({"x": 200}, OUTSIDE_IMAGE),
        ({"y": -20}, OUTSIDE_IMAGE),
        ({"w": 0}, NO_AREA),
        ({"h": -3}, NO_AREA),
        ({"x": None}, NO_BOX),
    ],
)
def test_a_box_without_a_pixel_in_the_image_is_reported_with_its_ids(
    tmp_path: Path, box: dict[str, int], reason: str
) -> None:
    (graph,) = read_gqa(graph_file(tmp_path, one_image(a=thing(**box), b=thing("dog"))))
    assert [thing.id for thing in graph.objects] == ["b"]
    assert graph.problems == (Problem(reason, "image 7, object a (cat)"),)


def test_a_number_that_no_type_holds_is_one_line(tmp_path: Path) -> None:
    content = json.dumps(one_image(a=thing(x=1e400), b=thing("dog"))).replace("Infinity", "1e400")
    with pytest.raises(BadInputError, match="cannot be read"):
        list(read_gqa(graph_file(tmp_path, content)))


def test_a_relation_to_nothing_is_left_out_and_reported(tmp_path: Path) -> None:
    dangling = thing(relations=[{"name": "on", "object": "zzz"}])
    (graph,) = read_gqa(graph_file(tmp_path, one_image(a=dangling)))
    assert graph["a"].relations == ()
    assert graph.problems == (Problem(DANGLING_RELATION, "image 7, object a (cat): on zzz"),)


@pytest.mark.parametrize("relation", [3, {}, {"name": "on"}, {"name": None, "object": "b"}])
def test_a_relation_that_cannot_be_read_is_left_out_and_reported(tmp_path: Path, relation: object) -> None:
    (graph,) = read_gqa(graph_file(tmp_path, one_image(a=thing(relations=[relation]), b=thing("dog"))))
    assert graph["a"].relations == ()
    assert graph.problems == (Problem(UNREADABLE_RELATION, "image 7, object a (cat)"),)


@pytest.mark.parametrize("nameless", [{"x": 0, "y": 0, "w": 9, "h": 9}, thing(" "), thing(name=7)])
def test_an_object_without_a_name_is_reported(tmp_path: Path, nameless: dict[str, object]) -> None:
    (graph,) = read_gqa(graph_file(tmp_path, one_image(a=nameless)))
    assert graph.objects == ()
    assert graph.problems == (Problem(NO_NAME, "image 7, object a"),)


@pytest.mark.parametrize("record", [None, 3, [], {"objects": []}, {"width": 9, "height": 9}])
def test_a_record_that_is_no_graph_is_empty_and_reported(tmp_path: Path, record: object) -> None:
    broken, sound = read_gqa(graph_file(tmp_path, {"8": record, **one_image(a=thing())}))
    assert (broken.objects, broken.problems) == ((), (Problem(NOT_A_GRAPH, "image 8"),))
    assert sound.objects
    assert not sound.problems


@pytest.mark.parametrize("size", [{"width": 0}, {"height": "50"}, {"width": None}, {"height": -1}, {"width": True}])
def test_an_image_without_a_size_is_reported(tmp_path: Path, size: dict[str, object]) -> None:
    record = one_image(a=thing())["7"] | size  # type: ignore[operator]
    (graph,) = read_gqa(graph_file(tmp_path, {"7": record}))
    assert (graph.objects, graph.problems) == ((), (Problem(NO_SIZE, "image 7"),))


def test_a_graph_without_objects_is_reported(tmp_path: Path) -> None:
    (graph,) = read_gqa(graph_file(tmp_path, one_image()))
    assert graph.problems == (Problem(NO_OBJECTS, "image 7"),)


@pytest.mark.parametrize("content", ["", "[]", '{"7": {"width": 1', '{"7" 3}'])
def test_a_broken_file_is_one_clear_line(tmp_path: Path, content: str) -> None:
    with pytest.raises(BadInputError, match=r"val_sceneGraphs\.json: "):
        list(read_gqa(graph_file(tmp_path, content)))


def test_records_can_be_parsed_in_other_processes(tmp_path: Path) -> None:
    make_world(tmp_path, 6, pictures=False)
    file = require_file(tmp_path, "gqa", "val_sceneGraphs.json")
    with ProcessPoolExecutor(2) as pool:
        assert list(pool.map(parse_graph, *zip(*members(file), strict=True))) == list(read_gqa(file))


def test_graphs_that_span_blocks_are_read_whole(tmp_path: Path) -> None:
    images = {str(n): one_image(**{f"o{k}": thing("x" * 100) for k in range(100)})["7"] for n in range(700)}
    path = tmp_path / "val_sceneGraphs.json.gz"
    path.write_bytes(gzip.compress(json.dumps(images).encode(), 1))
    graphs = list(read_gqa(SourceFile(path, "val_sceneGraphs.json")))
    assert [graph.image_id for graph in graphs] == list(images)
    assert all(len(graph.objects) == 100 for graph in graphs)
