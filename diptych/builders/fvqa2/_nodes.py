"""The nodes of the knowledge graph, to one of which FVQA's rule of scoring maps every right answer."""

from collections.abc import Iterator
from pathlib import Path

from diptych import sources
from diptych.builders.fvqa2._records import EDGES, EdgeBlock, read_record, source_inputs, source_records
from diptych.builders.fvqa2._slots import without_article


def node_names(data: Path, graph: str = "dump", languages: str = "en", relations: str = "") -> list[str]:
    """The names of all nodes, sorted: both ends of FVQA's facts and, as far as it is there, of ConceptNet's edges.

    The names are those of terms, in lower case and without articles, as the answers of models are compared.
    """
    return sorted(filter(None, set(_names(data, graph, languages, relations))))


def _names(data: Path, graph: str, languages: str, relations: str) -> Iterator[str]:
    facts = [*sources.read_facts(data), *(question.fact for question in sources.read_fvqa(data))]
    for fact in facts:
        yield from (" ".join(without_article(end).lower().split()) for end in (fact.head, fact.tail))
    edges = source_inputs(data, graph, languages, relations).get(EDGES)
    for record in source_records(edges, data) if edges else ():
        for block in read_record(record):
            if isinstance(block, EdgeBlock):
                yield from (term.lower() for edge in block.edges for term in (edge.head, edge.tail))
