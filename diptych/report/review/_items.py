"""What annotators see: pairs of a built dataset, each once, on a page that works without a server."""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined

from diptych.errors import BadInputError
from diptych.files import write_text
from diptych.folder import SIDES, PairImages, read_bindings
from diptych.images import ImageStore, coco_file_name, image_size, media_type
from diptych.pairs import row_rng

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

    def as_json(self, images: ImageStore | None) -> dict[str, Any]:
        """The item as the page shows it, with its images where a folder has them."""
        fact = read_bindings(self.row).get("fact")
        fact_text = " — ".join(map(str, fact)) if isinstance(fact, list) else str(fact or "")
        facts = {"test": self.row["test"], "expectation": self.row["expectation"], "fact": fact_text}
        sides = {side: self._side(side, images) for side in SIDES}
        return {"id": self.item_id, "pair_ids": list(self.pair_ids), **facts, **sides}

    def _side(self, side: str, images: ImageStore | None) -> dict[str, Any]:
        answers = list(dict.fromkeys(self.row[f"{side}_answers"])) or [self.row[f"{side}_answer"]]
        return show_side(self.row, side, images) | {"answers": answers}


def show_side(row: Mapping[str, Any], side: str, images: ImageStore | None) -> dict[str, Any]:
    """A question and its image as the page shows them."""
    image_id, question = row[f"{side}_image_id"], row[f"{side}_question"]
    return {"image": image_id, "data": image_data(row, side, images) if images else "", "question": question}


def image_data(row: Mapping[str, Any], side: str, images: ImageStore) -> str:
    """The image of a side as text that a page can hold; empty where the folder does not have it."""
    name = row.get(f"{side}_image_id", "")
    # Pairs of earlier releases have no file names: such an image is known by its id alone.
    is_number = name.isdecimal() and name.isascii()
    coco = [coco_file_name(part, name) for part in ("val2014", "train2014", "test2015")] if is_number else []
    candidates = (
        [row]
        if row.get(f"{side}_image_file")
        else [{f"{side}_image_file": file_name} for file_name in (name, f"{name}.jpg", *coco)]
    )
    for candidate in candidates:
        with suppress(BadInputError):
            content = PairImages(images).read(candidate, side) or b""
            if media_type(content) and image_size(content) is not None:
                return f"data:{media_type(content)};base64,{base64.b64encode(content).decode()}"
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
