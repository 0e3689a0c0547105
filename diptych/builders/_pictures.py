"""Pictures in rows: the parameter that every dataset has, and how finished rows get their pictures."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa

from diptych.builders._dataset import BuildOptions
from diptych.builders._ledger import Ledger
from diptych.builders._spec import EMBED, IMAGES
from diptych.errors import BadInputError
from diptych.folder import SIDES, picture_names
from diptych.images import ImageStore, image_size, open_images
from diptych.pairs import DIGEST_SIZE, Skip, row_digests

ReadPicture = Callable[..., bytes | Skip]

NO_IMAGE, UNREADABLE_IMAGE = Skip("the image is missing"), Skip("the image cannot be read")
NO_NAME = Skip("the source does not name the file of the image")
IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
"""The type of a column of pictures, as `datasets` stores them."""
DIGEST = "__digest"  # a column of published shards with the digest of each row; it does not reach the final files

_COLUMNS = {side: f"{side}_image" for side in SIDES}
_ROWS_AT_ONCE = 32  # with their pictures in memory, besides the row group that is filled
_RECENT_PICTURES = 64


def read_picture(images: ImageStore, *names: str) -> bytes | Skip:
    """The content of a picture, or why there is none; an archive that is damaged is an error, not a skip."""
    file_name = images.present_name(names)
    if images.find(file_name) is None:
        return NO_IMAGE
    try:
        content = images.read(file_name)
    except BadInputError:
        return UNREADABLE_IMAGE
    return content if image_size(content) is not None else UNREADABLE_IMAGE


def carries_pictures(options: BuildOptions) -> bool:
    """Whether all pairs of the config at hand get their pictures."""
    return options.parameters.get(IMAGES) == EMBED and bool(options.tests)


def with_pictures(schema: pa.Schema) -> pa.Schema:
    """The columns of pairs with those of their pictures."""
    absent = [name for name in _COLUMNS.values() if name not in schema.names]
    return pa.schema([*schema, *(pa.field(name, IMAGE) for name in absent)])


def embed_pictures(
    tables: Iterable[pa.Table], schema: pa.Schema, options: BuildOptions, ledger: Ledger
) -> Iterator[pa.Table]:
    """Put the pictures into finished rows; a pair that lacks one is counted as skipped instead of paired."""
    # The questions about one picture often follow each other.
    read = lru_cache(_RECENT_PICTURES)(partial(read_picture, open_images(options.images or options.data)))
    for table in tables:
        for start in range(0, table.num_rows, _ROWS_AT_ONCE):
            yield _embed(table.slice(start, _ROWS_AT_ONCE), schema, read, ledger)


def _embed(table: pa.Table, schema: pa.Schema, read: ReadPicture, ledger: Ledger) -> pa.Table:
    plain = table.drop_columns([DIGEST])
    rows = plain.to_pylist()
    kept: list[int] = []
    cells: dict[str, list[Any]] = {column: [] for column in _COLUMNS.values()}
    for number, row in enumerate(rows):
        own = [_cell(row, side, read) for side in SIDES]
        missing = next((cell for cell in own if isinstance(cell, Skip)), None)
        if missing is not None:
            ledger.paired[row["test"]] -= 1
            ledger.count(row["test"], missing)
            continue
        kept.append(number)
        for column, cell in zip(cells.values(), own, strict=True):
            column.append(cell)
    plain = plain.take(pa.array(kept, pa.int64()))
    for name, column in cells.items():
        array = pa.array(column, IMAGE)
        place = plain.schema.get_field_index(name)
        plain = plain.append_column(name, array) if place < 0 else plain.set_column(place, name, array)
    plain = plain.select(schema.names)
    return plain.append_column(DIGEST, pa.array(list(row_digests(plain)), pa.binary(DIGEST_SIZE)))


def _cell(row: Mapping[str, Any], side: str, read: ReadPicture) -> dict[str, Any] | Skip | None:
    """The picture of a side, nothing where it has none, or why it is missing."""
    cell: dict[str, Any] | None = row.get(_COLUMNS[side])
    names, image_id = picture_names(row, side), row[f"{side}_image_id"]
    if cell is not None or not (names or image_id):
        return cell
    content = read(*names) if names else NO_NAME
    if isinstance(content, Skip):
        return replace(content, where=names[0] if names else f"image {image_id}")
    return {"bytes": content, "path": PurePosixPath(names[0]).name}
