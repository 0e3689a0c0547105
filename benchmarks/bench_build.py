"""rad-cads from 214,354 questions, as many as VQA v2's validation split has: time, memory, and the rate of tagging.

Takes the real questions where DIPTYCH_DATA (or ../shared/data) has them, the miniature world's otherwise, and repeats
them to that size under new ids.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from itertools import cycle, islice
from pathlib import Path

import orjson

from diptych.demo import make_world
from diptych.language import tagger
from diptych.sources import VqaRow, read_vqa, vqa_files

QUESTIONS = 214_354
TAGGED = 10_000


def base_rows(scratch: Path) -> tuple[str, list[VqaRow]]:
    """The questions to repeat, and what they are."""
    data = Path(os.environ.get("DIPTYCH_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if (data / "vqa").is_dir():
        return "real questions", read_vqa(vqa_files(data))
    make_world(scratch / "world", 4_000, pictures=False)
    return "the miniature world's questions", read_vqa(vqa_files(scratch / "world"))


def write_repeated(rows: list[VqaRow], folder: Path) -> None:
    """Write the rows again and again, in the official layout."""
    repeated = list(enumerate(islice(cycle(rows), QUESTIONS), start=1))
    questions = [{"question_id": number, "image_id": number // 3, "question": row.question} for number, row in repeated]
    annotations = [
        {
            "question_id": number,
            "image_id": number // 3,
            "question_type": row.question_type,
            "answer_type": row.answer_type,
            "multiple_choice_answer": row.answer,
            "answers": [
                {"answer": answer, "answer_confidence": "yes", "answer_id": place}
                for place, answer in enumerate(row.answers, start=1)
            ],
        }
        for number, row in repeated
    ]
    vqa = folder / "vqa"
    vqa.mkdir(parents=True)
    (vqa / "v2_OpenEnded_mscoco_val2014_questions.json").write_bytes(orjson.dumps({"questions": questions}))
    (vqa / "v2_mscoco_val2014_annotations.json").write_bytes(orjson.dumps({"annotations": annotations}))


def memory_of(pid: int) -> int:
    """Proportional memory of a process and its children, in bytes: shared pages are counted once."""
    total = 0
    for proc in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((proc / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if int(proc.name) == pid or parent == pid:
                rollup = (proc / "smaps_rollup").read_text()
                total += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) * 1024
        except (OSError, StopIteration, ValueError):
            continue
    return total


def watched(process: "subprocess.Popen[bytes]") -> int:
    """The peak memory of a build, which is waited for."""
    peak = 0
    waiter = threading.Thread(target=process.wait)
    waiter.start()
    while waiter.is_alive():
        peak = max(peak, memory_of(process.pid))
        waiter.join(0.2)
    if process.returncode:
        raise SystemExit(f"the build failed with {process.returncode}")
    return peak


def timed_build(data: Path, out: Path, *more: str) -> tuple[float, int]:
    """Seconds and peak memory of one build, in a process of its own."""
    command = [sys.executable, "-c", "import sys; from diptych.cli import main; main(sys.argv[1:])"]
    began = time.perf_counter()
    process = subprocess.Popen(
        [*command, "build", "rad-cads", "--data", str(data), "--out", str(out), *more], stdout=subprocess.DEVNULL
    )
    peak = watched(process)
    return time.perf_counter() - began, peak


def main() -> None:
    """Print the rates side by side."""
    with tempfile.TemporaryDirectory() as scratch:
        where = Path(scratch)
        what, rows = base_rows(where)
        write_repeated(rows, where / "data")
        texts = [row.question for row in islice(cycle(rows), TAGGED)]
        began = time.perf_counter()
        for _ in tagger().pipe(texts, batch_size=256):
            pass
        tagging = TAGGED / (time.perf_counter() - began)
        print(f"{QUESTIONS:,} questions ({what}, {len({row.question for row in rows}):,} distinct)")
        print(f"tagging and parsing every question, one process: {tagging:,.0f} questions/s")
        for name, more in (
            ("default config, 2 workers", ("--config", "vqa_v2", "--num-proc", "2")),
            ("default config, 1 worker", ("--config", "vqa_v2")),
            ("every config of VQA v2, 2 workers", ("--num-proc", "2")),
        ):
            seconds, peak = timed_build(where / "data", where / name.replace(" ", "-"), *more)
            rate = QUESTIONS / seconds
            print(
                f"{name}: {seconds:.1f} s, {rate:,.0f} questions/s,"
                f" {rate / tagging:.1f}x tagging alone, peak memory {peak / 1e6:,.0f} MB"
            )


if __name__ == "__main__":
    main()
