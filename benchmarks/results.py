"""What benchmarks measure: claims of the documents and points of curves, kept as JSON lines.

A benchmark calls `record` with what it saw. That writes nothing unless the environment variable DIPTYCH_RESULTS names a
file, as `run.py` sets it, which replaces the lines of the benchmarks that it runs in `results.jsonl`.
"""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
RESULTS = FOLDER / "results.jsonl"
FULL_SIZE = FOLDER / "full_size.jsonl"
VARIABLE = "DIPTYCH_RESULTS"


@dataclass(frozen=True, slots=True)
class Claim:
    """One measured value, beside another where it is a ratio, and the document that refers to it."""

    name: str
    statement: str
    ours: float | None = None
    unit: str = ""
    other: float | None = None
    beside: str = ""
    ratio: float | None = None
    size: str = ""
    document: str = ""
    at_least: float | None = None
    at_most: float | None = None
    note: str = ""

    @property
    def is_met(self) -> bool | None:
        """Whether the ratio, or without one the value, keeps to its bound; None where there is no bound or value."""
        value = self.ours if self.ratio is None else self.ratio
        if value is None or (self.at_least is None and self.at_most is None):
            return None
        return (self.at_least is None or value >= self.at_least) and (self.at_most is None or value <= self.at_most)


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a curve: which plot and series it belongs to, the size, and the value at that size."""

    plot: str
    series: str
    size: float
    value: float


@dataclass(frozen=True, slots=True)
class Run:
    """When and where a benchmark ran, and with what."""

    date: str
    seconds: float
    command: str
    machine: str
    versions: str
    load: float | None = None
    """What else kept the machine busy: the load average before the run."""


Record = Claim | Point | Run
_KINDS: dict[str, type[Record]] = {"claim": Claim, "point": Point, "run": Run}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def record(*records: Record) -> None:
    """Append what was measured to the file that DIPTYCH_RESULTS names, if it names one."""
    if path := os.environ.get(VARIABLE):
        with Path(path).open("a", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(as_json(entry), ensure_ascii=False)}\n" for entry in records)


def as_json(entry: Record) -> dict[str, Any]:
    """A record without the fields that have their defaults; numbers with six significant digits."""
    values = {
        field.name: float(f"{value:.6g}") if isinstance(value, float) else value
        for field in fields(entry)
        if (value := getattr(entry, field.name)) != field.default
    }
    return {"kind": _NAMES[type(entry)], **values}


def read_records(path: Path) -> Iterator[tuple[str, Record]]:
    """The records of a file, each with the name of its benchmark (empty in the file of a single run)."""
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            values = json.loads(line)
            yield values.pop("benchmark", ""), _KINDS[values.pop("kind")](**values)


def write_records(path: Path, records: Iterable[tuple[str, Record]]) -> None:
    """Write records, those of a benchmark together."""
    lines = ({"benchmark": name, **as_json(entry)} for name, entry in sorted(records, key=lambda pair: pair[0]))
    path.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), encoding="utf-8")


def replace_records(path: Path, benchmark: str, records: Iterable[Record], is_part: bool = False) -> None:
    """Put records in place of those that the file has of one benchmark; of a part, only in place of their own."""
    made = list(records)
    again = {_identity(entry) for entry in made}
    kept = [
        (name, entry)
        for name, entry in read_records(path)
        if name != benchmark or (is_part and _identity(entry) not in again)
    ]
    write_records(path, [*kept, *((benchmark, entry) for entry in made)])


def _identity(entry: Record) -> tuple[str, ...]:
    """What a later measurement of the same has in common with it."""
    match entry:
        case Claim():
            return ("claim", entry.name)
        case Point():
            return ("point", entry.plot, entry.series, f"{entry.size:.6g}")
        case Run():
            return ("run", entry.command)


def not_run(name: str, statement: str, reason: str, document: str = "") -> Claim:
    """A claim that could not be measured here."""
    return Claim(name, statement, document=document, note=f"not run: {reason}")
