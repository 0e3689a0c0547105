"""Whether the files are those the manifest tells of, and of a shape the Hub's viewer can page through."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from diptych.cards.audit.built import Built
from diptych.cards.audit.finding import Finding, some, verdict
from diptych.pairs import content_hash

LARGEST_ROW_GROUP = 100_000_000
"""Uncompressed bytes of a row group that the Hub's viewer reads at once."""


def hashes(built: Built) -> Iterator[Finding]:
    """Every file has the manifest's SHA-256, and no other file lies beside it."""
    faults, files = [], 0
    known = {name: entry for _, _, told in built.splits() for name, entry in told["files"].items()}
    for name, entry in known.items():
        path = built.folder / name
        if not path.is_file():
            faults.append(f"{name}: is missing")
            continue
        files += 1
        if _sha256(path) != entry["sha256"]:
            faults.append(f"{name}: is not the file that was built")
    for path in sorted((built.folder / "data").rglob("*.parquet")):
        name = path.relative_to(built.folder).as_posix()
        if name not in known:
            faults.append(f"{name}: is not in the manifest")
    fine = f"{files:,} files have the SHA-256 the manifest tells"
    yield verdict("file hashes", [some(faults)] if faults else [], fine, files=files)


def contents(built: Built) -> Iterator[Finding]:
    """Row counts and content hashes are those of the manifest."""
    counts, other, rows = [], [], 0
    for config, split, told in built.splits():
        table = built.tables.get((config, split))
        if table is None:
            continue
        rows += table.num_rows
        if table.num_rows != told["rows"]:
            counts.append(f"{config}/{split}: {table.num_rows:,} rows, the manifest tells {told['rows']:,}")
        elif content_hash(_whole(built.folder / name for name in told["files"])) != told["content_hash"]:
            other.append(f"{config}/{split}: other rows than the manifest tells")
    yield verdict("row counts", [some(counts)] if counts else [], f"{rows:,} rows, as the manifest tells", rows=rows)
    yield verdict("content hashes", [some(other)] if other else [], "the rows are those the manifest tells")


def row_groups(built: Built) -> Iterator[Finding]:
    """Row groups are small, and every column chunk has its page index."""
    faults, largest = [], 0
    for _, _, told in built.splits():
        for name in told["files"]:
            try:
                sizes, indexed = _groups(built.folder / name)
            except (pa.ArrowException, OSError):
                continue  # `schema` says so
            largest = max([largest, *sizes])
            if max(sizes, default=0) > LARGEST_ROW_GROUP:
                faults.append(f"{name}: a row group of {max(sizes) / 1e6:,.0f} MB")
            if not indexed:
                faults.append(f"{name}: no page index")
    fine = f"at most {largest / 1e6:,.1f} MB uncompressed, with page index"
    yield verdict("row groups", [some(faults)] if faults else [], fine, largest_bytes=largest)


def _groups(file: Path) -> tuple[list[int], bool]:
    told = pq.read_metadata(file)
    groups = [told.row_group(at) for at in range(told.num_row_groups)]
    chunks = [group.column(at) for group in groups for at in range(group.num_columns)]
    return [group.total_byte_size for group in groups], all(chunk.has_offset_index for chunk in chunks)


def _whole(files: Iterable[Path]) -> Iterator[pa.Table]:
    """All columns, images too, one row group at a time."""
    for file in files:
        parquet = pq.ParquetFile(file)
        yield from (parquet.read_row_group(group) for group in range(parquet.num_row_groups))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
