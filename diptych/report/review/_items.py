"""What people judge: the pairs of a built dataset, each once, and what it rests on; all of them or a sample."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson

from diptych.builders import DatasetSpec, dataset_names, get_dataset
from diptych.errors import BadInputError
from diptych.files import read_json_lines
from diptych.folder import SIDES, BuiltFolder, Selection, read_bindings
from diptych.metrics import FAMILIES
from diptych.pairs import row_rng

_BINDINGS = "bindings."
_JOINT = " — "


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One thing to judge, the pairs that it stands for, and what they rest on: a fact, a template, a substitution."""

    item_id: str
    pair_ids: tuple[str, ...]
    row: Mapping[str, Any]
    causes: Mapping[str, str] = field(default_factory=dict)

    @property
    def test(self) -> str:
        """The test of its pairs."""
        return str(self.row["test"])

    @property
    def group(self) -> str:
        """The group of its pairs; pairs of earlier releases name none."""
        return str(self.row.get("group_id") or self.item_id)


def review_items(folder: BuiltFolder, selection: Selection) -> list[ReviewItem]:
    """What there is to judge in a config and split."""
    rows = folder.pairs(selection, complete=True).to_pylist()
    return choose_items(rows, _causes(folder.manifest.dataset))


def _causes(dataset: str) -> Mapping[str, tuple[str, ...]]:
    """What pairs of a dataset rest on; one of a package that is not here has what every dataset has."""
    if dataset in dataset_names():
        return get_dataset(dataset).spec.review_causes
    return DatasetSpec(dataset, "0.0.0", (), "").review_causes


def choose_items(
    rows: Iterable[Mapping[str, Any]], causes: Mapping[str, tuple[str, ...]] | None = None
) -> list[ReviewItem]:
    """The items of some rows, by test and group; equal pairs, as of several folds, are one item."""
    groups: dict[str, tuple[Mapping[str, Any], list[str]]] = {}
    for row in rows:
        parts = [row[f"{side}_{part}"] for side in SIDES for part in ("image_id", "question", "answer")]
        item_id = hashlib.blake2b(orjson.dumps([row["test"], *parts]), digest_size=8).hexdigest()
        groups.setdefault(item_id, (row, []))[1].append(row["pair_id"])
    if not groups:
        raise BadInputError("no pairs to review")
    items = [
        ReviewItem(item_id, tuple(sorted(ids)), row, _row_causes(row, causes or {}))
        for item_id, (row, ids) in groups.items()
    ]
    return sorted(items, key=_place)


def _place(item: ReviewItem) -> tuple[str, str, str]:
    return item.test, item.group, item.item_id


def _row_causes(row: Mapping[str, Any], causes: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    bindings = read_bindings(row)
    texts = {}
    for kind, columns in causes.items():
        values = [
            bindings.get(column.removeprefix(_BINDINGS)) if column.startswith(_BINDINGS) else row.get(column)
            for column in columns
        ]
        parts = [_JOINT.join(map(str, value)) if isinstance(value, list) else str(value or "") for value in values]
        if any(parts):
            texts[kind] = _JOINT.join(filter(None, parts))
    return texts


# Samples.


def has_whole_groups(folder: BuiltFolder) -> bool:
    """Whether the scores of a dataset are over groups, of which a sample must not hold parts."""
    family = FAMILIES.get(folder.manifest.score_family)
    return family is not None and family.uses_groups


def sample_items(items: Sequence[ReviewItem], per_test: int, seed: int = 0, groups: bool = False) -> list[ReviewItem]:
    """So many items of every test, drawn by their ids: the same in any order. With `groups`, whole groups of a test."""
    drawn: list[ReviewItem] = []
    for test, of_test in groupby(sorted(items, key=_place), lambda item: item.test):
        units: dict[str, list[ReviewItem]] = {}
        for item in of_test:
            units.setdefault(item.group if groups else item.item_id, []).append(item)
        names = sorted(units, key=lambda name: row_rng(seed, f"review.{test}", name).random())
        chosen: list[ReviewItem] = []
        for name in names:
            if len(chosen) >= per_test:
                break
            chosen += units[name]
        drawn += chosen
    return sorted(drawn, key=_place)


def sample_rows(items: Sequence[ReviewItem]) -> Iterator[dict[str, str]]:
    """The pairs of a sample, as its file lists them."""
    for item in items:
        for pair_id in item.pair_ids:
            yield {"pair_id": pair_id, "item": item.item_id, "test": item.test, "group_id": item.group}


def select_items(items: Sequence[ReviewItem], path: Path) -> list[ReviewItem]:
    """The items of the pairs that a file lists, one JSON object with a `pair_id` per line."""
    known = {pair_id: item.item_id for item in items for pair_id in item.pair_ids}
    chosen: set[str] = set()
    for number, record in read_json_lines(path):
        pair_id = str(record.get("pair_id"))
        if pair_id not in known:
            raise BadInputError(f"{path}:{number}: pair {pair_id} is not in this config and split")
        chosen.add(known[pair_id])
    if not chosen:
        raise BadInputError(f"{path}: lists no pairs; write it with `diptych review sample`")
    return [item for item in items if item.item_id in chosen]
