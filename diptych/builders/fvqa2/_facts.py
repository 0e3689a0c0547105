"""What is planned once for all folds: templates, the things in the images, and the facts about them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diptych.builders import Candidates, Rows
from diptych.builders.fvqa2._entities import WORD_LISTS, entity_key, hypernyms, thing_field, word_set
from diptych.builders.fvqa2._images import ImageIndex, index_images
from diptych.builders.fvqa2._knowledge import CONVERSES, Knowledge, Triple, fact_triple
from diptych.builders.fvqa2._records import EDGES, FACTS, MOST_EXAMPLES, OBJECTS, QuestionCandidate
from diptych.errors import BadInputError
from diptych.kg import ConceptNet, Dropped, Edge
from diptych.kg.screen import Fact, Screen

_WORDNET_WEIGHT = 5.0
_DROPPED = {"foreign": Dropped.LANGUAGE, "unasked": Dropped.RELATION, "negative": Dropped.WEIGHT}
_FEWEST_THINGS = 3.0  # on average per image: below, hardly any other answer can be noticed


@lru_cache(maxsize=1)
def load_questions(rows: Rows) -> tuple[QuestionCandidate, ...]:
    """All questions of FVQA, a few thousand, in the order of their file; five folds share them."""
    return tuple(rows)


def gather_images(questions: Iterable[QuestionCandidate], candidates: Candidates) -> ImageIndex:
    """Everything that is known to be in FVQA's images."""
    objects = {int(row.key): row.things for row in candidates.inputs.get(OBJECTS, ())}
    return index_images(((candidate.question.image, candidate.thing) for candidate in questions), objects)


def gather_facts(
    questions: Sequence[QuestionCandidate],
    candidates: Candidates,
    images: ImageIndex,
    least_weight: float,
    rejects: frozenset[Fact],
) -> tuple[Knowledge, dict[str, Any]]:
    """What is known about the things in the images, as far as questions need it, and what the manifest tells of it."""
    names = sorted(set(images.names.values()))
    edges, dump_notes = _gather_edges(candidates, names)
    relations = {candidate.reading.relation for candidate in questions if candidate.reading}
    relations |= {CONVERSES[relation] for relation in relations & CONVERSES.keys()}
    facts = list(_fvqa_facts(questions, candidates))
    complete_facts = (triple for _, triple, is_complete in facts if is_complete)
    triples = dict.fromkeys(chain(complete_facts, _triples_around(names, edges), _kinds_of(names)))
    knowledge, counts, screen = Knowledge(), Counter[str](), Screen(entity_key, rejects)
    for triple in triples:
        problem = screen.stops(triple.head, triple.relation, triple.tail)
        is_light = triple.base == "conceptnet" and triple.weight < least_weight
        counts[problem or ("too light" if is_light else "used")] += 1
        if problem is None and triple.relation in relations:
            knowledge.add(triple, is_doubtful=is_light)
    counts["without two entities"] = len({(fact_id, triple) for fact_id, triple, complete in facts if not complete})
    unseen = sum(not things for things in images.things)
    things = {"images without annotation": unseen, "things per image": round(images.things_per_image, 2)}
    return knowledge, {"facts": dict(sorted(counts.items())), **things, **dump_notes}


def warn_of_images(images: ImageIndex) -> tuple[str, ...]:
    """A warning where so little is known of the images that an answer cannot be told to be the only one."""
    if images.things_per_image >= _FEWEST_THINGS:
        return ()
    known = f"only {images.things_per_image:.1f} things are known per image, mostly from FVQA's own questions"
    advice = "put Visual Genome's objects under vg/ (--download fetches them) or COCO's instances under coco/"
    return (f"{known}, so other things in an image may be right answers too; {advice}",)


def _fvqa_facts(questions: Iterable[QuestionCandidate], candidates: Candidates) -> Iterator[tuple[str, Triple, bool]]:
    """The facts behind the questions, then all others, each with its id and whether it is complete."""
    for candidate in questions:
        fact = candidate.question.fact
        yield fact.fact_id, fact_triple(fact), fact.is_complete
    yield from ((row.key, row.triple, row.is_complete) for row in candidates[FACTS])


def _triples_around(things: Iterable[str], edges: list[Edge]) -> Iterator[Triple]:
    """ConceptNet's edges that have one of the things at an end."""
    graph = ConceptNet(edges)
    for thing in things:
        field = thing_field(entity_key(thing))
        for edge in graph.edges(head=thing):
            if fits_sense(edge.head_sense, field):
                yield Triple(edge.head_text, edge.relation, edge.tail_text, edge.weight)
        for edge in graph.edges(tail=thing):
            if fits_sense(edge.tail_sense, field):
                yield Triple(edge.head_text, edge.relation, edge.tail_text, edge.weight)


def fits_sense(sense: str, field: str) -> bool:
    """Whether a sense as the dump has it can be that of a thing in an image: of two mice, one is no animal."""
    part_of_speech, *place = sense.split("/")
    if part_of_speech not in {"", "n"}:
        return False
    return not (field and place[:1] == ["wn"]) or place[1:2] == [field.removeprefix("noun.")]


def _kinds_of(things: Iterable[str]) -> Iterator[Triple]:
    """What WordNet says the things are, in words that people use: a dog is a mammal and an animal."""
    # A mouse is an animal or a part of a computer.
    ambiguous = set(map(entity_key, word_set("ambiguous")))
    for thing in things:
        key = entity_key(thing)
        for synset, kind in WORD_LISTS["kinds"].items():
            if key not in ambiguous and synset in hypernyms(key) and entity_key(kind) != key:
                yield Triple(thing, "IsA", kind, _WORDNET_WEIGHT, "wordnet")


def _gather_edges(candidates: Candidates, names: list[str]) -> tuple[list[Edge], dict[str, Any]]:
    """ConceptNet's edges with one of some names at an end, and what the manifest tells about its dump."""
    if EDGES not in candidates.inputs:
        return [], {}
    around: list[pa.Table] = []
    examples: list[str] = []
    counts: Counter[str] = Counter()
    terms = pa.array([name.lower().replace("_", " ") for name in names], pa.string())
    for table in candidates[EDGES].tables():
        edges_of_block = pc.list_flatten(table["edges"]).combine_chunks()  # at least one chunk, which has the fields
        block = pa.Table.from_struct_array(edges_of_block)
        is_around = pc.or_(*(pc.is_in(block[end], terms) for end in ("head", "tail")))
        around.append(block.filter(is_around))
        counts.update({name: pc.sum(table[name]).as_py() for name in ("lines", "malformed", "blank", *_DROPPED)})
        if len(examples) < MOST_EXAMPLES:
            examples += [line for block in table["examples"].to_pylist() for line in block]
    table = pa.concat_tables(around) if around else pa.table({})
    distinct = table.group_by(table.column_names, use_threads=False).aggregate([])  # in their first order
    edges = [Edge(*values) for values in zip(*(column.to_pylist() for column in distinct.columns), strict=True)]
    lines, malformed = counts["lines"], counts["malformed"]
    if not lines:
        return edges, {}
    if malformed + counts["blank"] == lines:
        raise BadInputError(f"not ConceptNet's dump: no line is an assertion; {''.join(examples[:1])}")
    dropped = {reason.value: counts[name] for name, reason in _DROPPED.items()}
    return edges, {"dump": {"lines": lines, "malformed": malformed, **dropped, "named": examples[:MOST_EXAMPLES]}}
