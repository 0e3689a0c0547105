"""Benchmarks whose questions belong together: HallusionBench, MMVP, NaturalBench, POPE and MME, as they are published.

Each reader gives groups of questions. Within a group, questions of one `question_id` ask the same thing of several
images, in the same words or not.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from diptych.errors import BadInputError
from diptych.files import parse_json_object, reading
from diptych.sources._files import SourceFile, find_file, find_matching, list_members
from diptych.sources._json import JsonRecords
from diptych.sources._records import Fields, IdLog, check_text

_YES_NO = {"0": "no", "1": "yes"}  # HallusionBench's answers
_COCO_NAME = re.compile(r"COCO_\w+?_0*(\d+)\.jpg")
_LETTERED = re.compile(r"\(([a-z])\)\s*([^()]+)")  # MMVP's options: (a) Open (b) Closed
_OPTIONS = re.compile(
    r"Option:\s*A:\s*(.+?)\s*;\s*B:\s*(.+?)\s*;?\s*$", re.DOTALL
)  # at the end of a NaturalBench question
_MMVP_COLUMNS = ("lndex", "Question", "Options", "Correct Answer")  # the first is spelled with an l in the release
_NATURALBENCH_TYPES = ("Question_Type", "Question Type")  # later and earlier releases
_LARGEST_FILE = 20_000_000  # bytes of a file of text; the official ones have less than one million
_MME_PERCEPTION = "existence count position color posters celebrity scene landmark artwork OCR"
_MME_COGNITION = "commonsense_reasoning numerical_calculation text_translation code_reasoning"
_MME_SUBTASKS = frozenset(f"{_MME_PERCEPTION} {_MME_COGNITION}".split())


@dataclass(frozen=True, slots=True)
class BenchmarkQuestion:
    """One question about one image."""

    key: str  # unique within the benchmark
    question_id: str  # the same for the same question about other images
    image_id: str  # empty where it is asked without an image
    image_file: str  # the official file name; empty where the release does not tell it
    question: str
    answer: str
    choices: tuple[str, ...] = ()  # empty for yes/no questions


@dataclass(frozen=True, slots=True)
class BenchmarkGroup:
    """Questions that belong together."""

    source: str
    group_id: str
    category: str  # what its publisher reports it under
    questions: tuple[BenchmarkQuestion, ...]


def benchmark_files(data_dir: Path, source: str) -> tuple[SourceFile, ...]:
    """The files of a benchmark that exist."""
    match source:
        case "hallusionbench":
            return tuple(filter(None, [find_file(data_dir, source, "HallusionBench.json")]))
        case "mmvp":
            return tuple(filter(None, [find_file(data_dir, source, "Questions.csv")]))
        case "mme":
            return _mme_files(data_dir)
    return find_matching(data_dir, source, "*.parquet" if source == "naturalbench" else "*_pope_*.json")


def read_benchmark(source: str, files: Iterable[SourceFile]) -> Iterator[BenchmarkGroup]:
    """The groups of a benchmark, in the order of its files."""
    return (group for file in files for group in _READERS[source](file))


def _gather(source: str, questions: Iterable[tuple[str, str, BenchmarkQuestion]]) -> Iterator[BenchmarkGroup]:
    """Groups in the order of their first questions, from questions with the names of their group and category."""
    groups: dict[str, tuple[str, list[BenchmarkQuestion]]] = {}
    for group_id, category, question in questions:
        groups.setdefault(group_id, (category, []))[1].append(question)
    for group_id, (category, members) in groups.items():
        yield BenchmarkGroup(source, group_id, category, tuple(members))


# HallusionBench: a set has several figures, or none and some, and the same questions about each.


def _read_hallusionbench(file: SourceFile) -> Iterator[BenchmarkGroup]:
    fields = Fields(file, "question", "question")
    ids = IdLog(Fields(file, "question", "id"))

    def questions() -> Iterator[tuple[str, str, BenchmarkQuestion]]:
        for record in JsonRecords(file):
            category = "/".join(fields.get_text(record, name) for name in ("category", "subcategory"))
            set_id, figure, number = (fields.get_id(record, name) for name in ("set_id", "figure_id", "question_id"))
            answer = _YES_NO.get(fields.get_id(record, "gt_answer"))
            if answer is None:
                raise fields.error(record, "gt_answer is neither 0 nor 1")
            group, text = f"{category}/{set_id}", fields.get_text(record, "question").strip()
            has_image = fields.get_id(record, "visual_input") != "0"
            key = f"{group}/{figure}/{number}"
            ids.add(key)
            image = (f"{group}_{figure}", f"{group}_{figure}.png") if has_image else ("", "")
            yield group, category, BenchmarkQuestion(key, f"{group}/{number}", *image, text, answer)
        ids.check()

    return _gather("hallusionbench", questions())


# MMVP: rows 1 and 2 are a pair, rows 3 and 4, and so on.


def _read_mmvp(file: SourceFile) -> Iterator[BenchmarkGroup]:
    fields = Fields(file, "question", "lndex")
    ids = IdLog(fields)

    def questions() -> Iterator[tuple[str, str, BenchmarkQuestion]]:
        with reading(file.where):
            table = csv.DictReader(io.StringIO(file.read_bytes(_LARGEST_FILE).decode("utf-8-sig"), newline=""))
            _check_columns(file, table.fieldnames or (), _MMVP_COLUMNS)
            rows = list(table)
        for row in rows:
            number, text, options, letter = (
                fields.get_number(row, "lndex"),
                *(" ".join(fields.get_text(row, name).replace('"', "").split()) for name in _MMVP_COLUMNS[1:]),
            )
            choices = {name: choice.strip(" .,;") for name, choice in _LETTERED.findall(options)}
            answer = choices.get(letter.strip("() ").lower())
            if answer is None or len(set(choices.values())) < 2:
                raise fields.error(row, f"the answer {letter!r} is not one of the options {options!r}")
            ids.add(number)
            pair = str((int(number) + 1) // 2)
            image = (number, f"MMVP Images/{number}.jpg")
            question = BenchmarkQuestion(number, pair, *image, f"{text} {options}", answer, tuple(choices.values()))
            yield pair, "", question
        ids.check()

    return _gather("mmvp", questions())


# NaturalBench: two questions about two images in one row; the images are in columns that are not read.


def _read_naturalbench(file: SourceFile) -> Iterator[BenchmarkGroup]:
    import pyarrow as pa  # slow to import, and no other benchmark needs it
    import pyarrow.parquet as pq

    fields = Fields(file, "row", "Index")
    with reading(file.where):
        content = str(file.path) if file.format == "plain" else pa.BufferReader(file.read_bytes())
        names = pq.read_schema(content).names
        kind_column = next((name for name in _NATURALBENCH_TYPES if name in names), _NATURALBENCH_TYPES[0])
        answers = {(i, q): f"Image_{i}_Question_{q}" for q in (0, 1) for i in (0, 1)}
        columns = ("Index", "Question_0", "Question_1", *answers.values(), kind_column)
        _check_columns(file, names, columns)
        rows = pq.read_table(content, columns=list(columns)).to_pylist()
    for row in rows:
        index, category = fields.get_id(row, "Index"), fields.get_text(row, kind_column)
        questions = []
        for (image, number), column in answers.items():
            text, choices = fields.get_text(row, f"Question_{number}").strip(), ()
            answer = fields.get_text(row, column).strip()
            if answer.lower() in _YES_NO.values():
                answer = answer.lower()
            else:
                answer, choices = _chosen_option(text, answer, fields, row)
            names_of_side = (f"{index}/{number}/{image}", f"{index}/{number}", f"{index}_{image}")
            questions.append(BenchmarkQuestion(*names_of_side, "", text, answer, choices))
        yield BenchmarkGroup("naturalbench", index, category, tuple(questions))


def _chosen_option(text: str, letter: str, fields: Fields, row: Any) -> tuple[str, Any]:
    """The answer of a question that offers two options, and the options; a letter where the words are not given."""
    if letter not in ("A", "B"):
        raise fields.error(row, f"the answer {letter!r} is neither yes nor no, A nor B")
    match = _OPTIONS.search(text)
    options = match.groups() if match and match[1].lower() != match[2].lower() else ("A", "B")
    return options["AB".index(letter)], options


# POPE: lines of JSON, six or fewer questions about an image; the file names say how absent objects were chosen.


def _read_pope(file: SourceFile) -> Iterator[BenchmarkGroup]:
    fields = Fields(file, "question", "question_id")
    setting = "_".join(PurePosixPath(file.name).stem.split("_pope_"))
    ids = IdLog(fields)

    def questions() -> Iterator[tuple[str, str, BenchmarkQuestion]]:
        for number, line in enumerate(file.read_bytes(_LARGEST_FILE).splitlines(), start=1):
            if not line.strip():
                continue
            record = parse_json_object(line, f"{file.where}: line {number}")
            question_id, image = fields.get_id(record, "question_id"), fields.get_text(record, "image")
            answer = fields.get_text(record, "label").strip().lower()
            if answer not in _YES_NO.values():
                raise fields.error(record, f"label is {answer!r}, neither yes nor no")
            ids.add(question_id)
            coco = _COCO_NAME.fullmatch(image)
            key, text = f"{setting}/{question_id}", fields.get_text(record, "text").strip()
            image_id = coco[1] if coco else PurePosixPath(image).stem
            yield f"{setting}/{image}", setting, BenchmarkQuestion(key, key, image_id, image, text, answer)
        ids.check()

    return _gather("pope", questions())


# MME: a text file per image in a folder per subtask, two lines of a question and its answer with a tab between.


def _mme_files(data_dir: Path) -> tuple[SourceFile, ...]:
    root = Path(data_dir) / "mme"
    files = [SourceFile(path, path.relative_to(root).as_posix()) for path in root.rglob("*.txt") if path.is_file()]
    archives = sorted(filter(Path.is_file, root.glob("*.zip")))
    files += [SourceFile(path, name, name) for path in archives for name in list_members(path)]
    by_place = {_mme_place(file): file for file in reversed(files) if file.name.endswith(".txt")}
    return tuple(file for (subtask, _), file in sorted(by_place.items()) if subtask)


def _mme_place(file: SourceFile) -> tuple[str, str]:
    """The subtask and the image that a file is about; no subtask for files that are about none."""
    path = PurePosixPath(file.name)
    return next((part for part in path.parts[-3:-1] if part in _MME_SUBTASKS), ""), path.stem


def _read_mme(file: SourceFile) -> Iterator[BenchmarkGroup]:
    subtask, stem = _mme_place(file)
    lines = file.read_bytes(_LARGEST_FILE).decode("utf-8-sig", "replace").splitlines()
    questions = []
    for number, line in enumerate(filter(str.strip, lines), start=1):
        text, _, answer = (part.strip() for part in line.partition("\t"))
        if not text or answer.lower() not in _YES_NO.values():
            raise BadInputError(f"{file.where}: line {number}: not a question, a tab, and yes or no")
        key, text = f"{subtask}/{stem}/{number}", check_text(text, f"{file.where}: line {number}: the question")
        questions.append(BenchmarkQuestion(key, key, f"{subtask}/{stem}", "", text, answer.lower()))
    if questions:
        yield BenchmarkGroup("mme", f"{subtask}/{stem}", subtask, tuple(questions))


def _check_columns(file: SourceFile, names: Iterable[str], required: Iterable[str]) -> None:
    names = list(names)
    if absent := [name for name in required if name not in names]:
        columns = ", ".join(names) or "none"
        raise BadInputError(f"{file.where}: no column {', '.join(absent)}; the columns are: {columns}")


_READERS: dict[str, Callable[[SourceFile], Iterator[BenchmarkGroup]]] = {
    "hallusionbench": _read_hallusionbench,
    "mmvp": _read_mmvp,
    "naturalbench": _read_naturalbench,
    "pope": _read_pope,
    "mme": _read_mme,
}

BENCHMARKS: tuple[str, ...] = tuple(_READERS)
"""The benchmarks by the names of their sources."""
