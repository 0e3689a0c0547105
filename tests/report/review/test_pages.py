"""A folder of review pages: what is in it, and that it appears whole or not at all."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from diptych.errors import BadInputError
from diptych.folder import BuiltFolder
from diptych.report.review import PagePictures, ReviewItem, write_folder, write_page
from tests.commands import run
from tests.report.review.conftest import CONFIG


def export(path: Path, items: list[ReviewItem], size: int = 5, **options: Any) -> Path:
    write_folder(path, "title", items, PagePictures(), size, **options)
    return path


def task_of(path: Path) -> Any:
    (text,) = re.findall(r'id="task">(.*)</script>', (path / "index.html").read_text())
    return json.loads(text)


def test_pages_hold_so_many_items(tmp_path: Path, items: list[ReviewItem]) -> None:
    pages = sorted((export(tmp_path / "p", items) / "pages").iterdir())
    contents = [json.loads(re.fullmatch(r"showPage\(\d+, (.*)\);\n", page.read_text())[1]) for page in pages]  # type: ignore[index]
    assert [len(page) for page in contents] == [5, 5, 2]
    assert [item["id"] for page in contents for item in page] == [item.item_id for item in items]


def test_the_task_stays_the_same_whatever_the_pages(tmp_path: Path, items: list[ReviewItem]) -> None:
    tasks = [task_of(export(tmp_path / str(size), items, size))["task"] for size in (5, 7)]
    assert tasks[0] == tasks[1]
    assert task_of(export(tmp_path / "fewer", items[1:]))["task"] != tasks[0]


def test_the_same_items_make_the_same_bytes(tmp_path: Path, items: list[ReviewItem]) -> None:
    contents = [
        {file.name: file.read_bytes() for file in export(tmp_path / name, items).rglob("*") if file.is_file()}
        for name in "ab"
    ]
    assert contents[0] == contents[1]


def test_a_sample_tells_how_many_pairs_rest_on_a_cause_in_all(tmp_path: Path, items: list[ReviewItem]) -> None:
    caused = [ReviewItem(item.item_id, item.pair_ids, item.row, {"template": "t"}) for item in items]
    path = export(tmp_path / "p", caused[:3], population=caused)
    assert task_of(path)["causes"]["template"] == {"values": ["t"], "codes": [0, 0, 0], "pairs": [12]}


def test_what_may_run_is_what_the_page_brings(tmp_path: Path, items: list[ReviewItem]) -> None:
    html = (export(tmp_path / "p", items) / "index.html").read_text()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy.startswith("default-src 'none'; script-src 'nonce-")
    assert "unsafe" not in policy
    assert "http:" not in html
    assert "https:" not in html


def test_a_folder_is_not_replaced_by_chance(tmp_path: Path, items: list[ReviewItem]) -> None:
    path = export(tmp_path / "p", items)
    with pytest.raises(BadInputError, match="already exists; choose another --to or pass --overwrite"):
        export(path, items)
    assert task_of(export(path, items[:3], overwrite=True))["ids"] == [item.item_id for item in items[:3]]


@pytest.mark.parametrize("name", ["anna.json", "notes"])
def test_a_folder_with_something_else_in_it_is_never_replaced(
    name: str, tmp_path: Path, items: list[ReviewItem]
) -> None:
    path = export(tmp_path / "p", items)
    (path / name).touch()
    with pytest.raises(BadInputError, match=rf"contains more than review pages \({name}\)"):
        export(path, items, overwrite=True)
    assert (path / name).exists()


def test_a_folder_that_is_no_export_is_never_replaced(tmp_path: Path, items: list[ReviewItem]) -> None:
    (tmp_path / "p" / "pages").mkdir(parents=True)
    with pytest.raises(BadInputError, match=r"contains more than review pages \(no task\.json\)"):
        export(tmp_path / "p", items, overwrite=True)


def test_an_export_that_fails_leaves_nothing(
    tmp_path: Path, items: list[ReviewItem], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PagePictures, "address", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        export(tmp_path / "p", items)
    assert list(tmp_path.iterdir()) == []


def test_one_page_holds_a_few_items_alone(tmp_path: Path, items: list[ReviewItem]) -> None:
    many = [ReviewItem(f"{number:016x}", ("p",), items[0].row) for number in range(201)]
    with pytest.raises(BadInputError, match="one page has at most 200 items, not 201; pass a folder"):
        write_page(tmp_path / "page.html", "t", many, PagePictures())


def test_pictures_that_rows_hold_are_put_beside_the_pages(world: Path, tmp_path: Path) -> None:
    args = ("--data", world, "--out", tmp_path / "out", "--config", CONFIG, "--set", "images=embed")
    assert run("build", "rad-cads", *args) == 0
    assert run("review", "export", tmp_path / "out", "--to", tmp_path / "p") == 0
    assert len(list((tmp_path / "p" / "pictures").iterdir())) > 1


def test_the_export_says_how_many_sides_have_no_image(
    folder: BuiltFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("review", "export", folder.path, "--to", tmp_path / "p") == 0
    rows = folder.pairs(folder.select()).num_rows
    assert f"{rows} items on 1 pages, {2 * rows} sides without their image" in capsys.readouterr().out
