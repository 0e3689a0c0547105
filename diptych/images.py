"""Image files: found by ids that somebody else wrote, and measured before they are unpacked."""

import io
import warnings
from pathlib import Path

from PIL import Image

MOST_PIXELS = 64_000_000
"""Pixels of an image that is unpacked: a small file may promise billions."""

LARGEST_FILE = 100_000_000
"""Bytes of an image file that is read."""

_LONGEST_NAME = 200


def image_path(folder: Path, name: str) -> Path | None:
    """The file of this name in a folder of images; None for a name that leads elsewhere, and where there is none.

    >>> image_path(Path("images"), "../../private/x.jpg") is None
    True
    """
    is_plain = 0 < len(name) <= _LONGEST_NAME and name == Path(name).name and name.isprintable()
    path = folder / name
    return path if is_plain and path.is_file() else None


def read_image(path: Path) -> bytes:
    """The content of an image file; nothing where it cannot be read or is too large."""
    try:
        return path.read_bytes() if path.stat().st_size <= LARGEST_FILE else b""
    except OSError:
        return b""


def image_size(content: bytes) -> tuple[int, int] | None:
    """The width and height that an image file promises; None if it is no image, or has more than `MOST_PIXELS`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        try:
            with Image.open(io.BytesIO(content)) as image:
                width, height = image.size
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            return None
    return (width, height) if width * height <= MOST_PIXELS else None
