"""Why a pair is so: its row, and a graph of the knowledge behind it."""

import json
from pathlib import Path
from typing import Any

import networkx as nx
import pyarrow as pa
import pytest

from diptych.errors import BadInputError
from diptych.pairs import pairs_table
from diptych.report import PairExplanation, explain_pair
from tests.folders import make_folder, make_pair


def explain(
    path: Path, data: Path | None = None, columns: dict[str, str] | None = None, **changes: Any
) -> PairExplanation:
    """The explanation of one pair."""
    pair = make_pair(7, **changes)
    table = pairs_table([pair])
    for name, value in (columns or {}).items():
        table = table.append_column(name, pa.array([value]))
    return explain_pair(make_folder(path / "built", table), pair.pair_id, data)


def edges(explanation: PairExplanation) -> set[tuple[str, str, str]]:
    return {(source, relation, target) for source, target, relation in explanation.graph.edges(data="relation")}


def test_a_pair_is_found_with_its_config_and_split(tmp_path: Path) -> None:
    explanation = explain(tmp_path)
    assert (explanation.config, explanation.split) == ("yn_from_color", "validation")
    assert explanation.row["source_id"] == "7000"


def test_a_pair_that_rests_on_its_source_alone_has_an_empty_graph(tmp_path: Path) -> None:
    assert len(explain(tmp_path).graph) == 0


def test_the_path_between_two_synsets_is_shown(tmp_path: Path) -> None:
    columns = {"synset_from": "dog.n.01", "synset_to": "canine.n.02"}
    explanation = explain(tmp_path, columns=columns)
    assert ("dog.n.01", "is a kind of", "canine.n.02") in edges(explanation)


def test_the_facts_of_both_sides_are_shown(tmp_path: Path) -> None:
    bindings = {"original_fact": ["cat", "IsA", "pet"], "fact": ["dog", "IsA", "pet"]}
    assert edges(explain(tmp_path, bindings=bindings)) == {("cat", "IsA", "pet"), ("dog", "IsA", "pet")}


def test_the_things_of_an_image_are_shown(tmp_path: Path) -> None:
    bindings = {"things": ["cat"], "objects": ["11"]}
    assert edges(explain(tmp_path, bindings=bindings)) == {("image 7", "shows", "cat")}


def test_the_scene_graph_around_a_thing_is_shown(tmp_path: Path) -> None:
    box = {"x": 1, "y": 1, "w": 5, "h": 5}
    cat = {"name": "cat", "attributes": ["black"], "relations": [{"name": "on", "object": "12"}], **box}
    mat = {"name": "mat", "attributes": [], "relations": [], **box}
    scene = {"7": {"width": 10, "height": 10, "objects": {"11": cat, "12": mat}}}
    (tmp_path / "data" / "gqa").mkdir(parents=True)
    (tmp_path / "data" / "gqa" / "val_sceneGraphs.json").write_text(json.dumps(scene))
    explanation = explain(tmp_path, tmp_path / "data", bindings={"things": ["cat"], "objects": ["11"]})
    assert edges(explanation) == {("image 7", "shows", "11"), ("11", "on", "12")}
    assert explanation.graph.nodes["11"]["label"] == "black cat"


def test_an_explanation_is_told_in_lines(tmp_path: Path) -> None:
    lines = list(explain(tmp_path, bindings={"fact": ["dog", "IsA", "pet"]}).lines())
    assert lines[0].endswith("rad.yn_from_color  yn_from_color/validation  expected: given")
    assert lines[-1] == "  dog —IsA→ pet"


def test_an_explanation_is_told_as_json(tmp_path: Path) -> None:
    content = explain(tmp_path, bindings={"fact": ["dog", "IsA", "pet"]}).as_json()
    assert json.loads(json.dumps(content))["graph"]["edges"][0]["relation"] == "IsA"


def test_the_graph_is_a_networkx_graph_that_graphml_keeps(tmp_path: Path) -> None:
    explanation = explain(tmp_path, bindings={"original_fact": ["cat", "IsA", "pet"], "fact": ["dog", "IsA", "<pet>"]})
    assert nx.has_path(explanation.graph, "dog", "<pet>")
    copy = nx.parse_graphml(explanation.as_graphml(), force_multigraph=True)
    assert dict(copy.nodes(data=True)) == dict(explanation.graph.nodes(data=True))
    assert list(copy.edges(data=True)) == list(explanation.graph.edges(data=True))
    assert len({key for *_, key in copy.edges(keys=True)}) == 2  # the id of an edge is unique in GraphML
    assert copy.graph["pair_id"] == explanation.row["pair_id"]


def test_a_character_that_xml_cannot_hold_is_replaced(tmp_path: Path) -> None:
    text = explain(tmp_path, bindings={"fact": ["dog\x01", "IsA", "pet"]}).as_graphml()
    assert set(nx.parse_graphml(text)) == {"dog\ufffd", "pet"}


def test_an_unknown_pair_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no pair none"):
        explain_pair(make_folder(tmp_path, [make_pair(1)]), "none")
