"""What is planned once for all folds: templates, the things in the images, and the facts about them."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diptych.builders import Candidates, Rows
from diptych.builders.fvqa2._candidates import QuestionCandidate
from diptych.builders.fvqa2._drafts import Draft
from diptych.builders.fvqa2._entities import entity_key
from diptych.builders.fvqa2._images import ImageIndex, Thing, index_images
from diptych.builders.fvqa2._knowledge import (
    CONVERSES,
    Knowledge,
    Triple,
    fact_triple,
    gather_knowledge,
    kinds_of,
    triples_around,
)
from diptych.builders.fvqa2._records import EDGES, FACTS, OBJECTS
from diptych.errors import BadInputError
from diptych.kg import ConceptNet, Edge
from diptych.kg.screen import Fact, Screen

_MOST_EXAMPLES = 5


@lru_cache(maxsize=1)
def load_questions(rows: Rows) -> tuple[QuestionCandidate, ...]:
    """All questions of FVQA, a few thousand, in the order of their file; five folds share them."""
    return tuple(rows)


@lru_cache(maxsize=1)
def load_drafts(rows: Rows) -> dict[tuple[str, str], list[Draft]]:
    """The drafts of all questions, by question and test; five folds share them."""
    drafts: dict[tuple[str, str], list[Draft]] = {}
    for draft in rows:
        drafts.setdefault((draft.question_id, draft.test), []).append(draft)
    return drafts


def gather_images(questions: Iterable[QuestionCandidate], candidates: Candidates) -> ImageIndex:
    """Everything that is known to be in FVQA's images."""
    objects: dict[int, tuple[Thing, ...]] = {}
    if OBJECTS in candidates.inputs:
        objects = {int(row.key): row.things for row in candidates[OBJECTS]}
    return index_images(((candidate.question.image, candidate.thing) for candidate in questions), objects)


def gather_facts(
    questions: Sequence[QuestionCandidate],
    candidates: Candidates,
    images: ImageIndex,
    least_weight: float,
    rejects: frozenset[Fact],
) -> tuple[Knowledge, dict[str, Any]]:
    """What is known about the things in the images, and what the manifest tells about it."""
    names = sorted(set(images.names.values()))
    triples: list[Triple] = []
    incomplete: set[tuple[str, Triple]] = set()
    for fact_id, triple, is_complete in _fvqa_facts(questions, candidates):
        if is_complete:
            triples.append(triple)
        else:
            incomplete.add((fact_id, triple))
    edges, dump_notes = _gather_edges(candidates, names)
    relations = {candidate.reading.relation for candidate in questions if candidate.reading}
    relations |= {CONVERSES[relation] for relation in relations & CONVERSES.keys()}
    triples += (*triples_around(ConceptNet(edges), names), *kinds_of(names))
    knowledge, counts = gather_knowledge(triples, Screen(entity_key, rejects), least_weight, frozenset(relations))
    counts["without two entities"] = len(incomplete)
    notes = {
        "facts": dict(sorted(counts.items())),
        "images without annotation": sum(not things for things in images.things),
        **dump_notes,
    }
    return knowledge, notes


def _fvqa_facts(questions: Iterable[QuestionCandidate], candidates: Candidates) -> Iterator[tuple[str, Triple, bool]]:
    """The facts behind the questions, then all others."""
    for candidate in questions:
        fact = candidate.question.fact
        yield fact.fact_id, fact_triple(fact), fact.is_complete
    columns = "key", "is_complete", "head", "relation", "tail", "weight", "base"
    for fact_id, is_complete, *ends in candidates[FACTS].columns(*columns):
        yield fact_id, Triple(*ends), is_complete


def _gather_edges(candidates: Candidates, names: list[str]) -> tuple[list[Edge], dict[str, Any]]:
    """ConceptNet's edges with one of some names at an end, and what the manifest tells about its dump."""
    if EDGES not in candidates.inputs:
        return [], {}
    edges: list[Edge] = []
    examples: list[str] = []
    lines, malformed, blank = 0, 0, 0
    terms = pa.array([name.lower().replace("_", " ") for name in names], pa.string())
    for table in candidates[EDGES].tables():
        edges += _edges_about(table["edges"], terms)
        lines += pc.sum(table["lines"]).as_py()
        malformed += pc.sum(table["malformed"]).as_py()
        blank += pc.sum(table["blank"]).as_py()
        examples += [line for block in table["examples"].to_pylist() for line in block]
    if not lines:
        return edges, {}
    if malformed + blank == lines:
        raise BadInputError(f"not ConceptNet's dump: no line is an assertion; {''.join(examples[:1])}")
    return edges, {"dump": {"lines": lines, "malformed": malformed, "named": examples[:_MOST_EXAMPLES]}}


def _edges_about(blocks: pa.ChunkedArray, terms: pa.Array) -> list[Edge]:
    edges = pa.concat_arrays(pc.list_flatten(blocks).chunks)
    heads, tails = (pc.is_in(edges.field(end), terms) for end in ("head", "tail"))
    return [Edge(**edge) for edge in edges.filter(pc.or_(heads, tails)).to_pylist()]
