"""What annotators see: pairs of a built dataset, each once, on a page that works without a server."""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined

from diptych.errors import BadInputError, MissingFileError
from diptych.files import write_text
from diptych.folder import read_bindings
from diptych.images import image_path, image_size, read_image
from diptych.pairs import row_rng

_MEDIA_TYPES = {".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".webp": "image/webp"}
SIDES = ("original", "perturbed")
# Why an annotator may reject a pair; the keys 1 to 5.
_REASONS = ["the fact is wrong", "the image does not show it", "another answer is right too", "bad grammar"]
_REASONS += ["offensive or private"]

_environment = Environment(
    loader=PackageLoader("diptych.report.review", "."), undefined=StrictUndefined, autoescape=True, trim_blocks=True
)


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One thing to judge, and the pairs that it stands for."""

    item_id: str
    pair_ids: tuple[str, ...]
    row: Mapping[str, Any]

    def as_json(self, images: Path | None) -> dict[str, Any]:
        """The item as the page shows it, with its images where a folder has them."""
        fact = read_bindings(self.row).get("fact")
        fact_text = " — ".join(map(str, fact)) if isinstance(fact, list) else str(fact or "")
        facts = {"test": self.row["test"], "expectation": self.row["expectation"], "fact": fact_text}
        sides = {side: self._side(side, images) for side in SIDES}
        return {"id": self.item_id, "pair_ids": list(self.pair_ids), **facts, **sides}

    def _side(self, side: str, images: Path | None) -> dict[str, Any]:
        answers = list(dict.fromkeys(self.row[f"{side}_answers"])) or [self.row[f"{side}_answer"]]
        return show_side(self.row[f"{side}_image_id"], self.row[f"{side}_question"], images) | {"answers": answers}


def show_side(image_id: str, question: str, images: Path | None) -> dict[str, Any]:
    """A question and its image as the page shows them."""
    return {"image": image_id, "data": image_data(images, image_id) if images else "", "question": question}


def image_data(images: Path, name: str) -> str:
    """An image as text that a page can hold; empty where the folder does not have it."""
    is_number = name.isdecimal() and name.isascii()
    coco = sorted(images.glob(f"COCO_*_{name:0>12}.jpg")) if is_number else []
    for path in (image_path(images, name), image_path(images, f"{name}.jpg"), *coco):
        content = read_image(path) if path is not None and path.suffix.lower() in _MEDIA_TYPES else b""
        if path is not None and image_size(content) is not None:
            return f"data:{_MEDIA_TYPES[path.suffix.lower()]};base64,{base64.b64encode(content).decode()}"
    return ""


def choose_items(rows: Iterable[Mapping[str, Any]], sample: int = 0, seed: int = 0) -> list[ReviewItem]:
    """The items of some rows; a sample is drawn by their ids, so that it is the same in any order."""
    groups: dict[str, tuple[Mapping[str, Any], list[str]]] = {}
    for row in rows:
        parts = [row[f"{side}_{part}"] for side in SIDES for part in ("image_id", "question", "answer")]
        item_id = hashlib.blake2b(orjson.dumps([row["test"], *parts]), digest_size=8).hexdigest()
        groups.setdefault(item_id, (row, []))[1].append(row["pair_id"])
    items = [ReviewItem(item_id, tuple(sorted(ids)), row) for item_id, (row, ids) in sorted(groups.items())]
    if not items:
        raise BadInputError("there are no pairs to review")
    if not sample or sample >= len(items):
        return items
    subset = sorted(items, key=lambda item: row_rng(seed, "review", item.item_id).random())[:sample]
    return sorted(subset, key=lambda item: item.item_id)


def check_images(images: Path | None) -> Path | None:
    """The folder of images, which must be there if it is named."""
    if images is not None and not images.is_dir():
        raise MissingFileError(f"{images}: no such folder of images")
    return images


def missing_images(items: Sequence[Mapping[str, Any]]) -> int:
    """How many sides of items are shown without their image."""
    return sum(not item[side]["data"] for item in items for side in SIDES if side in item)


def write_page(path: Path, title: str, mode: str, items: Sequence[Mapping[str, Any]]) -> str:
    """Write a page to judge pairs (`judge`) or to answer questions (`answer`); its id is returned."""
    content = {"title": title, "mode": mode, "items": list(items), "reasons": _REASONS}
    page_id = hashlib.blake2b(orjson.dumps(content, option=orjson.OPT_SORT_KEYS), digest_size=6).hexdigest()
    # Inside <script>, "</script>" in a question would end the data.
    data = orjson.dumps({**content, "page": page_id}).decode().replace("<", "\\u003c")
    write_text(path, _environment.get_template("page.html.jinja").render(title=title, data=data))
    return page_id
