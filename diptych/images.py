"""Images: from an image id to its official file name, and from there to a file inside a folder and its content.

An image id comes from a dataset and is data: it never leads out of the folder that was named.
"""

import io
import warnings
from pathlib import Path

MOST_PIXELS = 64_000_000  # pixels of an image that is unpacked: a small file may promise billions

LARGEST_FILE = 100_000_000  # bytes of an image file that is read

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ")
_LONGEST_NAME = 200
_NAMED_BY_ID = frozenset({"gqa", "vg", "convqa_l"})
# Visual Genome keeps its images in two folders, VG_100K and VG_100K_2, and its questions do not say in which.


def image_file_name(source: str, image_id: str, split: str = "", coco_split: str = "") -> str:
    """The official file name of an image, by the source that names it; empty where it is not known.

    >>> image_file_name("vqa_v2", "262148", coco_split="val2014"), image_file_name("vg", "2407890")
    ('COCO_val2014_000000262148.jpg', '2407890.jpg')
    """
    if source in _NAMED_BY_ID:
        return f"{image_id}.jpg" if is_plain_name(image_id) else ""
    if source != "visdial":
        return coco_file_name(coco_split, image_id)
    # VisDial has its own images for val and test; the dialogs do not say of which part of COCO a training image is.
    is_named = image_id.isdecimal() and split in ("val", "test")
    return f"VisualDialog_{split}2018_{int(image_id):012d}.jpg" if is_named else ""


def coco_file_name(coco_split: str, image_id: str) -> str:
    """The official name of a COCO image; empty where the split is not known or the id is no number.

    >>> coco_file_name("val2014", "262148")
    'COCO_val2014_000000262148.jpg'
    """
    if not coco_split or not image_id.isdecimal():
        return ""
    return f"COCO_{coco_split.replace('test-dev', 'test')}_{int(image_id):012d}.jpg"


def is_plain_name(name: str) -> bool:
    """Whether a text can be the name of a file in a folder and nothing else.

    >>> is_plain_name("2407890"), is_plain_name("../x"), is_plain_name("**"), is_plain_name("")
    (True, False, False, False)
    """
    return bool(name) and len(name) <= _LONGEST_NAME and _PLAIN.issuperset(name) and not name.startswith((".", " "))


def image_path(folder: Path, name: str) -> Path | None:
    """The file of an image inside a folder; None where it is not there, or would lie outside.

    A link inside the folder may lead elsewhere only if the user put it there: a name from a dataset never makes one.
    """
    path = folder / name
    return path if is_plain_name(name) and path.is_file() else None


def read_image(path: Path) -> bytes:
    """The content of an image file; nothing where it cannot be read or is too large."""
    try:
        return path.read_bytes() if path.stat().st_size <= LARGEST_FILE else b""
    except OSError:
        return b""


def image_size(content: bytes) -> tuple[int, int] | None:
    """The width and height that an image file promises; None if it is no image, or has more than `MOST_PIXELS`."""
    from PIL import Image  # slow to import, and names of files need it not

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        try:
            with Image.open(io.BytesIO(content)) as image:
                width, height = image.size
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            return None
    return (width, height) if width * height <= MOST_PIXELS else None
