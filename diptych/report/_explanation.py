"""Why a pair is so: the WordNet path, the facts, the words or the scene graph behind it, as one graph.

A `PairGraph` is small and plain, so that a report can hold one for each of many thousand pairs; `explain_pair` returns
the same as a networkx graph.
"""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diptych.errors import BadInputError, UnknownNameError
from diptych.folder import SIDES, BuiltFolder, Selection, read_bindings
from diptych.kg import hypernym_path, wordnet
from diptych.scenegraphs import SceneGraph, SceneObject, parse_graph
from diptych.sources import find_file, members

if TYPE_CHECKING:
    from networkx import MultiDiGraph

_SYNSET_PATH = "is a kind of"


@dataclass(slots=True)
class PairGraph:
    """What ties the two sides of a pair: nodes with a label and the side that rests on them, and named relations."""

    nodes: dict[str, tuple[str, str]] = field(default_factory=dict)
    edges: list[tuple[str, str, str]] = field(default_factory=list)  # source, relation, target

    def add_node(self, name: str, label: str, side: str = "") -> None:
        """Add a node, or say more of one: the side of a node that has one stays."""
        known_side = self.nodes.get(name, ("", ""))[1]
        self.nodes[name] = label, side or known_side

    def add_edge(self, source: str, relation: str, target: str) -> None:
        """Relate two nodes, once."""
        if (source, relation, target) not in self.edges:
            self.edges.append((source, relation, target))


@dataclass(frozen=True, slots=True)
class PairExplanation:
    """A pair, where it stands, and the knowledge that ties its two sides.

    Nodes of the graph have a `label`, edges a `relation`; what a side rests on has the attribute `side`.
    """

    config: str
    split: str
    row: Mapping[str, Any]
    graph: "MultiDiGraph[str]"

    def lines(self) -> Iterator[str]:
        """The explanation as text."""
        row = self.row
        yield f"{row['pair_id']}  {row['test']}  {self.config}/{self.split}  expected: {row['expectation']}"
        for side in SIDES:
            answer = row[f"{side}_answer"] or "(not known)"
            yield f"{side:9}  image {row[f'{side}_image_id']}: {row[f'{side}_question']}  {answer}"
        origin = f"from {row['source']} {row['source_id']}"
        yield f"{origin}, template {row['template_id']}" if row["template_id"] else origin
        labels = dict(self.graph.nodes(data="label"))
        for source, target, relation in sorted(self.graph.edges(data="relation")):
            yield f"  {labels[source]} —{relation}→ {labels[target]}"

    def as_json(self) -> dict[str, Any]:
        """The row and the graph in networkx's node-link form."""
        import networkx as nx

        graph = nx.node_link_data(self.graph, edges="edges")
        return {"config": self.config, "split": self.split, "row": dict(self.row), "graph": graph}


def explain_pair(folder: BuiltFolder, pair_id: str, data: Path | None = None) -> PairExplanation:
    """Find a pair and gather what it rests on; with the source files, also the scene graph around its things."""
    import networkx as nx

    config, split, row = _find_pair(folder, pair_id)
    image_id = str(row["original_image_id"])
    scene = read_scenes(data, {image_id}).get(image_id) if data is not None else None
    knowledge = pair_graph(row, read_bindings(row), scene)
    graph: MultiDiGraph[str] = nx.MultiDiGraph()
    graph.add_nodes_from((name, {"label": label, "side": side}) for name, (label, side) in knowledge.nodes.items())
    graph.add_edges_from((source, target, {"relation": name}) for source, name, target in knowledge.edges)
    return PairExplanation(config, split, row, graph)


def pair_graph(row: Mapping[str, Any], bindings: Mapping[str, Any], scene: SceneGraph | None = None) -> PairGraph:
    """What a pair rests on, from its row alone or also from the scene graph of its image."""
    graph = PairGraph()
    _add_words(graph, row)
    _add_facts(graph, bindings)
    _add_scene(graph, row, bindings, scene)
    return graph


def _find_pair(folder: BuiltFolder, pair_id: str) -> tuple[str, str, dict[str, Any]]:
    for config, split, _ in folder.manifest.own_splits():
        if folder.manifest.configs[config].tests:
            pair_ids = folder.table(config, split, ("pair_id",))["pair_id"].to_pylist()
            if pair_id in pair_ids:
                table = folder.pairs(Selection(config, split), complete=True)
                return config, split, table.slice(pair_ids.index(pair_id), 1).to_pylist()[0]
    raise BadInputError(f"{folder.location}: no pair {pair_id}; `diptych score --explain` and the card show ids")


def _add_words(graph: PairGraph, row: Mapping[str, Any]) -> None:
    """The path in WordNet between the word that was replaced and its replacement, or how the words are related."""
    start, end = str(row.get("synset_from") or ""), str(row.get("synset_to") or "")
    if not start or not end:
        return
    nodes, edges = _synset_path(start, end)
    for name, label in nodes:
        graph.add_node(name, label, {start: "original", end: "perturbed"}.get(name, ""))
    for source, target in edges:
        graph.add_edge(source, _SYNSET_PATH, target)
    if nodes or not row.get("relation"):
        return
    distance = row.get("distance")
    relation = f"{row['relation']}, distance {distance:.3g}" if isinstance(distance, float) else str(row["relation"])
    graph.add_node(start, start, "original")
    graph.add_node(end, end, "perturbed")
    graph.add_edge(start, relation, end)


@lru_cache(maxsize=65536)
def _synset_path(start: str, end: str) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """The synsets between two with their words, and the edges between them; nothing for what is no synset of ours."""
    try:
        path = hypernym_path(start, end)
    except UnknownNameError:
        return (), ()
    names = ((name, wordnet().synset(name).lemma_names[0].replace("_", " ")) for name in path)
    return tuple(names), tuple(path.edges)


def _add_facts(graph: PairGraph, bindings: Mapping[str, Any]) -> None:
    """The facts of the two sides."""
    for key, side in (("original_fact", "original"), ("fact", "perturbed")):
        fact = bindings.get(key)
        if isinstance(fact, list) and len(fact) == 3:
            head, relation, tail = map(str, fact)
            graph.add_node(head, head, side)
            graph.add_node(tail, tail, side)
            graph.add_edge(head, relation, tail)


def _add_scene(graph: PairGraph, row: Mapping[str, Any], bindings: Mapping[str, Any], scene: SceneGraph | None) -> None:
    """The things of the image that make the answer true; with the scene graph, also what is around them."""
    things, objects = bindings.get("things"), bindings.get("objects")
    if not isinstance(things, list) or not isinstance(objects, list):
        return
    image = f"image {row['original_image_id']}"
    graph.add_node(image, image)
    for name in map(str, things if scene is None or not objects else ()):
        graph.add_node(name, name, "original")
        graph.add_edge(image, "shows" if objects else "is asked for", name)
    if scene is None:
        return
    for object_id in map(str, objects):
        thing = scene[object_id] if object_id in scene else SceneObject(object_id, "thing", (0, 0, 0, 0))
        graph.add_node(object_id, describe_object(thing), "original")
        graph.add_edge(image, "shows", object_id)
        for relation, target in thing.relations:
            graph.add_node(target, describe_object(scene[target]))
            graph.add_edge(object_id, relation, target)


def describe_object(thing: SceneObject) -> str:
    """What an object of a scene graph is called: its attributes and its name."""
    return " ".join((*thing.attributes, thing.name))


def read_scenes(data: Path, image_ids: Set[str]) -> dict[str, SceneGraph]:
    """The scene graphs of some images in GQA's files, those that are there."""
    scenes: dict[str, SceneGraph] = {}
    for split in ("val", "train"):
        file = find_file(data, "gqa", f"{split}_sceneGraphs.json") if len(scenes) < len(image_ids) else None
        for name, record in members(file) if file else ():
            if name in image_ids and name not in scenes:
                scenes[name] = parse_graph(name, record)
                if len(scenes) == len(image_ids):
                    break
    return scenes
