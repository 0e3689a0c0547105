"""What `read` makes of the official records: readings of questions, facts as triples, things in images, edges."""

from collections.abc import Iterator
from dataclasses import dataclass

from diptych.builders import EVERY_TEST, Item
from diptych.builders.fvqa2._entities import EntityKey, entity_key
from diptych.builders.fvqa2._images import Thing, named_thing, thing_in_question
from diptych.builders.fvqa2._knowledge import RELATIONS, fact_triple
from diptych.builders.fvqa2._readings import Reading, read_question
from diptych.builders.fvqa2._templates import CANNOT_REFILL, refills, template_id
from diptych.kg import Edge, Malformed, parse_edge
from diptych.pairs import Skip
from diptych.sources import FvqaFact, FvqaQuestion

_MOST_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class QuestionCandidate(Item):
    """A question of FVQA; its key is the id of the question."""

    question: FvqaQuestion
    answer: EntityKey
    thing: Thing | None
    """The thing in the image that the question is about."""
    reading: Reading | None
    template_id: str
    problem: str
    """Why the question makes no template."""


@dataclass(frozen=True, slots=True)
class FactCandidate(Item):
    """A fact of FVQA; its key is the id of the fact."""

    head: str
    relation: str
    tail: str
    weight: float
    base: str
    is_complete: bool


@dataclass(frozen=True, slots=True)
class ImageObjects:
    """The names of the objects that Visual Genome saw in a COCO image."""

    coco_number: int
    names: tuple[str, ...]


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


@dataclass(frozen=True, slots=True)
class EdgeList:
    """Some edges of a conceptnet-lite database."""

    first_number: int
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class EdgeBlock(Item):
    """The edges of some lines that questions can ask about; the key is the number of the first line."""

    edges: tuple[Edge, ...]
    lines: int
    """How many lines of the dump; 0 for edges of a database."""
    blank: int
    malformed: int
    examples: tuple[str, ...]
    """The first malformed lines, by file and number."""


Record = FvqaQuestion | FvqaFact | ImageObjects | LineBlock | EdgeList
Candidate = QuestionCandidate | FactCandidate | ObjectsCandidate | EdgeBlock


def read_record(record: Record) -> Iterator[Candidate]:
    """What could be used of a record."""
    match record:
        case FvqaQuestion():
            yield read_candidate(record)
        case FvqaFact():
            triple = fact_triple(record)
            ends = triple.head, triple.relation, triple.tail
            yield FactCandidate(EVERY_TEST, record.fact_id, *ends, triple.weight, triple.base, record.is_complete)
        case ImageObjects():
            things = tuple(thing for name in record.names if (thing := named_thing(name)))
            yield ObjectsCandidate(EVERY_TEST, str(record.coco_number), things)
        case LineBlock():
            yield _read_lines(record)
        case EdgeList():
            yield EdgeBlock(EVERY_TEST, str(record.first_number), record.edges, 0, 0, 0, ())


def read_candidate(question: FvqaQuestion) -> QuestionCandidate:
    """A question with its reading, or why it has none."""
    reading = read_question(question)
    if not isinstance(reading, Skip) and not refills(reading, question.fact):
        reading = CANNOT_REFILL
    return QuestionCandidate(
        test=EVERY_TEST,
        key=question.question_id,
        question=question,
        answer=entity_key(question.answer),
        thing=thing_in_question(question),
        reading=reading if isinstance(reading, Reading) else None,
        template_id=template_id(reading) if isinstance(reading, Reading) else "",
        problem=reading.reason if isinstance(reading, Skip) else "",
    )


def _read_lines(block: LineBlock) -> EdgeBlock:
    lines = block.text.split(b"\n")
    edges: list[Edge] = []
    examples: list[str] = []
    malformed = 0
    for number, line in enumerate(lines, start=block.first_number):
        edge = parse_edge(line, RELATIONS)
        if isinstance(edge, Edge):
            edges.append(edge)
        elif isinstance(edge, Malformed):
            malformed += 1
            if len(examples) < _MOST_EXAMPLES:
                examples.append(f"{block.file_name}: line {number:,}: {edge.reason}")
    blank = sum(not line.strip() for line in lines)
    key = str(block.first_number)
    return EdgeBlock(EVERY_TEST, key, tuple(edges), len(lines), blank, malformed, tuple(examples))
