"""The readers of large files hold a few records at a time: ten times the records take hardly more memory."""

import gc
import tracemalloc
from collections.abc import Iterable, Iterator
from pathlib import Path

import orjson

from diptych.sources import (
    iter_questions,
    iter_vqa,
    read_facts,
    read_vg_questions,
    read_visdial,
    require_file,
    visdial_file,
    vqa_files,
)
from tests.sources.official import annotation, question, write_plain, write_vqa

NUMBERS = 400
BYTES_PER_RECORD = 40


def write_world(data: Path, count: int) -> Path:
    """Files of `count` records each, about one kilobyte a record."""
    ids = range(1000, 1000 * (count + 1), 1000)
    write_vqa(data, [question(n, padding="x" * 900) for n in ids], [annotation(n) for n in ids])
    rounds = [{"question": 0, "answer": 0, "answer_options": [0] * 20, "gt_index": 0} for _ in range(10)]
    dialogs = [{"image_id": n, "caption": "a dog", "dialog": rounds} for n in ids]
    visdial = {"data": {"questions": ["is it sunny"], "answers": ["yes"], "dialogs": dialogs}}
    write_plain(data / "visdial", "visdial_1.0_val.json", orjson.dumps(visdial))
    answers = {"question": "Where is the dog?", "answer": "On the grass.", "padding": "x" * 900}
    images = [{"id": n, "qas": [answers | {"qa_id": n, "image_id": n}]} for n in ids]
    write_plain(data / "vg", "question_answers.json", orjson.dumps(images))
    facts = {f"conceptnet/e/{n}": {"KB": "conceptnet", "e1_label": "cup", "padding": "x" * 900} for n in ids}
    write_plain(data / "fvqa", "all_fact_triples_release.json", orjson.dumps(facts))
    return data


def streams(data: Path) -> Iterator[tuple[str, Iterable[object]]]:
    yield "iter_questions", iter_questions(vqa_files(data))
    yield "iter_vqa", iter_vqa(vqa_files(data))
    yield "read_visdial", read_visdial(visdial_file(data), "val")
    yield "read_vg_questions", read_vg_questions(require_file(data, "vg", "question_answers.json"))
    yield "read_facts", read_facts(data)


def measure_peak(records: Iterable[object]) -> int:
    gc.collect()  # what a collection frees is not held
    tracemalloc.start()
    try:
        for _ in records:
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    few, many = write_world(tmp_path / "few", NUMBERS), write_world(tmp_path / "many", 10 * NUMBERS)
    for (name, small), (_, large) in zip(streams(few), streams(many), strict=True):
        growth = measure_peak(large) - measure_peak(small)
        assert growth < BYTES_PER_RECORD * 9 * NUMBERS, name
