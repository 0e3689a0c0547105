"""Whether the files are those of the manifest, can be read, and are of a shape that the Hub's viewer can show."""

import io
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from PIL import Image

from diptych.audit._tables import AuditedFolder, first_few, result
from diptych.builders import AuditRules
from diptych.errors import printable
from diptych.files import READ_FAILURES, file_digest
from diptych.folder import BuiltFolder, ConfigEntry, FindingEntry
from diptych.images import image_size
from diptych.pairs import CORE_SCHEMA, content_hash

LARGEST_ROW_GROUP = 100_000_000  # uncompressed bytes of a row group that the Hub's viewer reads at once

LONGEST_SIDE = 4096  # pixels of an image's longer side that are still served

LARGEST_IMAGE = 10_000_000  # bytes of an image that are still served


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
    return AuditedFolder(folder, rules, tuple(readable)), result("schema", faults, message)


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
        file = pq.ParquetFile(path)
        if fault := _schema_fault(file.schema_arrow, expected):
            return fault
        nulls = [field.name for field in expected if not pa.types.is_null(field.type) and _has_nulls(file, field.name)]
    except READ_FAILURES as error:
        return printable(f"cannot be read: {error}")
    return f"null in {first_few(nulls)}" if nulls else ""


def _schema_fault(schema: pa.Schema, expected: pa.Schema) -> str:
    if missing := [name for name in expected.names if name not in schema.names]:
        return f"lacks the column {first_few(missing)}"
    if repeated := sorted({name for name in schema.names if schema.names.count(name) > 1}):
        return f"has the column {first_few(repeated)} more than once"
    return first_few(
        f"{field.name} is {schema.field(field.name).type}, not {field.type}"
        for field in expected
        if not pa.types.is_null(field.type) and not schema.field(field.name).type.equals(field.type)
    )


def _has_nulls(file: pq.ParquetFile, column: str) -> bool:
    for batch in file.iter_batches(batch_size=4096, columns=[column]):
        array = batch.column(0)
        array.validate(full=True)
        if array.null_count or (pa.types.is_list(array.type) and pc.list_flatten(array).null_count):
            return True
    return False


def check_hashes(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Every file has the SHA-256 of the manifest, and no other file lies beside it."""
    root, entries = audited.folder.path, audited.folder.manifest.files()
    digests = {name: file_digest(root / name) if (root / name).is_file() else "" for name in entries}
    faults = [
        f"{name}: {'differs from the file that was built' if digest else 'is missing'}"
        for name, digest in digests.items()
        if digest != entries[name].sha256
    ]
    names = (path.relative_to(root).as_posix() for path in sorted((root / "data").rglob("*.parquet")))
    faults += [f"{name}: is not in the manifest" for name in names if name not in entries]
    count = sum(map(bool, digests.values()))
    yield result("file hashes", faults, f"{count:,} files have the SHA-256 of the manifest", files=count)


def check_contents(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Row counts and content hashes are those of the manifest."""
    miscounted, different, rows = [], [], 0
    for config, split in audited.readable:
        entry = audited.folder.manifest.configs[config].splits[split]
        count = sum(pq.read_metadata(audited.folder.path / name).num_rows for name in entry.files)
        rows += count
        if count != entry.rows:
            miscounted.append(f"{config}/{split}: {count:,} rows, but the manifest has {entry.rows:,}")
        elif content_hash(audited.folder.batches(config, split)) != entry.content_hash:
            different.append(f"{config}/{split}: rows differ from the manifest")
    yield result("row counts", miscounted, f"{rows:,} rows, as in the manifest", rows=rows)
    yield result("content hashes", different, "the rows match the manifest")


def _files(audited: AuditedFolder) -> Iterator[tuple[str, pq.ParquetFile]]:
    """Every file of the manifest that can be opened; the check of the schema names the others."""
    for _, _, split in audited.folder.manifest.own_splits():
        for name in split.files:
            with suppress(*READ_FAILURES):
                yield name, pq.ParquetFile(audited.folder.path / name)


def _row_groups(file: pq.ParquetFile) -> list[pq.RowGroupMetaData]:
    return [file.metadata.row_group(index) for index in range(file.num_row_groups)]


def check_row_groups(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Row groups are small."""
    sizes = {
        name: max((group.total_byte_size for group in _row_groups(file)), default=0) for name, file in _files(audited)
    }
    faults = [
        f"{name}: a row group of {size / 1e6:,.0f} MB" for name, size in sizes.items() if size > LARGEST_ROW_GROUP
    ]
    largest = max(sizes.values(), default=0)
    yield result("row groups", faults, f"at most {largest / 1e6:,.1f} MB uncompressed", largest_bytes=largest)


def check_page_indexes(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Every column chunk of a build of ours has its page index.

    Not for files from elsewhere: Arrow ends the process where the description of a column chunk is damaged.
    """
    faults = [
        f"{name}: no page index"
        for name, file in _files(audited)
        if not all(group.column(i).has_offset_index for group in _row_groups(file) for i in range(group.num_columns))
    ]
    yield result("page indexes", faults, "the Hub's viewer can page through every column")


def check_images(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Every embedded image opens, and is neither empty nor too large."""
    faults: list[str] = []
    count = 0
    for name, file in _files(audited):
        with suppress(*READ_FAILURES):
            for row, image in _embedded_images(file):
                count += 1
                fault = image_fault(image)
                faults += [f"{name} row {row:,}: {fault}"] if fault else []
    yield result("images", faults, f"{count:,} images open" if count else "no images are embedded", images=count)


def _embedded_images(file: pq.ParquetFile) -> Iterator[tuple[int, Any]]:
    """Row number and value of every image column, a few rows at a time."""
    columns = [field.name for field in file.schema_arrow if pa.types.is_struct(field.type)]
    start = 0
    for batch in file.iter_batches(batch_size=64, columns=columns) if columns else ():
        for column in batch.columns:
            values = enumerate(column.to_pylist(), start=start)
            # A test of words has no images beside one that makes them.
            yield from ((row, value) for row, value in values if value is not None)
        start += batch.num_rows


def image_fault(value: Any) -> str:
    """What is wrong with one image, or nothing."""
    content = (value or {}).get("bytes")
    if not content:
        return "has no bytes"
    if len(content) > LARGEST_IMAGE:
        return f"{len(content) / 1e6:.1f} MB, more than {LARGEST_IMAGE / 1e6:.0f}"
    size = image_size(content)
    if size is not None and max(size) > LONGEST_SIDE:
        return f"{size[0]} × {size[1]} pixels, more than {LONGEST_SIDE}"
    return "" if size and _is_whole(content) else "cannot be opened"


def _is_whole(content: bytes) -> bool:
    try:
        with Image.open(io.BytesIO(content)) as image:
            image.load()
    except (OSError, SyntaxError, ValueError):
        return False
    return True
