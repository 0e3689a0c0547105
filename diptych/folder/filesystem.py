"""Pictures as addresses: `diptych://…/7.jpg` is a picture in an archive, or one that a recipe makes, when it is opened.

`datasets` opens an image by its path, wherever fsspec can: so its own `Image` columns decode our pictures lazily, in
any process where this package is installed.
"""

import base64
import io
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

import fsspec
import orjson
import pyarrow as pa

from diptych.errors import BadInputError
from diptych.folder._pair_images import SIDES, PairImages, has_recipe, picture_names
from diptych.images import ImagePlace, ImageStore, MissingImageError, open_images

_PROTOCOL = "diptych"
_IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
_RECIPE = ("operation", "boxes", "means")
_COLUMNS = (*(f"{side}_image_{part}" for side in SIDES for part in ("file", "id")), "source", *_RECIPE)

Row = Mapping[str, Any]


class PictureFileSystem(fsspec.AbstractFileSystem):  # type: ignore[misc]
    """Opens pictures by the addresses that `picture_path` gives."""

    protocol = _PROTOCOL

    def _open(self, path: str, mode: str = "rb", **_: Any) -> io.BytesIO:
        return io.BytesIO(_read(path))

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """The size of a picture, which is known when it has been made."""
        return {"name": path, "size": len(_read(path)), "type": "file"}


def _read(path: str) -> bytes:
    try:
        row = orjson.loads(base64.urlsafe_b64decode(path.removeprefix(f"{_PROTOCOL}://").partition("/")[0]))
        root, side = row["root"], "perturbed" if has_recipe(row, "perturbed") else "original"
    except (KeyError, TypeError, ValueError):
        raise BadInputError(f"{path}: not the address of a picture; load the pairs again") from None
    return PairImages(_open_images(root)).read(row, side) or b""


fsspec.register_implementation(_PROTOCOL, PictureFileSystem, clobber=True)


@lru_cache(maxsize=4)
def _open_images(root: str) -> ImageStore:
    return open_images(root)


class _Places(dict[tuple[str, ...], tuple[str, ImagePlace]]):
    """The name and place of every picture that was looked for, by its possible names."""

    def __init__(self, images: ImageStore) -> None:
        super().__init__()
        self.root, self._images = images.root.absolute(), images

    def __missing__(self, names: tuple[str, ...]) -> tuple[str, ImagePlace]:
        name = self._images.present_name(names)
        place = self._images.find(name)
        if place is None:
            advice = "`diptych images` lists what is missing, and downloads it"
            raise MissingImageError(f"{name}: not below {self.root}; {advice}")
        self[names] = name, place
        return self[names]


def picture_path(row: Row, side: str, places: _Places) -> str | None:
    """What opens the picture of a side: its file, or an address of ours; None where the row names no picture."""
    is_made = has_recipe(row, side)
    names = picture_names(row, "original" if is_made else side)
    if not names:
        return None
    name, place = places[names]
    if not (is_made or place.member):
        return str(place.path.absolute())
    recipe = {column: row[column] for column in _RECIPE if is_made}
    content = orjson.dumps({"root": str(places.root), "original_image_file": name, **recipe})
    return f"{_PROTOCOL}://{base64.urlsafe_b64encode(content).decode()}/{PurePosixPath(name).name}"


def add_pictures(pairs: Any, root: str | Path) -> Any:
    """A `datasets.Dataset` of pairs with a column of pictures for each side, which are decoded when they are read."""
    import datasets  # slow to import

    table, places = pairs.data.table, _Places(open_images(root))
    rows = table.select([name for name in _COLUMNS if name in table.column_names]).to_pylist()
    for side in SIDES:
        name = f"{side}_image"
        # Of a config that unites others, some may carry their pictures.
        own = table[name] if name in table.column_names else pa.chunked_array([pa.nulls(len(rows), _IMAGE)])
        if own.null_count:
            column = pa.chunked_array(list(_fill(own, rows, side, places)), _IMAGE)
            pairs = pairs.remove_columns([name] if name in table.column_names else [])
            pairs = pairs.add_column(name, column, feature=datasets.Image())
    return pairs


def _fill(column: pa.ChunkedArray, rows: Sequence[Row], side: str, places: "_Places") -> Iterator[pa.Array]:
    """A column with paths where it has no pictures; what has them all stays where it is, on the disk."""
    start = 0
    for chunk in column.chunks:
        if chunk.null_count:
            cells = zip(chunk, rows[start : start + len(chunk)], strict=True)
            yield pa.array([cell.as_py() or _cell(picture_path(row, side, places)) for cell, row in cells], _IMAGE)
        else:
            yield chunk.cast(_IMAGE)
        start += len(chunk)


def _cell(path: str | None) -> dict[str, Any] | None:
    return None if path is None else {"bytes": None, "path": path}
