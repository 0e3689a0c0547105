"""The pictures of review pages: files beside them, each distinct picture once, or texts inside a page."""

import base64
import io
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa

from diptych.errors import BadInputError
from diptych.folder import SIDES, BuiltFolder, PairImages, Selection, picture_key
from diptych.images import ImageStore, coco_file_name, image_size, media_type

PICTURES = "pictures"

_LONGEST_EDGE, _MOST_BYTES = 1024, 500_000  # a picture within both is shown as it is
_QUALITY = 85
_SUFFIXES = {"image/jpeg": "jpg", "image/png": "png", "image/webp": "webp"}


@dataclass(slots=True)
class PagePictures:
    """Gives pages the addresses of their pictures: files in a folder, or texts where there is no folder."""

    store: ImageStore | None = None
    built: BuiltFolder | None = None  # whose rows may hold pictures themselves
    selection: Selection | None = None
    folder: Path | None = None  # where files go
    addresses: dict[str, str] = field(default_factory=dict)  # by what tells that pictures are the same
    missing: int = 0  # sides without their picture

    def address(self, row: Mapping[str, Any], side: str) -> str:
        """Where the page finds the picture of a side; empty where there is none."""
        key = picture_key(row, side)
        address = self.addresses.get(_own_key(row, side)) or self.addresses.get(key)
        if address is None:
            content = read_picture(row, side, self.store)
            address = self.addresses[key] = self._keep(content) if content else ""
        self.missing += not address
        return address

    def add_embedded(self, pair_ids: set[str]) -> None:
        """Take the pictures that the rows of some pairs hold themselves."""
        built, selection = self.built, self.selection
        if built is None or selection is None:
            return
        columns = {feature["name"] for feature in built.features(selection.config)}
        columns &= {"pair_id", *(f"{side}_image" for side in SIDES)}
        for split in selection.split.split("+") if len(columns) > 1 else ():
            for table in built.batches(selection.config, split, columns):
                wanted = table.filter(pa.array([name in pair_ids for name in table["pair_id"].to_pylist()], pa.bool_()))
                for row in wanted.to_pylist():
                    for side in SIDES:
                        if row.get(f"{side}_image") and (content := read_picture(row, side, None)):
                            self.addresses[_own_key(row, side)] = self._keep(content)

    def _keep(self, content: bytes) -> str:
        content = for_reading(content)
        kind = media_type(content)
        if self.folder is None:
            return f"data:{kind};base64,{base64.b64encode(content).decode()}"
        name = f"{blake2b(content, digest_size=10).hexdigest()}.{_SUFFIXES[kind]}"
        if not (self.folder / name).exists():
            self.folder.mkdir(exist_ok=True)
            (self.folder / name).write_bytes(content)
        return f"{PICTURES}/{name}"


def _own_key(row: Mapping[str, Any], side: str) -> str:
    """What names the picture that a row holds itself."""
    return f"{row.get('pair_id')} {side}"


def read_picture(row: Mapping[str, Any], side: str, store: ImageStore | None) -> bytes:
    """The picture of a side; empty where it is not there, or is none that browsers show."""
    name = str(row.get(f"{side}_image_id", ""))
    # Pairs of earlier releases have no file names: such an image is known by its id alone.
    is_number = name.isdecimal() and name.isascii()
    coco = [coco_file_name(part, name) for part in ("val2014", "train2014", "test2015")] if is_number else []
    is_named = row.get(f"{side}_image_file") or row.get(f"{side}_image") or row.get("operation") or not name
    others = [] if is_named else [{f"{side}_image_file": file_name} for file_name in (name, f"{name}.jpg", *coco)]
    for candidate in (row, *others):
        with suppress(BadInputError):
            content = PairImages(store).read(candidate, side) or b""
            if media_type(content) and image_size(content) is not None:
                return content
    return b""


def for_reading(content: bytes) -> bytes:
    """A picture as large as a page shows it: a larger one is made smaller, any other stays as it is."""
    size = image_size(content)
    assert size is not None, "only pictures that can be read come here"
    if max(size) <= _LONGEST_EDGE and len(content) <= _MOST_BYTES:
        return content
    from PIL import Image, ImageOps

    try:
        with Image.open(io.BytesIO(content)) as image:
            upright = ImageOps.exif_transpose(image).convert("RGB")
    except (OSError, ValueError, SyntaxError):
        return content  # the browser shows what there is of a damaged file
    upright.thumbnail((_LONGEST_EDGE, _LONGEST_EDGE))
    smaller = io.BytesIO()
    upright.save(smaller, "JPEG", quality=_QUALITY)
    return smaller.getvalue()
