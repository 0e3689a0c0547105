"""Small built folders, made by hand."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from diptych.folder import BuiltFolder, ConfigEntry, FileEntry, Manifest, SplitEntry, open_folder

Rows = list[dict[str, Any]]
_HASH = "0" * 64


def make_folder(path: Path, configs: Mapping[str, Mapping[str, Rows]], **fields: Any) -> BuiltFolder:
    """A folder with rows by config and split; `fields` are those of the manifest."""
    entries = {config: _config(path, config, splits) for config, splits in configs.items()}
    defaults = {
        "maker": "diptych",
        "dataset": "tiny",
        "version": "1.0.0",
        "diptych": "0",
        "default": next(iter(configs)),
        "judged_splits": ("test", "validation", "train"),
        "score_family": "rad",
        "sources": {},
        "recipes": {},
        "unions": {},
    }
    Manifest(**(defaults | fields), configs=entries).write(path)
    return open_folder(path)


def _config(path: Path, config: str, splits: Mapping[str, Rows]) -> ConfigEntry:
    tests = dict.fromkeys(row["test"] for rows in splits.values() for row in rows)
    entries = {
        split: _split(path, f"data/{config}/{split}-00000-of-00001.parquet", rows) for split, rows in splits.items()
    }
    features = ({"name": "pair_id", "dtype": "string"},)
    described = {"description": config, "source": "vqa_v2", "tests": tuple(filter(None, tests)), "features": features}
    return ConfigEntry.model_validate({**described, "splits": entries, "ledger": {}})


def _split(path: Path, name: str, rows: Rows) -> SplitEntry:
    file = path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), file)
    files = {name: FileEntry(bytes=file.stat().st_size, sha256=_HASH)}
    return SplitEntry(rows=len(rows), bytes=1, files=files, content_hash=_HASH, statistics={}, examples=())
