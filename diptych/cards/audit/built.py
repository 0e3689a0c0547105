"""A built folder as the audit sees it: its manifest, and those of its tables that can be read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from diptych.builders.manifest_file import read_manifest
from diptych.cards.audit.finding import Finding, some, verdict
from diptych.pairs import CORE_SCHEMA


@dataclass(frozen=True, slots=True)
class Built:
    """A built folder; `tables` holds the splits whose files are there, readable and of the right columns.

    A config without tests holds rows that are no pairs: they are in `tables`, but not among `by_config` and `by_test`.
    """

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
        """Every config's pairs, all splits together, without the test's own columns.

        A pair that stands in two splits counts once: FVQA's originating questions are test questions too.
        """
        parts: dict[str, list[pa.Table]] = {}
        for (config, _), table in self.tables.items():
            if not self.manifest["configs"][config]["tests"]:
                continue
            others = parts.setdefault(config, [])
            seen = pa.chunked_array([chunk for other in others for chunk in other["pair_id"].chunks], pa.string())
            fresh = table.filter(pc.invert(pc.is_in(table["pair_id"], seen)))
            others.append(fresh.select(CORE_SCHEMA.names))
        return {config: pa.concat_tables(tables) for config, tables in parts.items()}

    def by_test(self) -> Iterator[tuple[str, str, pa.Table]]:
        """Config, test and pairs, for every test of every config."""
        for config, table in self.by_config().items():
            for test in sorted(pc.unique(table["test"]).to_pylist()):
                yield config, test, table.filter(pc.equal(table["test"], test))


def read_folder(folder: Path) -> Built:
    """Read a built folder; a file that is missing, torn or of other columns is a finding."""
    manifest = read_manifest(folder)
    tables: dict[tuple[str, str], pa.Table] = {}
    faults: list[str] = []
    empty = Built(folder, manifest, {})
    for config, split, told in empty.splits():
        wanted = _columns(manifest["configs"][config])
        read = [_table(folder / name, wanted) for name in told["files"]]
        wrong = [f"{name}: {each}" for name, each in zip(told["files"], read, strict=True) if isinstance(each, str)]
        faults += wrong
        if not wrong and read:
            tables[config, split] = pa.concat_tables(read, promote_options="default")
    found = verdict("schema", [some(faults)] if faults else [], "every file has the core columns in their types")
    return Built(folder, manifest, tables, (found,))


def _columns(config: Mapping[str, Any]) -> pa.Schema:
    """The columns a config must have: those of a pair, or the names that the manifest tells of other rows."""
    if config["tests"]:
        return CORE_SCHEMA
    return pa.schema([(feature["name"], pa.null()) for feature in config.get("features", ())])


def _table(file: Path, wanted: pa.Schema) -> pa.Table | str:
    """The text columns of a file, or what is wrong with it."""
    if not file.is_file():
        return "is missing"
    try:
        schema = pq.read_schema(file)
        wrong = _wrong_columns(schema, wanted)
        if wrong:
            return wrong
        kept = [field.name for field in schema if not pa.types.is_struct(field.type)]
        table = pq.read_table(file, columns=kept).replace_schema_metadata(None)
    except (pa.ArrowException, OSError) as error:
        return f"cannot be read: {str(error).splitlines()[0]}"
    empty = [field.name for field in wanted if not pa.types.is_null(field.type) and table[field.name].null_count]
    return f"null in {some(empty)}" if empty else table


def _wrong_columns(schema: pa.Schema, wanted: pa.Schema) -> str:
    absent = [name for name in wanted.names if name not in schema.names]
    if absent:
        return f"lacks the column {some(absent)}"
    other = [
        f"{field.name} is {schema.field(field.name).type}, not {field.type}"
        for field in wanted
        if not pa.types.is_null(field.type) and not schema.field(field.name).type.equals(field.type)
    ]
    return some(other)
