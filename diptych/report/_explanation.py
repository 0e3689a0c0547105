"""The graph behind a pair: the WordNet path, the facts, the words or the scene graph that tie its sides."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from diptych.errors import BadInputError, UnknownNameError
from diptych.folder import SIDES, BuiltFolder, Selection, read_bindings
from diptych.kg import hypernym_path, wordnet
from diptych.scenegraphs import SceneGraph, SceneObject, parse_graph
from diptych.sources import find_file, members

if TYPE_CHECKING:
    from networkx import MultiDiGraph

    PairGraph: TypeAlias = MultiDiGraph[str]

_SYNSET_PATH = "is a kind of"


@dataclass(frozen=True, slots=True)
class PairExplanation:
    """A pair, its config and split, and the graph of the knowledge that ties its two sides.

    Each node of the graph has a `label` and, if a side depends on it, that `side`; each edge has a `relation`.
    """

    config: str
    split: str
    row: Mapping[str, Any]
    graph: "PairGraph"

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

    def as_graphml(self) -> str:
        """The graph as GraphML, which networkx, Gephi, yEd and Cytoscape open."""
        import networkx as nx

        graph: PairGraph = nx.MultiDiGraph(**self.graph.graph)
        graph.add_nodes_from(self.graph.nodes(data=True))
        for number, (source, target, relation) in enumerate(self.graph.edges(keys=True)):
            graph.add_edge(source, target, key=number, relation=relation)  # the id of an edge is unique in a file
        text = "\n".join(nx.generate_graphml(graph))
        return "".join(letter if letter.isprintable() or letter == "\n" else "\ufffd" for letter in text)


def explain_pair(folder: BuiltFolder, pair_id: str, data: Path | None = None) -> PairExplanation:
    """Find a pair and the graph behind it; with the source files, also the scene graph around its objects."""
    config, split, row = _find_pair(folder, pair_id)
    image_id = str(row["original_image_id"])
    scene = read_scenes(data, {image_id}).get(image_id) if data is not None else None
    graph = pair_graph(row, read_bindings(row), scene)
    graph.graph.update(pair_id=pair_id, test=row["test"], expectation=row["expectation"])
    return PairExplanation(config, split, row, graph)


def pair_graph(row: Mapping[str, Any], bindings: Mapping[str, Any], scene: SceneGraph | None = None) -> "PairGraph":
    """The graph behind a pair, from its row alone or also from the scene graph of its image."""
    import networkx as nx  # slow to import

    graph: PairGraph = nx.MultiDiGraph()
    _add_words(graph, row)
    _add_facts(graph, bindings)
    _add_scene(graph, row, bindings, scene)
    return graph


def _add_node(graph: "PairGraph", name: str, label: str, side: str = "") -> None:
    """Add a node or update its label; the side of a node that has one stays."""
    known_side = graph.nodes[name]["side"] if name in graph else ""
    graph.add_node(name, label=label, side=side or known_side)


def _add_edge(graph: "PairGraph", source: str, relation: str, target: str) -> None:
    """Add a relation between two nodes, once."""
    graph.add_edge(source, target, key=relation, relation=relation)


def _find_pair(folder: BuiltFolder, pair_id: str) -> tuple[str, str, dict[str, Any]]:
    for config, split, _ in folder.manifest.own_splits():
        if folder.manifest.configs[config].tests:
            pair_ids = folder.table(config, split, ("pair_id",))["pair_id"].to_pylist()
            if pair_id in pair_ids:
                table = folder.pairs(Selection(config, split), complete=True)
                return config, split, table.slice(pair_ids.index(pair_id), 1).to_pylist()[0]
    raise BadInputError(f"{folder.location}: no pair {pair_id}; `diptych score --explain` and the card show ids")


def _add_words(graph: "PairGraph", row: Mapping[str, Any]) -> None:
    """The path in WordNet between the word that was replaced and its replacement, or how the words are related."""
    start, end = str(row.get("synset_from") or ""), str(row.get("synset_to") or "")
    if not start or not end:
        return
    nodes, edges = _synset_path(start, end)
    for name, label in nodes:
        _add_node(graph, name, label, {start: "original", end: "perturbed"}.get(name, ""))
    for source, target in edges:
        _add_edge(graph, source, _SYNSET_PATH, target)
    if nodes or not row.get("relation"):
        return
    distance = row.get("distance")
    relation = f"{row['relation']}, distance {distance:.3g}" if isinstance(distance, float) else str(row["relation"])
    _add_node(graph, start, start, "original")
    _add_node(graph, end, end, "perturbed")
    _add_edge(graph, start, relation, end)


@lru_cache(maxsize=65536)
def _synset_path(start: str, end: str) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """The synsets between two with their words, and the edges between them; nothing for what is no synset of ours."""
    try:
        path = hypernym_path(start, end)
    except UnknownNameError:
        return (), ()
    names = ((name, wordnet().synset(name).lemma_names[0].replace("_", " ")) for name in path)
    return tuple(names), tuple(path.edges)


def _add_facts(graph: "PairGraph", bindings: Mapping[str, Any]) -> None:
    """The facts of the two sides."""
    for key, side in (("original_fact", "original"), ("fact", "perturbed")):
        fact = bindings.get(key)
        if isinstance(fact, list) and len(fact) == 3:
            head, relation, tail = map(str, fact)
            _add_node(graph, head, head, side)
            _add_node(graph, tail, tail, side)
            _add_edge(graph, head, relation, tail)


def _add_scene(
    graph: "PairGraph", row: Mapping[str, Any], bindings: Mapping[str, Any], scene: SceneGraph | None
) -> None:
    """The things of the image that make the answer true; with the scene graph, also what is around them."""
    things, objects = bindings.get("things"), bindings.get("objects")
    if not isinstance(things, list) or not isinstance(objects, list):
        return
    image = f"image {row['original_image_id']}"
    _add_node(graph, image, image)
    for name in map(str, things if scene is None or not objects else ()):
        _add_node(graph, name, name, "original")
        _add_edge(graph, image, "shows" if objects else "is asked for", name)
    if scene is None:
        return
    for object_id in map(str, objects):
        thing = scene[object_id] if object_id in scene else SceneObject(object_id, "thing", (0, 0, 0, 0))
        _add_node(graph, object_id, describe_object(thing), "original")
        _add_edge(graph, image, "shows", object_id)
        for relation, target in thing.relations:
            _add_node(graph, target, describe_object(scene[target]))
            _add_edge(graph, object_id, relation, target)


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
