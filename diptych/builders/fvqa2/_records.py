"""Which records of which files `fvqa2` reads: questions, facts, objects in images, and edges of ConceptNet."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from diptych.builders import Input
from diptych.builders.fvqa2._candidates import (
    EdgeBlock,
    EdgeList,
    FactCandidate,
    ImageObjects,
    LineBlock,
    ObjectsCandidate,
    QuestionCandidate,
    Record,
)
from diptych.builders.fvqa2._images import coco_number
from diptych.builders.fvqa2._knowledge import RELATIONS
from diptych.errors import BadInputError, MissingFileError
from diptych.kg import open_lite
from diptych.sources import (
    SourceFile,
    find_file,
    find_matching,
    fvqa_files,
    get_source,
    read_facts,
    read_fvqa,
    read_vg_objects,
    vg_object_files,
)

QUESTIONS, FACTS, OBJECTS, EDGES = "questions", "facts", "objects", "edges"
"""The roles of the inputs."""

_DUMP, _DATABASE = "conceptnet-assertions-*.csv", "*.db"
_BLOCK_SIZE = 1 << 20
_LONGEST_LINE = 1 << 26
_EDGES_PER_BLOCK = 4096
_QUESTIONS_PER_SHARD, _BLOCKS_PER_SHARD = 256, 4


def is_fvqa_present(data: Path) -> bool:
    """Whether FVQA's questions and folds are in the data folder."""
    return all(find_file(data, "fvqa", name) for name in ("all_qs_dict_release.json", "Name_Lists/test_list_0.txt"))


def official_downloads() -> dict[str, tuple[str, ...]]:
    """The files of FVQA's archive and ConceptNet's dump."""
    return {key: tuple(name for _, name in get_source(key).official_files()) for key in ("fvqa", "conceptnet")}


def source_inputs(data: Path, graph: str) -> dict[str, Input]:
    """The inputs by role; the graph is `dump`, `lite` or `none`."""
    questions, objects, edges = fvqa_files(data), vg_object_files(data), _graph_files(data, graph)
    inputs = {
        QUESTIONS: Input("questions", questions, QuestionCandidate, _QUESTIONS_PER_SHARD),
        FACTS: Input("facts", questions, FactCandidate),
    }
    if objects:  # the questions decide which images are read
        inputs[OBJECTS] = Input("objects", (*questions, *objects), ObjectsCandidate, _QUESTIONS_PER_SHARD)
    if edges:
        inputs[EDGES] = Input(f"edges/{graph}", edges, EdgeBlock, _BLOCKS_PER_SHARD)
    return inputs


def _graph_files(data: Path, graph: str) -> tuple[SourceFile, ...]:
    if graph == "none":
        return ()
    files = find_matching(data, "conceptnet", _DUMP if graph == "dump" else _DATABASE)[:1]
    if graph == "lite" and not files:
        raise MissingFileError(f"{data / 'conceptnet'}: no conceptnet-lite database (*.db) there")
    return files


def source_records(source: Input, data: Path) -> Iterator[Record]:
    """The records of an input."""
    role, _, graph = source.name.partition("/")
    match role:
        case "questions":
            yield from read_fvqa(data)
        case "facts":
            yield from read_facts(data)
        case "objects":
            numbers = {number for question in read_fvqa(data) if (number := coco_number(question.image)) is not None}
            objects: Mapping[int, tuple[str, ...]] = read_vg_objects(data, numbers)
            yield from (ImageObjects(number, names) for number, names in objects.items())
        case "edges":
            (file,) = source.files
            yield from _line_blocks(file) if graph == "dump" else _edge_lists(file)


def _line_blocks(file: SourceFile) -> Iterator[LineBlock]:
    """The lines of a dump in blocks of about a megabyte, which the workers take apart."""
    number, rest = 1, b""
    with file.open() as stream:
        while chunk := stream.read(_BLOCK_SIZE):
            text, newline, rest = (rest + chunk).rpartition(b"\n")
            if len(rest) > _LONGEST_LINE:
                raise BadInputError(f"{file.where}: not ConceptNet's dump: a line of more than {_LONGEST_LINE:,} bytes")
            if newline:
                yield LineBlock(file.path.name, number, text)
                number += text.count(b"\n") + 1
    if rest:
        yield LineBlock(file.path.name, number, rest)
    elif number == 1:
        raise BadInputError(f"{file.where}: not ConceptNet's dump: it is empty")


def _edge_lists(file: SourceFile) -> Iterator[EdgeList]:
    """The edges of a conceptnet-lite database that questions can ask about."""
    graph, number = open_lite(file.path), 1
    for relation in sorted(RELATIONS):
        edges = iter(graph.edges(relation=relation))
        while block := tuple(islice(edges, _EDGES_PER_BLOCK)):
            yield EdgeList(number, block)
            number += len(block)
