"""Downloads: checked, whole or not at all, and continued where they were cut off."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from diptych import downloads
from diptych.downloads import NotServedError, download_file
from diptych.errors import BadInputError, MissingFileError
from tests.publisher import Publisher, publisher

CONTENT = bytes(range(256)) * 4000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Publisher]:
    monkeypatch.setattr(downloads.time, "sleep", lambda seconds: None)
    with publisher(**{"a.zip": CONTENT}) as state:
        yield state


def fetch(server: Publisher, folder: Path, **options: object) -> Path:
    return download_file(f"{server.url}/a.zip", folder / "a.zip", **options)  # type: ignore[arg-type]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_comes_whole_with_its_progress(server: Publisher, tmp_path: Path) -> None:
    sizes: list[int] = []
    path = fetch(server, tmp_path / "new", size=len(CONTENT), sha256=SHA256, advance=sizes.append)
    assert path.read_bytes() == CONTENT
    assert names(tmp_path / "new") == ["a.zip"]
    assert sum(sizes) == len(CONTENT)


def test_a_cut_connection_is_continued_where_it_was(server: Publisher, tmp_path: Path) -> None:
    server.cuts = [100_000, 200_000, 1]
    assert fetch(server, tmp_path, sha256=SHA256).read_bytes() == CONTENT
    assert [part for _, part in server.requests] == ["", "bytes=100000-", "bytes=300000-", "bytes=300001-"]
    assert names(tmp_path) == ["a.zip"]


def test_a_later_run_continues(server: Publisher, tmp_path: Path) -> None:
    server.cuts = [100_000, *[0] * downloads.ATTEMPTS]
    with pytest.raises(
        MissingFileError, match=r"could not be downloaded .* 100\.0 kB are kept: run the command again to resume"
    ):
        fetch(server, tmp_path)
    assert not (tmp_path / "a.zip").exists()
    server.requests.clear()
    sizes: list[int] = []
    assert fetch(server, tmp_path, sha256=SHA256, advance=sizes.append).read_bytes() == CONTENT
    assert [part for _, part in server.requests] == ["bytes=100000-"]
    assert sum(sizes) == len(CONTENT)


def test_a_killed_run_continues(server: Publisher, tmp_path: Path) -> None:
    """A process that ends in the middle leaves what came, and the next asks for the rest."""
    code = (
        "import os, sys; from pathlib import Path; from diptych import downloads; downloads._BLOCK = 65536\n"
        "def end(size, total=[0]):\n    total[0] += size\n    total[0] > 300000 and os._exit(9)\n"
        "downloads.download_file(sys.argv[1], Path(sys.argv[2]), advance=end)"
    )
    command = [sys.executable, "-c", code, f"{server.url}/a.zip", str(tmp_path / "a.zip")]
    assert subprocess.run(command, check=False).returncode == 9
    kept = (tmp_path / ".a.zip.part").stat().st_size
    assert 0 < kept < len(CONTENT)
    assert fetch(server, tmp_path, sha256=SHA256).read_bytes() == CONTENT
    assert server.requests[-1] == ("/a.zip", f"bytes={kept}-")


def test_a_file_that_changed_meanwhile_is_taken_from_its_beginning(server: Publisher, tmp_path: Path) -> None:
    server.cuts = [100_000, *[0] * downloads.ATTEMPTS]
    with pytest.raises(MissingFileError):
        fetch(server, tmp_path)
    server.files["/a.zip"] = CONTENT[::-1]
    assert fetch(server, tmp_path).read_bytes() == CONTENT[::-1]


def test_a_server_without_ranges_sends_everything_again(server: Publisher, tmp_path: Path) -> None:
    server.knows_ranges, server.cuts = False, [100_000]
    assert fetch(server, tmp_path, sha256=SHA256).read_bytes() == CONTENT


def test_a_part_that_is_complete_is_not_asked_for_again(server: Publisher, tmp_path: Path) -> None:
    (tmp_path / ".a.zip.part").write_bytes(CONTENT)
    assert fetch(server, tmp_path, sha256=SHA256).read_bytes() == CONTENT
    assert server.requests == [("/a.zip", f"bytes={len(CONTENT)}-")]


def test_a_part_that_is_too_long_is_thrown_away(server: Publisher, tmp_path: Path) -> None:
    (tmp_path / ".a.zip.part").write_bytes(CONTENT + b"more")
    assert fetch(server, tmp_path, sha256=SHA256).read_bytes() == CONTENT


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again(status: int, server: Publisher, tmp_path: Path) -> None:
    server.statuses = [status, status]
    assert fetch(server, tmp_path).read_bytes() == CONTENT


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_an_answer_that_will_stay_is_one_line(status: int, server: Publisher, tmp_path: Path) -> None:
    server.statuses = [status]
    with pytest.raises(NotServedError, match=rf"a\.zip could not be downloaded from http.*answered {status}") as caught:
        fetch(server, tmp_path)
    assert "\n" not in str(caught.value)
    assert len(server.requests) == 1
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sha256": "0" * 64}, "wrong checksum"),
        ({"size": 7}, "got 1,024,000 bytes, not 7"),
        ({"limit": 1000}, "larger than 1.0 kB"),
    ],
)
def test_another_file_is_refused_and_leaves_nothing(
    options: dict[str, object], message: str, server: Publisher, tmp_path: Path
) -> None:
    with pytest.raises(BadInputError, match=message):
        fetch(server, tmp_path, **options)
    assert names(tmp_path) == []


def test_a_server_that_is_not_there_is_one_line(
    server: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(MissingFileError, match="Connection refused") as caught:
        download_file("http://127.0.0.1:9/a.zip", tmp_path / "a.zip")
    assert "\n" not in str(caught.value)


def test_two_runs_do_not_write_into_one_file(server: Publisher, tmp_path: Path) -> None:
    import fcntl

    with (tmp_path / ".a.zip.part").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(BadInputError, match="another process is downloading it"):
            fetch(server, tmp_path)
    assert os.listdir(tmp_path)
