"""Claim: a VQA split becomes typed rows faster, and in less memory, than `json.load` parses its files.

All readers run in processes of their own on the same made-up files of VQA v2 val's size (214,354 questions with ten
answers each, in the official layout), so that the peak memory is theirs alone. `iter_vqa` runs on a tenth of the
questions too: its memory does not grow with the files.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random

from results import Claim, record

QUESTIONS = 214_354
WORDS = "red blue two dog cat man yes no table tennis white left pizza street".split()
FRAME = {"info": {"year": 2017}, "license": {"name": "CC BY 4.0"}, "data_subtype": "val2014"}
QUESTION_FILE, ANNOTATION_FILE = "v2_OpenEnded_mscoco_val2014_questions.json", "v2_mscoco_val2014_annotations.json"


def question(number: int, rng: Random) -> dict[str, object]:
    """A record of the question file."""
    image_id = number // 5 + 1
    text = " ".join(["What", *rng.choices(WORDS, k=5)]) + "?"
    return {"image_id": image_id, "question": text, "question_id": image_id * 1000 + number % 5}


def annotation(number: int, rng: Random) -> dict[str, object]:
    """A record of the annotation file."""
    image_id = number // 5 + 1
    answers = [
        {"answer": rng.choice(WORDS), "answer_confidence": rng.choice(["yes", "maybe"]), "answer_id": answer_id}
        for answer_id in range(1, 11)
    ]
    return {
        "question_type": "what",
        "multiple_choice_answer": answers[0]["answer"],
        "answers": answers,
        "image_id": image_id,
        "answer_type": "other",
        "question_id": image_id * 1000 + number % 5,
    }


def write_file(path: Path, key: str, records: Iterable[dict[str, object]]) -> None:
    """Write records in the frame of an official file."""
    head, tail = json.dumps(FRAME | {key: []}).split("[]")
    with path.open("w") as stream:
        stream.write(f"{head}[")
        for number, record in enumerate(records):
            stream.write((", " if number else "") + json.dumps(record))
        stream.write(f"]{tail}")


def write_files(data: Path, count: int) -> int:
    """Write a question and an annotation file; return their size in bytes."""
    rng, folder = Random(0), data / "vqa"
    folder.mkdir(parents=True)
    write_file(folder / QUESTION_FILE, "questions", (question(number, rng) for number in range(count)))
    write_file(folder / ANNOTATION_FILE, "annotations", (annotation(number, rng) for number in range(count)))
    return sum(path.stat().st_size for path in folder.iterdir())


def with_json(data: Path) -> int:
    """Parse both files with the standard library, as most code does, and make no rows."""
    with (data / "vqa" / QUESTION_FILE).open() as stream:
        questions = json.load(stream)["questions"]
    with (data / "vqa" / ANNOTATION_FILE).open() as stream:
        annotations = json.load(stream)["annotations"]
    assert len(questions) == len(annotations)
    return len(questions)


def with_list(data: Path) -> int:
    """Read both files into a list of checked, typed rows."""
    from diptych.sources import iter_vqa, vqa_files

    return len(list(iter_vqa(vqa_files(data))))


def with_iter_vqa(data: Path) -> int:
    """Stream checked, typed rows."""
    from diptych.sources import iter_vqa, vqa_files

    return sum(1 for _ in iter_vqa(vqa_files(data)))


READERS = {"json.load, no rows": with_json, "iter_vqa, a list": with_list, "iter_vqa, a stream": with_iter_vqa}


def measure(reader: str, data: Path) -> tuple[float, float]:
    """Rows per second and peak megabytes of one reader in a process of its own."""
    command = [sys.executable, __file__, "--reader", reader, "--data", str(data)]
    seconds, rows, peak = map(float, subprocess.run(command, check=True, capture_output=True).stdout.split())
    return rows / seconds, peak / 1024


def main() -> None:
    """Print the rates and peaks side by side, or, as a child, one measurement."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--reader", choices=READERS)
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    if options.reader:
        start = time.perf_counter()
        rows = READERS[options.reader](options.data)
        print(time.perf_counter() - start, rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        return
    with tempfile.TemporaryDirectory() as name:
        # A child inherits its parent's peak memory, so another process writes the files.
        with ProcessPoolExecutor(1) as pool:
            size = pool.submit(write_files, Path(name, "all"), options.questions).result()
            pool.submit(write_files, Path(name, "tenth"), options.questions // 10).result()
        print(f"{options.questions:,} questions, {size / 1e6:,.0f} MB of JSON")
        results = {reader: measure(reader, Path(name, "all")) for reader in READERS}
        _, small_peak = measure("iter_vqa, a stream", Path(name, "tenth"))
    json_rate, json_peak = results["json.load, no rows"]
    for reader, (rate, peak) in results.items():
        ratios = f"{rate / json_rate:.2f} x as fast, {peak / json_peak:.2f} x the memory"
        print(f"{reader:<20} {rate:>9,.0f} rows/s  peak {peak:>6,.0f} MB  ({ratios})")
    stream_rate, stream_peak = results["iter_vqa, a stream"]
    growth = stream_peak / small_peak - 1
    of, beside = f"{options.questions:,} questions", "json.load, no rows"
    rate_ratio, peak_ratio = stream_rate / json_rate, stream_peak / json_peak
    record(
        Claim(
            "sources-rate",
            "VQA rows from a stream",
            stream_rate,
            "rows/s",
            json_rate,
            beside,
            rate_ratio,
            of,
            at_least=1.0,
        ),
        Claim(
            "sources-memory", "the same: peak memory", stream_peak, "MB", json_peak, beside, peak_ratio, of, at_most=1.0
        ),
        Claim(
            *("sources-flat", "the same, beside a tenth of the questions", stream_peak, "MB", small_peak, "a tenth"),
            *(stream_peak / small_peak, of),
            at_most=1.15,
        ),
    )
    print(f"iter_vqa, a tenth of the questions: peak {small_peak:,.0f} MB; ten times as many take {growth:.1%} more")


if __name__ == "__main__":
    main()
