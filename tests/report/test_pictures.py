"""Small copies of pictures: each distinct one once, recipes applied."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
from PIL import Image

import diptych
from diptych.images import open_images
from diptych.report._pictures import Gallery, copy_pictures, embedded_rows, number_pictures, picture_file, shrink


def rows(*files: tuple[str, str], **columns: list[Any]) -> pa.Table:
    """Rows with the names of the pictures on both sides."""
    names: dict[str, list[Any]] = {"pair_id": [str(number) for number in range(len(files))]}
    for number, side in enumerate(("original", "perturbed")):
        names[f"{side}_image_file"] = [pair[number] for pair in files]
        names[f"{side}_image_id"] = [pair[number] for pair in files]
    return pa.table({**names, **columns})


def save(path: Path, size: tuple[int, int] = (400, 200), color: str = "red") -> None:
    Image.new("RGB", size, color).save(path)


def test_equal_pictures_have_one_number() -> None:
    gallery = Gallery.empty()
    (first, second), tasks = number_pictures(gallery, rows(("a.jpg", "a.jpg"), ("b.jpg", "a.jpg"), ("a.jpg", "c.jpg")))
    assert (first.tolist(), second.tolist()) == ([1, 2, 1], [1, 1, 3])
    assert (len(tasks), gallery.names) == (3, ["", "a.jpg", "b.jpg", "c.jpg"])


def test_a_side_without_a_picture_has_number_zero() -> None:
    (first, _), tasks = number_pictures(Gallery.empty(), rows(("", ""), source=[""]))
    assert (first.tolist(), tasks) == ([0], [])


def test_copies_are_small_and_remember_the_size(tmp_path: Path) -> None:
    save(tmp_path / "a.jpg")
    gallery = Gallery.empty()
    _, tasks = number_pictures(gallery, rows(("a.jpg", "missing.jpg")))
    copy_pictures(tmp_path / "out", gallery, tasks, open_images(tmp_path), 100)
    assert gallery.sizes == {1: (400, 200)}
    with Image.open(tmp_path / "out" / picture_file(1)) as copy:
        assert copy.size == (100, 50)
    assert len(list((tmp_path / "out").rglob("*.jpg"))) == 1


def test_recipes_are_applied(tmp_path: Path) -> None:
    save(tmp_path / "1.jpg")
    recipe: dict[str, Any] = {"operation": ["mask"], "boxes": [[[0, 0, 50, 50]]], "means": [[0.0, 0.0, 255.0]]}
    gallery = Gallery.empty()
    _, tasks = number_pictures(gallery, rows(("1.jpg", "1.jpg"), **recipe))
    copy_pictures(tmp_path / "out", gallery, tasks, open_images(tmp_path), 100)
    assert gallery.names == ["", "1.jpg", "1.jpg (mask)"]
    with Image.open(tmp_path / "out" / picture_file(2)) as copy:
        red, _, blue = copy.getpixel((90, 40))  # type: ignore[misc]
        assert blue > 200 > red


def test_the_number_of_processes_changes_no_byte(tmp_path: Path) -> None:
    names = [f"{number}.png" for number in range(80)]
    for number, name in enumerate(names):
        save(tmp_path / name, (60 + number, 40), "blue")
    results = []
    for num_proc in (1, 2):
        gallery, out = Gallery.empty(), tmp_path / f"out-{num_proc}"
        _, tasks = number_pictures(gallery, rows(*((name, name) for name in names)))
        copy_pictures(out, gallery, tasks, open_images(tmp_path), 50, num_proc)
        results.append({path.relative_to(out): path.read_bytes() for path in out.rglob("*.jpg")})
    assert results[0] == results[1]
    assert len(results[0]) == 80


def test_what_is_no_picture_has_no_copy() -> None:
    assert shrink(b"<html>", 100) == ((0, 0), b"")


def test_a_transparent_picture_becomes_a_jpeg() -> None:
    content = BytesIO()
    Image.new("RGBA", (20, 20), (255, 0, 0, 0)).save(content, "PNG")
    size, copy = shrink(content.getvalue(), 10)
    assert (size, copy[:3]) == ((20, 20), b"\xff\xd8\xff")


def test_pictures_in_the_rows_are_used(world: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"configs": ("yn_from_color",), "parameters": {"images": "embed"}}
    folder = diptych.build("rad-cads", world, tmp_path / "built", **options)
    selection = folder.select()
    gallery = Gallery.empty()
    _, tasks = number_pictures(gallery, folder.pairs(selection))
    copy_pictures(tmp_path / "out", gallery, embedded_rows(folder, selection, tasks), None, 100)
    assert len(gallery.sizes) == len(gallery.names) - 1 > 0
