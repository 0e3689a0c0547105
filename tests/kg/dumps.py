"""Small dumps in ConceptNet's format, and a plain reading of any dump to compare with."""

import csv
import gzip
import json
import re
from pathlib import Path

from diptych.builders import Input
from diptych.builders.fvqa2._records import EdgeBlock, read_record, source_records
from diptych.sources import SourceFile

NAME = "conceptnet-assertions-5.7.0.csv"


def line(relation: str, head: str, tail: str, weight: object = 2.0, **details: object) -> str:
    """A line of the dump, its JSON as ConceptNet writes it."""
    facts = {"dataset": "/d/x", "license": "cc:by/4.0", "sources": [{"process": "/s/p"}], "weight": weight, **details}
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False)
    return f"/a/[{relation},{head},{tail}]\t/r/{relation}\t/c/{head}\t/c/{tail}\t{text}"


LINES = [
    line("CapableOf", "en/dog", "en/bark", 3.0, surfaceStart="a dog", surfaceEnd="bark"),
    line("CapableOf", "en/dog/n/wn/animal", "en/bark", 1.0),
    line("IsA", "en/dog", "en/animal"),
    line("IsA", "en/cat", "en/animal", 1.5),
    line("IsA", "fr/chien", "fr/animal"),
    line("RelatedTo", "en/dog", "fr/chien"),
    line("AtLocation", "en/crème_brûlée", "en/kitchen", surfaceStart="crème brûlée", surfaceEnd=None),
]
ENGLISH_LINES = 5


def write_dump(folder: Path, lines: list[str]) -> SourceFile:
    """A dump of these lines."""
    path = folder / f"{NAME}.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))
    return SourceFile(path, NAME)


def read_dump(file: SourceFile) -> EdgeBlock:
    """A dump as builds read it, its blocks of lines put together."""
    records = source_records(Input("edges/dump", (file,), EdgeBlock), file.path.parent)
    blocks = [block for record in records for block in read_record(record) if isinstance(block, EdgeBlock)]
    edges, examples = (
        tuple(part for block in blocks for part in getattr(block, name)) for name in ("edges", "examples")
    )
    lines, blank, malformed = (
        sum(getattr(block, name) for block in blocks) for name in ("lines", "blank", "malformed")
    )
    dropped = (sum(getattr(block, name) for block in blocks) for name in ("foreign", "unasked", "negative"))
    return EdgeBlock("", "", edges, lines, blank, malformed, *dropped, examples)


PlainEdges = dict[tuple[str, ...], tuple[float, str, str]]


def split_plainly(uri: str) -> list[str]:
    """The term and the sense of `/c/en/TERM` or `/c/en/TERM/n/…`."""
    match = re.fullmatch(r"/c/en/(.*?)(?:/([nvasr](?:/.*)?))?", uri)
    assert match is not None
    return [match[1].replace("_", " "), match[2] or ""]


def read_plainly(path: Path) -> PlainEdges:
    """Weight and surfaces by head, relation, tail and senses, as csv and json read them; of equal edges the heaviest.

    Edges with an empty term are left out.
    """
    edges: PlainEdges = {}
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for _, relation, head_uri, tail_uri, text in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if head_uri.split("/")[2] == tail_uri.split("/")[2] == "en":
                details = json.loads(text)
                (head, *head_sense), (tail, *tail_sense) = map(split_plainly, (head_uri, tail_uri))
                key = head, relation.removeprefix("/r/"), tail, *head_sense, *tail_sense
                weight = details.get("weight", 1.0)
                surfaces = details.get("surfaceStart") or head, details.get("surfaceEnd") or tail
                if head and tail and (key not in edges or edges[key][0] < weight):
                    edges[key] = weight, *surfaces
    return edges
