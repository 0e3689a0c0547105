"""Which questions are main questions and which are basic ones, and what `read` keeps of each."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from diptych.builders import EVERY_TEST, Candidates, Item, Rows
from diptych.builders.bqd._settings import Settings
from diptych.builders.bqd._variants import core_letters, plain_words
from diptych.errors import BadInputError, MissingFileError, UnknownNameError
from diptych.sources import VqaQuestion, VqaRow, iter_questions, iter_vqa, vqa_files, vqa_splits

PUBLISHED_SPLITS = {"train": "train", "val": "validation", "test": "test", "test-dev": "test_dev"}
"""A split of VQA to its name on the Hub."""
ANSWERED_SPLITS = ("train", "val")  # the splits whose answers are public
MAIN, POOL = "main", "pool"  # the roles of questions


@dataclass(frozen=True, slots=True)
class Question(Item):
    """A question of VQA, for every test and in both roles; its key is its id."""

    row: VqaRow
    text: str  # the question itself, as a column that can be read alone
    words: str  # what its spellings have in common
    letters: str  # what its variants have in common
    yes_no_margin: int  # how many more of its annotators answered with yes or no than with anything else


@dataclass(frozen=True, slots=True)
class MainQuestion(Item):
    """A main question and the number of its ranking; -1 where there is none."""

    row: VqaRow
    ranking: int


def splits_with_answers(source: str, data: Path) -> tuple[str, ...]:
    """The splits of a source that are present and have public answers."""
    return tuple(split for split in vqa_splits(data, source) if split in ANSWERED_SPLITS)


def pool_splits(settings: Settings, data: Path) -> tuple[str, ...]:
    """The splits of the basic questions; that of the main questions where there is no other."""
    # The paper takes the questions of the test set as main ones, and those of training and validation as basic ones.
    choices = splits_with_answers(settings.source, data)
    if not choices:
        raise MissingFileError(f"{data}: no questions of {settings.source} found; see `diptych sources --data {data}`")
    if settings.basic == "others":
        return tuple(split for split in choices if split != settings.main) or choices
    splits = tuple(dict.fromkeys(settings.basic.split("+")))
    for split in splits:
        if split not in choices:
            raise UnknownNameError.among("split of basic questions", split, choices)
    return splits


def source_records(name: str, data: Path) -> Iterator[VqaRow | VqaQuestion]:
    """The records of an input, by its name; those of a test split have no answers."""
    source, _, split = name.partition("/")
    files = vqa_files(data, source, split)
    return iter_questions(files) if files.annotations is None else iter_vqa(files)


def read_question(record: VqaRow | VqaQuestion) -> Question:
    """What a question says, and how far it is a yes/no question."""
    if isinstance(record, VqaQuestion):
        origin = (record.split, record.source, record.coco_split)
        identity = (record.question_id, record.image_id, record.question)
        record = VqaRow(*identity, "", "", "", (), *origin, record.choices)
    text, yes_no = record.question, sum(answer.strip().lower() in ("yes", "no") for answer in record.answers)
    margin = 2 * yes_no - len(record.answers)
    return Question(EVERY_TEST, record.question_id, record, text, plain_words(text), core_letters(text), margin)


def main_questions(test: str, rows: Rows, limit: int, number: Callable[[Question], int]) -> Iterator[MainQuestion]:
    """The main questions, each with the number of its ranking."""
    for question in islice(rows, limit or None):
        yield MainQuestion(test, question.key, question.row, number(question))


def pool_texts(candidates: Candidates, settings: Settings, yes_no: bool) -> tuple[str, ...]:
    """The basic questions of the inputs that are not main questions."""
    inputs = (rows for role, rows in candidates.inputs.items() if role != MAIN)
    columns = (rows.columns("text", settings.identity, "yes_no_margin") for rows in inputs)
    return basic_questions(chain.from_iterable(columns), yes_no)


def basic_questions(questions: Iterable[tuple[str, str, int]], yes_no: bool = False) -> tuple[str, ...]:
    """Every question once, in its first spelling, from texts, what equal ones share, and margins of yes/no answers."""
    # Yes/no questions are those that most annotators, over all images they are asked of, answer with yes or no.
    spellings: dict[str, str] = {}
    margins: Counter[str] = Counter()
    for text, identity, margin in questions:
        if identity not in spellings:
            spellings[identity] = " ".join(text.split())
        margins[identity] += margin
    texts = tuple(text for name, text in spellings.items() if name and (not yes_no or margins[name] > 0))
    if not texts:
        raise BadInputError("no basic questions to rank")
    return texts


def read_pool(settings: Settings, data: Path, yes_no: bool) -> tuple[str, ...]:
    """The basic questions, read from the official files at once."""
    names = (f"{settings.source}/{split}" for split in pool_splits(settings, data))
    questions = (read_question(record) for name in names for record in source_records(name, data))
    columns = ((item.text, getattr(item, settings.identity), item.yes_no_margin) for item in questions)
    return basic_questions(columns, yes_no)
