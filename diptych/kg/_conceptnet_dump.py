"""ConceptNet's official assertions dump, line by line: English edges, and what is wrong with the malformed lines."""

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import orjson

from diptych.errors import BadInputError

if TYPE_CHECKING:
    from diptych.sources import SourceFile

_CELLS, _TAB = 5, b"\t"
_MOST_STRANGE_LINES = 100_000
# A file whose first lines are none of ConceptNet's is not read to its end.
_ENGLISH = b"/c/en/"
_BLOCK = 1 << 20
_LONGEST_LINE = 1 << 26
_MOST_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Edge:
    """One assertion between two English terms.

    Terms have spaces and neither part of speech nor sense (`/c/en/hot_dog/n` is `hot dog`). The texts are the ends as
    the source words them (`a hot dog`), or the terms where it does not say.
    """

    head: str
    relation: str
    tail: str
    weight: float = 1.0
    head_text: str = ""
    tail_text: str = ""


@dataclass(frozen=True, slots=True)
class Malformed:
    """Why a line is not an assertion."""

    reason: str


@dataclass(slots=True)
class DumpTally:
    """Number of lines read, edges kept and malformed lines, with the first few of these by file and line."""

    lines: int = 0
    edges: int = 0
    malformed: int = 0
    examples: list[str] = field(default_factory=list)

    def add_malformed(self, file_name: str, line_number: int, reason: str) -> None:
        """Count a malformed line and keep it as an example if there are few so far."""
        self.malformed += 1
        if len(self.examples) < _MOST_EXAMPLES:
            self.examples.append(f"{file_name}: line {line_number:,}: {reason}")


def parse_edge(line: bytes, relations: Container[str] | None = None) -> Edge | Malformed | None:
    r"""Parse one line of the dump.

    Returns None for a blank line, an edge that is not between two English terms, a relation that is not among
    `relations` (names without `/r/`; None accepts all), and a negative weight.

    >>> parse_edge(b'/a/x\t/r/IsA\t/c/en/hot_dog/n\t/c/en/food\t{"weight": 2.0, "surfaceStart": "a hot dog"}')
    Edge(head='hot dog', relation='IsA', tail='food', weight=2.0, head_text='a hot dog', tail_text='food')
    >>> parse_edge(b'/a/x\t/r/IsA\t/c/fr/chien\t/c/fr/animal\t{}') is None
    True
    >>> parse_edge(b'/a/x\t/r/IsA\t/c/en/dog\t/c/en/animal\t{')
    Malformed(reason='its last cell is not JSON')
    """
    cells = line.split(_TAB, _CELLS)
    if len(cells) != _CELLS:
        return Malformed(f"{line.count(_TAB) + 1} cells, not {_CELLS}") if line.strip() else None
    _, relation, head, tail, details = cells
    # Nine lines in ten of the full dump are of other languages: they cost a split and two or three comparisons.
    if relation[:3] != b"/r/":
        return Malformed(f"cell 2, {_excerpt(relation)}, is not a relation")
    if head[:6] != _ENGLISH or tail[:6] != _ENGLISH:
        return None if head[:3] == b"/c/" else Malformed(f"cell 3, {_excerpt(head)}, is not a concept")
    if relations is not None and relation[3:].decode(errors="replace") not in relations:
        return None
    try:
        return _build_edge(relation.decode(), head.decode(), tail.decode(), details.decode())
    except UnicodeDecodeError:
        return Malformed("not UTF-8")


def _excerpt(cell: bytes) -> str:
    return repr(cell[:60].decode(errors="replace"))


def _build_edge(relation: str, head_uri: str, tail_uri: str, details_json: str) -> Edge | Malformed | None:
    try:
        details = orjson.loads(details_json)
    except orjson.JSONDecodeError:
        return Malformed("its last cell is not JSON")
    if not isinstance(details, dict):
        return Malformed("its last cell is not a JSON object")
    weight = details.get("weight", 1.0)
    if type(weight) not in (float, int):
        return Malformed(f"its weight, {weight!r}, is not a number")
    head, tail = _term(head_uri), _term(tail_uri)
    head_text, tail_text = details.get("surfaceStart") or head, details.get("surfaceEnd") or tail
    if not isinstance(head_text, str) or not isinstance(tail_text, str):
        return Malformed("one of its surfaces is not a text")
    if weight < 0:
        return None
    if not head or not tail:
        return Malformed("a concept without a term")
    return Edge(head, relation[3:], tail, round(float(weight), 4), head_text, tail_text)


def _term(uri: str) -> str:
    return uri.split("/")[3].replace("_", " ")


def read_edges(
    file: "SourceFile", relations: Container[str] | None = None, tally: DumpTally | None = None
) -> Iterator[Edge]:
    """Read the English edges of a dump (plain, `.gz` or in a `.zip`) in constant memory, in the order of its lines.

    Malformed lines are counted in `tally` and skipped; a file without a single assertion is refused.
    """
    tally = tally if tally is not None else DumpTally()
    blank = 0
    for lines in _line_blocks(file):
        for number, line in enumerate(lines, start=tally.lines + 1):
            edge = parse_edge(line, relations)
            if edge is None:
                continue
            if isinstance(edge, Malformed):
                tally.add_malformed(file.where, number, edge.reason)
            else:
                tally.edges += 1
                yield edge
        tally.lines += len(lines)
        blank += lines.count(b"") + lines.count(b"\r")
        if tally.lines > _MOST_STRANGE_LINES and tally.malformed + blank == tally.lines:
            break
        if blank > _MOST_STRANGE_LINES:
            raise BadInputError(f"{file.where}: not ConceptNet's dump: more than {_MOST_STRANGE_LINES:,} blank lines")
    if tally.malformed + blank == tally.lines:
        example = tally.examples[0].removeprefix(f"{file.where}: ") if tally.examples else ""
        reason = f"no line is an assertion; {example}" if example else "it is empty"
        raise BadInputError(f"{file.where}: not ConceptNet's dump: {reason}")


def _line_blocks(file: "SourceFile") -> Iterator[list[bytes]]:
    """The lines of a file in blocks of about a megabyte, which is faster than asking the file for each line."""
    rest = b""
    with file.open() as stream:
        while block := stream.read(_BLOCK):
            *lines, rest = (rest + block).split(b"\n")
            if len(rest) > _LONGEST_LINE:
                raise BadInputError(f"{file.where}: not ConceptNet's dump: a line of more than {_LONGEST_LINE:,} bytes")
            yield lines
    if rest:
        yield [rest]
