"""The ways to rank a block of main questions over a pool: the LASSO, or a direct similarity.

A ranker is two functions: what is done once in the first process (`prepare`: encoding, merging equal vectors) and what
any process can then do for any run of main questions (`rank_rows`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil, log10
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from diptych.builders.bqd.inputs import key_of
from diptych.builders.bqd.settings import Settings
from diptych.errors import BadInputError
from diptych.ranking import encode_texts, find_equal_vectors, get_encoder, merge_equal_vectors

Arrays = Mapping[str, npt.NDArray[Any]]
Advance = Callable[[int], None]
_FLOOR = 1e-9


@dataclass(frozen=True, slots=True)
class Texts:
    """The main questions and the pool, as a task's folder keeps them, and how they are ranked."""

    main: tuple[str, ...]
    basic: tuple[str, ...]
    settings: Settings
    equal: Mapping[str, list[int]] = field(repr=False)
    """What a basic question says, without case and punctuation, to its rows."""

    @classmethod
    def of(cls, main: Sequence[str], basic: Sequence[str], settings: Settings) -> "Texts":
        """The texts with an index of what they say."""
        equal: dict[str, list[int]] = {}
        for row, text in enumerate(basic):
            equal.setdefault(key_of(text), []).append(row)
        return cls(tuple(main), tuple(basic), settings, equal)

    def same_text(self, main: Sequence[str]) -> list[list[int]]:
        """For every main question the basic ones that are the same question."""
        return [self.equal.get(key_of(text), []) for text in main]


def prepare(texts: Texts, folder: Path, vectors: Path, advance: Advance) -> None:
    """Encode every text and merge basic questions with equal vectors; nothing to do for a direct similarity."""
    if texts.settings.ranker != "lasso":
        return
    encoder = get_encoder(texts.settings.encoder)
    main = encode_texts(encoder, texts.main, vectors, advance)
    basic = encode_texts(encoder, texts.basic, vectors, advance)
    first = merge_equal_vectors(basic)
    np.save(folder / "first.npy", first)
    np.save(folder / "columns.npy", basic[first == np.arange(len(first))])
    (folder / "main.json").write_bytes(orjson.dumps(str(main.filename)))  # type: ignore[attr-defined] # a np.memmap
    _rank()(_columns(folder)[1][: texts.settings.k], np.array(main[:1]))  # compiled here, once, and not by every worker


def rank_rows(texts: Texts, folder: Path, start: int, stop: int) -> Arrays:
    """Rank a run of main questions; rows of the pool, scores, and the proof where the ranker gives one."""
    if texts.settings.ranker == "lasso":
        return _by_lasso(texts, folder, start, stop)
    from diptych.ranking import most_similar

    main = texts.main[start:stop]
    return most_similar(texts.settings.ranker, texts.basic, main, texts.settings.k, texts.same_text(main))


def _by_lasso(texts: Texts, folder: Path, start: int, stop: int) -> Arrays:
    first, columns, kept = _columns(folder)
    mine = np.array(np.load(orjson.loads((folder / "main.json").read_bytes()), mmap_mode="r")[start:stop])
    main, settings = texts.main[start:stop], texts.settings
    column_of = np.searchsorted(kept, first)
    barred = [
        sorted({*same, *column_of[equal].tolist()})
        for same, equal in zip(find_equal_vectors(columns, mine), texts.same_text(main), strict=True)
    ]
    found = _rank()(columns, mine, settings.lam, settings.k, barred, settings.nonneg, settings.convention)
    if not found.certified.all():
        worst = main[int(np.argmin(found.certified))]
        raise BadInputError(f"{worst!r}: its ranking could not be certified; choose a larger --set lam")
    indices = np.where(found.indices >= 0, kept[found.indices], -1)
    proof = {"gap": _at_most(found.gaps), "excess": _at_most(found.excess), "support": found.supports}
    return {"indices": indices, "scores": found.scores, **proof}


def _rank() -> Any:
    """The LASSO ranker, which needs the extra `ranking`."""
    from diptych.ranking import rank

    return rank


@lru_cache(maxsize=2)
def _columns(folder: Path) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """For every basic question the first with its vector; the distinct vectors, shared by all processes; their rows."""
    first = np.load(folder / "first.npy")
    # Copy on write: the ranker compiles anew for arrays that nobody may write to.
    return first, np.load(folder / "columns.npy", mmap_mode="c"), np.flatnonzero(first == np.arange(len(first)))


def _at_most(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The next power of ten, 1e-9 at least: below that rounding decides, and no byte may depend on the machine."""
    return np.array([10.0 ** ceil(log10(max(value, _FLOOR)) - 1e-9) for value in values])
