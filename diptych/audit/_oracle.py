"""The oracle of a dataset, where it has one: it answers every question again from the source files."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from diptych.audit._findings import finding, first_few, result
from diptych.audit._integrity import pair_rows
from diptych.audit._tables import AuditedFolder
from diptych.errors import BadInputError
from diptych.folder import FindingEntry, recipe_templates

Oracle = Callable[[list[dict[str, Any]], str, Path, Path | None], Iterator[tuple[int, tuple[str | None, ...]]]]
"""From rows, their split, the data folder and the build's templates to the answers of rows, by the row's number."""

_SIDES = ("original", "perturbed")
_COLUMNS = (
    "pair_id",
    "source",
    "original_image_id",
    *(f"{side}_{part}" for side in _SIDES for part in ("question", "answer")),
)


def check_without_oracle(name: str) -> FindingEntry:
    """What the audit says where no source files were named."""
    if name:
        return finding("oracle", "ok", "not asked: `diptych check --oracle --data DIR` answers every question again")
    return finding("oracle", "ok", "this dataset has no oracle: its truth is people's answers")


def check_oracle(audited: AuditedFolder, name: str, data: Path) -> Iterator[FindingEntry]:
    """What an oracle that reads the source files says of every pair."""
    if not name:
        raise BadInputError(f"{audited.path}: {audited.manifest.dataset} has no oracle; leave --oracle out")
    if not data.is_dir():
        raise BadInputError(f"{data}: no such data folder; say where the source files of the build are (--data DIR)")
    oracle = _load(name)
    faults: dict[str, list[str]] = {}
    counts: Counter[str] = Counter()
    for split in sorted({split for _, split in audited.readable}):
        rows = list(_rows(audited, split))
        for index, answers in oracle(rows, split, data, recipe_templates(audited.path)):
            config = rows[index]["config"]
            counts[config] += 1
            faults.setdefault(config, []).extend(_disagreements(rows[index], answers))
    for config in audited.pair_configs():
        yield _agreement(config, counts[config], faults.get(config, []))


def _load(name: str) -> Oracle:
    module, _, attribute = name.partition(":")
    oracle: Oracle = getattr(import_module(module), attribute)
    return oracle


def _rows(audited: AuditedFolder, split: str) -> Iterator[dict[str, Any]]:
    for config in audited.pair_configs():
        if (config, split) in audited.readable:
            table = audited.folder.table(config, split, _COLUMNS)
            yield from ({**row, "config": config} for row in pair_rows(table))


def _agreement(config: str, pairs: int, wrong: list[str]) -> FindingEntry:
    if not pairs:
        return finding("oracle", "ok", "its answers are its authors': the oracle cannot answer them", config)
    faults = [f"{len(wrong):,} of {2 * pairs:,} answers are not the oracle's: {first_few(wrong)}"] if wrong else []
    message = f"{pairs:,} pairs, both answers as the oracle gives them"
    return result("oracle", faults, message, config, pairs=pairs, wrong=len(wrong))


def _disagreements(row: Mapping[str, Any], answers: Iterable[str | None]) -> Iterator[str]:
    for side, answer in zip(_SIDES, answers, strict=True):
        question, published = row[f"{side}_question"], row[f"{side}_answer"]
        if answer is None:
            yield f"pair {row['pair_id']}: {question!r} cannot be read"
        elif answer != published:
            image = row["original_image_id"]
            yield f"pair {row['pair_id']}: {question!r} about image {image} is {answer}, not {published}"
