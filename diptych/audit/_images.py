"""Whether the images that a dataset carries can be opened, and are of a size that can be served."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from diptych.audit._findings import first_few, result
from diptych.audit._tables import AuditedFolder
from diptych.files import READ_FAILURES
from diptych.folder import FindingEntry
from diptych.images import image_size

LONGEST_SIDE = 4096
"""Pixels of an image's longer side that are still served."""

LARGEST_IMAGE = 10_000_000
"""Bytes of an image that are still served."""


def check_images(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Every embedded image opens, and is neither empty nor too large."""
    faults: list[str] = []
    count = 0
    for _, _, split in audited.manifest.own_splits():
        for name in split.files:
            for row, image in _embedded_images(audited.path / name):
                count += 1
                fault = image_fault(image)
                faults += [f"{name} row {row:,}: {fault}"] if fault else []
    message = f"{count:,} images open" if count else "no images are embedded"
    yield result("images", faults and [first_few(faults)], message, images=count)


def _embedded_images(path: Path) -> Iterator[tuple[int, Any]]:
    """Row number and value of every image column, a few rows at a time."""
    try:
        file = pq.ParquetFile(path)
        columns = [field.name for field in file.schema_arrow if pa.types.is_struct(field.type)]
        start = 0
        for batch in file.iter_batches(batch_size=64, columns=columns) if columns else ():
            for column in batch.columns:
                values = enumerate(column.to_pylist(), start=start)
                # A test of words has no images beside one that makes them.
                yield from ((row, value) for row, value in values if value is not None)
            start += batch.num_rows
    except READ_FAILURES:
        return  # the check of the schema says so


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
