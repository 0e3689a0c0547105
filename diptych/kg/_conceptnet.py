"""ConceptNet: English edges from lines of its official dump or from a conceptnet-lite database, and a graph of them."""

import sqlite3
from collections import defaultdict
from collections.abc import Container, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from diptych.errors import BadInputError, MissingExtraError, MissingFileError

_CELLS, _TAB, _ENGLISH = 5, b"\t", b"/c/en/"
_LITE_TABLES = frozenset("relation language label concept edge".split())


@dataclass(frozen=True, slots=True)
class Edge:
    """One assertion between two English terms.

    Terms have spaces and neither part of speech nor sense (`/c/en/hot_dog/n` is `hot dog`). The texts are the ends as
    the source words them (`a hot dog`), or the terms where it does not say.
    """

    head: str
    relation: str
    tail: str
    weight: float = 1.0
    head_text: str = ""
    tail_text: str = ""


@dataclass(frozen=True, slots=True)
class Malformed:
    """Why a line is not an assertion."""

    reason: str


def parse_edge(line: bytes, relations: Container[str] | None = None) -> Edge | Malformed | None:
    r"""Parse one line of the dump.

    Returns None for a blank line, an edge that is not between two English terms, a relation that is not among
    `relations` (names without `/r/`; None accepts all), and a negative weight.

    >>> parse_edge(b'/a/x\t/r/IsA\t/c/en/hot_dog/n\t/c/en/food\t{"weight": 2.0, "surfaceStart": "a hot dog"}')
    Edge(head='hot dog', relation='IsA', tail='food', weight=2.0, head_text='a hot dog', tail_text='food')
    """
    cells = line.split(_TAB, _CELLS)
    if len(cells) != _CELLS:
        return Malformed(f"{line.count(_TAB) + 1} cells, not {_CELLS}") if line.strip() else None
    _, relation, head, tail, details = cells
    # Nine lines in ten of the full dump are of other languages: they cost a split and two or three comparisons.
    if relation[:3] != b"/r/":
        return Malformed(f"cell 2, {_excerpt(relation)}, is not a relation")
    if head[:6] != _ENGLISH or tail[:6] != _ENGLISH:
        return None if head[:3] == b"/c/" else Malformed(f"cell 3, {_excerpt(head)}, is not a concept")
    if relations is not None and relation[3:].decode(errors="replace") not in relations:
        return None
    try:
        return _build_edge(relation.decode(), head.decode(), tail.decode(), details.decode())
    except UnicodeDecodeError:
        return Malformed("not UTF-8")


def _excerpt(cell: bytes) -> str:
    return repr(cell[:60].decode(errors="replace"))


def _build_edge(relation: str, head_uri: str, tail_uri: str, details_json: str) -> Edge | Malformed | None:
    try:
        details = orjson.loads(details_json)
    except orjson.JSONDecodeError:
        return Malformed("its last cell is not JSON")
    if not isinstance(details, dict):
        return Malformed("its last cell is not a JSON object")
    weight = details.get("weight", 1.0)
    if type(weight) not in (float, int):
        return Malformed(f"its weight, {weight!r}, is not a number")
    head, tail = (uri.split("/")[3].replace("_", " ") for uri in (head_uri, tail_uri))
    head_text, tail_text = details.get("surfaceStart") or head, details.get("surfaceEnd") or tail
    if not isinstance(head_text, str) or not isinstance(tail_text, str):
        return Malformed("one of its surfaces is not a text")
    if weight < 0:
        return None
    if not head or not tail:
        return Malformed("a concept without a term")
    return Edge(head, relation[3:], tail, round(float(weight), 4), head_text, tail_text)


class ConceptNet:
    """A graph of edges, indexed by head and tail.

    Of several edges with the same head, relation and tail (from other senses or sources) the heaviest stays, of equally
    heavy ones the first.

    >>> graph = ConceptNet([Edge("dog", "IsA", "animal", 2.0), Edge("dog", "CapableOf", "bark", 3.0)])
    >>> [edge.tail for edge in graph.edges(head="Dog")]
    ['bark', 'animal']
    """

    def __init__(self, edges: Iterable[Edge]) -> None:
        heaviest: dict[tuple[str, str, str], Edge] = {}
        for edge in edges:
            rival = heaviest.setdefault((edge.head, edge.relation, edge.tail), edge)
            if rival.weight < edge.weight:
                heaviest[edge.head, edge.relation, edge.tail] = edge
        self._edges = sorted(heaviest.values(), key=lambda edge: (-edge.weight, edge.head, edge.relation, edge.tail))
        self._by_end: defaultdict[tuple[str, str], list[Edge]] = defaultdict(list)
        for edge in self._edges:
            self._by_end["head", edge.head].append(edge)
            self._by_end["tail", edge.tail].append(edge)

    def edges(self, head: str | None = None, relation: str | None = None, tail: str | None = None) -> list[Edge]:
        """The edges with this head, relation and tail (None matches all), the heaviest first.

        Terms are given with spaces or underscores, in any case, or as ConceptNet's own `/c/en/hot_dog`.
        """
        given = [(end, term.lower()) for end, term in (("head", head), ("tail", tail)) if term is not None]
        ends = {end: term.removeprefix("/c/en/").replace("_", " ") for end, term in given}
        candidates = min((self._by_end.get(end, []) for end in ends.items()), key=len, default=self._edges)
        edges = candidates if relation is None else [edge for edge in candidates if edge.relation == relation]
        return [edge for edge in edges if all(getattr(edge, end) == term for end, term in ends.items())]


class LiteGraph:
    """An open conceptnet-lite database; needs the extra `conceptnet-lite`."""

    def __init__(self, path: Path) -> None:
        try:
            from conceptnet_lite import db
        except ImportError:
            raise MissingExtraError.for_extra("conceptnet-lite", "conceptnet-lite") from None
        _check_tables(path)
        self._db: Any = db
        db._open_db(path)

    def edges(self, relation: str) -> list[Edge]:
        """The English edges with this relation, the heaviest first."""
        edge, kind, language = self._db.Edge, self._db.Relation, self._db.Language
        english = language.select(language.id).where(language.name == "en")
        labels = self._db.Label.alias(), self._db.Label.alias()
        query = edge.select(labels[0].text, labels[1].text, edge.etc).join(kind)
        for end, label in zip((edge.start, edge.end), labels, strict=True):
            concept = self._db.Concept.alias()
            query = query.switch(edge).join(concept, on=(end == concept.id)).join(label, on=(concept.label == label.id))
            query = query.where(label.language.in_(english))
        # The database has `used_for` for UsedFor.
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in relation).strip("_")
        rows = query.where(kind.name == name).order_by(edge.id).tuples()
        return ConceptNet(_lite_edge(relation, *row) for row in rows).edges()


def _check_tables(path: Path) -> None:
    """Look for the tables first: conceptnet-lite would create them in a file that has none."""
    if not path.is_file():
        raise MissingFileError(f"{path}: no such conceptnet-lite database")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            tables = {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}
    except sqlite3.DatabaseError as error:
        raise BadInputError(f"{path}: not a conceptnet-lite database: {error}") from None
    if missing := sorted(_LITE_TABLES - tables):
        raise BadInputError(f"{path}: not a conceptnet-lite database: no table {missing[0]!r} in it")


def _lite_edge(relation: str, head_label: str, tail_label: str, details: dict[str, Any] | None) -> Edge:
    head, tail, details = head_label.replace("_", " "), tail_label.replace("_", " "), details or {}
    head_text = details.get("surfaceStart") or details.get("surface_start") or head
    tail_text = details.get("surfaceEnd") or details.get("surface_end") or tail
    return Edge(head, relation, tail, round(float(details.get("weight", 1.0)), 4), head_text, tail_text)
