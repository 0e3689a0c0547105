"""Source files that are missing come from their publisher."""

import functools
import hashlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import diptych
from diptych.builders import _build, rad
from diptych.errors import DiptychError
from diptych.sources import Download, Source, get_source

QUESTIONS = "v2_OpenEnded_mscoco_val2014_questions.json"
ANNOTATIONS = "v2_mscoco_val2014_annotations.json"
COLORS = "data/yn_from_color/validation-00000-of-00001.parquet"


@pytest.fixture
def checksums(data: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """What VQA v2's publisher on this machine says of its files, which are those of the miniature world."""
    checksums = {
        name: hashlib.sha256((data / "vqa" / name).read_bytes()).hexdigest() for name in (QUESTIONS, ANNOTATIONS)
    }
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(data / "vqa"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()

        def local_source(key: str) -> Source:
            downloads = [
                Download(name, f"http://127.0.0.1:{http.server_port}/{name}", (name,), sha256=checksums[name])
                for name in checksums
            ]
            return replace(get_source(key), downloads=tuple(downloads))

        for module in (_build, rad):
            monkeypatch.setattr(module, "get_source", local_source)
        yield checksums
        http.shutdown()


def test_missing_files_are_fetched_and_built_from(rad_build: Path, checksums: dict[str, str], tmp_path: Path) -> None:
    diptych.build("rad-cads", tmp_path / "data", tmp_path / "out", configs=("yn_from_color",), download=True)
    assert (tmp_path / "out" / COLORS).read_bytes() == (rad_build / COLORS).read_bytes()


def test_fetched_files_lie_under_their_official_names(checksums: dict[str, str], tmp_path: Path) -> None:
    diptych.build("rad-cads", tmp_path / "data", tmp_path / "out", configs=("yn_from_color",), download=True)
    assert {path.name for path in (tmp_path / "data" / "vqa").iterdir()} == set(checksums)
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["vqa"]


def test_a_wrong_checksum_is_refused_and_leaves_nothing(checksums: dict[str, str], tmp_path: Path) -> None:
    checksums[ANNOTATIONS] = "0" * 64
    with pytest.raises(DiptychError, match="wrong checksum"):
        diptych.build("rad-cads", tmp_path / "data", tmp_path / "out", configs=("yn_from_color",), download=True)
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "data" / "vqa" / ANNOTATIONS).exists()
