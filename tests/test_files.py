"""Files: written whole or not at all, read with one clear line when they are broken."""

import hashlib
import os
from pathlib import Path

import pytest

from diptych import files
from diptych.errors import BadInputError, MissingFileError
from diptych.files import (
    HashedFile,
    atomic_writer,
    cached_by_stamp,
    file_digest,
    json_digest,
    read_json,
    read_json_lines,
    write_json,
    write_json_lines,
    write_text,
)


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    with atomic_writer(tmp_path / "deep" / "file") as file:
        file.write(b"content")
        assert not (tmp_path / "deep" / "file").exists()
    assert (tmp_path / "deep" / "file").read_bytes() == b"content"


def write_half(path: Path) -> None:
    with atomic_writer(path) as file:
        file.write(b"half")
        raise ValueError("broken")


def test_after_an_error_there_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="broken"):
        write_half(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


def test_after_an_error_the_earlier_file_stays(tmp_path: Path) -> None:
    write_text(tmp_path / "file", "earlier")
    with pytest.raises(ValueError, match="broken"):
        write_half(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "earlier"


def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    leftover = tmp_path / ".file.999999999.tmp"
    leftover.touch()
    write_text(tmp_path / "file", "content")
    assert not leftover.exists()


def test_what_a_living_writer_is_writing_stays(tmp_path: Path) -> None:
    other = tmp_path / f".file.{os.getppid()}.tmp"
    other.touch()
    write_text(tmp_path / "file", "content")
    assert other.exists()


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInputError, match="cannot be written"):
        write_text(tmp_path / "file" / "inside", "content")


def test_a_file_is_hashed_while_it_is_written(tmp_path: Path) -> None:
    with HashedFile(tmp_path / "file") as file:
        for part in (b"a" * 10_000, memoryview(b"b" * 100_000), b""):
            file.write(part)
    content = (tmp_path / "file").read_bytes()
    assert (file.size, file.hexdigest()) == (len(content), hashlib.sha256(content).hexdigest())


def test_the_digest_of_a_file_is_its_sha256(tmp_path: Path) -> None:
    content = os.urandom(3_000_000)
    (tmp_path / "file").write_bytes(content)
    assert file_digest(tmp_path / "file") == hashlib.sha256(content).hexdigest()


def test_a_digest_of_data_does_not_depend_on_the_order_of_keys() -> None:
    assert json_digest({"a": 1, "b": [2]}) == json_digest({"b": [2], "a": 1}) != json_digest({"a": 1, "b": [3]})


def test_a_cache_follows_its_file(tmp_path: Path) -> None:
    reads: list[Path] = []

    def read(path: Path) -> str:
        reads.append(path)
        return path.read_text()

    cached = cached_by_stamp(read)
    for text in ("first", "first", "second"):
        (tmp_path / "file").write_text(text) if not reads or text == "second" else None
        assert cached(tmp_path / "file") == text
    assert len(reads) == 2


def test_json_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_json(tmp_path / "file", {"a": [1, None, "ü"]})
    assert read_json(tmp_path / "file") == {"a": [1, None, "ü"]}


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000])
def test_broken_json_is_one_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(BadInputError, match="cannot be read") as refusal:
        read_json(tmp_path / "file")
    assert "\n" not in str(refusal.value)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="not found"):
        read_json(tmp_path / "file")


def test_a_folder_in_place_of_a_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        read_json(tmp_path)


def test_a_file_that_is_too_large_to_be_one_of_ours_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_JSON", 10)
    (tmp_path / "file").write_text('{"a": "long enough"}')
    with pytest.raises(BadInputError, match="larger than"):
        read_json(tmp_path / "file")


def test_json_lines_are_read_with_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "file").write_text('{"a": 1}\n\n  \n{"a": 2}')
    assert list(read_json_lines(tmp_path / "file")) == [(1, {"a": 1}), (4, {"a": 2})]


def test_json_lines_are_written_one_per_object(tmp_path: Path) -> None:
    write_json_lines(tmp_path / "file", [{"a": 1}, {"b": "ü"}])
    assert (tmp_path / "file").read_text() == '{"a":1}\n{"b":"ü"}\n'


@pytest.mark.parametrize(("line", "message"), [("{", "broken JSON"), ("[]", "not a JSON object")])
def test_a_broken_line_is_named(line: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(f"{{}}\n{line}\n")
    with pytest.raises(BadInputError, match=f"file:2: {message}"):
        list(read_json_lines(tmp_path / "file"))


def test_a_line_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 10)
    (tmp_path / "file").write_text("{" * 100)
    with pytest.raises(BadInputError, match="a line of more than"):
        list(read_json_lines(tmp_path / "file"))
