"""ConceptNet: edges from lines of its official dump or from a conceptnet-lite database, and a graph of them."""

import sqlite3
from collections import defaultdict
from collections.abc import Container, Iterable
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from diptych.errors import BadInputError, MissingExtraError, MissingFileError

_CELLS, _TAB = 5, b"\t"
ENGLISH = ("en",)
_PARTS_OF_SPEECH = frozenset("nvasr")
_LITE_TABLES = frozenset("relation language label concept edge".split())


@dataclass(frozen=True, slots=True)
class Edge:
    """One assertion between two terms.

    Terms have spaces (`/c/en/hot_dog/n` is `hot dog`), and their part of speech and sense are kept where the dump has
    them: `n`, `n/wn/animal`. The texts are the ends as the source words them (`a hot dog`), or the terms where it does
    not say.
    """

    head: str
    relation: str
    tail: str
    weight: float = 1.0
    head_text: str = ""
    tail_text: str = ""
    head_sense: str = ""
    tail_sense: str = ""


@dataclass(frozen=True, slots=True)
class Malformed:
    """Why a line is not an assertion."""

    reason: str


class Dropped(StrEnum):
    """Why a line is an assertion, but not one that is asked for."""

    LANGUAGE = "in other languages"
    RELATION = "of other relations"
    WEIGHT = "with a negative weight"


@cache
def _prefixes(languages: tuple[str, ...]) -> tuple[bytes, ...]:
    return tuple(f"/c/{language}/".encode() for language in languages)


def parse_edge(
    line: bytes, relations: Container[str] | None = None, languages: tuple[str, ...] = ENGLISH
) -> Edge | Malformed | Dropped | None:
    r"""Parse one line of the dump; None for a blank one.

    Dropped are edges that are not between two terms of `languages`, relations that are not among `relations` (names
    without `/r/`; None accepts all), and negative weights, which say that something is not so.

    >>> edge = parse_edge(b'/a/x\t/r/IsA\t/c/en/hot_dog/n\t/c/en/food\t{"weight": 2.0, "surfaceStart": "a hot dog"}')
    >>> edge.head, edge.head_text, edge.head_sense, edge.tail
    ('hot dog', 'a hot dog', 'n', 'food')
    """
    cells = line.split(_TAB, _CELLS)
    if len(cells) != _CELLS:
        return Malformed(f"{line.count(_TAB) + 1} cells, not {_CELLS}") if line.strip() else None
    _, relation, head, tail, details = cells
    # Nine lines in ten of the full dump are of other languages: they cost a split and two or three comparisons.
    if relation[:3] != b"/r/":
        return Malformed(f"cell 2, {_excerpt(relation)}, is not a relation")
    prefixes = _prefixes(languages)
    if not (head.startswith(prefixes) and tail.startswith(prefixes)):
        return Dropped.LANGUAGE if head[:3] == b"/c/" else Malformed(f"cell 3, {_excerpt(head)}, is not a concept")
    if relations is not None and relation[3:].decode(errors="replace") not in relations:
        return Dropped.RELATION
    try:
        return _build_edge(relation.decode(), head.decode(), tail.decode(), details.decode())
    except UnicodeDecodeError:
        return Malformed("not UTF-8")


def _excerpt(cell: bytes) -> str:
    return repr(cell[:60].decode(errors="replace"))


def split_uri(uri: str) -> tuple[str, str]:
    """The term and the sense of a concept, as far as its address has one.

    >>> split_uri("/c/en/mouse/n/wn/animal"), split_uri("/c/en/9/11")
    (('mouse', 'n/wn/animal'), ('9/11', ''))
    """
    parts = uri.split("/")[3:]
    has_sense = len(parts) > 1 and parts[1] in _PARTS_OF_SPEECH
    term = parts[0] if has_sense else "/".join(parts)
    return term.replace("_", " "), "/".join(parts[1:]) if has_sense else ""


def _build_edge(relation: str, head_uri: str, tail_uri: str, details_json: str) -> Edge | Malformed | Dropped:
    try:
        details = orjson.loads(details_json)
    except orjson.JSONDecodeError:
        return Malformed("its last cell is not JSON")
    if not isinstance(details, dict):
        return Malformed("its last cell is not a JSON object")
    weight = details.get("weight", 1.0)
    if type(weight) not in (float, int):
        return Malformed(f"its weight, {weight!r}, is not a number")
    (head, head_sense), (tail, tail_sense) = split_uri(head_uri), split_uri(tail_uri)
    head_text, tail_text = details.get("surfaceStart") or head, details.get("surfaceEnd") or tail
    if not isinstance(head_text, str) or not isinstance(tail_text, str):
        return Malformed("one of its surface texts is not a string")
    if weight < 0:
        return Dropped.WEIGHT
    if not head or not tail:
        return Malformed("a concept without a term")
    return Edge(head, relation[3:], tail, round(float(weight), 4), head_text, tail_text, head_sense, tail_sense)


class ConceptNet:
    """A graph of edges, indexed by head and tail.

    Of several edges with the same head, relation and tail in the same senses (from other sources) the heaviest stays,
    of equally heavy ones the first.

    >>> graph = ConceptNet([Edge("dog", "IsA", "animal", 2.0), Edge("dog", "CapableOf", "bark", 3.0)])
    >>> [edge.tail for edge in graph.edges(head="Dog")]
    ['bark', 'animal']
    """

    def __init__(self, edges: Iterable[Edge]) -> None:
        heaviest: dict[tuple[str, ...], Edge] = {}
        for edge in edges:
            key = edge.head, edge.relation, edge.tail, edge.head_sense, edge.tail_sense
            rival = heaviest.setdefault(key, edge)
            if rival.weight < edge.weight:
                heaviest[key] = edge
        self._edges = [heaviest[key] for key in sorted(heaviest, key=lambda key: (-heaviest[key].weight, key))]
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

    def edges(self, relation: str, languages: tuple[str, ...] = ENGLISH) -> list[Edge]:
        """The edges with this relation between terms of some languages, the heaviest first; none has a weight below 0.

        The database has neither the negative weights nor the terms with a slash of the dump.
        """
        edge, kind, language = self._db.Edge, self._db.Relation, self._db.Language
        wanted = language.select(language.id).where(language.name.in_(languages))
        labels = self._db.Label.alias(), self._db.Label.alias()
        concepts = self._db.Concept.alias(), self._db.Concept.alias()
        columns = (labels[0].text, labels[1].text, edge.etc, concepts[0].sense_label, concepts[1].sense_label)
        query = edge.select(*columns).join(kind)
        for end, label, concept in zip((edge.start, edge.end), labels, concepts, strict=True):
            query = query.switch(edge).join(concept, on=(end == concept.id)).join(label, on=(concept.label == label.id))
            query = query.where(label.language.in_(wanted))
        # The database has `used_for` for UsedFor.
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in relation).strip("_")
        rows = query.where(kind.name == name).order_by(edge.id).tuples()
        edges = (_lite_edge(relation, *row) for row in rows)
        return ConceptNet(edge for edge in edges if edge.weight >= 0).edges()


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


def _lite_edge(
    relation: str, head_label: str, tail_label: str, details: dict[str, Any] | None, head_sense: str, tail_sense: str
) -> Edge:
    head, tail, details = head_label.replace("_", " "), tail_label.replace("_", " "), details or {}
    head_text = details.get("surfaceStart") or details.get("surface_start") or head
    tail_text = details.get("surfaceEnd") or details.get("surface_end") or tail
    weight = round(float(details.get("weight", 1.0)), 4)
    return Edge(head, relation, tail, weight, head_text, tail_text, head_sense or "", tail_sense or "")
