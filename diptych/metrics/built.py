"""The pairs of a built dataset: a folder, or a repository on the Hub at a revision."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from huggingface_hub import RepoCard

from diptych.cards.hub import fetch
from diptych.errors import BadInputError, MissingFileError, UnknownNameError

_PREFERRED_SPLITS = ("adversarial", "test", "validation", "val", "train")


@dataclass(frozen=True, slots=True)
class BuiltPairs:
    """The pairs of one config and split, and where they come from."""

    config: str
    split: str
    table: Any
    left_out: int = 0
    """How many pairs were left out as errata."""


def read_built(where: str, config: str | None = None, split: str | None = None) -> BuiltPairs:
    """The pairs of a built folder, or of `org/name@revision` on the Hub; images are left out."""
    chosen, named, patterns = choose(where, config, split)
    table = _read(fetch(where, patterns), patterns)
    if "pair_id" not in table.column_names:
        raise BadInputError(f"{where}: config {chosen} holds rows that are no pairs; choose another with --config")
    return BuiltPairs(chosen, named, table)


def without(built: BuiltPairs, listed: Collection[str]) -> BuiltPairs:
    """The pairs but for those that are listed."""
    kept = drop_pairs(built.table, listed)
    return replace(built, table=kept, left_out=built.table.num_rows - kept.num_rows)


def drop_pairs(table: Any, listed: Collection[str]) -> Any:
    """The rows of a table, of pairs or of predictions, but for those about listed pairs."""
    if not listed:
        return table
    return table.filter(pc.invert(pc.is_in(table["pair_id"], value_set=pa.array(sorted(listed), pa.string()))))


def choose(where: str, config: str | None = None, split: str | None = None) -> tuple[str, str, list[str]]:
    """Which config and split of a built dataset are meant, and the patterns of their files."""
    card = fetch(where, ["README.md"]) / "README.md"
    chosen, splits = _config(_configs(card), config, card)
    named = _split(splits, split, chosen)
    return chosen, named, splits[named]


def _configs(card: Path) -> dict[str, tuple[bool, dict[str, list[str]]]]:
    """The card's configs by name: whether it is the default, and the file patterns of its splits."""
    if not card.is_file():
        raise MissingFileError(f"{card}: not found; a built folder has a card that names its configs")
    listed = RepoCard(card.read_text(encoding="utf-8"), ignore_metadata_errors=True).data.get("configs")
    if not listed:
        raise BadInputError(f"{card}: names no configs; was this folder built by diptych build?")
    return {str(entry["config_name"]): (bool(entry.get("default")), _patterns(entry)) for entry in listed}


def _patterns(entry: Mapping[str, Any]) -> dict[str, list[str]]:
    files = entry.get("data_files") or []
    listed = [{"split": "train", "path": files}] if isinstance(files, str) else files
    return {str(each["split"]): [each["path"]] if isinstance(each["path"], str) else each["path"] for each in listed}


def _config(
    configs: Mapping[str, tuple[bool, dict[str, list[str]]]], asked: str | None, card: Path
) -> tuple[str, dict[str, list[str]]]:
    if asked is not None and asked not in configs:
        raise UnknownNameError.among("config", asked, configs)
    defaults = [name for name, (default, _) in configs.items() if default] or list(configs)
    chosen = asked or (defaults[0] if len(defaults) == 1 else None)
    if chosen is None:
        raise BadInputError(f"{card}: say which config to use with --config: {', '.join(sorted(configs))}")
    return chosen, configs[chosen][1]


def _split(splits: Iterable[str], asked: str | None, config: str) -> str:
    names = list(splits)
    if asked is not None and asked not in names:
        raise UnknownNameError.among(f"split of {config}", asked, names)
    known = [name for name in _PREFERRED_SPLITS if name in names]
    chosen = asked or (names[0] if len(names) == 1 else next(iter(known), None))
    if chosen is None:
        raise BadInputError(f"say which split of {config} to use with --split: {', '.join(sorted(names))}")
    return chosen


def _read(folder: Path, patterns: Sequence[str]) -> Any:
    files = sorted({path for pattern in patterns for path in folder.glob(pattern)})
    if not files:
        raise MissingFileError(f"{folder}: no file matches {', '.join(patterns)}")
    return pa.concat_tables([read_plain(path) for path in files], promote_options="default")


def read_plain(path: Path) -> Any:
    """The columns of a Parquet file of pairs but for its images."""
    try:
        schema = pq.read_schema(path)
        kept = [field.name for field in schema if not pa.types.is_struct(field.type)]
        return pq.read_table(path, columns=kept).replace_schema_metadata(None)
    except pa.ArrowException as error:
        raise BadInputError(f"{path}: not a readable Parquet file: {str(error).splitlines()[0]}") from None
