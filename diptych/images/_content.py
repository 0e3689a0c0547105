"""What an image file is and promises, before anything of it is unpacked."""

import io
import warnings

MOST_PIXELS = 64_000_000  # pixels of an image that is unpacked: a small file may promise billions


def image_size(content: bytes) -> tuple[int, int] | None:
    """The width and height in the header of an image file; None if it is not an image or exceeds `MOST_PIXELS`."""
    from PIL import Image  # slow to import, and names of files need it not

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        try:
            with Image.open(io.BytesIO(content)) as image:
                width, height = image.size
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            return None
    return (width, height) if width * height <= MOST_PIXELS else None


def media_type(content: bytes) -> str:
    r"""The type of an image file that every browser and model server shows; empty for any other content.

    >>> media_type(b"\xff\xd8\xff\xe0"), media_type(b"GIF89a")
    ('image/jpeg', '')
    """
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    signatures = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG\r\n\x1a\n": "image/png"}
    return next((name for signature, name in signatures.items() if content.startswith(signature)), "")
