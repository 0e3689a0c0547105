"""Pictures as models are shown them: resized by a stated rule, gray, or those of the pairs."""

import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from diptych.errors import BadInputError
from diptych.images import MOST_PIXELS, image_path, image_size, read_image

_QUALITY = 90  # of a JPEG that is made
_GRAY = (127, 127, 127)
_SENT_AS_IS = {"JPEG": "image/jpeg", "PNG": "image/png"}  # formats that every server reads


class Pictures(Protocol):
    """Where the pictures of pairs are."""

    def read(self, row: Mapping[str, Any], side: str) -> bytes | None:
        """The picture of one side of a row as an image file; None where the row names none."""
        ...


@dataclass(frozen=True, slots=True)
class PlainPictures:
    """Pictures as files of a folder, under the names that rows have."""

    root: Path | None

    def read(self, row: Mapping[str, Any], side: str) -> bytes | None:
        """The content of the file that a row names."""
        name = str(row.get(f"{side}_image_file") or "")
        if not name:
            return None
        path = image_path(self.root, name) if self.root else None
        if path is None:
            where = f"{self.root}: holds no {name}" if self.root else f"{name}: nothing says where it is"
            raise BadInputError(f"{where}; name the folder of the pictures with --images, or say --arm no-image")
        return read_image(path)


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture as it is sent."""

    content: bytes
    mime_type: str
    size: tuple[int, int]


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
                return ShownPicture(content, _SENT_AS_IS[image.format], image.size)
            # What turns a photograph upright is lost with the old file.
            upright = ImageOps.exif_transpose(image).convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise BadInputError(f"a picture that cannot be decoded: {' '.join(str(error).split())}") from None
    size = shown_size(upright.size, longest_side)
    return ShownPicture(_encode_jpeg(upright.resize(size, Image.Resampling.LANCZOS)), "image/jpeg", size)


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
