"""Downloads of official files are checked, and appear whole or not at all."""

import functools
import hashlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from diptych.errors import BadInputError, MissingFileError, UnknownNameError
from diptych.sources._catalog import Download, Source, get_source
from diptych.sources._files import fetch, require_file
from tests.sources.official import write_plain, write_zip


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "served"
    write_zip(folder, "q.zip", {"q.json": b"[]"})
    write_plain(folder, "a.txt", b"alias")
    write_plain(folder, "page.zip", b"<html>log in first</html>")
    handler = functools.partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()
        thread.join()


def source_of(*downloads: Download) -> Source:
    return replace(get_source("vg"), downloads=downloads)


def left_in(data: Path) -> list[str]:
    return sorted(path.name for path in data.rglob("*") if path.is_file())


def test_a_file_comes_under_its_official_name(tmp_path: Path, server: str) -> None:
    sha256 = hashlib.sha256(b"alias").hexdigest()
    source = source_of(Download("a.txt", f"{server}/a.txt", ("a.txt",), size=5, sha256=sha256))
    (path,) = fetch(source, [], tmp_path / "data")
    assert path == tmp_path / "data" / "vg" / "a.txt"
    assert path.read_bytes() == b"alias"
    assert left_in(tmp_path / "data") == ["a.txt"]


def test_a_held_file_brings_its_archive_which_the_readers_find(tmp_path: Path, server: str) -> None:
    archive = Download("q.zip", f"{server}/q.zip", ("q.json",))
    fetch(source_of(archive, Download("a.txt", f"{server}/a.txt", ("a.txt",))), ["q.json"], tmp_path / "data")
    assert left_in(tmp_path / "data") == ["q.zip"]
    assert require_file(tmp_path / "data", "vg", "q.json").read_bytes() == b"[]"


def test_a_file_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    write_plain(tmp_path / "vg", "a.txt", b"mine")
    source = source_of(Download("a.txt", "http://127.0.0.1:9/a.txt", ("a.txt",)))
    (path,) = fetch(source, [], tmp_path)
    assert path.read_bytes() == b"mine"


@pytest.mark.parametrize(
    ("download", "message"),
    [
        (Download("a.txt", "http://server/a.txt", ("a.txt",), sha256="0" * 64), "wrong checksum"),
        (Download("a.txt", "http://server/a.txt", ("a.txt",), size=6), "got 5 bytes, not 6"),
        (Download("page.zip", "http://server/page.zip", ("q.json",)), "not a .zip file"),
        (Download("a.csv.gz", "http://server/a.txt", ("a.csv",)), "not a .gz file"),
    ],
    ids=["checksum", "size", "no zip", "no gz"],
)
def test_what_is_not_the_official_file_is_refused_and_leaves_nothing(
    tmp_path: Path, server: str, download: Download, message: str
) -> None:
    download = replace(download, url=download.url.replace("http://server", server))
    with pytest.raises(BadInputError) as caught:
        fetch(source_of(download), [], tmp_path / "data")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert left_in(tmp_path / "data") == []


def test_an_address_that_is_gone_is_one_line(tmp_path: Path, server: str) -> None:
    source = source_of(Download("gone.txt", f"{server}/gone.txt", ("gone.txt",)))
    with pytest.raises(MissingFileError, match=r"gone\.txt could not be downloaded from http") as caught:
        fetch(source, [], tmp_path / "data")
    assert "\n" not in str(caught.value)


def test_a_file_without_an_address_of_its_own_names_the_page(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"get it from https://facebookresearch\.github\.io"):
        fetch(get_source("rephrasings"), [], tmp_path)


def test_an_unknown_file_lists_what_exists(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"known: .*objects\.json"):
        fetch(get_source("vg"), ["object.json"], tmp_path)


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path, server: str) -> None:
    (tmp_path / "data").write_text("a file, not a folder")
    source = source_of(Download("a.txt", f"{server}/a.txt", ("a.txt",)))
    with pytest.raises(BadInputError, match="cannot be written"):
        fetch(source, [], tmp_path / "data")
