"""The oracle of a dataset, where it has one: it answers every question again from the source files."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from diptych.audit._tables import AuditedFolder, finding, first_few, result
from diptych.errors import BadInputError
from diptych.folder import FindingEntry, recipe_templates
from diptych.metrics import load_oracle

_SIDES = ("original", "perturbed")
_PARTS = [f"{side}_{part}" for side in _SIDES for part in ("question", "answer")]
_COLUMNS = ("pair_id", "source", "original_image_id", *_PARTS)


def check_without_oracle(name: str) -> FindingEntry:
    """What the audit says where no source files were named."""
    if name:
        return finding("oracle", "ok", "not run: `diptych check --oracle --data DIR` answers every question again")
    return finding("oracle", "ok", "this dataset has no oracle: its answers come from people")


def check_oracle(audited: AuditedFolder, name: str, data: Path) -> Iterator[FindingEntry]:
    """What an oracle that reads the source files says of every pair."""
    folder = audited.folder
    if not name:
        raise BadInputError(f"{folder.path}: {folder.manifest.dataset} has no oracle; leave out --oracle")
    if not data.is_dir():
        raise BadInputError(f"{data}: no such data folder; pass the source files of the build as --data DIR")
    oracle = load_oracle(name)
    faults: dict[str, list[str]] = {config: [] for config in audited.pair_configs}
    counts: Counter[str] = Counter()
    for split in sorted({split for _, split in audited.readable}):
        configs = [config for config in faults if (config, split) in audited.readable]
        tables = ((config, table) for config in configs for table in folder.batches(config, split, _COLUMNS))
        rows = [{**row, "config": config} for config, table in tables for row in table.to_pylist()]
        for index, answers in oracle(rows, split, data, recipe_templates(folder.path)):
            config = rows[index]["config"]
            counts[config] += 1
            faults[config] += _disagreements(rows[index], answers)
    for config, wrong in faults.items():
        yield _agreement(config, counts[config], wrong)


def _agreement(config: str, pairs: int, wrong: list[str]) -> FindingEntry:
    if not pairs:
        return finding("oracle", "ok", "its answers are from its authors: the oracle cannot check them", config)
    faults = [f"{len(wrong):,} of {2 * pairs:,} answers differ from the oracle's: {first_few(wrong)}"] if wrong else []
    message = f"{pairs:,} pairs, both answers equal to the oracle's"
    return result("oracle", faults, message, config, pairs=pairs, wrong=len(wrong))


def _disagreements(row: Mapping[str, Any], answers: Iterable[str | None]) -> Iterator[str]:
    for side, answer in zip(_SIDES, answers, strict=True):
        question, published = row[f"{side}_question"], row[f"{side}_answer"]
        if answer is None:
            yield f"pair {row['pair_id']}: {question!r} cannot be read"
        elif answer != published:
            image = row["original_image_id"]
            yield f"pair {row['pair_id']}: {question!r} about image {image} is {answer}, not {published}"
