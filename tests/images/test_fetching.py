"""Pictures from their publishers, one by one: into the official folders, checked, and none twice."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from diptych import downloads
from diptych.errors import MissingFileError
from diptych.images import _names, fetch_images, open_images
from tests.publisher import Publisher, publisher

COCO = [f"COCO_val2014_{number:012d}.jpg" for number in range(1, 31)]


def picture(shade: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (9, 7), (shade, 0, 0)).save(file, "JPEG")
    return file.getvalue()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Publisher]:
    monkeypatch.setattr(downloads.time, "sleep", lambda seconds: None)
    with publisher() as state:
        monkeypatch.setattr(_names, "COCO_URL", f"{state.url}/coco")
        monkeypatch.setattr(_names, "VG_URL", f"{state.url}/vg")
        state.files = {f"/coco/val2014/{name}": picture(shade) for shade, name in enumerate(COCO)}
        state.files["/vg/VG_100K/7.jpg"], state.files["/vg/VG_100K_2/8.jpg"] = picture(100), picture(101)
        yield state


def test_pictures_come_into_their_official_folders(server: Publisher, tmp_path: Path) -> None:
    assert fetch_images([*COCO, "7.jpg", "8.jpg"], tmp_path) == {}
    store = open_images(tmp_path)
    assert [store.read(name) for name in COCO] == [picture(shade) for shade in range(30)]
    places = [store.find(name) for name in ("7.jpg", "8.jpg")]
    assert [str(place) for place in places] == [str(tmp_path / "VG_100K/7.jpg"), str(tmp_path / "VG_100K_2/8.jpg")]


def test_cut_connections_lose_nothing(server: Publisher, tmp_path: Path) -> None:
    server.cuts = [100] * 20
    assert fetch_images(COCO, tmp_path) == {}
    assert open_images(tmp_path).missing(COCO) == []


def test_a_picture_that_is_gone_is_told_and_the_others_come(server: Publisher, tmp_path: Path) -> None:
    del server.files[f"/coco/val2014/{COCO[3]}"]
    server.files[f"/coco/val2014/{COCO[4]}"] = b"<html>moved</html>"
    failures = fetch_images([*COCO, "9.jpg", "n161313.jpg", "../x.jpg"], tmp_path)
    assert set(failures) == {COCO[3], COCO[4], "9.jpg", "n161313.jpg", "../x.jpg"}
    assert "answered 404" in failures[COCO[3]]
    assert "not a picture" in failures[COCO[4]]
    assert "no URL" in failures["n161313.jpg"]
    assert open_images(tmp_path).missing(COCO) == [COCO[3], COCO[4]]
    assert not list(tmp_path.rglob("*.part"))


def test_a_server_that_cannot_be_reached_ends_it(
    server: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_names, "COCO_URL", "http://127.0.0.1:9")
    with pytest.raises(MissingFileError, match="Connection refused"):
        fetch_images(COCO, tmp_path)
