"""Review pages that work from a file, with no server: one document, and pages of items and pictures beside it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined

from diptych.errors import BadInputError
from diptych.files import atomic_folder, hold_lock, json_digest, write_json, write_text
from diptych.folder import SIDES
from diptych.progress import progress
from diptych.report.review._items import ReviewItem
from diptych.report.review._pictures import PICTURES, PagePictures

PAGE_SIZE = 200  # items of a page: about 150 kB to load, and half an hour's work at ten seconds an item

# Why a person may reject a pair; the keys 1 to 5.
_REASONS = ["the fact is wrong", "the image does not show it", "another answer is right too", "bad grammar"]
_REASONS += ["offensive or private"]
_INDEX, _PAGES, _TASK = "index.html", "pages", "task.json"
_OWN_NAMES = {_INDEX, _PAGES, _TASK, PICTURES}

_environment = Environment(
    loader=PackageLoader("diptych.report.review", "."), undefined=StrictUndefined, autoescape=True, trim_blocks=True
)


def write_folder(
    path: Path,
    title: str,
    items: Sequence[ReviewItem],
    pictures: PagePictures,
    page_size: int = PAGE_SIZE,
    overwrite: bool = False,
    population: Sequence[ReviewItem] = (),
) -> int:
    """Write a folder of pages to judge pairs, whole or not at all; returns the number of pages.

    `pictures` gets its folder here. Where the items are a sample, `population` is what it was drawn from.
    """
    content = _task("judge", items, page_size, population or items) | {"title": title, "files": True}
    starts = range(0, len(items), page_size)
    with _new_folder(path, overwrite) as folder, progress("review pages", len(starts)) as advance:
        pictures.folder = folder / PICTURES
        pictures.add_embedded({item.row["pair_id"] for item in items})
        (folder / _PAGES).mkdir()
        for number, start in enumerate(starts):
            page = [show_item(item, pictures) for item in items[start : start + page_size]]
            write_text(folder / _PAGES / f"page-{number + 1:04}.js", f"showPage({number}, {_json(page)});\n")
            advance(1)
        _write_document(folder / _INDEX, content, ())
        write_json(folder / _TASK, {"maker": "diptych", "task": content["task"], "title": title, "items": len(items)})
    return len(starts)


@contextmanager
def _new_folder(path: Path, overwrite: bool) -> Iterator[Path]:
    """A folder to fill that becomes `path`; only one that holds nothing but an earlier export is replaced."""
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise BadInputError(f"{path}: not a folder; choose another --to")
    names = {entry.name for entry in path.iterdir()} if path.exists() else set()
    if names and not overwrite:
        raise BadInputError(f"{path}: already exists; choose another --to or pass --overwrite")
    if names and (_TASK not in names or names - _OWN_NAMES):
        own = min(names - _OWN_NAMES, default=f"no {_TASK}")
        raise BadInputError(f"{path}: contains more than review pages ({own}), so --overwrite will not replace it")
    path.parent.mkdir(parents=True, exist_ok=True)
    with hold_lock(path, "export"), atomic_folder(path) as folder:
        yield folder


def write_page(
    path: Path, title: str, items: Sequence[ReviewItem], pictures: PagePictures, population: Sequence[ReviewItem] = ()
) -> None:
    """Write one page to judge a few pairs, with everything inside it."""
    if len(items) > PAGE_SIZE:
        raise BadInputError(
            f"{path}: one page has at most {PAGE_SIZE} items, not {len(items):,}; pass a folder as --to"
        )
    pictures.add_embedded({item.row["pair_id"] for item in items})
    content = _task("judge", items, PAGE_SIZE, population or items) | {"title": title, "files": False}
    _write_document(path, content, [show_item(item, pictures) for item in items])


def write_questions(path: Path, title: str, questions: Sequence[Mapping[str, Any]]) -> None:
    """Write one page to answer some questions."""
    ids = [question["id"] for question in questions]
    content = {
        "task": json_digest("answer", title, ids),
        "mode": "answer",
        "ids": ids,
        "size": len(ids),
        "title": title,
    }
    _write_document(path, content | {"files": False}, questions)


def show_item(item: ReviewItem, pictures: PagePictures) -> dict[str, Any]:
    """An item as a page shows it."""
    sides = {side: show_side(item.row, side, pictures) | {"answers": _answers(item.row, side)} for side in SIDES}
    return {"id": item.item_id, "test": item.test, "expectation": item.row["expectation"], **sides}


def show_side(row: Mapping[str, Any], side: str, pictures: PagePictures) -> dict[str, Any]:
    """A question and its image as a page shows them."""
    address = pictures.address(row, side)
    return {"image": row[f"{side}_image_id"], "picture": address, "question": row[f"{side}_question"]}


def _answers(row: Mapping[str, Any], side: str) -> list[str]:
    return list(dict.fromkeys(row[f"{side}_answers"])) or [row[f"{side}_answer"]]


def _task(mode: str, items: Sequence[ReviewItem], page_size: int, population: Sequence[ReviewItem]) -> dict[str, Any]:
    """What the document knows of all items; its id is that of the items, whatever their pages and pictures."""
    ids = [item.item_id for item in items]
    kinds = dict.fromkeys(kind for item in items for kind in item.causes)
    return {
        "task": json_digest(mode, sorted(ids)),
        "mode": mode,
        "ids": ids,
        "tests": _coded([item.test for item in items]),
        "causes": {kind: _coded_causes(kind, items, population) for kind in kinds},
        "reasons": _REASONS,
        "size": page_size,
    }


def _coded(values: Sequence[str]) -> dict[str, Any]:
    """A column as its distinct values and a number for each row; -1 for an empty text."""
    numbers = {value: number for number, value in enumerate(sorted(set(values) - {""}))}
    return {"values": list(numbers), "codes": [numbers.get(value, -1) for value in values]}


def _coded_causes(kind: str, items: Sequence[ReviewItem], population: Sequence[ReviewItem]) -> dict[str, Any]:
    """A column of causes, with the number of pairs that rest on each."""
    pairs: Counter[str] = Counter()
    for item in population:
        pairs[item.causes.get(kind, "")] += len(item.pair_ids)
    column = _coded([item.causes.get(kind, "") for item in items])
    return column | {"pairs": [pairs[value] for value in column["values"]]}


def _json(content: Any) -> str:
    # Inside <script>, "</script>" in a question would end the data.
    return orjson.dumps(content).decode().replace("<", "\\u003c")


def _write_document(path: Path, content: Mapping[str, Any], page: Sequence[Mapping[str, Any]]) -> None:
    # What may run is what has this word: a text that wants to run would have to name the hash of itself.
    nonce = json_digest(content, page)
    data = {"title": content["title"], "nonce": nonce, "task": _json(content), "page": _json(page)}
    write_text(path, _environment.get_template("page.html.jinja").render(images=_sources(content), **data))


def _sources(content: Mapping[str, Any]) -> str:
    return "'self' file:" if content["files"] else "data:"
