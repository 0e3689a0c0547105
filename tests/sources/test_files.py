"""Official files are found and opened plain, as .gz and inside a .zip, and damage is named."""

from pathlib import Path

import pytest

from diptych.errors import BadInputError, MissingFileError
from diptych.sources._files import SourceFile, find_file, find_matching, require_file
from tests.sources.official import QUESTIONS, write_gz, write_plain, write_zip

CONTENT = b'{"questions": []}' * 1000


def found(data: Path, name: str = QUESTIONS) -> SourceFile:
    file = find_file(data, "vqa", name)
    assert file is not None
    return file


@pytest.fixture
def vqa(tmp_path: Path) -> Path:
    return tmp_path / "vqa"


def test_a_plain_file_is_read(tmp_path: Path, vqa: Path) -> None:
    write_plain(vqa, QUESTIONS, CONTENT)
    assert (found(tmp_path).format, found(tmp_path).read_bytes()) == ("plain", CONTENT)


def test_a_gz_file_is_decompressed(tmp_path: Path, vqa: Path) -> None:
    write_gz(vqa, QUESTIONS, CONTENT)
    assert (found(tmp_path).format, found(tmp_path).read_bytes()) == ("gz", CONTENT)


def test_a_member_of_the_official_zip_is_read(tmp_path: Path, vqa: Path) -> None:
    write_zip(vqa, "v2_Questions_Val_mscoco.zip", {QUESTIONS: CONTENT})
    assert (found(tmp_path).format, found(tmp_path).read_bytes()) == ("zip", CONTENT)


def test_a_member_in_a_folder_of_the_zip_is_found_but_not_the_macintosh_shadow(tmp_path: Path) -> None:
    members = {"__MACOSX/release/list.txt": b"shadow", "release/list.txt": b"list"}
    write_zip(tmp_path / "fvqa", "release.zip", members)
    file = find_file(tmp_path, "fvqa", "list.txt")
    assert file is not None
    assert file.read_bytes() == b"list"


def test_plain_wins_over_gz_and_gz_over_zip(tmp_path: Path, vqa: Path) -> None:
    write_zip(vqa, "a.zip", {QUESTIONS: b"zip"})
    write_gz(vqa, QUESTIONS, b"gz")
    assert found(tmp_path).read_bytes() == b"gz"
    write_plain(vqa, QUESTIONS, b"plain")
    assert found(tmp_path).read_bytes() == b"plain"


def test_the_checksum_is_that_of_the_content_however_it_is_kept(tmp_path: Path) -> None:
    files = (
        SourceFile(write_plain(tmp_path, "f.json", CONTENT), "f.json"),
        SourceFile(write_gz(tmp_path, "f.json", CONTENT), "f.json"),
        SourceFile(write_zip(tmp_path, "f.zip", {"f.json": CONTENT}), "f.json", "f.json"),
    )
    assert len({file.sha256() for file in files}) == 1


def test_a_missing_file_is_named_with_its_address(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"questions\.json is missing.*v2_Questions_Val_mscoco\.zip"):
        require_file(tmp_path, "vqa", QUESTIONS)


def test_a_gz_file_cut_short_is_named(tmp_path: Path, vqa: Path) -> None:
    path = write_gz(vqa, QUESTIONS, bytes(range(256)) * 4000)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadInputError, match=r"questions\.json\.gz: the file is cut short.*download it again"):
        found(tmp_path).read_bytes()


def test_a_gz_file_that_is_no_gzip_is_named(tmp_path: Path, vqa: Path) -> None:
    write_plain(vqa, f"{QUESTIONS}.gz", b"<html>not found</html>")
    with pytest.raises(BadInputError, match=r"\.gz: the file is damaged or cut short"):
        found(tmp_path).read_bytes()


def test_a_zip_cut_short_is_named(tmp_path: Path, vqa: Path) -> None:
    path = write_zip(vqa, "v2_Questions_Val_mscoco.zip", {QUESTIONS: CONTENT})
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(
        BadInputError, match=r"v2_Questions_Val_mscoco\.zip: a damaged or incomplete \.zip file.*download it again"
    ):
        found(tmp_path)


def test_a_zip_with_a_flipped_byte_is_named(tmp_path: Path, vqa: Path) -> None:
    path = write_zip(vqa, "q.zip", {QUESTIONS: CONTENT})
    content = bytearray(path.read_bytes())
    content[len(QUESTIONS) + 40] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(BadInputError, match=r"q\.zip:v2_OpenEnded.*damaged or cut short"):
        found(tmp_path).read_bytes()


def test_a_damaged_archive_does_not_hide_a_whole_one(tmp_path: Path, vqa: Path) -> None:
    write_plain(vqa, "a.zip", b"no archive")
    write_zip(vqa, "b.zip", {QUESTIONS: CONTENT})
    assert found(tmp_path).read_bytes() == CONTENT


def test_a_pattern_finds_files_however_they_are_kept(tmp_path: Path, vqa: Path) -> None:
    write_gz(vqa, "a_questions.json", b"a")
    write_zip(vqa, "z.zip", {"inner/b_questions.json": b"b", "c.txt": b"c"})
    matching = find_matching(tmp_path, "vqa", "*_questions.json")
    contents = {file.name: file.read_bytes() for file in matching}
    assert contents == {"a_questions.json": b"a", "b_questions.json": b"b"}


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert find_file(tmp_path, "vqa", QUESTIONS) is None
    assert find_matching(tmp_path, "vqa", "*") == ()
