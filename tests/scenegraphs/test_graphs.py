import gzip
import json
from pathlib import Path

import pytest

from diptych.demo import make_world
from diptych.errors import BadInputError
from diptych.scenegraphs import read_gqa, read_vg
from diptych.sources import SourceFile, find_file


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


@pytest.mark.parametrize("box", [{"x": 200}, {"w": 0}, {"y": -20}])
def test_a_box_without_a_pixel_in_the_image_is_reported_with_its_id(tmp_path: Path, box: dict[str, int]) -> None:
    (graph,) = read_gqa(graph_file(tmp_path, one_image(a=thing(**box), b=thing("dog"))))
    assert [thing.id for thing in graph.objects] == ["b"]
    assert graph.problems == ("object a (cat): its box lies outside the image",)


def test_a_relation_to_nothing_is_left_out_and_reported(tmp_path: Path) -> None:
    dangling = thing(relations=[{"name": "on", "object": "zzz"}])
    (graph,) = read_gqa(graph_file(tmp_path, one_image(a=dangling)))
    assert graph["a"].relations == ()
    assert "object a" in graph.problems[0]


def test_an_object_without_a_name_is_reported(tmp_path: Path) -> None:
    (graph,) = read_gqa(graph_file(tmp_path, one_image(a={"x": 1}, b=thing(" "))))
    assert graph.objects == ()
    assert graph.problems == ("object a: no name or box", "object b: no name")


def test_a_record_that_is_no_graph_is_refused_by_its_id(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="image 7: not a scene graph"):
        list(read_gqa(graph_file(tmp_path, {"7": {"objects": {}}})))


@pytest.mark.parametrize("content", ["", "[]", '{"7": {"width": 1', '{"7" 3}'])
def test_a_broken_file_is_one_clear_line(tmp_path: Path, content: str) -> None:
    with pytest.raises(BadInputError, match=r"val_sceneGraphs\.json: "):
        list(read_gqa(graph_file(tmp_path, content)))


def test_graphs_that_span_blocks_are_read_whole(tmp_path: Path) -> None:
    images = {str(n): one_image(**{f"o{k}": thing("x" * 500) for k in range(20)})["7"] for n in range(700)}
    path = tmp_path / "val_sceneGraphs.json.gz"
    path.write_bytes(gzip.compress(json.dumps(images).encode(), 1))
    graphs = list(read_gqa(SourceFile(path, "val_sceneGraphs.json")))
    assert [graph.image_id for graph in graphs] == list(images)
    assert all(len(graph.objects) == 20 for graph in graphs)


def test_gqa_and_visual_genome_tell_the_same_of_a_picture(tmp_path: Path) -> None:
    make_world(tmp_path, 6, pictures=False)
    gqa = [g for s in ("val", "train") for g in read_gqa(find_file(tmp_path, "gqa", f"{s}_sceneGraphs.json"))]  # type: ignore[arg-type]
    vg = {graph.image_id: graph for graph in read_vg(tmp_path)}
    for graph in gqa:
        other = vg[graph.image_id]
        assert [(t.name, t.box, t.attributes) for t in graph.objects] == [
            (t.name, t.box, t.attributes) for t in other.objects
        ]
