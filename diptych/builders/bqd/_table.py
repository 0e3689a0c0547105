"""A ranked table of the user's own: which basic questions go with which main question, the best first."""

from pathlib import Path
from typing import Any

from diptych.builders import EVERY_TEST
from diptych.builders.bqd._blocks import RankedText
from diptych.builders.bqd._rankings import Rankings
from diptych.builders.bqd._records import plain_words
from diptych.errors import BadInputError, MissingFileError
from diptych.files import read_json_lines
from diptych.sources import LONGEST_TEXT, SourceFile


def table_file(path: Path) -> SourceFile:
    """The file of a table, which must be there."""
    if not path.is_file():
        raise MissingFileError(f"{path}: no such table of ranked questions, nor of that name in the data folder's bqd/")
    return SourceFile(path, path.name)


def read_table(path: Path) -> tuple[dict[str, int], Rankings]:
    """The rankings of a table, and the number of each by the plain words of its main question.

    A line of the file is a JSON object with `main`, `basic` (the best first) and, if you like, `scores`.
    """
    pool: dict[str, int] = {}
    rankings: dict[str, RankedText] = {}
    for number, line in read_json_lines(path):
        main, texts, scores = _read_line(line, f"{path}:{number}")
        indices = tuple(pool.setdefault(" ".join(text.split()), len(pool)) for text in texts)
        words = plain_words(main)
        ranking = RankedText(EVERY_TEST, words, words, indices, scores)
        if rankings.setdefault(words, ranking) != ranking:
            raise BadInputError(f"{path}:{number}: {main!r} is ranked differently above; keep one line")
    numbers = {words: number for number, words in enumerate(rankings)}
    return numbers, Rankings.from_texts(tuple(pool), list(rankings.values()))


def _read_line(line: dict[str, Any], place: str) -> tuple[str, list[str], tuple[float, ...]]:
    main, texts = line.get("main"), line.get("basic")
    if not isinstance(main, str) or not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BadInputError(f"{place}: a ranked question has `main`, a text, and `basic`, a list of texts")
    if max(map(len, (main, *texts))) > LONGEST_TEXT:
        raise BadInputError(f"{place}: a question of more than {LONGEST_TEXT:,} characters")
    scores = line.get("scores") or [0.0] * len(texts)
    is_list = isinstance(scores, list) and len(scores) == len(texts)
    if not is_list or not all(isinstance(score, int | float) for score in scores):
        raise BadInputError(f"{place}: `scores` must hold a number for each of the {len(texts)} basic questions")
    return main, texts, tuple(map(float, scores))
