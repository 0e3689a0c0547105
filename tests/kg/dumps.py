"""Small dumps in ConceptNet's format, and a plain reading of any dump to compare with."""

import csv
import gzip
import json
from pathlib import Path

from diptych.sources import SourceFile

NAME = "conceptnet-assertions-5.7.0.csv"


def line(relation: str, head: str, tail: str, weight: object = 2.0, **about: object) -> str:
    """A line of the dump, its JSON as ConceptNet writes it."""
    facts = {"dataset": "/d/x", "license": "cc:by/4.0", "sources": [{"process": "/s/p"}], "weight": weight, **about}
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


def dump(folder: Path, lines: list[str]) -> SourceFile:
    """A dump of these lines."""
    path = folder / f"{NAME}.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))
    return SourceFile(path, NAME)


Plain = dict[tuple[str, str, str], tuple[float, str, str]]


def read_plainly(path: Path, language: str = "en") -> Plain:
    """Weight and surfaces by head, relation and tail, as csv and json read them; of equal edges the heaviest.

    A concept whose term is empty stands for nothing; edges with one are left out.
    """
    found: Plain = {}
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for _, relation, head, tail, text in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if head.split("/")[2] == tail.split("/")[2] == language:
                about = json.loads(text)
                one, other = (end.split("/")[3].replace("_", " ") for end in (head, tail))
                key, weight = (one, relation.removeprefix("/r/"), other), about.get("weight", 1.0)
                said = about.get("surfaceStart") or one, about.get("surfaceEnd") or other
                if one and other and (key not in found or found[key][0] < weight):
                    found[key] = weight, *said
    return found
