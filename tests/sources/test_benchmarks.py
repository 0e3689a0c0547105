"""The readers of HallusionBench, MMVP, NaturalBench, POPE and MME."""

import shutil
from pathlib import Path

import pytest

from diptych.errors import BadInputError
from diptych.sources import BENCHMARKS, BenchmarkGroup, benchmark_files, read_benchmark
from tests.sources import benchmark_files as made
from tests.sources.official import write_gz, write_plain, write_zip


def read(data: Path, source: str) -> list[BenchmarkGroup]:
    return list(read_benchmark(source, benchmark_files(data, source)))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    made.write_all(tmp_path)
    return tmp_path


@pytest.mark.parametrize("source", BENCHMARKS)
def test_keys_are_unique_and_answers_are_among_the_choices(data: Path, source: str) -> None:
    questions = [question for group in read(data, source) for question in group.questions]
    assert len({question.key for question in questions}) == len(questions) > 0
    assert all(question.answer in (question.choices or ("yes", "no")) for question in questions)


@pytest.mark.parametrize("source", BENCHMARKS)
def test_absent_files_are_no_groups(tmp_path: Path, source: str) -> None:
    assert read(tmp_path, source) == []


def test_hallusionbench_is_grouped_by_set_and_names_figures(data: Path) -> None:
    first, second = read(data, "hallusionbench")
    assert (first.group_id, first.category, len(first.questions)) == ("VD/figure/0", "VD/figure", 7)
    figure = first.questions[1]
    assert (figure.image_id, figure.image_file) == ("VD/figure/0_1", "VD/figure/0_1.png")
    assert (second.questions[0].image_id, second.questions[1].image_id) == ("", "VS/chart/0_1")
    assert len({question.question_id for question in second.questions}) == 1


def test_mmvp_pairs_are_two_rows_with_their_options(data: Path) -> None:
    (group,) = read(data, "mmvp")
    first, second = group.questions
    assert first.question == "Are the wings open? (a) Open (b) Closed"
    assert (first.answer, second.answer, first.choices) == ("Open", "Closed", ("Open", "Closed"))
    assert (first.question_id, second.image_file) == (second.question_id, "MMVP Images/2.jpg")


def test_naturalbench_is_two_by_two_and_its_letters_are_words(data: Path) -> None:
    yes_no, choices = read(data, "naturalbench")
    assert [question.answer for question in yes_no.questions] == ["yes", "no", "no", "yes"]
    assert [question.answer for question in choices.questions] == ["a dog", "a cat", "under it", "on it"]
    assert {question.image_id for question in choices.questions} == {"1_0", "1_1"}
    assert choices.category == "multiple_choice"


def test_naturalbench_options_without_words_stay_letters(tmp_path: Path) -> None:
    made.write_naturalbench(tmp_path, [made.natural(3, ("Which?", "Which one?"), "ABBA", "multiple_choice")])
    (group,) = read(tmp_path, "naturalbench")
    assert group.questions[0].choices == ("A", "B")


def test_earlier_releases_of_naturalbench_are_read(tmp_path: Path) -> None:
    row = made.natural(0, ("Is it?", "Was it?"), "ynny")
    row["Question Type"] = row.pop("Question_Type")
    made.write_naturalbench(tmp_path, [row])
    assert read(tmp_path, "naturalbench")[0].category == "yes_no"


def test_pope_names_its_images_as_coco_does(data: Path) -> None:
    (group,) = read(data, "pope")
    question = group.questions[0]
    assert (question.image_id, question.image_file) == ("42", "COCO_val2014_000000000042.jpg")
    assert (group.category, question.key) == ("coco_random", "coco_random/1")


def test_both_layouts_of_mme_are_read(data: Path) -> None:
    artwork, existence = read(data, "mme")
    assert (artwork.category, existence.category) == ("artwork", "existence")
    assert [question.answer for question in artwork.questions] == ["yes", "no"]
    assert existence.questions[0].question == "Is there a dog in this image? Please answer yes or no."


def test_mme_is_read_from_its_archive(tmp_path: Path) -> None:
    root = "MME_Benchmark_release_version/MME_Benchmark"
    members = {f"{root}/existence/0001.txt": made.mme_lines("a dog", "a cat"), f"{root}/readme.txt": b"Hello"}
    write_zip(tmp_path / "mme", "MME_Benchmark_release_version.zip", members | {f"{root}/existence/0001.jpg": b"x"})
    (group,) = read(tmp_path, "mme")
    assert group.group_id == "existence/0001"


def test_a_file_may_be_compressed(data: Path, tmp_path: Path) -> None:
    path = data / "hallusionbench" / "HallusionBench.json"
    groups = read(data, "hallusionbench")
    write_gz(tmp_path / "again" / "hallusionbench", path.name, path.read_bytes())
    assert read(tmp_path / "again", "hallusionbench") == groups
    table = data / "naturalbench" / "train-00000-of-00001.parquet"
    write_zip(tmp_path / "again" / "naturalbench", "all.zip", {table.name: table.read_bytes()})
    assert read(tmp_path / "again", "naturalbench") == read(data, "naturalbench")


FAULTS = [
    ("hallusionbench", "gt_answer is neither 0 nor 1", lambda data: [made.hallusion(0, 0, 2)]),
    ("hallusionbench", "set_id is missing", lambda data: [{"category": "VD", "subcategory": "figure"}]),
    ("hallusionbench", "occurs twice", lambda data: [made.hallusion(0, 0, 1), made.hallusion(0, 0, 1)]),
    ("pope", "neither yes nor no", lambda data: [made.pope(1, "dog", "maybe")]),
    ("pope", "this question_id occurs twice", lambda data: [made.pope(1, "dog", "yes"), made.pope(1, "cat", "no")]),
    ("mmvp", "is not one of the options", lambda data: [(1, "Is it?", "(a) Open (b) Closed", "(c)")]),
    ("mmvp", "lndex is 'one', not a number", lambda data: [("one", "Is it?", "(a) Open (b) Closed", "(a)")]),
    ("mmvp", "Correct Answer is null, not text", lambda data: [(1, "Is it?", "(a) Open (b) Closed")]),
]


@pytest.mark.parametrize(("source", "message", "make"), FAULTS, ids=[fault[1] for fault in FAULTS])
def test_a_fault_is_one_line_that_names_the_file(source: str, message: str, make: object, tmp_path: Path) -> None:
    path: Path = getattr(made, f"write_{source}")(tmp_path, make(tmp_path))  # type: ignore[operator]
    with pytest.raises(BadInputError, match=message) as caught:
        read(tmp_path, source)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("place", "content", "message"),
    [
        ("pope/coco_pope_random.json", b"[]\n", "line 1: not a JSON object"),
        ("mmvp/Questions.csv", b"Index,Question\n1,Is it?\n", "no column lndex, Options, Correct Answer"),
        ("mme/existence/1.txt", b"Is it?\tperhaps\n", "line 1: not a question, a tab, and yes or no"),
        ("mme/count/1.txt", b"1.jpg\tIs it?\tYes\n", "line 1: not a question, a tab, and yes or no"),
        ("naturalbench/train-00000-of-00001.parquet", b"PAR1", "cannot be read"),
        ("hallusionbench/HallusionBench.json", b'{"a": 1}', "HallusionBench.json"),
    ],
)
def test_a_file_of_another_kind_is_refused(place: str, content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / place
    write_plain(path.parent, path.name, content)
    with pytest.raises(BadInputError, match=message):
        read(tmp_path, place.split("/")[0])


def test_a_naturalbench_answer_of_neither_kind_is_refused(tmp_path: Path) -> None:
    made.write_naturalbench(
        tmp_path, [made.natural(0, ("Is it?", "Was it?"), "ynny") | {"Image_0_Question_0": "Maybe"}]
    )
    with pytest.raises(BadInputError, match="row 0: the answer 'Maybe' is neither yes nor no, A nor B"):
        read(tmp_path, "naturalbench")


def test_a_naturalbench_table_without_answers_is_refused(tmp_path: Path) -> None:
    made.write_naturalbench(tmp_path, [{"Index": 0, "Question_0": "Is it?"}])
    with pytest.raises(BadInputError, match="no column Question_1, Image_0_Question_0"):
        read(tmp_path, "naturalbench")


def test_a_damaged_archive_is_refused(data: Path) -> None:
    shutil.rmtree(data / "mme")
    write_plain(data / "mme", "MME_Benchmark_release_version.zip", b"PK\x03\x04 cut short")
    with pytest.raises(BadInputError, match=r"a damaged or incomplete \.zip file"):
        read(data, "mme")
