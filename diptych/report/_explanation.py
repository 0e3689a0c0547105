"""Why a pair is so: the WordNet path, the facts or the scene graph behind it, as one networkx graph."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diptych.errors import BadInputError, UnknownNameError
from diptych.folder import BuiltFolder, Selection, read_bindings
from diptych.kg import hypernym_path, wordnet
from diptych.scenegraphs import SceneGraph, SceneObject, parse_graph
from diptych.sources import find_file, members

if TYPE_CHECKING:
    from networkx import MultiDiGraph

_SIDES = ("original", "perturbed")


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
        for side in _SIDES:
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
    bindings = read_bindings(row)
    graph: MultiDiGraph[str] = nx.MultiDiGraph()
    _add_synsets(graph, row)
    _add_facts(graph, bindings)
    _add_scene(graph, row, bindings, data)
    return PairExplanation(config, split, row, graph)


def _find_pair(folder: BuiltFolder, pair_id: str) -> tuple[str, str, dict[str, Any]]:
    for config, split, _ in folder.manifest.own_splits():
        if folder.manifest.configs[config].tests:
            pair_ids = folder.table(config, split, ("pair_id",))["pair_id"].to_pylist()
            if pair_id in pair_ids:
                table = folder.pairs(Selection(config, split), complete=True)
                return config, split, table.slice(pair_ids.index(pair_id), 1).to_pylist()[0]
    raise BadInputError(f"{folder.location}: no pair {pair_id}; `diptych score --explain` and the card show ids")


def _add_synsets(graph: "MultiDiGraph[str]", row: Mapping[str, Any]) -> None:
    """The path in WordNet between the word that was replaced and its replacement."""
    ends = row.get("synset_from") or "", row.get("synset_to") or ""
    if not all(ends):
        return
    try:
        path = hypernym_path(*ends)
    except UnknownNameError:
        return  # synsets of another WordNet
    for name in path:
        side = {ends[0]: "original", ends[1]: "perturbed"}.get(name, "")
        graph.add_node(name, label=wordnet().synset(name).lemma_names[0].replace("_", " "), side=side)
    graph.add_edges_from((source, target, {"relation": "is a kind of"}) for source, target in path.edges)


def _add_facts(graph: "MultiDiGraph[str]", bindings: Mapping[str, Any]) -> None:
    """The facts of the two sides."""
    for key, side in (("original_fact", "original"), ("fact", "perturbed")):
        fact = bindings.get(key)
        if isinstance(fact, list) and len(fact) == 3:
            head, relation, tail = map(str, fact)
            graph.add_node(head, label=head, side=side)
            graph.add_node(tail, label=tail, side=side)
            graph.add_edge(head, tail, relation=relation)


def _add_scene(
    graph: "MultiDiGraph[str]", row: Mapping[str, Any], bindings: Mapping[str, Any], data: Path | None
) -> None:
    """The things of the image that make the answer true; with the source files, also what is around them."""
    things, objects = bindings.get("things"), bindings.get("objects")
    if not isinstance(things, list) or not isinstance(objects, list):
        return
    image = f"image {row['original_image_id']}"
    graph.add_node(image, label=image, side="")
    scene = _scene(str(row["original_image_id"]), data)
    for thing in things if scene is None or not objects else ():
        graph.add_node(str(thing), label=str(thing), side="original")
        graph.add_edge(image, str(thing), relation="shows" if objects else "is asked for")
    if scene is None:
        return
    for object_id in map(str, objects):
        thing = scene[object_id] if object_id in scene else SceneObject(object_id, "thing", (0, 0, 0, 0))
        graph.add_node(object_id, label=_label(thing), side="original")
        graph.add_edge(image, object_id, relation="shows")
        for name, other in thing.relations:
            graph.add_node(other, label=_label(scene[other]), side=graph.nodes.get(other, {}).get("side", ""))
            graph.add_edge(object_id, other, relation=name)


def _label(thing: SceneObject) -> str:
    return " ".join((*thing.attributes, thing.name))


def _scene(image_id: str, data: Path | None) -> SceneGraph | None:
    """The scene graph of an image in GQA's files."""
    for split in ("val", "train") if data is not None else ():
        file = find_file(Path(str(data)), "gqa", f"{split}_sceneGraphs.json")
        for name, record in members(file) if file else ():
            if name == image_id:
                return parse_graph(name, record)
    return None
