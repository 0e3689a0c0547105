"""The pairs of a built dataset: a folder, or a repository on the Hub at a revision."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from huggingface_hub import RepoCard, snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from diptych.errors import BadInputError, MissingFileError, UnknownNameError

_PREFERRED_SPLITS = ("adversarial", "test", "validation", "val", "train")


@dataclass(frozen=True, slots=True)
class BuiltPairs:
    """The pairs of one config and split, and where they come from."""

    config: str
    split: str
    table: Any


def read_built(where: str, config: str | None = None, split: str | None = None) -> BuiltPairs:
    """The pairs of a built folder, or of `org/name@revision` on the Hub; images are left out."""
    folder = Path(where)
    if folder.is_dir():
        card = folder / "README.md"
    else:
        repo, revision = _repository(where)
        card = _download(repo, revision, ["README.md"]) / "README.md"
    chosen, splits = _config(_configs(card), config, card)
    named = _split(splits, split, chosen)
    if not folder.is_dir():
        _download(repo, revision, splits[named])
    return BuiltPairs(chosen, named, _read(card.parent, splits[named]))


def _repository(where: str) -> tuple[str, str | None]:
    repo, _, revision = where.partition("@")
    if repo.count("/") != 1 or repo.startswith((".", "/")):
        raise MissingFileError(f"{where}: neither a built folder nor a Hub dataset (org/name@revision)")
    return repo, revision or None


def _download(repo: str, revision: str | None, patterns: Sequence[str]) -> Path:
    try:
        return Path(snapshot_download(repo, repo_type="dataset", revision=revision, allow_patterns=list(patterns)))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError) as error:
        reason = str(error).strip().splitlines()[0]
        raise MissingFileError(f"{repo}@{revision or 'main'}: cannot be had from the Hub: {reason}") from None


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
    return pa.concat_tables([_read_file(path) for path in files], promote_options="default")


def _read_file(path: Path) -> Any:
    try:
        schema = pq.read_schema(path)
        kept = [field.name for field in schema if not pa.types.is_struct(field.type)]
        return pq.read_table(path, columns=kept).replace_schema_metadata(None)
    except pa.ArrowException as error:
        raise BadInputError(f"{path}: not a readable Parquet file: {str(error).splitlines()[0]}") from None
