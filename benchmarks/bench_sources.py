"""Claim: a VQA split becomes typed rows faster, and in less memory, than `json.load` parses its files.

Both readers run in processes of their own on the same made-up files of VQA v2 val's size (214,354 questions with ten
answers each, in the official layout), so that the peak memory is theirs alone.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random

QUESTIONS = 214_354
WORDS = ("red", "blue", "two", "dog", "cat", "man", "yes", "no", "table", "tennis", "white", "left", "pizza", "street")


def write_files(folder: Path, count: int) -> int:
    """Write a questions and an annotations file in VQA v2's layout; return their size in bytes."""
    rng = Random(0)
    questions, annotations = [], []
    for number in range(count):
        image_id, question_id = number // 5 + 1, (number // 5 + 1) * 1000 + number % 5
        answers = [
            {"answer": rng.choice(WORDS), "answer_confidence": rng.choice(["yes", "maybe"]), "answer_id": each}
            for each in range(1, 11)
        ]
        text = " ".join(["What", *rng.choices(WORDS, k=5)]) + "?"
        questions.append({"image_id": image_id, "question": text, "question_id": question_id})
        annotations.append(
            {
                "question_type": "what",
                "multiple_choice_answer": answers[0]["answer"],
                "answers": answers,
                "image_id": image_id,
                "answer_type": "other",
                "question_id": question_id,
            }
        )
    frame = {"info": {"year": 2017}, "license": {"name": "CC BY 4.0"}, "data_subtype": "val2014"}
    paths = folder / "v2_OpenEnded_mscoco_val2014_questions.json", folder / "v2_mscoco_val2014_annotations.json"
    paths[0].write_text(json.dumps(frame | {"questions": questions}))
    paths[1].write_text(json.dumps(frame | {"annotations": annotations}))
    return sum(path.stat().st_size for path in paths)


def write_apart(folder: Path, count: int) -> int:
    """Write the files in another process: a child inherits its parent's peak memory, which would be measured."""
    with ProcessPoolExecutor(1) as pool:
        return pool.submit(write_files, folder, count).result()


def with_json(folder: Path) -> int:
    """Parse both files with the standard library, as most code does, and make no rows."""
    with (folder / "vqa" / "v2_OpenEnded_mscoco_val2014_questions.json").open() as stream:
        questions = json.load(stream)["questions"]
    with (folder / "vqa" / "v2_mscoco_val2014_annotations.json").open() as stream:
        annotations = json.load(stream)["annotations"]
    assert len(questions) == len(annotations)
    return len(questions)


def with_diptych(folder: Path) -> int:
    """Read both files into checked, typed rows."""
    from diptych.sources import read_vqa, vqa_files

    return len(read_vqa(vqa_files(folder)))


def measure(reader: str, folder: Path) -> tuple[float, float]:
    """Rows a second and peak megabytes of one reader in a process of its own."""
    command = [sys.executable, __file__, "--reader", reader, "--folder", str(folder)]
    seconds, rows, peak = map(float, subprocess.run(command, check=True, capture_output=True).stdout.split())
    return rows / seconds, peak / 1024


def main() -> None:
    """Print both rates side by side, or, as a child, one measurement."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--reader", choices=["json", "diptych"])
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    if options.reader:
        read = with_json if options.reader == "json" else with_diptych
        start = time.perf_counter()
        rows = read(options.folder)
        print(time.perf_counter() - start, rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "vqa").mkdir()
        size = write_apart(folder / "vqa", options.questions)
        print(f"{options.questions:,} questions, {size / 1e6:,.0f} MB of JSON")
        (plain, plain_peak), (ours, our_peak) = measure("json", folder), measure("diptych", folder)
    print(f"json.load, no rows:   {plain:>9,.0f} rows/s  peak {plain_peak:>6,.0f} MB")
    print(f"read_vqa, typed rows: {ours:>9,.0f} rows/s  peak {our_peak:>6,.0f} MB")
    print(f"ratio: {ours / plain:.2f} x as fast, {our_peak / plain_peak:.2f} x the memory")


if __name__ == "__main__":
    main()
