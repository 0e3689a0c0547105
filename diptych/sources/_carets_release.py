"""CARETS as its authors released it: files of questions, and perhaps a YAML file that maps each to its test.

A question file is a list of `{"question_id", "img_id", "sent", "label"}`, where `label` maps right answers to their
weights. The id of an original has three parts (`a-b-c`); a perturbed question has its original's id with a part
appended (`a-b-c-d`). `carets/` may be a copy of the authors' repository, or have the question files, all or some, with
`default.yml` or without it: then a file's test is that of its name (`action_choice_rel_template_test.json` rewords), or
of its questions where the name does not tell.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from diptych.errors import BadInputError, MissingFileError
from diptych.sources._files import SourceFile, find_file, find_matching
from diptych.sources._json import JsonRecords
from diptych.sources._records import Fields, describe

_FOLDER = "carets"
_SETTINGS = ("default.yml", "configs/default.yml")
_ROOTS = ("", "data/questions/")
_ORIGINAL_PARTS = 3
# Part of the authors' name of a test or a file to the paper's name of the test.
_TESTS = {"phras": "rephrase", "ontolog": "ontological", "hypernym": "ontological", "hyponym": "ontological"}
_TESTS |= {"symmetr": "order", "order": "order", "negat": "negation", "antonym": "antonym"}
_TEMPLATE = "template"  # every question has one; where nothing else is said, another one rewords it
_NEGATIONS = frozenset("no not none neither nor without absent missing lacking".split())
_MOST_RENAMED = 4  # words in which a question differs from one with another noun


@dataclass(frozen=True, slots=True)
class ReleasedQuestion:
    """One question of the release."""

    question_id: str
    number: str  # its id in the authors' loader: its place among all questions of the release
    image_id: str
    question: str
    answers: tuple[str, ...]  # right answers, the one with the largest weight first


@dataclass(frozen=True, slots=True)
class ReleasedPair:
    """An original and one of its perturbed questions; None where it has none."""

    test: str  # `rephrase`, `ontological`, `order`, `negation` or `antonym`
    file: str
    original: ReleasedQuestion
    perturbed: ReleasedQuestion | None


@dataclass(frozen=True, slots=True)
class MissingReleaseFile:
    """A file that the release's settings name and that is not there."""

    test: str
    name: str


def released_files(data_dir: Path) -> tuple[tuple[str, SourceFile | MissingReleaseFile], ...]:
    """The question files with their tests, in the order of `default.yml` or of their names.

    The test is empty where neither tells it. It is an error if the settings name files and none of them is there.
    """
    settings = release_yaml(data_dir)
    if settings is not None:
        listed = tuple(_find_listed_files(settings, data_dir))
        if not any(isinstance(file, SourceFile) for _, file in listed):
            path = data_dir / _FOLDER
            raise MissingFileError(
                f"{path} has none of the question files that {settings.where} names; copy them there"
            )
        return listed
    folders = (f"{_FOLDER}/{root}".rstrip("/") for root in _ROOTS)
    files = [file for folder in folders for file in find_matching(data_dir, folder, "*.json")]
    if not any(_match_test(file.name) for file in files):
        return ()  # some other JSON: a folder of this name need not be the release
    return tuple((_match_test(file.name), file) for file in files)


def release_yaml(data_dir: Path) -> SourceFile | None:
    """The YAML file of the release, if it exists."""
    return _find_first(data_dir, _SETTINGS)


def _find_first(data_dir: Path, names: Iterable[str]) -> SourceFile | None:
    files = (find_file(data_dir, _FOLDER, name) for name in names)
    return next((file for file in files if file is not None), None)


def _find_listed_files(settings: SourceFile, data_dir: Path) -> Iterator[tuple[str, SourceFile | MissingReleaseFile]]:
    try:
        entries = yaml.safe_load(settings.read_bytes())["tests"].items()
        names = [(str(test), str(name)) for test, entry in entries for name in entry["files"]]
    except (yaml.YAMLError, KeyError, TypeError, AttributeError, ValueError, RecursionError):
        raise BadInputError(f"{settings.where}: not the release's settings: tests, each with a list of files") from None
    for test, name in names:
        file = _find_first(data_dir, [root + name for root in _ROOTS])
        yield _match_test(test) or _match_test(name), file or MissingReleaseFile(test, name)


def _match_test(name: str) -> str:
    """The one test that a name tells; empty where it tells none or two."""
    tests = {test for part, test in _TESTS.items() if part in name.lower()}
    if not tests and _TEMPLATE in name.lower():
        return "rephrase"
    return tests.pop() if len(tests) == 1 else ""


def read_released(data_dir: Path) -> Iterator[ReleasedPair | MissingReleaseFile]:
    """Yield the pairs of the release file by file, in the order of their perturbed questions, and missing files."""
    count = 0
    for test, file in released_files(data_dir):
        if isinstance(file, MissingReleaseFile):
            yield file
            continue
        questions = _read_questions(file, count)
        count += len(questions)
        pairs = list(_pair_up(test, file, questions))
        yield from pairs if test else _infer_tests(pairs, file)


def _infer_tests(pairs: list[ReleasedPair], file: SourceFile) -> Iterator[ReleasedPair]:
    """The pairs of a file whose name does not tell, with the test that most of them could be of."""
    tests = [_infer_test(pair.original, pair.perturbed) for pair in pairs if pair.perturbed]
    if not tests:
        raise BadInputError(
            f"{file.where}: neither its name nor its questions show its test; check that it belongs to the release"
        )
    test = max(sorted(set(tests)), key=tests.count)
    yield from (ReleasedPair(test, pair.file, pair.original, pair.perturbed) for pair in pairs)


def _infer_test(original: ReleasedQuestion, perturbed: ReleasedQuestion) -> str:
    words, other_words = (re.findall(r"[\w'-]+", side.question.lower()) for side in (original, perturbed))
    new_words = [word for word in other_words if word not in words]
    if original.answers[0] != perturbed.answers[0]:
        is_negated = any(
            word in _NEGATIONS or word.endswith("n't") for word in (*new_words, *set(words) - {*other_words})
        )
        return "negation" if is_negated else "antonym"
    if sorted(words) == sorted(other_words):
        return "order"
    changed = len(new_words) + sum(word not in other_words for word in words)
    return "ontological" if changed <= _MOST_RENAMED and words[0] == other_words[0] else "rephrase"


def _read_questions(file: SourceFile, first_number: int) -> dict[str, ReleasedQuestion]:
    fields = Fields(file, "question", "question_id")
    questions: dict[str, ReleasedQuestion] = {}
    for record in JsonRecords(file):
        question_id = fields.get_id(record, "question_id")
        if question_id in questions:
            raise fields.error(record, "this question_id occurs twice")
        number, image_id = str(first_number + len(questions)), fields.get_id(record, "img_id")
        text, answers = fields.get_text(record, "sent"), _parse_answers(record, fields)
        questions[question_id] = ReleasedQuestion(question_id, number, image_id, text, answers)
    return questions


def _parse_answers(record: Any, fields: Fields) -> tuple[str, ...]:
    weights = fields.get(record, "label")
    if not isinstance(weights, dict) or not weights:
        raise fields.error(record, f"label is {describe(weights or '')}, not answers with weights")
    if not all(answer.strip() and isinstance(weight, int | float) for answer, weight in weights.items()):
        raise fields.error(record, "label holds an empty answer or a weight that is not a number")
    return tuple(sorted(weights, key=lambda answer: -weights[answer]))


def _pair_up(test: str, file: SourceFile, questions: dict[str, ReleasedQuestion]) -> Iterator[ReleasedPair]:
    name = file.name.rsplit("/", 1)[-1]
    unpaired = {key: question for key, question in questions.items() if key.count("-") < _ORIGINAL_PARTS}
    for question_id in [key for key in questions if key not in unpaired]:
        original_id = question_id.rsplit("-", 1)[0]
        if original_id not in questions:
            raise BadInputError(f"{file.where}: question {question_id}: its original {original_id} is missing")
        unpaired.pop(original_id, None)
        yield ReleasedPair(test, name, questions[original_id], questions[question_id])
    yield from (ReleasedPair(test, name, question, None) for question in unpaired.values())
