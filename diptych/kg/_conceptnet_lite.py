"""A conceptnet-lite database as a `ConceptGraph`, through the extra of that name."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from diptych.errors import BadInputError, MissingExtraError, MissingFileError
from diptych.kg._conceptnet import ConceptGraph, ConceptNet, normalize_term
from diptych.kg._conceptnet_dump import Edge

_TABLES = frozenset("relation language label concept edge".split())


class LiteGraph(ConceptGraph):
    """An open conceptnet-lite database."""

    def __init__(self, path: Path) -> None:
        try:
            from conceptnet_lite import db
        except ImportError:
            raise MissingExtraError.for_extra("conceptnet-lite", "conceptnet-lite") from None
        _check_tables(path)
        self._db: Any = db
        db._open_db(path)

    def __contains__(self, term: str) -> bool:
        label = self._db.Label
        matches = label.select().where((label.text == _label_text(term)) & label.language.in_(self._english()))
        return bool(matches.exists())

    def edges(self, head: str | None = None, relation: str | None = None, tail: str | None = None) -> list[Edge]:
        """The edges with this head, relation and tail (None matches all), the heaviest first."""
        return ConceptNet(self._select(head, relation, tail)).edges()

    def _english(self) -> Any:
        language = self._db.Language
        return language.select(language.id).where(language.name == "en")

    def _select(self, head: str | None, relation: str | None, tail: str | None) -> Iterator[Edge]:
        edge, kind, label = self._db.Edge, self._db.Relation, self._db.Label
        labels = label.alias(), label.alias()
        query = edge.select(labels[0].text, kind.name, labels[1].text, edge.etc).join(kind)
        for term, end, end_label in ((head, edge.start, labels[0]), (tail, edge.end, labels[1])):
            concept = self._db.Concept.alias()
            query = query.switch(edge).join(concept, on=(end == concept.id))
            query = query.join(end_label, on=(concept.label == end_label.id))
            query = query.where(end_label.language.in_(self._english()))
            if term is not None:
                query = query.where(end_label.text == _label_text(term))
        if relation is not None:
            query = query.where(kind.name == _snake_case(relation))
        for row in query.order_by(edge.id).tuples():
            yield _build_edge(*row)


def open_lite(path: Path) -> LiteGraph:
    """Open an existing conceptnet-lite database; needs the extra `conceptnet-lite`."""
    return LiteGraph(path)


def _check_tables(path: Path) -> None:
    """Look for the tables first: conceptnet-lite would create them in a file that has none."""
    if not path.is_file():
        raise MissingFileError(f"{path}: no such conceptnet-lite database")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            tables = {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}
    except sqlite3.DatabaseError as error:
        raise BadInputError(f"{path}: not a conceptnet-lite database: {error}") from None
    if missing := sorted(_TABLES - tables):
        raise BadInputError(f"{path}: not a conceptnet-lite database: no table {missing[0]!r} in it")


def _label_text(term: str) -> str:
    return normalize_term(term).replace(" ", "_")


def _build_edge(head_label: str, relation: str, tail_label: str, details: dict[str, Any] | None) -> Edge:
    head, tail, details = head_label.replace("_", " "), tail_label.replace("_", " "), details or {}
    return Edge(
        head,
        "".join(part.capitalize() for part in relation.split("_")),
        tail,
        round(float(details.get("weight", 1.0)), 4),
        details.get("surfaceStart") or details.get("surface_start") or head,
        details.get("surfaceEnd") or details.get("surface_end") or tail,
    )


def _snake_case(relation: str) -> str:
    """A relation as conceptnet-lite stores it.

    >>> _snake_case("UsedFor")
    'used_for'
    """
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in relation).strip("_")
