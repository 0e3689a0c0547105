"""BuiltFolder: a build on disk or at a revision on the Hub, with its configs, unions, splits and tables."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from diptych.errors import BadInputError, MissingFileError, UnknownNameError, look_up
from diptych.files import json_digest, reading
from diptych.folder._manifest import ConfigEntry, Manifest, read_manifest
from diptych.folder._recipe import RECIPE, refuse_links_out
from diptych.pairs import CORE_SCHEMA, LATER_COLUMNS

if TYPE_CHECKING:
    from diptych.folder.hub import HubDataset  # the Hub's client is slow to import

_DESCRIPTION = ("manifest.json", "README.md", "errata.jsonl", "assets/*", f"{RECIPE}/*", f"{RECIPE}/**")


@dataclass(frozen=True, slots=True)
class Selection:
    """One config and one of its splits."""

    config: str
    split: str


@dataclass(frozen=True, slots=True)
class BuiltFolder:
    """A built dataset: its manifest and tables."""

    path: Path
    manifest: Manifest
    hub: "HubDataset | None" = None  # where it was downloaded from; its data files are fetched when they are read

    @property
    def location(self) -> str:
        """The argument for `load_dataset`: the folder, or the repository on the Hub."""
        return self.hub.repo if self.hub else str(self.path)

    @property
    def configs(self) -> dict[str, tuple[str, ...]]:
        """Every config with rows, and the configs whose files it reads: those it unites, or itself; unions first."""
        return self.manifest.filled_configs()

    def parts(self, config: str) -> tuple[ConfigEntry, ...]:
        """The entries of the configs whose files a config reads."""
        return tuple(self.manifest.configs[part] for part in look_up("config", config, self.configs))

    def description(self, config: str) -> str:
        """The description of a config."""
        entry = self.manifest.unions.get(config) or self.manifest.configs[config]
        return entry.description

    def tests(self, config: str) -> tuple[str, ...]:
        """The tests of a config; empty if its rows are not pairs."""
        return tuple(dict.fromkeys(test for part in self.parts(config) for test in part.tests))

    def features(self, config: str) -> tuple[dict[str, Any], ...]:
        """The columns of a config as `datasets` writes them."""
        return self.parts(config)[0].features

    def splits(self, config: str) -> dict[str, tuple[str, ...]]:
        """The splits of a config with the names of their files."""
        union = self.manifest.unions.get(config)
        wanted = union.splits if union else ()
        files: dict[str, tuple[str, ...]] = {}
        for part in self.parts(config):
            for split, entry in part.splits.items():
                if not wanted or split in wanted:
                    files[split] = files.get(split, ()) + tuple(entry.files)
        return files

    def patterns(self, config: str) -> dict[str, tuple[str, ...]]:
        """The splits of a config with the patterns of their files, as the card's YAML names them."""
        return {
            split: tuple(dict.fromkeys(f"{name.rpartition('/')[0]}/{split}-*.parquet" for name in names))
            for split, names in self.splits(config).items()
        }

    def judged_split(self, config: str) -> str:
        """The split of a config that models are scored on."""
        splits = self.splits(config)
        return next((split for split in self.manifest.judged_splits if split in splits), next(iter(splits)))

    def select(self, config: str | None = None, split: str | None = None) -> Selection:
        """Select a config and split; by default the default config and the split that models are scored on.

        Several splits are written as in `datasets`: `test+adversarial`.
        """
        config = config or self.manifest.default
        splits = self.splits(config)
        for name in split.split("+") if split is not None else ():
            if name not in splits:
                raise UnknownNameError.among(f"split of {config}", name, splits)
        return Selection(config, split or self.judged_split(config))

    @property
    def commit(self) -> str | None:
        """The commit of the Hub that was downloaded; None for a local folder."""
        return self.path.name if self.hub else None

    def content_digest(self, selection: Selection) -> str:
        """A short digest of the content of a selection, which predictions record."""
        names = selection.split.split("+")
        splits = [part.splits[name] for part in self.parts(selection.config) for name in names if name in part.splits]
        return json_digest([entry.content_hash for entry in splits])

    def files(self, config: str, split: str) -> tuple[Path, ...]:
        """The files of a split on disk; those of a Hub dataset are downloaded."""
        return self.fetch(self.splits(config)[split])

    def fetch(self, names: Collection[str]) -> tuple[Path, ...]:
        """Some files of the build on disk; those of a Hub dataset are downloaded."""
        root = self.path
        if self.hub:
            from diptych.folder.hub import download

            root = download(self.hub, tuple(names))
        return tuple(root / name for name in names)

    def table(self, config: str, split: str, columns: Collection[str] | None = None) -> pa.Table:
        """The rows of a split without images, or some of their columns."""
        files = self.files(config, split)
        if not files:
            raise BadInputError(f"{self.location}: {config}/{split} has no files; build it again")
        tables = [read_rows(file, columns) for file in files]
        if self.tests(config):
            for file, table in zip(files, tables, strict=True):
                check_pairs(table, file, columns)
        with reading(files[0]):
            return pa.concat_tables(tables, promote_options="default")

    def pairs(self, selection: Selection, *, complete: bool = False) -> pa.Table:
        """The pairs of a selection, with every core column if `complete`; raises an error if the rows are not pairs."""
        if not self.tests(selection.config):
            problem = f"the rows of config {selection.config} are not pairs"
            raise BadInputError(f"{self.location}: {problem}; choose another config with --config")
        tables = [self.table(selection.config, split) for split in selection.split.split("+")]
        table = pa.concat_tables(tables, promote_options="default")
        if complete:
            place = self.path / "data" / selection.config
            check_pairs(table, place, complete=True)
            for row in table.select(["pair_id", "bindings"]).to_pylist():
                read_bindings(row, f"{place}: ")
        if not table.num_rows:
            raise BadInputError(f"{self.location}: {selection.config}/{selection.split} has no pairs; build it again")
        return table

    def batches(self, config: str, split: str, columns: Collection[str] | None = None) -> Iterator[pa.Table]:
        """Iterate over the rows of a split in batches, images included."""
        for file in self.files(config, split):
            with reading(file):
                for batch in pq.ParquetFile(file).iter_batches(batch_size=1024, columns=columns and list(columns)):
                    yield pa.Table.from_batches([batch])


def open_folder(location: str | Path, revision: str | None = None) -> BuiltFolder:
    """Open a built folder, or a dataset on the Hub (`org/name`, `org/name@revision`, `hf://datasets/…`)."""
    if Path(location).is_dir():
        manifest = read_manifest(Path(location))
        refuse_links_out(Path(location))
        return BuiltFolder(Path(location), manifest)
    from diptych.folder.hub import HubDataset, download, hub_dataset

    named = hub_dataset(str(location))
    dataset = HubDataset(named.repo, revision or named.revision)
    folder = download(dataset, _DESCRIPTION)
    return BuiltFolder(folder, read_manifest(folder), dataset)


def read_rows(path: Path, columns: Collection[str] | None = None) -> pa.Table:
    """The columns of a Parquet file without its images, or some of them."""
    if not path.is_file():
        raise MissingFileError(f"{path}: missing, but listed in the manifest")
    with reading(path, "build it again"):
        schema = pq.read_schema(path)
        names = [field.name for field in schema if not pa.types.is_struct(field.type)]
        names = [name for name in names if columns is None or name in columns]
        table = pq.read_table(path, columns=names).replace_schema_metadata(None)
        table.validate(full=True)  # a text that is not UTF-8 would fail far from here
        return table


def check_pairs(table: pa.Table, path: Path, columns: Collection[str] | None = None, *, complete: bool = False) -> None:
    """Refuse rows that are not pairs: all that is done with pairs relies on the types of the core columns.

    `complete` pairs have every core column; scores need only some, and say so where one is missing.
    """
    for field in CORE_SCHEMA:
        count = table.column_names.count(field.name)
        is_optional = field.name in LATER_COLUMNS or not (complete or field.name == "pair_id")
        if (count == 0 and is_optional) or (columns is not None and field.name not in columns):
            continue
        if count != 1:
            raise BadInputError(f"{path}: no column {field.name}, or more than one; build it again")
        column = table[field.name]
        if not column.type.equals(field.type):
            raise BadInputError(f"{path}: the column {field.name} is {column.type}, not {field.type}; build it again")
        values = pc.list_flatten(column) if pa.types.is_list(field.type) else column
        if column.null_count or values.null_count:
            raise BadInputError(f"{path}: a row has no value in the column {field.name}; build it again")


def read_bindings(row: Mapping[str, Any], place: str = "") -> dict[str, Any]:
    """The bindings of a pair, which must be a JSON object; the error for any other begins with the place.

    >>> read_bindings({"pair_id": "a", "bindings": '{"value": "red"}'})
    {'value': 'red'}
    """
    try:
        bindings = orjson.loads(row.get("bindings") or "{}")
    except orjson.JSONDecodeError:
        bindings = None
    if not isinstance(bindings, dict):
        raise BadInputError(f"{place}pair {row.get('pair_id')}: its bindings are not a JSON object; build it again")
    return bindings


def drop_pairs(table: pa.Table, pair_ids: Iterable[str]) -> pa.Table:
    """The rows of a table, of pairs or of predictions, without those about some pairs."""
    dropped = pa.array(sorted(pair_ids), pa.string())
    return table.filter(pc.invert(pc.is_in(table["pair_id"], value_set=dropped))) if len(dropped) else table
