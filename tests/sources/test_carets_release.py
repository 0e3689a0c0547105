"""CARETS as released: which file is of which test, which questions belong together, and what is refused."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from diptych.errors import BadInputError, MissingFileError
from diptych.sources import MissingReleaseFile, read_released, released_files

SETTINGS = """
images_root: data/images/
files_root: data/questions/
tests:
  antonym_consistency:
    eval_type: directional_expectation
    files:
      - attribute.json
  phrasal_invariance:
    eval_type: invariance
    files:
      - color.json
      - object.json
"""


def question(question_id: str, sent: str = "Is there a dog?", **label: float) -> dict[str, Any]:
    return {"question_id": question_id, "img_id": "2331963", "sent": sent, "label": label or {"yes": 1.0}}


def write(data: Path, **files: Any) -> Path:
    (data / "carets").mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (data / "carets" / f"{name}.json").write_text(content if isinstance(content, str) else json.dumps(content))
    return data


def test_a_perturbed_question_has_its_originals_id_and_more(tmp_path: Path) -> None:
    listed = [question("7-1-0-x", "Is there no dog?", no=1), question("7-1-0")]
    (pair,) = read_released(write(tmp_path, negation=listed))
    assert pair.test == "negation"
    assert (pair.original.question_id, pair.original.answers) == ("7-1-0", ("yes",))
    assert pair.perturbed is not None
    assert (pair.perturbed.question_id, pair.perturbed.question) == ("7-1-0-x", "Is there no dog?")
    assert pair.original.image_id == "2331963"


def test_the_weightiest_answer_comes_first(tmp_path: Path) -> None:
    (pair,) = read_released(write(tmp_path, order=[question("7-1-0", white=0.3, black=1.0), question("7-1-0-0")]))
    assert pair.original.answers == ("black", "white")


def test_an_original_may_have_several_partners_or_none(tmp_path: Path) -> None:
    listed = [question("1-0-0"), question("1-0-0-0"), question("1-0-0-1"), question("2-0-0")]
    pairs = list(read_released(write(tmp_path, order=listed)))
    assert [pair.perturbed.question_id if pair.perturbed else None for pair in pairs] == ["1-0-0-0", "1-0-0-1", None]


def test_the_settings_say_which_file_is_of_which_test_and_the_numbers_run_on(tmp_path: Path) -> None:
    two = [question("1-0-0"), question("1-0-0-0")]
    write(tmp_path, object=two, color=two, attribute=two)
    (tmp_path / "carets" / "default.yml").write_text(SETTINGS)
    pairs = list(read_released(tmp_path))
    assert [(pair.test, pair.file, pair.original.number) for pair in pairs] == [
        ("antonym", "attribute.json", "0"),
        ("rephrase", "color.json", "2"),
        ("rephrase", "object.json", "4"),
    ]


def test_a_copy_or_an_archive_of_the_repository_will_do(tmp_path: Path) -> None:
    two = json.dumps([question("1-0-0"), question("1-0-0-0")])
    names = ("attribute", "color", "object")
    (tmp_path / "carets").mkdir()
    with zipfile.ZipFile(tmp_path / "carets" / "CARETS-main.zip", "w") as archive:
        archive.writestr("CARETS-main/configs/default.yml", SETTINGS)
        for name in names:
            archive.writestr(f"CARETS-main/data/questions/{name}.json", two)
    copy = tmp_path / "copy"
    with zipfile.ZipFile(tmp_path / "carets" / "CARETS-main.zip") as archive:
        archive.extractall(copy)
    (copy / "CARETS-main").rename(copy / "carets")
    assert list(read_released(copy)) == list(read_released(tmp_path))
    assert len(list(read_released(copy))) == 3


@pytest.mark.parametrize(
    ("name", "test"),
    [
        ("phrasal_color", "rephrase"),
        ("Rephrasing_1", "rephrase"),
        ("symmetry_and", "order"),
        ("ontological_yes", "ontological"),
        ("negated_objects", "negation"),
        ("antonyms", "antonym"),
    ],
)
def test_without_settings_a_files_name_tells_its_test(tmp_path: Path, name: str, test: str) -> None:
    assert [matched for matched, _ in released_files(write(tmp_path, **{name: []}))] == [test]


TYPES = ("object", "object_rel", "and", "or", "object_choice", "attribute_choice", "attribute_choice_rel")
TYPES += ("action_choice", "action_choice_rel")
NAMES = {f"{type_}_template_test": "rephrase" for type_ in TYPES}
NAMES |= {f"{type_}_symmetry_test": "order" for type_ in TYPES[2:]}
NAMES |= {f"{type_}_negation_template_test": "negation" for type_ in TYPES[:4]}
NAMES |= {f"object_{kind}_test": "ontological" for kind in ("ontological", "rel_ontological", "hypernym", "hyponym")}
NAMES |= {f"attribute{part}_antonym_test": "antonym" for part in ("", "_rel", "_template")}


def test_the_files_of_the_release_load_by_their_own_names(tmp_path: Path) -> None:
    assert len(NAMES) == 27
    two = [question("1-0-0"), question("1-0-0-0")]
    pairs = list(read_released(write(tmp_path, **dict.fromkeys(NAMES, two))))
    assert {pair.file.removesuffix(".json"): pair.test for pair in pairs} == NAMES


def test_a_release_of_26_files_loads_with_the_settings_and_the_gap_is_told(tmp_path: Path) -> None:
    *present, missing = NAMES
    write(tmp_path, **{name: [question("1-0-0"), question("1-0-0-0")] for name in present})
    tests = {test: {"files": [f"{name}.json" for name in NAMES if NAMES[name] == test]} for test in NAMES.values()}
    (tmp_path / "carets" / "default.yml").write_text(json.dumps({"tests": tests}))
    *pairs, gap = sorted(read_released(tmp_path), key=lambda record: isinstance(record, MissingReleaseFile))
    assert {pair.file.removesuffix(".json"): pair.test for pair in pairs} == {name: NAMES[name] for name in present}
    assert gap == MissingReleaseFile(NAMES[missing], f"{missing}.json")


@pytest.mark.parametrize(
    ("first", "second", "test"),
    [
        (("Is there a dog?", "yes"), ("Is there no dog?", "no"), "negation"),
        (("Is the car big?", "yes"), ("Is the car small?", "no"), "antonym"),
        (("Is there a dog or a cat?", "yes"), ("Is there a cat or a dog?", "yes"), "order"),
        (("Is there a dog in the image?", "no"), ("Is there a poodle in the image?", "no"), "ontological"),
        (("Is there a dog in the image?", "no"), ("Can you see a dog here?", "no"), "rephrase"),
    ],
)
def test_where_a_name_does_not_tell_the_questions_do(
    tmp_path: Path, first: tuple[str, str], second: tuple[str, str], test: str
) -> None:
    sides = [question("1-0-0", first[0], **{first[1]: 1.0}), question("1-0-0-0", second[0], **{second[1]: 1.0})]
    records = list(read_released(write(tmp_path, objects_1=sides, symmetry=[])))
    assert [pair.test for pair in records] == [test]


def test_a_file_that_tells_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="neither its name nor its questions show its test"):
        list(read_released(write(tmp_path, objects=[], symmetry=[])))


def test_a_folder_of_other_files_is_not_the_release(tmp_path: Path) -> None:
    assert released_files(write(tmp_path, manifest={})) == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("{", "not the official JSON file"),
        ('{"questions": 1}', "not the official JSON file"),
        ('[{"question_id": "1-0-0"', "cut short"),
        ([3], "question 3: it is a number, not an object"),
        ([{"img_id": "1", "sent": "x", "label": {"yes": 1}}], "question_id is missing"),
        ([question("1-0-0") | {"sent": " "}], "question 1-0-0: sent is empty"),
        ([question("1-0-0") | {"img_id": None}], "question 1-0-0: img_id is null"),
        ([question("1-0-0") | {"label": {}}], "question 1-0-0: label is empty"),
        ([question("1-0-0") | {"label": "yes"}], "question 1-0-0: label is text"),
        ([question("1-0-0") | {"label": {"": 1}}], "question 1-0-0: label holds an empty answer"),
        ([question("1-0-0") | {"label": {"yes": "1"}}], "question 1-0-0: label holds"),
        ([question("1-0-0"), question("1-0-0")], "question 1-0-0: this question_id occurs twice"),
        ([question("1-0-0-0")], "question 1-0-0-0: its original 1-0-0 is missing"),
    ],
)
def test_a_malformed_file_is_refused_with_file_and_question(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(BadInputError, match=message) as refused:
        list(read_released(write(tmp_path, order=content)))
    assert "order.json" in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "settings", ["tests", "tests: [a]", "a: 1", "tests: {order: {files: 3}}", "{", "tests:\n\t- a"]
)
def test_settings_that_are_none_are_refused(tmp_path: Path, settings: str) -> None:
    write(tmp_path, order=[])
    (tmp_path / "carets" / "default.yml").write_text(settings)
    with pytest.raises(BadInputError, match=r"default\.yml: not the release's settings"):
        released_files(tmp_path)


def test_settings_of_which_no_file_is_there_are_refused(tmp_path: Path) -> None:
    (write(tmp_path, other=[]) / "carets" / "default.yml").write_text(SETTINGS)
    with pytest.raises(MissingFileError, match=r"none of the question files that .*default\.yml names"):
        released_files(tmp_path)
