"""A conceptnet-lite database, through the extra of that name, with the same interface as our own graph file."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import networkx as nx

from diptych.errors import BadInputError, MissingExtraError, MissingFileError
from diptych.kg.conceptnet import ConceptGraph, Edge, neighbourhood
from diptych.sources import SourceFile

_TABLES = frozenset({"relation", "language", "label", "concept", "edge"})


class LiteGraph:
    """An open conceptnet-lite database; only edges within one language are seen."""

    def __init__(self, path: Path, language: str = "en") -> None:
        try:
            from conceptnet_lite import db
        except ImportError:
            raise MissingExtraError.for_extra("conceptnet-lite", "conceptnet-lite") from None
        _check(path)
        self._db: Any = db
        self.language = language
        db._open_db(path)

    def __contains__(self, term: str) -> bool:
        label, language = self._db.Label, self._db.Language
        labels = label.select().join(language)
        return bool(labels.where((label.text == _text(term)) & (language.name == self.language)).exists())

    def edges(self, head: str | None = None, relation: str | None = None, tail: str | None = None) -> list[Edge]:
        """The edges with this head, relation and tail, where given; the heaviest first."""
        kept: dict[tuple[str, str, str], Edge] = {}
        for edge in self._found(head, relation, tail):
            key = edge.head, edge.relation, edge.tail
            if key not in kept or kept[key].weight < edge.weight:
                kept[key] = edge
        return sorted(kept.values(), key=lambda edge: (-edge.weight, edge.head, edge.relation, edge.tail))

    def neighbourhood(self, term: str, radius: int = 1, relations: Iterable[str] | None = None) -> nx.MultiDiGraph:
        """The graph around a term, as networkx knows graphs."""
        return neighbourhood(self, term, radius, relations)

    def _found(self, head: str | None, relation: str | None, tail: str | None) -> Iterator[Edge]:
        edge, kind, concept, label = self._db.Edge, self._db.Relation, self._db.Concept, self._db.Label
        mine = self._db.Language.select(self._db.Language.id).where(self._db.Language.name == self.language)
        labels = label.alias(), label.alias()
        query = edge.select(labels[0].text, kind.name, labels[1].text, edge.etc).join(kind)
        for term, end, its_label in ((head, edge.start, labels[0]), (tail, edge.end, labels[1])):
            its_concept = concept.alias()
            query = query.switch(edge).join(its_concept, on=(end == its_concept.id))
            query = query.join(its_label, on=(its_concept.label == its_label.id)).where(its_label.language.in_(mine))
            if term is not None:
                query = query.where(its_label.text == _text(term))
        if relation is not None:
            query = query.where(kind.name == _snake(relation))
        for row in query.order_by(edge.id).tuples():
            yield _edge(*row)


def _check(path: Path) -> None:
    """Look for the tables before conceptnet-lite would make them in a file that has none."""
    if not path.is_file():
        raise MissingFileError(f"{path}: no such conceptnet-lite database")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            found = {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}
    except sqlite3.DatabaseError as error:
        raise BadInputError(f"{path}: not a conceptnet-lite database: {error}") from None
    if missing := sorted(_TABLES - found):
        raise BadInputError(f"{path}: not a conceptnet-lite database: no table {missing[0]!r} in it")


def _text(term: str) -> str:
    return term.lower().replace(" ", "_")


def _edge(start: str, relation: str, end: str, about: dict[str, Any] | None) -> Edge:
    head, tail = start.replace("_", " "), end.replace("_", " ")
    about = about or {}
    return Edge(
        head,
        _camel(relation),
        tail,
        round(float(about.get("weight", 1.0)), 4),
        about.get("surfaceStart") or about.get("surface_start") or head,
        about.get("surfaceEnd") or about.get("surface_end") or tail,
    )


def _snake(relation: str) -> str:
    """ConceptNet's name of a relation as conceptnet-lite keeps it.

    >>> _snake("UsedFor")
    'used_for'
    """
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in relation).strip("_")


def _camel(relation: str) -> str:
    return "".join(part.capitalize() for part in relation.split("_"))


def open_lite(data: Path) -> tuple[ConceptGraph, tuple[SourceFile, ...]]:
    """The first `conceptnet/*.db` of a data folder."""
    found = sorted((data / "conceptnet").glob("*.db"))
    if not found:
        raise MissingFileError(f"{data / 'conceptnet'}: no conceptnet-lite database (*.db) there")
    return LiteGraph(found[0]), (SourceFile(found[0], found[0].name),)
