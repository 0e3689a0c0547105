"""A conceptnet-lite database, through the extra of that name, with the same interface as our own graph file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from diptych.errors import MissingExtraError, MissingFileError
from diptych.kg.conceptnet import ConceptGraph, Edge, neighbourhood
from diptych.sources import SourceFile


class LiteGraph:
    """An open conceptnet-lite database; only edges within one language are seen."""

    def __init__(self, path: Path, language: str = "en") -> None:
        try:
            from conceptnet_lite import db
        except ImportError:
            raise MissingExtraError.for_extra("conceptnet-lite", "conceptnet-lite") from None
        if not path.is_file():
            raise MissingFileError(f"{path}: no such conceptnet-lite database")
        self._db: Any = db
        self.language = language
        db._open_db(path)

    def __contains__(self, term: str) -> bool:
        return bool(self._concepts(term))

    def edges(self, head: str | None = None, relation: str | None = None, tail: str | None = None) -> list[Edge]:
        """The edges with this head, relation and tail, where given; the heaviest first."""
        kept: dict[tuple[str, str, str], Edge] = {}
        for edge in self._found(head, relation, tail):
            key = edge.head, edge.relation, edge.tail
            if key not in kept or kept[key].weight < edge.weight:
                kept[key] = edge
        return sorted(kept.values(), key=lambda edge: (-edge.weight, edge.head, edge.relation, edge.tail))

    def neighbourhood(self, term: str, radius: int = 1) -> Any:
        """The graph around a term, as networkx knows graphs."""
        return neighbourhood(self, term, radius)

    def _found(self, head: str | None, relation: str | None, tail: str | None) -> Iterator[Edge]:
        table = self._db.Edge
        query = table.select()
        for term, column in ((head, table.start), (tail, table.end)):
            if term is not None:
                query = query.where(column.in_(self._concepts(term)))
        if relation is not None:
            named = self._db.Relation.select().where(self._db.Relation.name == _snake(relation))
            query = query.where(table.relation.in_(named))
        for row in query:
            if row.start.language.name == row.end.language.name == self.language:
                yield _edge(row)

    def _concepts(self, term: str) -> list[Any]:
        text = term.lower().replace(" ", "_")
        label, concept, language = self._db.Label, self._db.Concept, self._db.Language
        labels = label.select().join(language).where((label.text == text) & (language.name == self.language))
        return list(concept.select().where(concept.label.in_(labels)))


def _edge(row: Any) -> Edge:
    head, tail = (end.text.replace("_", " ") for end in (row.start, row.end))
    about = row.etc or {}
    return Edge(
        head,
        _camel(row.relation.name),
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
