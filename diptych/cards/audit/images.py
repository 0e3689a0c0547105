"""Whether the images that a dataset carries can be opened, and are of a size that can be served."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image, UnidentifiedImageError

from diptych.cards.audit.built import Built
from diptych.cards.audit.finding import Finding, some, verdict

LONGEST_SIDE = 4096
"""Pixels of an image's longer side that are still served."""

LARGEST_IMAGE = 10_000_000
"""Bytes of an image that are still served."""


def images(built: Built) -> Iterator[Finding]:
    """Every embedded image opens, and is neither empty nor too large."""
    faults: list[str] = []
    seen = 0
    for _, _, told in built.splits():
        for name in told["files"]:
            for row, value in _embedded(built.folder / name):
                seen += 1
                wrong = image_fault(value)
                faults += [f"{name} row {row:,}: {wrong}"] if wrong else []
    fine = f"{seen:,} images open" if seen else "no images are embedded"
    yield verdict("images", [some(faults)] if faults else [], fine, images=seen)


def _embedded(file: Path) -> Iterator[tuple[int, Any]]:
    """Row number and value of every image column, one row group at a time."""
    try:
        parquet = pq.ParquetFile(file)
        columns = [field.name for field in parquet.schema_arrow if pa.types.is_struct(field.type)]
        row = 0
        for group in range(parquet.num_row_groups if columns else 0):
            table = parquet.read_row_group(group, columns=columns)
            for column in columns:
                found = enumerate(table[column].to_pylist())
                # A test of words has no images beside one that makes them.
                yield from ((row + at, value) for at, value in found if value is not None)
            row += table.num_rows
    except (pa.ArrowException, OSError):
        return  # `schema` says so


def image_fault(value: Any) -> str:
    """What is wrong with one image, or nothing."""
    content = (value or {}).get("bytes")
    if not content:
        return "has no bytes"
    if len(content) > LARGEST_IMAGE:
        return f"{len(content) / 1e6:.1f} MB, more than {LARGEST_IMAGE / 1e6:.0f}"
    try:
        with Image.open(io.BytesIO(content)) as image:
            image.load()
            width, height = image.size
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return "cannot be opened"
    return "" if max(width, height) <= LONGEST_SIDE else f"{width} × {height} pixels, more than {LONGEST_SIDE}"
