"""Which records of which files `fvqa2` reads, and what it makes of them.

Questions become readings, facts triples, objects in images things, and lines of ConceptNet's dump edges.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from diptych import sources
from diptych.builders import EVERY_TEST, Input, Item
from diptych.builders.fvqa2._entities import EntityKey, entity_key
from diptych.builders.fvqa2._images import Thing, coco_number, named_thing, thing_in_question
from diptych.builders.fvqa2._knowledge import RELATIONS, Triple, fact_triple
from diptych.builders.fvqa2._readings import Reading, read_question
from diptych.builders.fvqa2._templates import CANNOT_REFILL, refills, template_id
from diptych.errors import BadInputError, MissingFileError, UnknownNameError
from diptych.kg import ENGLISH, Dropped, Edge, LiteGraph, Malformed, parse_edge
from diptych.pairs import Skip
from diptych.sources import FvqaFact, FvqaQuestion, SourceFile

QUESTIONS, FACTS, OBJECTS, EDGES = "questions", "facts", "objects", "edges"  # the roles of the inputs
MOST_EXAMPLES = 5

_BLOCK_SIZE, _LONGEST_LINE, _EDGES_PER_BLOCK = 1 << 20, 1 << 26, 4096
_MOST_BLANK_LINES = 1 << 16  # of one block
_QUESTIONS_PER_SHARD, _FACTS_PER_SHARD, _BLOCKS_PER_SHARD = 256, 32768, 4


@dataclass(frozen=True, slots=True)
class QuestionCandidate(Item):
    """A question of FVQA; its key is the id of the question."""

    question: FvqaQuestion
    answer: EntityKey
    thing: Thing | None  # the thing in the image that the question is about
    reading: Reading | None
    template_id: str
    problem: str  # why the question makes no template


@dataclass(frozen=True, slots=True)
class FactCandidate(Item):
    """A fact of FVQA; its key is the id of the fact."""

    triple: Triple
    is_complete: bool


@dataclass(frozen=True, slots=True)
class ObjectsCandidate(Item):
    """The things in a COCO image; the key is its number."""

    things: tuple[Thing, ...]


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Some lines of ConceptNet's dump."""

    file_name: str
    first_number: int
    text: bytes
    relations: frozenset[str] = RELATIONS
    languages: tuple[str, ...] = ENGLISH


@dataclass(frozen=True, slots=True)
class EdgeBlock(Item):
    """The edges of some lines that questions can ask about; the key is the number of the first line."""

    edges: tuple[Edge, ...]
    lines: int = 0  # how many lines of the dump; 0 for edges of a database
    blank: int = 0
    malformed: int = 0
    foreign: int = 0  # between terms of other languages
    unasked: int = 0  # of other relations
    negative: int = 0  # with a negative weight
    examples: tuple[str, ...] = ()  # the first malformed lines, by file and number


ImageObjects = tuple[int, tuple[str, ...]]  # the number of a COCO image, and what annotators saw in it
Record = FvqaQuestion | FvqaFact | ImageObjects | LineBlock | EdgeBlock
Candidate = QuestionCandidate | FactCandidate | ObjectsCandidate | EdgeBlock


def read_record(record: Record) -> Iterator[Candidate]:
    """What could be used of a record."""
    match record:
        case FvqaQuestion():
            yield read_candidate(record)
        case FvqaFact():
            yield FactCandidate(EVERY_TEST, record.fact_id, fact_triple(record), record.is_complete)
        case (number, names):
            things = tuple(thing for name in names if (thing := named_thing(name)))
            yield ObjectsCandidate(EVERY_TEST, str(number), things)
        case LineBlock():
            yield _read_lines(record)
        case EdgeBlock():
            yield record


def read_candidate(question: FvqaQuestion) -> QuestionCandidate:
    """A question with its reading, or why it has none."""
    head = (EVERY_TEST, question.question_id, question, entity_key(question.answer), thing_in_question(question))
    reading = read_question(question)
    if not isinstance(reading, Skip) and not refills(reading, question.fact):
        reading = CANNOT_REFILL
    if isinstance(reading, Skip):
        return QuestionCandidate(*head, None, "", reading.reason)
    return QuestionCandidate(*head, reading, template_id(reading), "")


def _read_lines(block: LineBlock) -> EdgeBlock:
    lines = block.text.split(b"\n")
    edges: list[Edge] = []
    examples: list[str] = []
    malformed = blank = 0
    dropped: Counter[Dropped] = Counter()
    for number, line in enumerate(lines, start=block.first_number):
        if not line or line.isspace():
            blank += 1
            continue
        edge = parse_edge(line, block.relations, block.languages)
        if isinstance(edge, Edge):
            edges.append(edge)
        elif isinstance(edge, Dropped):
            dropped[edge] += 1
        elif isinstance(edge, Malformed):
            malformed += 1
            if len(examples) < MOST_EXAMPLES:
                examples.append(f"{block.file_name}: line {number:,}: {edge.reason}")
    key = str(block.first_number)
    foreign, unasked, negative = (dropped[reason] for reason in (Dropped.LANGUAGE, Dropped.RELATION, Dropped.WEIGHT))
    counts = (len(lines), blank, malformed, foreign, unasked, negative)
    return EdgeBlock(EVERY_TEST, key, tuple(edges), *counts, tuple(examples))


def source_inputs(data: Path, graph: str, languages: str = "en", relations: str = "") -> dict[str, Input]:
    """The inputs by role; the graph is `dump`, `lite` or `none`, languages and relations have commas between them."""
    questions = sources.fvqa_files(data)
    objects = (*sources.vg_object_files(data), *sources.coco_instance_files(data))
    pattern = {"dump": "conceptnet-assertions-*.csv", "lite": "*.db"}.get(graph)
    edges = sources.find_matching(data, "conceptnet", pattern)[:1] if pattern else ()
    if graph == "lite" and not edges:
        raise MissingFileError(f"{data / 'conceptnet'}: no conceptnet-lite database (*.db) found")
    inputs = {
        QUESTIONS: Input("questions", questions, QuestionCandidate, _QUESTIONS_PER_SHARD),
        FACTS: Input("facts", questions, FactCandidate, _FACTS_PER_SHARD),
    }
    if objects:  # the questions decide which images are read
        inputs[OBJECTS] = Input("objects", (*questions, *objects), ObjectsCandidate, _QUESTIONS_PER_SHARD)
    if edges:
        # What the edges are read for is in the name of the input: reading sees no parameters.
        inputs[EDGES] = Input(f"edges/{graph}/{languages}/{relations}", edges, EdgeBlock, _BLOCKS_PER_SHARD)
    return inputs


def source_records(source: Input, data: Path) -> Iterator[Record]:
    """The records of an input."""
    role, *choices = source.name.split("/")
    match role:
        case "questions":
            yield from sources.read_fvqa(data)
        case "facts":
            yield from sources.read_facts(data)
        case "objects":
            images = (question.image for question in sources.read_fvqa(data))
            numbers = {number for image in images if (number := coco_number(image)) is not None}
            named = (sources.read_vg_objects(data, numbers), sources.read_coco_instances(data, numbers))
            for number in sorted({*named[0], *named[1]}):
                yield number, tuple(dict.fromkeys(name for names in named for name in names.get(number, ())))
        case "edges":
            (file,) = source.files
            graph, languages, relations = (*choices, "en", "")[:3] if len(choices) < 3 else choices
            wanted = frozenset(split_names(relations)) or RELATIONS, split_names(languages)
            yield from _line_blocks(file, *wanted) if graph == "dump" else _edge_blocks(file, *wanted)


def split_names(text: str) -> tuple[str, ...]:
    """Names with commas between them."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def check_languages(text: str) -> None:
    """Refuse a list of languages that are no codes."""
    names = split_names(text)
    if not names or not all(re.fullmatch(r"[a-z]{2,3}(?:-[a-z]+)?", name) for name in names):
        raise BadInputError(f"languages {text!r} are not codes separated by commas, such as en,de")


def check_relations(text: str) -> None:
    """Refuse a relation that questions do not ask about."""
    for name in split_names(text):
        if name not in RELATIONS:
            raise UnknownNameError.among("relation", name, RELATIONS)


def _line_blocks(file: SourceFile, relations: frozenset[str], languages: tuple[str, ...]) -> Iterator[LineBlock]:
    """The lines of a dump in blocks of about a megabyte, which the workers take apart."""
    number, rest = 1, bytearray()
    with file.open() as stream:
        while chunk := stream.read(_BLOCK_SIZE):
            end = chunk.rfind(b"\n")
            if end >= 0:
                text = bytes(rest + chunk[:end])
                lines = text.count(b"\n") + 1
                if lines > max(_MOST_BLANK_LINES, len(text) // 2):
                    raise BadInputError(f"{file.where}: not ConceptNet's dump: blank lines from line {number:,} on")
                yield LineBlock(file.path.name, number, text, relations, languages)
                number += lines
                rest.clear()
            rest += chunk[end + 1 :]
            if len(rest) > _LONGEST_LINE:
                raise BadInputError(f"{file.where}: not ConceptNet's dump: a line of more than {_LONGEST_LINE:,} bytes")
    if rest:
        yield LineBlock(file.path.name, number, bytes(rest), relations, languages)
    elif number == 1:
        raise BadInputError(f"{file.where}: not ConceptNet's dump: it is empty")


def _edge_blocks(file: SourceFile, relations: frozenset[str], languages: tuple[str, ...]) -> Iterator[EdgeBlock]:
    """The edges of a conceptnet-lite database that questions can ask about."""
    graph, number = LiteGraph(file.path), 1
    for relation in sorted(relations):
        edges = iter(graph.edges(relation, languages))
        while block := tuple(islice(edges, _EDGES_PER_BLOCK)):
            yield EdgeBlock(EVERY_TEST, str(number), block)
            number += len(block)
