"""Checks of a dataset's own: where the truth of a pair can be computed again, it is."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from diptych.cards.audit.built import Built
from diptych.cards.audit.finding import Finding, some, verdict
from diptych.errors import BadInputError

Check = Callable[[Built], Iterable[Finding]]

ORACLES: dict[str, list[Check]] = {}
"""Dataset name to the checks that know its truth."""


def register_oracle(dataset: str, check: Check) -> None:
    """Have every audit of a dataset run a check of its own too."""
    ORACLES.setdefault(dataset, []).append(check)


def oracle(built: Built) -> Iterator[Finding]:
    """What the dataset's own checks find, where it has any."""
    checks = ORACLES.get(built.manifest["dataset"], [])
    for check in checks:
        yield from check(built)
    if built.manifest["dataset"] in FROM_SOURCES:
        yield Finding("oracle", "ok", "not asked: `diptych check --oracle --data DIR` answers every question again")
    elif not checks:
        yield Finding("oracle", "ok", "this dataset has no oracle: its truth is people's answers")


def oracle_from_sources(built: Built, data: Path) -> Iterator[Finding]:
    """What an oracle that reads the source files again says of every pair."""
    dataset = built.manifest["dataset"]
    if dataset not in FROM_SOURCES:
        raise BadInputError(f"{built.folder}: {dataset} has no oracle; those that have: {', '.join(FROM_SOURCES)}")
    if not data.is_dir():
        raise BadInputError(f"{data}: no such data folder; say where the source files of the build are (--data DIR)")
    yield from FROM_SOURCES[dataset](built, data)


_SIDES = ("original", "perturbed")


def _scene_graphs(built: Built, data: Path) -> Iterator[Finding]:
    from diptych.builders.carets.oracle import answered

    kept = built.folder / "recipe" / "templates"
    templates = kept if kept.is_dir() else None
    faults: dict[str, list[str]] = {}
    counts: Counter[str] = Counter()
    for split in sorted({split for _, split in built.tables}):
        rows = [row for (config, of), table in built.tables.items() if of == split for row in _rows(config, table)]
        for place, answers in answered(rows, split, data, templates):
            counts[rows[place]["config"]] += 1
            faults.setdefault(rows[place]["config"], []).extend(_disagreements(rows[place], answers))
    for config in dict.fromkeys(config for config, _ in built.tables):
        yield _agreement(config, counts[config], faults.get(config, []))


def _agreement(config: str, pairs: int, wrong: list[str]) -> Finding:
    if not pairs:
        return Finding("oracle", "ok", "its answers are its authors': no scene graphs belong to them", config)
    faults = [f"{len(wrong):,} of {2 * pairs:,} answers are not the scene graph's: {some(wrong)}"] if wrong else []
    fine = f"{pairs:,} pairs, both answers as the scene graphs have it"
    return verdict("oracle", faults, fine, config, pairs=pairs, wrong=len(wrong))


def _rows(config: str, table: Any) -> list[dict[str, Any]]:
    """The rows that come from scene graphs; what others released has their answers."""
    from diptych.builders.carets.graphs import GQA, VG

    sides = [f"{side}_{part}" for side in _SIDES for part in ("question", "answer")]
    rows = table.select(["pair_id", "source", "original_image_id", *sides]).to_pylist()
    return [{**row, "config": config} for row in rows if row["source"] in (GQA, VG)]


def _disagreements(row: dict[str, Any], answers: Iterable[str | None]) -> Iterator[str]:
    for side, answer in zip(_SIDES, answers, strict=True):
        asked, said = row[f"{side}_question"], row[f"{side}_answer"]
        if answer is None:
            yield f"pair {row['pair_id']}: {asked!r} cannot be read"
        elif answer != said:
            yield f"pair {row['pair_id']}: {asked!r} about image {row['original_image_id']} is {answer}, not {said}"


FROM_SOURCES: dict[str, Callable[[Built, Path], Iterator[Finding]]] = {"carets": _scene_graphs}
"""Dataset name to the check that answers its questions from the source files."""
