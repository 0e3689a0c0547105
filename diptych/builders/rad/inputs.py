"""Which rows of which files the configs of `rad-cads` read."""

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from diptych.builders.base import SplitInput
from diptych.builders.ledger import Ledger
from diptych.builders.rad.baselines import Translated
from diptych.builders.rad.tests import RAD_TESTS, opens
from diptych.pairs import Skip
from diptych.sources import (
    VisDialRow,
    VqaFiles,
    VqaQuestion,
    VqaRow,
    backtranslation_files,
    convqa_files,
    find_matching,
    get_source,
    read_backtranslations,
    read_convqa,
    read_rephrasings,
    read_visdial,
    read_vqa,
    rephrasings_files,
    visdial_file,
    visdial_splits,
    vqa_files,
    vqa_splits,
)

PUBLISHED = {"train": "train", "val": "validation", "test": "test"}
"""A source's split to its name on the Hub."""

_SECRET_TESTS = {"vqa_v1", "vqa_v2"}
"""Sources whose test answers are not public."""

ANOTHER_KIND = Skip("another kind of question")


def splits_present(source: str, data: Path) -> list[str]:
    """The splits of a source that lie under the data folder and have answers."""
    if source.startswith("vqa"):
        splits = vqa_splits(data, source)
        return [split for split in splits if not (source in _SECRET_TESTS and split.startswith("test"))]
    if source == "visdial":
        return list(visdial_splits(data))
    if source.startswith("convqa"):
        return ["val"] if convqa_files(data).get(source) else []
    if source == "rephrasings":
        return ["val"] if find_matching(data, "rephrasings", "*_questions.json") else []
    return ["val"] if backtranslation_files(data) and "val" in vqa_splits(data, "vqa_v2") else []


def downloads_of(source: str) -> dict[str, tuple[str, ...]]:
    """The official files with public answers, by source of the catalogue."""
    key = {"convqa_cs": "convqa", "convqa_l": "convqa", "back_translations": "vqa_v2"}.get(source, source)
    names = (name for _, name in get_source(key).official_files())
    return {key: tuple(name for name in names if not (key in _SECRET_TESTS and "test" in name))}


def read_inputs(source: str, tests: tuple[str, ...], data: Path) -> list[SplitInput]:
    """The candidate rows of every split that is present, the others already counted."""
    return [_read(source, split, tests, data) for split in splits_present(source, data)]


def _read(source: str, split: str, tests: tuple[str, ...], data: Path) -> SplitInput:
    if source.startswith("vqa"):
        files = vqa_files(data, source, split)
        rows, total = _vqa_candidates(files, tuple(file.path.stat().st_mtime_ns for file in files.all))
        kept, aside = _set_aside(rows, total, tests)
        return SplitInput(PUBLISHED[split], kept, files.all, aside)
    if source == "visdial":
        file = visdial_file(data, split)
        every = [_as_vqa(row) for row in read_visdial(file, split)]
        rows = [row for row in every if opens(row.question, RAD_TESTS)]
        kept, aside = _set_aside(rows, len(every), tests)
        return SplitInput(PUBLISHED[split], kept, (file,), aside)
    if source.startswith("convqa"):
        sets = convqa_files(data)[source]
        return SplitInput("validation", [row for file in sets for row in read_convqa(file, source)], tuple(sets))
    if source == "rephrasings":
        files = rephrasings_files(data)
        return SplitInput("validation", list(read_rephrasings(files)), files.all)
    return _translations(data)


def _translations(data: Path) -> SplitInput:
    tables = backtranslation_files(data)
    translations = [row for table in tables for row in read_backtranslations(table)]
    wanted = {row.question_id for row in translations}
    files = vqa_files(data, "vqa_v2", "val")
    known = {row.question_id: row for row in read_vqa(files, keep=lambda question: question.question_id in wanted)}
    rows = [Translated(row, known.get(row.question_id)) for row in translations]
    return SplitInput("validation", rows, (*tables, *files.all))


@lru_cache(maxsize=4)
def _vqa_candidates(files: VqaFiles, as_of: tuple[int, ...]) -> tuple[list[VqaRow], int]:
    """The rows some test of ours may use, and how many there are in all; five configs read the same files."""
    del as_of  # part of the key: a file that was changed is read again
    total = 0

    def keep(question: VqaQuestion) -> bool:
        nonlocal total
        total += 1
        return bool(opens(question.question, RAD_TESTS))

    return read_vqa(files, keep=keep), total


def _set_aside(rows: list[VqaRow], total: int, tests: Iterable[str]) -> tuple[list[VqaRow], Ledger]:
    """The rows for some of these tests; what is not for a test is counted at once."""
    ledger, kept = Ledger(), [row for row in rows if opens(row.question, tests)]
    for test in tests:
        mine = sum(bool(opens(row.question, [test])) for row in kept)
        ledger.skipped[test, ANOTHER_KIND.reason] += total - mine
    return kept, ledger


def _as_vqa(row: VisDialRow) -> VqaRow:
    """A round of a dialog as a question with a single answer."""
    return VqaRow(
        question_id=row.question_id,
        image_id=row.image_id,
        question=row.question,
        question_type="",
        answer_type="dialog",
        answer=row.answer,
        answers=(row.answer,),
        split=row.split,
        source=row.source,
    )
