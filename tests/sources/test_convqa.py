"""ConVQA's two kinds of files become sets of questions."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from diptych.errors import BadInputError
from diptych.sources._convqa import ConVqaSet, convqa_files, read_convqa
from tests.sources.official import write_plain

URL = "https://vqa_mscoco_images.s3.amazonaws.com/val2014/COCO_val2014_000000543385.jpg"
PAIRS = [["how many zebras are there", "3"], ["is there only one zebra", "no"]]
SET = (("how many zebras are there", "3"), ("is there only one zebra", "no"))
CS, L = "CommonSense_ConVQA_consistent.json", "cleaned_Logical_ConVQA_test.json"


def common_sense(data: Path, content: Any) -> list[ConVqaSet]:
    write_plain(data / "convqa", CS, orjson.dumps(content))
    return list(read_convqa(convqa_files(data)["convqa_cs"][0], "convqa_cs"))


def logical(data: Path, content: Any) -> list[ConVqaSet]:
    write_plain(data / "convqa", L, orjson.dumps(content))
    return list(read_convqa(convqa_files(data)["convqa_l"][0], "convqa_l"))


def test_a_common_sense_set_belongs_to_a_coco_image(tmp_path: Path) -> None:
    assert common_sense(tmp_path, {URL: PAIRS}) == [ConVqaSet("543385-1", "543385", SET, "convqa_cs", "val2014")]


def test_sets_wrapped_in_a_list_are_read_too(tmp_path: Path) -> None:
    assert [group.set_id for group in common_sense(tmp_path, {URL: [PAIRS, PAIRS]})] == ["543385-1", "543385-2"]


def test_a_logical_image_has_several_sets(tmp_path: Path) -> None:
    objects = [{"question": q, "answer": a} for q, a in PAIRS]
    sets = logical(tmp_path, {"2342914": [objects, objects[:1]]})
    assert sets[0] == ConVqaSet("2342914-1", "2342914", SET, "convqa_l")
    assert (sets[1].set_id, sets[1].questions) == ("2342914-2", SET[:1])


def test_no_files_are_no_error(tmp_path: Path) -> None:
    assert convqa_files(tmp_path) == {"convqa_cs": (), "convqa_l": ()}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "not the official JSON file (it starts with '[]')"),
        ({"1": {}}, "image 1: its sets are an object, not a list"),
        ({"1": ["x"]}, "image 1, set 1: it is text, not a list of questions"),
        ({"1": [[{"question": "q"}]]}, "image 1, set 1, question 1: it is an object, not a question and its answer"),
        ({"1": [[{"question": "q", "answer": 2}]]}, "image 1, set 1, question 1: the answer is a number, not text"),
    ],
)
def test_a_wrong_set_is_named(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(BadInputError) as caught:
        logical(tmp_path, content)
    assert f"{L}: {message}" in str(caught.value)


def test_an_address_that_is_no_coco_image_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"image 'dog\.png': not the address of a COCO image"):
        common_sense(tmp_path, {"dog.png": PAIRS})


def test_a_file_cut_short_is_named(tmp_path: Path) -> None:
    write_plain(tmp_path / "convqa", L, b'{"1": [[{"question": "q", ')
    with pytest.raises(BadInputError, match=rf"{L}: the file is (cut short|not valid JSON) at byte 2\d"):
        list(read_convqa(convqa_files(tmp_path)["convqa_l"][0], "convqa_l"))


@pytest.mark.real_data
def test_the_real_sets_are_read(real_data: Path) -> None:
    sizes = {
        source: [len(group.questions) for file in files for group in read_convqa(file, source)]
        for source, files in convqa_files(real_data).items()
    }
    assert (len(sizes["convqa_cs"]), sum(sizes["convqa_cs"])) == (6439, 22_416)
    assert (len(sizes["convqa_l"]), sum(sizes["convqa_l"])) == (2003, 6751)
