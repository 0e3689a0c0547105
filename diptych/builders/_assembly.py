"""From finished shards to the files of a Hub repository: one pass that writes, hashes and counts."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from diptych.builders._dataset import BuildOptions, Dataset
from diptych.builders._pictures import DIGEST, IMAGE, carries_pictures, embed_pictures, with_pictures
from diptych.builders._pipeline import FinishedSplit
from diptych.builders._verdicts import Judgment
from diptych.files import HashedFile
from diptych.folder import ConfigEntry, Example, FileEntry, SplitEntry, TestStatistics
from diptych.pairs import combined_hash

LARGEST_FILE = 500_000_000
ROW_GROUP_ROWS, ROW_GROUP_BYTES = 10_000, 64_000_000  # a row group is what the Hub's viewer reads at once

_PARQUET: dict[str, Any] = {"compression": "zstd", "write_page_index": True, "use_content_defined_chunking": True}
_EXAMPLES = 3
_TOP = 10
_EXAMPLE_COLUMNS = list(Example.model_fields)
_COUNTED_COLUMNS = {
    "perturbed_answers": "perturbed_answer",
    "original_answers": "original_answer",
    "templates": "template_id",
}


def assemble_config(
    folder: Path,
    dataset: Dataset,
    options: BuildOptions,
    finished: dict[str, FinishedSplit],
    judgment: Judgment | None = None,
) -> ConfigEntry:
    """Write the files of one config and describe them for the manifest; a split without rows is not written."""
    config, spec = options.config, dataset.spec
    assert config is not None
    schema = spec.schema(config)
    if carries_pictures(options):
        schema = with_pictures(schema)
    features = dataset_features(schema)
    described = schema.with_metadata({"huggingface": orjson.dumps({"info": {"features": features.to_dict()}})})
    splits: dict[str, SplitEntry] = {}
    for split, done in finished.items():
        if done.ledger.paired.total():
            tables: Iterable[pa.Table] = done.shards.tables()
            if judgment is not None:
                tables = judgment.apply(split, tables, done.ledger)
            if carries_pictures(options):
                tables = embed_pictures(tables, schema, options, done.ledger)
            splits[split] = _write_split(folder, f"data/{config.name}/{split}", tables, described)
    return ConfigEntry.model_validate(
        {
            "description": config.description,
            "source": dataset.source_name(options),
            "tests": config.tests,
            "features": features._to_yaml_list(),
            "splits": {split: entry for split, entry in splits.items() if entry.rows},
            "ledger": {split: done.ledger.as_json() for split, done in finished.items()},
            "notes": _notes(finished),
        }
    )


def _notes(finished: dict[str, FinishedSplit]) -> dict[str, Any]:
    """What the plans tell, by name; where they tell of several splits differently, with the split."""
    notes: dict[str, dict[str, Any]] = {}
    for split, done in finished.items():
        for name, note in done.notes.items():
            notes.setdefault(name, {})[split] = note
    described: dict[str, Any] = {}
    for name, by_split in notes.items():
        first, *rest = by_split.values()
        if all(note == first for note in rest):
            described[name] = first
        else:
            described |= {f"{name} ({split})": note for split, note in by_split.items()}
    return described


def dataset_features(schema: pa.Schema) -> Any:
    """The columns as `datasets` describes them, so that images load as images."""
    import datasets  # slow to import, and needed only here

    features = datasets.Features.from_arrow_schema(schema)
    features.update({field.name: datasets.Image() for field in schema if field.type.equals(IMAGE)})
    return features


@dataclass(slots=True)
class _Summary:
    """What the manifest tells of the rows of a split, gathered as they pass."""

    rows: int = 0
    size: int = 0
    images: int = 0
    digests: bytearray = field(default_factory=bytearray)
    tests: dict[str, "_TestSummary"] = field(default_factory=dict)

    def add(self, table: pa.Table) -> pa.Table:
        """Take in some rows, and return them as they are published."""
        self.digests += b"".join(table[DIGEST].to_pylist())
        table = table.drop_columns([DIGEST])
        self.rows += table.num_rows
        self.size += table.nbytes
        images = [table[name] for name in table.column_names if name.endswith("_image")]
        self.images += sum(len(column) - column.null_count for column in images)
        if "pair_id" in table.column_names:
            for test in pc.unique(table["test"]).to_pylist():
                of_test = table.filter(pc.equal(table["test"], test))
                self.tests.setdefault(test, _TestSummary()).add(of_test)
        return table


@dataclass(slots=True)
class _TestSummary:
    """What the manifest tells of the pairs of one test."""

    pairs: int = 0
    images: set[str] = field(default_factory=set)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    examples: list[dict[str, str]] = field(default_factory=list)

    def add(self, table: pa.Table) -> None:
        """Take in some pairs of the test."""
        self.pairs += table.num_rows
        self.images.update(pc.unique(table["original_image_id"]).to_pylist())
        for column in _COUNTED_COLUMNS.values():
            counter = self.counts.setdefault(column, Counter())
            for entry in pc.value_counts(table[column]).to_pylist():
                counter[entry["values"]] += entry["counts"]
        first = pc.select_k_unstable(table["pair_id"], _EXAMPLES, [("pair_id", "ascending")])
        rows = self.examples + table.select(_EXAMPLE_COLUMNS).take(first).to_pylist()
        self.examples = sorted(rows, key=lambda row: str(row["pair_id"]))[:_EXAMPLES]

    def statistics(self) -> TestStatistics:
        """The counts, the most frequent values first."""
        counts = {name: _most_common(self.counts[column]) for name, column in _COUNTED_COLUMNS.items()}
        return TestStatistics(pairs=self.pairs, images=len(self.images), **counts)


def _most_common(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_TOP])


def _write_split(folder: Path, stem: str, tables: Iterable[pa.Table], schema: pa.Schema) -> SplitEntry:
    summary = _Summary()
    files = _write_files(folder, stem, map(summary.add, tables), schema)
    return SplitEntry(
        rows=summary.rows,
        bytes=summary.size,
        images=summary.images,
        files=files,
        content_hash=combined_hash(summary.digests),
        statistics={test: of_test.statistics() for test, of_test in sorted(summary.tests.items())},
        examples=tuple(Example(**row) for _, of_test in sorted(summary.tests.items()) for row in of_test.examples),
    )


def _write_files(folder: Path, stem: str, tables: Iterable[pa.Table], schema: pa.Schema) -> dict[str, FileEntry]:
    """Write rows into as many Parquet files as they need; they get their names when their number is known."""
    entries: list[FileEntry] = []
    groups = _row_groups(tables)
    group = next(groups, None)
    while group is not None:
        (folder / stem).parent.mkdir(parents=True, exist_ok=True)
        with (
            HashedFile(folder / f"{stem}-{len(entries):05d}") as file,
            pq.ParquetWriter(file, schema, **_PARQUET) as writer,
        ):
            while group is not None and file.size < LARGEST_FILE:
                writer.write_table(group.cast(schema), row_group_size=group.num_rows)
                group = next(groups, None)
        entries.append(FileEntry(bytes=file.size, sha256=file.hexdigest()))
    names = [f"{stem}-{number:05d}-of-{len(entries):05d}.parquet" for number in range(len(entries))]
    for number, name in enumerate(names):
        (folder / f"{stem}-{number:05d}").rename(folder / name)
    return dict(zip(names, entries, strict=True))


def _row_groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The rows of many shards in groups of a size that readers like; an empty group cannot be loaded."""
    waiting: list[pa.Table] = []
    for table in tables:
        start, fitting_rows = 0, max(1, ROW_GROUP_BYTES * table.num_rows // max(1, table.nbytes))
        while start < table.num_rows:
            rows = ROW_GROUP_ROWS - sum(part.num_rows for part in waiting)
            waiting.append(table.slice(start, min(rows, fitting_rows)))
            start += waiting[-1].num_rows
            rows, size = (sum(getattr(part, name) for part in waiting) for name in ("num_rows", "nbytes"))
            if rows >= ROW_GROUP_ROWS or size >= ROW_GROUP_BYTES:
                yield pa.concat_tables(waiting).combine_chunks()
                waiting = []
    if waiting:
        yield pa.concat_tables(waiting).combine_chunks()
