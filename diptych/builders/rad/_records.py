"""Which records of which files the configs of `rad-cads` read."""

from collections.abc import Iterator
from pathlib import Path

from diptych.builders import Input
from diptych.builders.rad._imports import ImportedPair, TranslatedQuestion
from diptych.builders.rad._reading import RadCandidate
from diptych.sources import (
    SourceFile,
    VisDialRow,
    VqaRow,
    backtranslation_files,
    convqa_files,
    find_matching,
    get_source,
    iter_vqa,
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

PUBLISHED_SPLITS = {"train": "train", "val": "validation", "test": "test"}
"""A split of a source to its name on the Hub."""

_SECRET_TESTS = {"vqa_v1", "vqa_v2"}
# Sources whose test answers are not public.


def present_splits(source: str, data: Path) -> list[str]:
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


def source_downloads(source: str) -> dict[str, tuple[str, ...]]:
    """The official files with public answers, by source of the catalog."""
    key = {"convqa_cs": "convqa", "convqa_l": "convqa", "back_translations": "vqa_v2"}.get(source, source)
    names = (name for _, name in get_source(key).official_files())
    return {key: tuple(name for name in names if not (key in _SECRET_TESTS and "test" in name))}


def source_input(source: str, split: str, data: Path) -> Input:
    """The records of one split of a source."""
    candidate = RadCandidate if source.startswith(("vqa", "visdial")) else ImportedPair
    return Input(f"{source}/{split}", _files(source, split, data), candidate)


def _files(source: str, split: str, data: Path) -> tuple[SourceFile, ...]:
    if source.startswith("vqa"):
        return vqa_files(data, source, split).all
    if source == "visdial":
        return (visdial_file(data, split),)
    if source.startswith("convqa"):
        return convqa_files(data)[source]
    if source == "rephrasings":
        return rephrasings_files(data).all
    return (*backtranslation_files(data), *vqa_files(data, "vqa_v2", "val").all)


def source_records(name: str, data: Path) -> Iterator[object]:
    """The records of an input, by its name."""
    source, _, split = name.partition("/")
    if source.startswith("vqa"):
        yield from iter_vqa(vqa_files(data, source, split))
    elif source == "visdial":
        yield from map(_as_vqa_row, read_visdial(visdial_file(data, split), split))
    elif source.startswith("convqa"):
        yield from (record for file in convqa_files(data)[source] for record in read_convqa(file, source))
    elif source == "rephrasings":
        yield from read_rephrasings(rephrasings_files(data))
    else:
        yield from _translated_questions(data)


def _translated_questions(data: Path) -> Iterator[TranslatedQuestion]:
    translations = [row for table in backtranslation_files(data) for row in read_backtranslations(table)]
    wanted = {row.question_id for row in translations}
    files = vqa_files(data, "vqa_v2", "val")
    originals = {row.question_id: row for row in read_vqa(files, keep=lambda row: row.question_id in wanted)}
    yield from (TranslatedQuestion(row, originals.get(row.question_id)) for row in translations)


def _as_vqa_row(row: VisDialRow) -> VqaRow:
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
