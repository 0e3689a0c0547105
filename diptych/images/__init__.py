"""Images: from an image id to its official file name, and from there to its content in a folder or an archive."""

from diptych.images._content import MOST_PIXELS, image_size, media_type
from diptych.images._names import coco_file_name, image_file_name, image_url, is_plain_name, possible_file_names
from diptych.images._store import LARGEST_FILE, ImagePlace, ImageStore, MissingImageError, open_images

__all__ = ["LARGEST_FILE", "MOST_PIXELS", "ImagePlace", "ImageStore", "MissingImageError", "open_images"]
__all__ += ["coco_file_name", "image_file_name", "image_size", "image_url", "is_plain_name", "media_type"]
__all__ += ["possible_file_names"]
