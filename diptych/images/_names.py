"""Names of pictures: from an image id to the official file name, and from there to folders and addresses.

COCO, VisDial and ILSVRC put their name into the names of their files, so that such a file is the same picture in any
folder. Visual Genome and GQA call a picture by its number alone: only their own folders can be trusted with those.
"""

import re
from collections.abc import Sequence
from urllib.parse import quote

COCO_URL = "http://images.cocodataset.org"
VG_URL = "https://cs.stanford.edu/people/rak248"
VG_FOLDERS = ("VG_100K", "VG_100K_2")
"""Visual Genome keeps its images in two folders, and neither its questions nor its scene graphs say in which."""

_MMVP_FOLDER, _MMVP_URL = "MMVP Images", "https://huggingface.co/datasets/MMVP/MMVP/resolve/main"
_NUMBER_FOLDERS = frozenset(name.lower() for name in (*VG_FOLDERS, "vg", "gqa", "images", "images2", "allImages"))
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ")
_LONGEST_NAME = 200
_NAMED_BY_ID = frozenset({"gqa", "vg", "convqa_l"})
_COCO = r"COCO_(?P<part>(?:train|val|test)20\d\d)_\d{12}\.jpg"
_OWN_NAME = re.compile(
    rf"{_COCO}|(?P<dialog>VisualDialog_(?:val|test)2018)_\d{{12}}\.jpg|ILSVRC\d{{4}}_[a-z]+_\d+\.JPEG"
)
_NUMBER = re.compile(r"[0-9]+\.jpg")
_PARTS_OF_COCO = re.compile(r"(mini|ms)?coco.*|(train|val|test)(val)?20\d\d.*", re.IGNORECASE)


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


def possible_file_names(source: str, image_id: str) -> tuple[str, ...]:
    """The official names that an image may have whose source does not tell its name: only one of them exists.

    >>> possible_file_names("visdial", "262148")
    ('COCO_train2014_000000262148.jpg', 'COCO_val2014_000000262148.jpg')
    """
    if source == "visdial":  # a training image: COCO gives no number twice
        return tuple(filter(None, (coco_file_name(part, image_id) for part in ("train2014", "val2014"))))
    folder, _, name = image_id.rpartition("/")
    if source == "mme" and folder:
        return tuple(f"{place}/{name}{suffix}" for place in (folder, f"{folder}/images") for suffix in (".jpg", ".png"))
    return ()


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


def split_name(name: str) -> tuple[str, ...]:
    """The folders and the file of a name; nothing where it could lead elsewhere.

    >>> split_name("VG_100K/2407890.jpg"), split_name("../2407890.jpg")
    (('VG_100K', '2407890.jpg'), ())
    """
    parts = tuple(name.split("/"))
    return parts if len(name) <= _LONGEST_NAME and all(map(is_plain_name, parts)) else ()


def has_own_name(name: str) -> bool:
    """Whether the name of a file tells its source: it is the same picture wherever it lies.

    >>> has_own_name("COCO_val2014_000000262148.jpg"), has_own_name("262148.jpg")
    (True, False)
    """
    return _OWN_NAME.fullmatch(name) is not None


def official_folders(name: str) -> tuple[str, ...]:
    """The folders of the official archive that a picture is in, as far as its name tells."""
    if match := _OWN_NAME.fullmatch(name):
        return tuple(filter(None, (match["part"], match["dialog"])))
    return VG_FOLDERS if _NUMBER.fullmatch(name) else ()


def may_hold_numbers(folders: Sequence[str]) -> bool:
    """Whether a picture that is called by a number is Visual Genome's in these folders, from the outermost.

    >>> may_hold_numbers(["vg", "VG_100K"]), may_hold_numbers(["coco", "val2014"]), may_hold_numbers([])
    (True, False, True)
    """
    return all(folder.lower() in _NUMBER_FOLDERS for folder in folders)


def is_part_of_coco(folder: str) -> bool:
    """Whether a folder has the name of a part of COCO: a number there is COCO's, and no other picture's.

    >>> is_part_of_coco("val2014"), is_part_of_coco("images")
    (True, False)
    """
    return _PARTS_OF_COCO.fullmatch(folder) is not None


def image_url(file_name: str) -> str:
    """The official address of a picture; empty where none is known.

    >>> image_url("COCO_val2014_000000262148.jpg")
    'http://images.cocodataset.org/val2014/COCO_val2014_000000262148.jpg'
    """
    urls = image_urls(file_name)
    return urls[0] if len(urls) == 1 else ""


def image_urls(file_name: str) -> tuple[str, ...]:
    """The addresses where a picture may be: two where its source does not say in which of two folders it is."""
    *folders, name = split_name(file_name) or ("",)
    match = _OWN_NAME.fullmatch(name)
    if match:
        return (f"{COCO_URL}/{match['part']}/{name}",) if match["part"] else ()
    if folders == [_MMVP_FOLDER]:
        return (f"{_MMVP_URL}/{quote(file_name)}",)
    if _NUMBER.fullmatch(name) and (not folders or folders[0] in VG_FOLDERS):
        return tuple(f"{VG_URL}/{folder}/{name}" for folder in folders or VG_FOLDERS)
    return ()
