"""Pictures on a card: what the sides of three examples show, drawn small, where their pictures are at hand."""

import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diptych.errors import BadInputError
from diptych.files import atomic_writer
from diptych.folder import SIDES, BuiltFolder, Example, Manifest, PairImages, PictureEntry, picture_key, picture_names
from diptych.images import image_size, open_images
from diptych.models import EmbeddedImages

MOST_BYTES = 60_000  # of a picture on a card

_MOST_PICTURES = 3
_PANEL = (400, 260)  # pixels that the picture of a side may take
_GAP = 12
_QUALITIES = (85, 75, 60, 45, 30)  # of JPEG: the first that is small enough
_BOX_COLORS = (("#202020", 5), ("#ffd400", 3))  # a light line on a dark one is seen on every picture
_NAMES = tuple(f"{side}_image_{part}" for side in SIDES for part in ("file", "id"))
_COLUMNS = ("pair_id", "source", "operation", "boxes", "means", *_NAMES)

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An example that may be drawn, with its row."""

    example: Example
    rank: int  # among the examples of its test
    row: Row
    number: int  # of the row, by which its embedded pictures are found
    row_images: EmbeddedImages

    @property
    def order(self) -> tuple[bool, int, bool]:
        """One of every test before another of any; those last that say least, whose two sides are the same."""
        has_one_question = self.example.original_question == self.example.perturbed_question
        return self.has_one_picture and has_one_question, self.rank, self.has_one_picture

    @property
    def has_one_picture(self) -> bool:
        """Whether both sides show the same."""
        return picture_key(self.row, "original") == picture_key(self.row, "perturbed")


def draw_pictures(folder: BuiltFolder, images: Path | None = None) -> BuiltFolder:
    """Draw the pictures of example pairs for the card of a folder, in place of those it has.

    The pictures are in the rows or in the folder `images`; an example whose pictures are not at hand is not drawn.
    """
    pictures = {}
    for number, (content, entry) in enumerate(islice(_drawings(folder, images), _MOST_PICTURES), start=1):
        name = f"assets/pair-{number}.jpg"
        with atomic_writer(folder.path / name) as file:
            file.write(content)
        pictures[name] = entry
    return _list_pictures(folder, pictures)


def remove_pictures(folder: BuiltFolder) -> BuiltFolder:
    """Take the pictures off the card of a folder."""
    return _list_pictures(folder, {})


def _list_pictures(folder: BuiltFolder, pictures: dict[str, PictureEntry]) -> BuiltFolder:
    manifest = folder.manifest.edited(pictures=pictures or None)
    manifest.write(folder.path)
    for path in sorted(folder.path.glob("assets/pair-*.jpg")):
        if f"assets/{path.name}" not in pictures:
            path.unlink()
    return replace(folder, manifest=manifest)


def examples_by_test(manifest: Manifest) -> dict[str, tuple[str, str, list[Example]]]:
    """The examples of every test, with the first config and split that has them."""
    examples: dict[str, tuple[str, str, list[Example]]] = {}
    for config, split, entry in manifest.own_splits():
        for test in sorted({row.test for row in entry.examples} - set(examples)):
            examples[test] = config, split, [row for row in entry.examples if row.test == test]
    return examples


def _drawings(folder: BuiltFolder, images: Path | None) -> Iterator[tuple[bytes, PictureEntry]]:
    """The examples that can be drawn, the first ones first."""
    store = PairImages(open_images(images) if images is not None else None)
    places = examples_by_test(folder.manifest).values()
    candidates = [candidate for place in places for candidate in _candidates(folder, *place)]
    for candidate in sorted(candidates, key=lambda candidate: candidate.order):
        row = {**candidate.row, **candidate.row_images.read(candidate.number)}
        try:
            contents = [store.read(row, side) for side in SIDES]
        except BadInputError:
            continue
        drawing = None if None in contents else _draw(candidate, [content or b"" for content in contents])
        if drawing is not None:
            yield drawing


def _candidates(folder: BuiltFolder, config: str, split: str, examples: list[Example]) -> list[_Candidate]:
    """The examples of a test with their rows."""
    table = folder.table(config, split, _COLUMNS)
    row_images = EmbeddedImages(folder.files(config, split))
    numbers = pc.index_in(pa.array([row.pair_id for row in examples]), value_set=table["pair_id"].combine_chunks())
    return [
        _Candidate(example, rank, table.slice(number, 1).to_pylist()[0], number, row_images)
        for rank, (example, number) in enumerate(zip(examples, numbers.to_pylist(), strict=True))
        if number is not None
    ]


def _draw(candidate: _Candidate, contents: list[bytes]) -> tuple[bytes, PictureEntry] | None:
    """A picture for the card; None where an image file cannot be drawn."""
    row, sides = candidate.row, SIDES[:1] if candidate.has_one_picture else SIDES
    boxes = row.get("boxes") or []
    panels = [_panel(content, () if number else boxes) for number, content in enumerate(contents[: len(sides)])]
    if None in panels:
        return None
    canvas = _join(panels)
    content = _encode(canvas)
    operation = str(row.get("operation") or "") if len(sides) > 1 else ""
    names = [(picture_names(row, side) or (str(row.get(f"{side}_image_id")),))[0] for side in sides]
    return content, PictureEntry(
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        width=canvas.width,
        height=canvas.height,
        pair_id=candidate.example.pair_id,
        names=tuple(names[:1] if operation else names),
        operation=operation,
        boxes=len(boxes),
    )


def _panel(content: bytes, boxes: Sequence[Sequence[int]]) -> Any:
    """The picture of a side, small, with its boxes; None where it cannot be opened."""
    from PIL import Image, ImageDraw, ImageOps  # slow to import

    if image_size(content) is None:
        return None
    try:
        with Image.open(io.BytesIO(content)) as image:
            picture = ImageOps.exif_transpose(image).convert("RGBA")
    except (OSError, ValueError, SyntaxError):
        return None
    width = picture.width
    picture.thumbnail(_PANEL, Image.Resampling.LANCZOS)
    panel = Image.new("RGB", picture.size, "white")
    panel.paste(picture, mask=picture)
    draw, scale = ImageDraw.Draw(panel), panel.width / width
    for color, line in _BOX_COLORS:
        for left, top, wide, high in boxes:
            corners = [round(scale * edge) for edge in (left, top, left + wide, top + high)]
            draw.rectangle(corners, outline=color, width=line)
    return panel


def _join(panels: list[Any]) -> Any:
    """Panels side by side."""
    from PIL import Image

    width = sum(panel.width for panel in panels) + _GAP * (len(panels) - 1)
    canvas, left = Image.new("RGB", (width, max(panel.height for panel in panels)), "white"), 0
    for panel in panels:
        canvas.paste(panel, (left, 0))
        left += panel.width + _GAP
    return canvas


def _encode(canvas: Any) -> bytes:
    """A JPEG without metadata, of fixed settings: the same pixels give the same bytes."""
    for quality in _QUALITIES:
        file = io.BytesIO()
        canvas.save(file, "JPEG", quality=quality, optimize=True)
        if file.tell() <= MOST_BYTES:
            break
    return file.getvalue()
