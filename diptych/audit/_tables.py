"""A built folder as the audit reads it: the splits whose files are readable, some columns at a time."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from diptych.audit._findings import first_few, result
from diptych.builders import AuditRules
from diptych.errors import printable
from diptych.files import READ_FAILURES
from diptych.folder import BuiltFolder, ConfigEntry, FindingEntry, Manifest
from diptych.pairs import CORE_SCHEMA


@dataclass(frozen=True, slots=True)
class AuditedFolder:
    """A built folder and those of its splits that can be read."""

    folder: BuiltFolder
    rules: AuditRules
    readable: tuple[tuple[str, str], ...]
    """Config and split of every readable split."""

    @property
    def manifest(self) -> Manifest:
        """What the build says of itself."""
        return self.folder.manifest

    @property
    def path(self) -> Path:
        """Where the folder is."""
        return self.folder.path

    def pair_configs(self) -> list[str]:
        """The configs whose rows are pairs."""
        names = dict.fromkeys(config for config, _ in self.readable)
        return [name for name in names if self.manifest.configs[name].tests]

    def batches(self, config: str, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Some columns of the pairs of a config, all splits together, a few rows at a time.

        A pair that stands in two splits counts once: FVQA's originating questions are test questions too.
        """
        splits = [split for name, split in self.readable if name == config]
        names = list(dict.fromkeys(("pair_id", *columns)))
        earlier: list[pa.Array] = []
        for split in splits:
            for table in self.folder.batches(config, split, names):
                repeated = pc.is_in(table["pair_id"], pa.chunked_array(earlier, pa.string()))
                yield table.filter(pc.invert(repeated)).select(list(columns))
            if split != splits[-1]:
                earlier += self.folder.table(config, split, ["pair_id"])["pair_id"].chunks

    def pairs(self, config: str, columns: Sequence[str]) -> pa.Table:
        """Some columns of the pairs of a config, all splits together."""
        return _concat(self.batches(config, columns), columns)

    def tests(self, columns: Sequence[str]) -> Iterator[tuple[str, str, pa.Table]]:
        """Config, test and some columns of its pairs, for every test of every config."""
        names = list(dict.fromkeys(("test", *columns)))
        for config in self.pair_configs():
            for test in sorted(pc.unique(self.pairs(config, ["test"])["test"]).to_pylist()):
                rows = (table.filter(pc.equal(table["test"], test)) for table in self.batches(config, names))
                yield config, test, _concat((table.select(list(columns)) for table in rows), columns)


def _concat(tables: Iterable[pa.Table], columns: Sequence[str]) -> pa.Table:
    """One table of many, or of none."""
    return pa.concat_tables([pa.schema([CORE_SCHEMA.field(name) for name in columns]).empty_table(), *tables])


def open_audited(folder: BuiltFolder, rules: AuditRules) -> tuple[AuditedFolder, FindingEntry]:
    """Look at the columns of every file; one that is missing, torn or has different columns is a finding."""
    readable: list[tuple[str, str]] = []
    faults: list[str] = []
    for config, split, entry in folder.manifest.own_splits():
        schema = _expected_schema(folder.manifest.configs[config])
        wrong = [f"{name}: {fault}" for name in entry.files if (fault := _fault(folder.path / name, schema))]
        faults += wrong
        if not wrong and entry.files:
            readable.append((config, split))
    message = "every file has the core columns in their types"
    return AuditedFolder(folder, rules, tuple(readable)), result("schema", faults and [first_few(faults)], message)


def _expected_schema(config: ConfigEntry) -> pa.Schema:
    """The columns a config must have: those of a pair, or the names that the manifest tells of other rows."""
    if config.tests:
        return CORE_SCHEMA
    return pa.schema([(feature["name"], pa.null()) for feature in config.features])


def _fault(path: Path, expected: pa.Schema) -> str:
    """What is wrong with the columns of a file."""
    if not path.is_file():
        return "is missing"
    try:
        schema = pq.read_schema(path)
        if fault := _schema_fault(schema, expected):
            return fault
        typed = [field.name for field in expected if not pa.types.is_null(field.type)]
        nulls = [name for name in typed if _has_nulls(pq.ParquetFile(path), name)]
    except READ_FAILURES as error:
        return printable(f"cannot be read: {error}")
    return f"null in {first_few(nulls)}" if nulls else ""


def _has_nulls(file: pq.ParquetFile, column: str) -> bool:
    arrays = (batch.column(0) for batch in file.iter_batches(batch_size=4096, columns=[column]))
    return any(array.null_count or _flat(array).null_count for array in arrays)


def _flat(array: pa.Array) -> pa.Array:
    array.validate(full=True)
    return pc.list_flatten(array) if pa.types.is_list(array.type) else array


def _schema_fault(schema: pa.Schema, expected: pa.Schema) -> str:
    missing = [name for name in expected.names if name not in schema.names]
    if missing:
        return f"lacks the column {first_few(missing)}"
    repeated = sorted({name for name in schema.names if schema.names.count(name) > 1})
    if repeated:
        return f"has the column {first_few(repeated)} more than once"
    return first_few(
        f"{field.name} is {schema.field(field.name).type}, not {field.type}"
        for field in expected
        if not pa.types.is_null(field.type) and not schema.field(field.name).type.equals(field.type)
    )
