"""CARETS as its authors released it: files of questions, and a YAML file that says which test each belongs to.

A question file is a list of `{"question_id", "img_id", "sent", "label"}`, where `label` maps right answers to their
weights. The id of an original has three parts (`a-b-c`); a perturbed question has its original's id with a part behind
it (`a-b-c-d`). `carets/` may be a copy of the authors' repository, or hold `default.yml` and the question files.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from diptych.errors import BadInputError, MissingFileError
from diptych.sources.files import SourceFile, find_file, find_matching
from diptych.sources.records import Complain, JsonRecords, complainer, described, get, get_id, get_text

FOLDER = "carets"
SETTINGS = ("default.yml", "configs/default.yml")
_ROOTS = ("", "data/questions/")
_ORIGINAL_PARTS = 3
# The authors' names of the tests, by what tells them apart, to the paper's.
_TESTS = {
    "phras": "rephrase",
    "ontolog": "ontological",
    "symmetr": "order",
    "order": "order",
    "negat": "negation",
    "antonym": "antonym",
}


@dataclass(frozen=True, slots=True)
class ReleasedQuestion:
    """One question of the release."""

    question_id: str
    number: str
    """What the authors' loader calls it: its place among all questions of the release."""
    image_id: str
    question: str
    answers: tuple[str, ...]
    """Right answers, the weightiest first."""


@dataclass(frozen=True, slots=True)
class ReleasedPair:
    """An original and one of its perturbed questions; None where it has none."""

    test: str
    """`rephrase`, `ontological`, `order`, `negation` or `antonym`."""
    file: str
    original: ReleasedQuestion
    perturbed: ReleasedQuestion | None


def released_files(data_dir: Path) -> tuple[tuple[str, SourceFile], ...]:
    """The question files with their tests: in the order of `default.yml`, or by their names where it is not there."""
    settings = released_settings(data_dir)
    if settings is not None:
        return tuple(_named_files(settings, data_dir))
    found = [file for root in _ROOTS for file in find_matching(data_dir, f"{FOLDER}/{root}".rstrip("/"), "*.json")]
    if not any(_tests_of(file.name) for file in found):
        return ()  # some other JSON: a folder of this name need not be the release
    return tuple((_test_of(file.name, file.where), file) for file in found)


def released_settings(data_dir: Path) -> SourceFile | None:
    """The YAML file of the release, if it is there."""
    found = (find_file(data_dir, FOLDER, name) for name in SETTINGS)
    return next((file for file in found if file is not None), None)


def _named_files(settings: SourceFile, data_dir: Path) -> Iterator[tuple[str, SourceFile]]:
    try:
        said = yaml.safe_load(settings.read_bytes())
        listed = [(str(test), [str(name) for name in entry["files"]]) for test, entry in said["tests"].items()]
    except (yaml.YAMLError, KeyError, TypeError, AttributeError):
        raise BadInputError(f"{settings.where}: not the release's settings: tests, each with a list of files") from None
    for test, names in listed:
        for name in names:
            found = (find_file(data_dir, FOLDER, root + name) for root in _ROOTS)
            file = next((one for one in found if one is not None), None)
            if file is None:
                raise MissingFileError(
                    f"{data_dir / FOLDER / name} is missing; {settings.where} names it as a file of {test}"
                )
            yield _test_of(test, settings.where), file


def _test_of(name: str, where: str) -> str:
    found = _tests_of(name)
    if len(found) != 1:
        raise BadInputError(
            f"{where}: {name} does not tell its test ({', '.join(dict.fromkeys(_TESTS.values()))}); "
            f"put the release's default.yml into {FOLDER}/, or name it so"
        )
    return found.pop()


def _tests_of(name: str) -> set[str]:
    return {test for part, test in _TESTS.items() if part in name.lower()}


def read_released(data_dir: Path) -> Iterator[ReleasedPair]:
    """The pairs of the release, file after file, in the order of their perturbed questions."""
    offset = 0
    for test, file in released_files(data_dir):
        questions = _questions(file, offset)
        offset += len(questions)
        yield from _pairs(test, file, questions)


def _questions(file: SourceFile, offset: int) -> dict[str, ReleasedQuestion]:
    complain = complainer(file, "question", "question_id")
    found: dict[str, ReleasedQuestion] = {}
    for record in JsonRecords(file):
        question_id = get_id(record, "question_id", complain)
        if question_id in found:
            raise complain(record, "this question_id is there twice")
        found[question_id] = ReleasedQuestion(
            question_id,
            str(offset + len(found)),
            get_id(record, "img_id", complain),
            get_text(record, "sent", complain),
            _answers(record, complain),
        )
    return found


def _answers(record: Any, complain: Complain) -> tuple[str, ...]:
    label = get(record, "label", complain)
    if not isinstance(label, dict) or not label:
        raise complain(record, f"label is {described(label) if label != {} else 'empty'}, not answers with weights")
    if not all(answer.strip() and isinstance(weight, int | float) for answer, weight in label.items()):
        raise complain(record, "label holds an empty answer or a weight that is no number")
    return tuple(sorted(label, key=lambda answer: -label[answer]))


def _pairs(test: str, file: SourceFile, questions: dict[str, ReleasedQuestion]) -> Iterator[ReleasedPair]:
    name = file.name.rsplit("/", 1)[-1]
    alone = {key for key in questions if _is_original(key)}
    for key, question in questions.items():
        if _is_original(key):
            continue
        original = questions.get(key.rsplit("-", 1)[0])
        if original is None:
            raise BadInputError(f"{file.where}: question {key}: its original {key.rsplit('-', 1)[0]} is not there")
        alone.discard(original.question_id)
        yield ReleasedPair(test, name, original, question)
    yield from (ReleasedPair(test, name, questions[key], None) for key in questions if key in alone)


def _is_original(question_id: str) -> bool:
    return question_id.count("-") < _ORIGINAL_PARTS
