"""Source files that are missing come from their publisher, through the builder's download manager."""

import functools
import hashlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from diptych.builders import base
from diptych.sources import Download, Source, get_source
from tests.builders.conftest import run

QUESTIONS = "v2_OpenEnded_mscoco_val2014_questions.json"
ANNOTATIONS = "v2_mscoco_val2014_annotations.json"


@pytest.fixture
def publisher(data: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """VQA v2's publisher on this machine: serves the miniature world's files under the checksums it is told."""
    checksums = {
        name: hashlib.sha256((data / "vqa" / name).read_bytes()).hexdigest() for name in (QUESTIONS, ANNOTATIONS)
    }
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(data / "vqa"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()

        def local(key: str) -> Source:
            downloads = [
                Download(name, f"http://127.0.0.1:{http.server_port}/{name}", (name,), sha256=checksums[name])
                for name in checksums
            ]
            return replace(get_source(key), downloads=tuple(downloads))

        monkeypatch.setattr(base, "get_source", local)
        monkeypatch.setattr("diptych.builders.rad.inputs.get_source", local)
        yield checksums
        http.shutdown()


def test_missing_files_are_fetched_and_built_from(built: Path, publisher: dict[str, str], tmp_path: Path) -> None:
    args = ("--data", str(tmp_path / "data"), "--out", str(tmp_path / "out"), "--config", "yn_from_color", "--download")
    assert run("build", "rad-cads", *args) == 0
    name = "data/yn_from_color/validation-00000-of-00001.parquet"
    assert (tmp_path / "out" / name).read_bytes() == (built / name).read_bytes()
    assert {path.name for path in (tmp_path / "data" / "vqa").iterdir()} == set(publisher)


def test_a_wrong_checksum_is_one_line_and_leaves_nothing(
    publisher: dict[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    publisher[ANNOTATIONS] = "0" * 64
    args = ("--data", str(tmp_path / "data"), "--out", str(tmp_path / "out"), "--config", "yn_from_color", "--download")
    assert run("build", "rad-cads", *args) == 2
    errors = [line for line in capfd.readouterr().err.splitlines() if line.startswith("error:")]
    assert len(errors) == 1
    assert "wrong checksum" in errors[0]
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "data" / "vqa" / ANNOTATIONS).exists()
