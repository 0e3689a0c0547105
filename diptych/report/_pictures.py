"""Small copies of the pictures that pairs show: each distinct picture once, in numbered files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from diptych.errors import BadInputError
from diptych.folder import SIDES, BuiltFolder, PairImages, Selection, has_recipe, picture_key, picture_names
from diptych.images import ImageStore, image_size
from diptych.progress import progress

PICTURES = "pictures"  # the folder of small copies
_NAMING = ("source", "operation", "boxes", "means")
_BATCH = 32  # pictures that a worker makes at a time
_PER_FOLDER = 1000
_QUALITY = 80
_PARTS = (2, 4, 8)  # a large JPEG can be unpacked at a half, a quarter or an eighth of its size

Size = tuple[int, int]
Row = Mapping[str, Any]
Task = tuple[int, Row, str]  # the number of a picture, and the row and side that show it


@dataclass(slots=True)
class Gallery:
    """The distinct pictures of a report: the number of each, its name, and the size of the file it is a copy of."""

    numbers: dict[str, int]
    names: list[str]
    sizes: dict[int, Size]  # of those that were copied

    @classmethod
    def empty(cls) -> "Gallery":
        """A gallery that holds only the picture of sides without one, as number 0."""
        return cls({"": 0}, [""], {})

    def number(self, row: Row, side: str) -> tuple[int, bool]:
        """The number of the picture of a side, and whether it is new."""
        key = picture_key(row, side)
        is_new = key not in self.numbers
        if is_new:
            self.numbers[key] = len(self.names)
            names = picture_names(row, side)
            recipe = f" ({row['operation']})" if has_recipe(row, side) else ""
            self.names.append(f"{names[0] if names else ''}{recipe}")
        return self.numbers[key], is_new


def number_pictures(gallery: Gallery, rows: pa.Table) -> tuple[list[Any], list[Task]]:
    """The numbers of the pictures on both sides of some pairs, and what has to be drawn for them."""
    columns = [f"{side}_image_{part}" for side in SIDES for part in ("id", "file")]
    names = [name for name in ("pair_id", *columns, *_NAMING) if name in rows.column_names]
    numbers = np.zeros((len(SIDES), rows.num_rows), dtype=np.int64)
    tasks: list[Task] = []
    for place, row in enumerate(rows.select(names).to_pylist()):
        for side_number, side in enumerate(SIDES):
            number, is_new = gallery.number(row, side)
            numbers[side_number, place] = number
            if is_new:
                tasks.append((number, row, side))
    return list(numbers), tasks


def copy_pictures(
    target: Path, gallery: Gallery, tasks: Iterable[Task], images: ImageStore | None, size: int, num_proc: int = 1
) -> None:
    """Write small copies of those pictures that are there; the gallery then knows the size of each."""
    work = partial(_copy_batch, PairImages(images), size)
    with progress("pictures", len(gallery.names) - 1) as advance:
        for copies in _map(work, iter(tasks), num_proc):
            for number, original_size, content in copies:
                if content:
                    gallery.sizes[number] = original_size
                    path = target / picture_file(number)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(content)
            advance(len(copies))


def picture_file(number: int) -> str:
    """Where the small copy of a picture is.

    >>> picture_file(12345)
    'pictures/12/12345.jpg'
    """
    return f"{PICTURES}/{number // _PER_FOLDER}/{number}.jpg"


def _map(work: Any, tasks: Iterator[Task], num_proc: int) -> Iterator[list[tuple[int, Size, bytes]]]:
    """The results of some work, batch by batch; few are waiting at a time, since rows may hold whole pictures."""
    batches = iter(lambda: list(islice(tasks, _BATCH)), [])
    if num_proc < 2:
        yield from map(work, batches)
        return
    with ProcessPoolExecutor(num_proc) as pool:
        while window := list(islice(batches, 8 * num_proc)):
            yield from pool.map(work, window)


def _copy_batch(images: PairImages, size: int, tasks: Sequence[Task]) -> list[tuple[int, Size, bytes]]:
    copies = []
    for number, row, side in tasks:
        copy: tuple[Size, bytes] = (0, 0), b""
        with suppress(BadInputError, OSError):  # a picture that is not there, or is none, is shown by its name
            copy = shrink(images.read(row, side) or b"", size)
        copies.append((number, *copy))
    return copies


def shrink(content: bytes, size: int) -> tuple[Size, bytes]:
    """The size of a picture, and a JPEG of it whose longer side is at most `size`; nothing where it is no picture."""
    import cv2  # slow to import
    import numpy as np

    original_size = image_size(content)
    if original_size is None:
        return (0, 0), b""
    part = max((part for part in _PARTS if max(original_size) >= 2 * part * size), default=1)
    flags = getattr(cv2, f"IMREAD_REDUCED_COLOR_{part}") if part > 1 else cv2.IMREAD_COLOR
    # Boxes are those of the pixels as they are stored.
    image = cv2.imdecode(np.frombuffer(content, np.uint8), flags | cv2.IMREAD_IGNORE_ORIENTATION)
    if image is None:
        return (0, 0), b""
    scale = size / max(image.shape[:2])
    if scale < 1:
        width, height = (max(1, round(scale * side)) for side in image.shape[1::-1])
        image = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
    _, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return original_size, jpeg.tobytes()


def embedded_rows(folder: BuiltFolder, selection: Selection, tasks: Sequence[Task]) -> Iterator[Task]:
    """The same tasks, with the pictures that the rows of a dataset hold."""
    features = {feature["name"] for feature in folder.features(selection.config)}
    columns = [f"{side}_image" for side in SIDES if f"{side}_image" in features]
    if not columns:
        yield from tasks
        return
    wanted: dict[str, list[Task]] = {}
    for task in tasks:
        wanted.setdefault(task[1]["pair_id"], []).append(task)
    for split in selection.split.split("+"):
        for table in folder.batches(selection.config, split, ["pair_id", *columns]):
            for row in table.to_pylist():
                for number, plain_row, side in wanted.pop(row["pair_id"], ()):
                    yield number, {**plain_row, **row}, side
