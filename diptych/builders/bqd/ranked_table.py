"""A ranked table of the user's own: which basic questions go with which main question, the best first."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from diptych.builders.bqd.inputs import key_of
from diptych.errors import BadInputError, MissingFileError


@dataclass(frozen=True, slots=True)
class RankedLine:
    """The basic questions of one main question with their scores."""

    basic: tuple[str, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RankedTable:
    """A file of JSON lines with `main`, `basic` (the best first) and maybe `scores`."""

    path: Path

    def lines(self) -> dict[str, RankedLine]:
        """What is ranked, by what the main question says; read once a process."""
        if not self.path.is_file():
            where = "nor of that name in the data folder's bqd/"
            raise MissingFileError(f"{self.path}: no such table of ranked questions, {where}")
        told = self.path.stat()
        return _read(self.path, told.st_mtime_ns, told.st_size)


@lru_cache(maxsize=1)
def _read(path: Path, changed: int, size: int) -> dict[str, RankedLine]:
    table: dict[str, RankedLine] = {}
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        main, ranked = _line(line, f"{path}:{number}")
        if table.setdefault(key_of(main), ranked) != ranked:
            raise BadInputError(f"{path}:{number}: {main!r} is ranked otherwise above; keep one line")
    return table


def _line(line: bytes, where: str) -> tuple[str, RankedLine]:
    try:
        row: Any = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BadInputError(f"{where}: broken JSON: {error}") from None
    main, basic = (row.get("main"), row.get("basic")) if isinstance(row, dict) else (None, None)
    if not isinstance(main, str) or not isinstance(basic, list) or not all(isinstance(each, str) for each in basic):
        raise BadInputError(f"{where}: a ranked question has `main`, a text, and `basic`, a list of texts")
    scores = row.get("scores") or [0.0] * len(basic)
    if len(scores) != len(basic) or not all(isinstance(score, int | float) for score in scores):
        raise BadInputError(f"{where}: `scores` must hold a number for each of the {len(basic)} basic questions")
    said = tuple(" ".join(each.split()) for each in basic)
    return main, RankedLine(said, tuple(map(float, scores)))
