"""Pictures in rows: where each comes from, and why a pair has none."""

from diptych.errors import BadInputError
from diptych.images import ImageStore
from diptych.pairs import Skip

NO_IMAGE, UNREADABLE_IMAGE = Skip("the image is not there"), Skip("the image cannot be read")


def read_picture(images: ImageStore, file_name: str) -> bytes | Skip:
    """The content of a picture, or why there is none; an archive that is damaged is an error, not a skip."""
    if images.find(file_name) is None:
        return NO_IMAGE
    try:
        return images.read(file_name) or UNREADABLE_IMAGE
    except BadInputError:
        return UNREADABLE_IMAGE
