"""Pictures as models are shown them: resized by a stated rule, gray, or those of the pairs."""

import hashlib
import io
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from diptych.errors import BadInputError
from diptych.files import reading
from diptych.folder import BuiltFolder, PairImages, Selection
from diptych.images import MOST_PIXELS, image_size, open_images

ROW_NUMBER = "row_number"  # the column that leads from a chosen pair back to its row in the files

_QUALITY = 90  # of a JPEG that is made
_GROUPS_IN_MEMORY = 4
_GRAY = (127, 127, 127)
_SENT_AS_IS = {"JPEG": "image/jpeg", "PNG": "image/png"}  # formats that every server reads


class Pictures:
    """The pictures of the pairs of a selection: in a folder of images, or in the rows themselves, read as needed."""

    def __init__(self, folder: BuiltFolder, selection: Selection, images: Path | None) -> None:
        self._pair_images = PairImages(open_images(images) if images is not None else None)
        files = [file for split in selection.split.split("+") for file in folder.files(selection.config, split)]
        self._embedded = EmbeddedImages(files)

    def read(self, row: Mapping[str, Any], side: str) -> bytes | None:
        """The picture of one side of a row as an image file; None where the row names none."""
        return self._pair_images.read({**row, **self._embedded.read(row[ROW_NUMBER])}, side)


class EmbeddedImages:
    """The images that Parquet files hold, by the number of a row; a few groups of rows are in memory at a time."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._groups: list[tuple[int, pq.ParquetFile, int]] = []  # first row, file, and number in it
        self._lock = Lock()  # a file is read by one thread at a time
        self._load = lru_cache(maxsize=_GROUPS_IN_MEMORY)(self._load_group)
        start = 0
        for path in files:
            with reading(path, "build it again"):
                file = pq.ParquetFile(path)
            names = [name for name in ("original_image", "perturbed_image") if name in file.schema_arrow.names]
            for number in range(file.num_row_groups if names else 0):
                self._groups.append((start, file, number))
                start += file.metadata.row_group(number).num_rows
            start += 0 if names else file.metadata.num_rows

    def read(self, number: int) -> dict[str, Any]:
        """The image columns of a row; none where its file has none."""
        place = bisect_right(self._groups, number, key=lambda group: group[0]) - 1
        if place < 0:
            return {}
        with self._lock:
            rows = self._load(place)
        offset = number - self._groups[place][0]
        return rows.slice(offset, 1).to_pylist()[0] if offset < rows.num_rows else {}

    def _load_group(self, place: int) -> pa.Table:
        _, file, number = self._groups[place]
        names = [name for name in ("original_image", "perturbed_image") if name in file.schema_arrow.names]
        return file.read_row_group(number, columns=names)


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture as it is sent."""

    uri: str
    """The image file as a data URI."""
    size: tuple[int, int]

    @classmethod
    def encode(cls, content: bytes, mime_type: str, size: tuple[int, int]) -> "ShownPicture":
        """A picture from an image file."""
        return cls(f"data:{mime_type};base64,{b64encode(content).decode()}", size)


def image_rule(longest_side: int) -> str:
    """How pictures are made ready, in words.

    >>> image_rule(1024)
    'longest side at most 1024 pixels, as JPEG of quality 90 (Lanczos); smaller JPEG and PNG unchanged'
    """
    rule = f"longest side at most {longest_side} pixels, as JPEG of quality {_QUALITY} (Lanczos)"
    return f"{rule}; smaller JPEG and PNG unchanged"


def shown_size(size: tuple[int, int], longest_side: int) -> tuple[int, int]:
    """Width and height after the rule.

    >>> shown_size((2000, 1000), 1024), shown_size((300, 200), 1024)
    ((1024, 512), (300, 200))
    """
    longest = max(size)
    if longest <= longest_side:
        return size
    width, height = (max(1, round(edge * longest_side / longest)) for edge in size)
    return width, height


def prepare_picture(content: bytes, longest_side: int) -> ShownPicture:
    """A picture by the rule; one that cannot be decoded raises `BadInputError`."""
    from PIL import Image, ImageOps  # slow to import

    try:
        with Image.open(io.BytesIO(content)) as image:
            if image.width * image.height > MOST_PIXELS:
                raise BadInputError(f"a picture of more than {MOST_PIXELS:,} pixels")
            if max(image.size) <= longest_side and image.format in _SENT_AS_IS:
                return ShownPicture.encode(content, _SENT_AS_IS[image.format], image.size)
            # What turns a photograph upright is lost with the old file.
            upright = ImageOps.exif_transpose(image).convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise BadInputError(f"a picture that cannot be decoded: {' '.join(str(error).split())}") from None
    size = shown_size(upright.size, longest_side)
    return ShownPicture.encode(_encode_jpeg(upright.resize(size, Image.Resampling.LANCZOS)), "image/jpeg", size)


@lru_cache(maxsize=64)
def gray_picture(size: tuple[int, int]) -> bytes:
    """A gray JPEG."""
    from PIL import Image

    return _encode_jpeg(Image.new("RGB", size, _GRAY))


def _encode_jpeg(image: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()


@dataclass(frozen=True, slots=True)
class PictureFacts:
    """What is known of a picture before it is sent."""

    digest: str
    size: tuple[int, int]


def examine_picture(content: bytes, place: str) -> PictureFacts:
    """The SHA-256 and the size of a picture; what is no image is one clear line."""
    size = image_size(content)
    if size is None:
        raise BadInputError(f"{place}: not an image, or one of more than {MOST_PIXELS:,} pixels; replace the file")
    return PictureFacts(hashlib.sha256(content).hexdigest(), size)
