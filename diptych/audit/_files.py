"""Whether the files are those that the manifest names, and of a shape that the Hub's viewer can page through."""

from collections.abc import Iterator

import pyarrow.parquet as pq

from diptych.audit._findings import first_few, result
from diptych.audit._tables import AuditedFolder
from diptych.files import READ_FAILURES, file_digest
from diptych.folder import FindingEntry
from diptych.pairs import content_hash

LARGEST_ROW_GROUP = 100_000_000
"""Uncompressed bytes of a row group that the Hub's viewer reads at once."""


def check_hashes(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Every file has the SHA-256 of the manifest, and no other file lies beside it."""
    entries = {name: entry for _, _, split in audited.manifest.own_splits() for name, entry in split.files.items()}
    faults, files = [], 0
    for name, entry in entries.items():
        path = audited.path / name
        if not path.is_file():
            faults.append(f"{name}: is missing")
            continue
        files += 1
        if file_digest(path) != entry.sha256:
            faults.append(f"{name}: is not the file that was built")
    for path in sorted((audited.path / "data").rglob("*.parquet")):
        name = path.relative_to(audited.path).as_posix()
        if name not in entries:
            faults.append(f"{name}: is not in the manifest")
    message = f"{files:,} files have the SHA-256 of the manifest"
    yield result("file hashes", faults and [first_few(faults)], message, files=files)


def check_contents(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Row counts and content hashes are those of the manifest."""
    miscounted, different, rows = [], [], 0
    for config, split in audited.readable:
        entry = audited.manifest.configs[config].splits[split]
        count = sum(pq.read_metadata(audited.path / name).num_rows for name in entry.files)
        rows += count
        if count != entry.rows:
            miscounted.append(f"{config}/{split}: {count:,} rows, the manifest says {entry.rows:,}")
        elif content_hash(audited.folder.batches(config, split)) != entry.content_hash:
            different.append(f"{config}/{split}: different rows than the manifest says")
    message = f"{rows:,} rows, as the manifest says"
    yield result("row counts", miscounted and [first_few(miscounted)], message, rows=rows)
    yield result("content hashes", different and [first_few(different)], "the rows are those of the manifest")


def check_row_groups(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Row groups are small."""
    faults, largest = [], 0
    for _, _, split in audited.manifest.own_splits():
        for name in split.files:
            try:
                metadata = pq.read_metadata(audited.path / name)
            except READ_FAILURES:
                continue  # the check of the schema says so
            size = max(
                (metadata.row_group(index).total_byte_size for index in range(metadata.num_row_groups)), default=0
            )
            largest = max(largest, size)
            if size > LARGEST_ROW_GROUP:
                faults.append(f"{name}: a row group of {size / 1e6:,.0f} MB")
    message = f"at most {largest / 1e6:,.1f} MB uncompressed"
    yield result("row groups", faults and [first_few(faults)], message, largest_bytes=largest)


def check_page_indexes(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Every column chunk of a build of ours has its page index.

    Not for files from elsewhere: Arrow ends the process where the description of a column chunk is damaged.
    """
    faults = []
    for _, _, split in audited.manifest.own_splits():
        for name in split.files:
            metadata = pq.read_metadata(audited.path / name)
            groups = (metadata.row_group(index) for index in range(metadata.num_row_groups))
            if not all(group.column(index).has_offset_index for group in groups for index in range(group.num_columns)):
                faults.append(f"{name}: no page index")
    yield result("page indexes", faults and [first_few(faults)], "the Hub's viewer can page through every column")
