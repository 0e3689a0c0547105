"""rad-cads over 100,000 questions: its rate beside that of tagging alone, and its memory from a tenth of that size on.

Rates are of the processors' time, all processes together. Takes the real questions where DIPTYCH_DATA (or
../shared/data) has them, the miniature world's otherwise, and repeats them to those sizes under new ids. `--memory`
or `--speed` runs one part alone.
"""

import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from itertools import cycle, islice
from pathlib import Path

import orjson
from results import Claim, Point, record

from diptych.demo import make_world
from diptych.language import tagger
from diptych.sources import VqaRow, iter_vqa, vqa_files

QUESTIONS = 100_000
MEMORY_SIZES = (10_000, 33_333, 100_000)
TAGGED = 10_000


def base_rows(scratch: Path) -> tuple[str, list[VqaRow]]:
    """The questions to repeat, and what they are."""
    data = Path(os.environ.get("DIPTYCH_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if (data / "vqa").is_dir():
        return "real questions", list(iter_vqa(vqa_files(data)))
    make_world(scratch / "world", 4_000, pictures=False)
    return "the miniature world's questions", list(iter_vqa(vqa_files(scratch / "world")))


def write_repeated(rows: list[VqaRow], folder: Path, count: int) -> None:
    """Write the rows again and again, in the official layout."""
    repeated = list(enumerate(islice(cycle(rows), count), start=1))
    questions = [{"question_id": number, "image_id": number // 3, "question": row.question} for number, row in repeated]
    annotations = [
        {
            "question_id": number,
            "image_id": number // 3,
            "question_type": row.question_type,
            "answer_type": row.answer_type,
            "multiple_choice_answer": row.answer,
            "answers": [
                {"answer": answer, "answer_confidence": "yes", "answer_id": index}
                for index, answer in enumerate(row.answers, start=1)
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


def timed_build(data: Path, out: Path, *arguments: str) -> tuple[float, float, int]:
    """Seconds by the clock and of the processors, and peak memory of one build, in a process of its own."""
    command = [sys.executable, "-c", "import sys; from diptych.cli import main; main(sys.argv[1:])"]
    start, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        [*command, "build", "rad-cads", "--data", str(data), "--out", str(out), *arguments], stdout=subprocess.DEVNULL
    )
    peak = watched(process)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    return time.perf_counter() - start, busy, peak


def measure_speed(rows: list[VqaRow], kind: str, scratch: Path) -> None:
    """Print the rate of builds beside that of tagging alone."""
    write_repeated(rows, scratch / "data", QUESTIONS)
    texts = [row.question for row in islice(cycle(rows), TAGGED)]
    start = time.process_time()
    for _ in tagger().pipe(texts, batch_size=256):
        pass
    tagging = TAGGED / (time.process_time() - start)
    print(f"{QUESTIONS:,} questions ({kind}, {len({row.question for row in rows}):,} distinct)")
    print(f"tagging and parsing every question, one process: {tagging:,.0f} questions/s")
    size = f"{QUESTIONS:,} questions ({kind})"
    for claim, name, arguments in (
        ("build-two", "default config, 2 workers", ("--config", "vqa_v2", "--num-proc", "2")),
        ("build-one", "default config, 1 worker", ("--config", "vqa_v2")),
    ):
        seconds, busy, peak = timed_build(scratch / "data", scratch / name.replace(" ", "-"), *arguments)
        rate = QUESTIONS / busy
        print(
            f"{name}: {seconds:.1f} s, {rate:,.0f} questions per second of a processor,"
            f" {rate / tagging:.1f}x tagging alone, peak memory {peak / 1e6:,.0f} MB"
        )
        statement = f"rad-cads, {name}: questions per second of a processor, audit and card included"
        beside = "tagging and parsing alone"
        record(
            Claim(claim, statement, rate, "questions/s", tagging, beside, rate / tagging, size),
            Claim(f"{claim}-memory", f"rad-cads, {name}: peak memory of all processes", peak / 1e6, "MB", size=size),
        )


def measure_memory(rows: list[VqaRow], kind: str, scratch: Path) -> None:
    """Print the peak memory at two sizes, side by side."""
    peaks = []
    for count in MEMORY_SIZES:
        data = scratch / f"data-{count}"
        write_repeated(rows, data, count)
        peaks.append(timed_build(data, scratch / f"out-{count}", "--config", "vqa_v2")[2] / 1e6)
        record(Point("build-memory", "rad-cads, default config, 1 worker", count, peaks[-1]))
    small, large = peaks[0], peaks[-1]
    sizes = " -> ".join(f"{count:,}" for count in MEMORY_SIZES)
    print(f"{sizes} {kind}: {small:,.0f} -> {large:,.0f} MB ({100 * (large / small - 1):+.0f} %)")
    statement = "rad-cads: peak memory of a build, beside one of a tenth of the questions"
    size = f"{MEMORY_SIZES[0]:,} and {MEMORY_SIZES[-1]:,} questions"
    record(Claim("build-flat", statement, large, "MB", small, "a tenth", large / small, size, at_most=1.15))


def main() -> None:
    """Print the rates and the memory side by side."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        kind, rows = base_rows(scratch)
        if "--memory" not in sys.argv:
            measure_speed(rows, kind, scratch)
        if "--speed" not in sys.argv:
            measure_memory(rows, kind, scratch)


if __name__ == "__main__":
    main()
