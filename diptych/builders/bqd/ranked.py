"""Ranking every distinct main question once, block by block, each finished block kept on disk.

A block is a fixed run of main questions, so that its numbers depend neither on the number of workers nor on where
an earlier run was stopped.
"""

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import orjson

from diptych.builders.bqd.rankers import Texts, prepare, rank_rows
from diptych.builders.bqd.settings import Settings
from diptych.builders.engine import Workers, workers
from diptych.builders.recipe import code_digest
from diptych.errors import BadInputError
from diptych.progress import progress
from diptych.ranking import get_encoder

BLOCK = 256
"""Main questions in a block: it decides how often a killed build saves its work."""

_DECIMALS = 9
# Fewer would show the smallest coefficients at λ = 1e-6 as 0; more would show what rounding leaves.
_DECIDE = ("ranker", "lam", "nonneg", "convention", "k")


@dataclass(frozen=True, slots=True)
class Ranked:
    """One main question's basic questions, the best first, and the proof where the ranker gives one."""

    basic: tuple[str, ...]
    scores: tuple[float, ...]
    same: tuple[tuple[str, ...], ...] = ()
    """For every rank, other basic questions with the same vector."""
    gap: float | None = None
    excess: float | None = None
    support: int | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """A folder with two lists of texts, the settings, and the blocks ranked so far."""

    folder: Path
    vectors: Path
    """Where the texts' vectors are kept."""

    @classmethod
    def made(cls, folder: Path, main: Sequence[str], basic: Sequence[str], settings: Settings) -> "Task":
        """The task's folder, named by all that decides the ranking; nothing is ranked yet."""
        if not basic:
            raise BadInputError("there are no basic questions to rank")
        said = {"main": list(dict.fromkeys(main)), "basic": list(basic), "settings": asdict(settings)}
        decides = [getattr(settings, name) for name in _DECIDE]
        encoder = get_encoder(settings.encoder).name if settings.ranker == "lasso" else None
        content = orjson.dumps([said["main"], said["basic"], decides, encoder, code_digest()])
        task = cls(folder / hashlib.sha256(content).hexdigest()[:20], vectors_folder() or folder / "vectors")
        task.folder.mkdir(parents=True, exist_ok=True)
        _write(task.folder / "task.json", lambda file: file.write(orjson.dumps(said)))
        return task

    def rank_all(self, pool: Workers, name: str) -> None:
        """Rank what is not ranked yet."""
        texts = _texts(self.folder)
        missing = [at for at in range(-(-len(texts.main) // BLOCK)) if not self.block(at).exists()]
        if not missing:
            return
        with progress(f"{name}: encoding", len(texts.main) + len(texts.basic)) as advance:
            prepare(texts, self.folder, self.vectors, advance)
        total = sum(len(texts.main[_span(at)]) for at in missing)
        with progress(f"{name}: ranking", total, pool.num_proc * BLOCK) as advance:
            for done in pool.run(rank_block, ((self, at) for at in missing)):
                advance(done)

    def block(self, number: int) -> Path:
        """Where a finished block lies."""
        return self.folder / f"{number:05d}.npz"

    def of(self, text: str) -> Ranked:
        """The ranking of one main question."""
        texts, numbers, row = _texts(self.folder), _numbers(self.folder), _row_of(self.folder)[text]
        rows = [int(index) for index in numbers["indices"][row] if index >= 0]
        same = _same(self.folder)
        certified = "gap" in numbers
        return Ranked(
            tuple(texts.basic[at] for at in rows),
            tuple(round(float(score), _DECIMALS) for score in numbers["scores"][row][: len(rows)]),
            tuple(tuple(texts.basic[other] for other in same.get(at, ())) for at in rows),
            float(numbers["gap"][row]) if certified else None,
            float(numbers["excess"][row]) if certified else None,
            int(numbers["support"][row]) if certified else None,
        )


def rank_block(task: Task, number: int) -> int:
    """Rank one block of main questions and keep the result."""
    texts, span = _texts(task.folder), _span(number)
    found = rank_rows(texts, task.folder, span.start, span.stop)
    _write(task.block(number), lambda file: np.savez(file, **found))  # type: ignore[arg-type]
    return len(texts.main[span])


def rank_one(question: str, basic: Sequence[str], settings: Settings) -> Ranked:
    """The ranking of a single question; nothing but the vectors is kept, and they only where there is a cache."""
    with TemporaryDirectory(prefix="diptych-rank-") as scratch, workers(1) as alone:
        task = Task.made(Path(scratch), [question], basic, settings)
        task.rank_all(alone, "rank")
        return task.of(question)


def vectors_folder() -> Path | None:
    """The folder named by DIPTYCH_CACHE, where vectors outlive a build; without it they lie in the build's own."""
    named = os.environ.get("DIPTYCH_CACHE")
    return Path(named) / "vectors" if named else None


def _span(number: int) -> slice:
    return slice(number * BLOCK, (number + 1) * BLOCK)


@lru_cache(maxsize=2)
def _texts(folder: Path) -> Texts:
    said = orjson.loads((folder / "task.json").read_bytes())
    return Texts.of(said["main"], said["basic"], Settings(**said["settings"]))


@lru_cache(maxsize=2)
def _row_of(folder: Path) -> dict[str, int]:
    return {text: row for row, text in enumerate(_texts(folder).main)}


@lru_cache(maxsize=2)
def _numbers(folder: Path) -> Mapping[str, npt.NDArray[Any]]:
    blocks = [dict(np.load(path)) for path in sorted(folder.glob("[0-9]*.npz"))]
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}


@lru_cache(maxsize=2)
def _same(folder: Path) -> dict[int, list[int]]:
    """Rows of the pool to the later rows with the same vector."""
    same: dict[int, list[int]] = {}
    if (folder / "first.npy").exists():
        for row, first in enumerate(np.load(folder / "first.npy").tolist()):
            if row != first:
                same.setdefault(first, []).append(row)
    return same


def _write(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Written whole or not at all."""
    if path.exists():
        return
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    with open(temporary, "wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
