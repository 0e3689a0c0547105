"""A built folder as the audit sees it: its manifest, and those of its tables that can be read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from diptych.cards.audit.finding import Finding, some, verdict
from diptych.errors import BadInputError, MissingFileError
from diptych.pairs import CORE_SCHEMA

_NEEDED = ("dataset", "version", "default", "sources", "recipes", "unions", "configs")
_OF_CONFIG = ("description", "source", "tests", "splits", "ledger")
_OF_SPLIT = ("rows", "files", "content_hash", "statistics", "examples")


@dataclass(frozen=True, slots=True)
class Built:
    """A built folder; `tables` holds the splits whose files are there, readable and of the right columns."""

    folder: Path
    manifest: Mapping[str, Any]
    tables: Mapping[tuple[str, str], pa.Table]
    faults: tuple[Finding, ...] = ()

    def splits(self) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        """Config, split and the manifest's entry of every split."""
        for config, entry in self.manifest["configs"].items():
            for split, told in entry["splits"].items():
                yield config, split, told

    def by_config(self) -> dict[str, pa.Table]:
        """Every config's pairs, all splits together, without the test's own columns."""
        parts: dict[str, list[pa.Table]] = {}
        for (config, _), table in self.tables.items():
            parts.setdefault(config, []).append(table.select(CORE_SCHEMA.names))
        return {config: pa.concat_tables(tables) for config, tables in parts.items()}

    def by_test(self) -> Iterator[tuple[str, str, pa.Table]]:
        """Config, test and pairs, for every test of every config."""
        for config, table in self.by_config().items():
            for test in sorted(pc.unique(table["test"]).to_pylist()):
                yield config, test, table.filter(pc.equal(table["test"], test))


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a built folder; a folder without one is refused in one line."""
    path = folder / "manifest.json"
    if not path.is_file():
        raise MissingFileError(f"{folder}: not a built folder: it has no manifest.json; make one with `diptych build`")
    try:
        manifest = orjson.loads(path.read_bytes())
    except (orjson.JSONDecodeError, OSError) as error:
        raise BadInputError(f"{path}: cannot be read: {error}; build the folder again") from None
    lacking = _lacking(manifest)
    if lacking:
        raise BadInputError(f"{path}: is not a manifest of a build: it lacks {lacking}; build the folder again")
    found: dict[str, Any] = manifest
    return found


def _lacking(manifest: Any) -> str:
    """The first part that a manifest should have and has not."""
    return (
        _absent(manifest, _NEEDED)
        or next((f"{part} of config {name}" for name, part in _absent_of(manifest["configs"], _OF_CONFIG)), "")
        or next(
            (
                f"{part} of {config}/{split}"
                for config, entry in manifest["configs"].items()
                for split, part in _absent_of(entry["splits"], _OF_SPLIT)
            ),
            "",
        )
    )


def _absent_of(entries: Any, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if not isinstance(entries, dict):
        yield "any", "entries"
        return
    yield from ((name, _absent(entry, names)) for name, entry in entries.items() if _absent(entry, names))


def _absent(entry: Any, names: tuple[str, ...]) -> str:
    if not isinstance(entry, dict):
        return "its fields"
    return next((name for name in names if name not in entry), "")


def read_folder(folder: Path) -> Built:
    """Read a built folder; a file that is missing, torn or of other columns is a finding."""
    manifest = read_manifest(folder)
    tables: dict[tuple[str, str], pa.Table] = {}
    faults: list[str] = []
    empty = Built(folder, manifest, {})
    for config, split, told in empty.splits():
        read = [_table(folder / name) for name in told["files"]]
        wrong = [f"{name}: {each}" for name, each in zip(told["files"], read, strict=True) if isinstance(each, str)]
        faults += wrong
        if not wrong and read:
            tables[config, split] = pa.concat_tables(read, promote_options="default")
    found = verdict("schema", [some(faults)] if faults else [], "every file has the core columns in their types")
    return Built(folder, manifest, tables, (found,))


def _table(file: Path) -> pa.Table | str:
    """The text columns of a file, or what is wrong with it."""
    if not file.is_file():
        return "is missing"
    try:
        schema = pq.read_schema(file)
        wrong = _wrong_columns(schema)
        if wrong:
            return wrong
        kept = [field.name for field in schema if not pa.types.is_struct(field.type)]
        table = pq.read_table(file, columns=kept).replace_schema_metadata(None)
    except (pa.ArrowException, OSError) as error:
        return f"cannot be read: {str(error).splitlines()[0]}"
    empty = [name for name in CORE_SCHEMA.names if table[name].null_count]
    return f"null in {some(empty)}" if empty else table


def _wrong_columns(schema: pa.Schema) -> str:
    absent = [name for name in CORE_SCHEMA.names if name not in schema.names]
    if absent:
        return f"lacks the column {some(absent)}"
    other = [
        f"{name} is {schema.field(name).type}, not {CORE_SCHEMA.field(name).type}"
        for name in CORE_SCHEMA.names
        if not schema.field(name).type.equals(CORE_SCHEMA.field(name).type)
    ]
    return some(other)
