"""Time a build with one and with two workers, side by side."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from results import Claim, record

from diptych.demo import make_world

BUILD = """
import sys
from pathlib import Path
from diptych.builders import BuildOptions, build_into, get_dataset
name, data, out, workers, *settings = sys.argv[1:]
dataset = get_dataset(name)
parameters = dataset.spec.parse_parameters(tuple(settings))
options = BuildOptions(Path(data), num_proc=int(workers), parameters=parameters)
build_into(Path(out) / "new", dataset, options, f"{out}/work")
"""


def real_or_small(source: str, images: int, scratch: Path) -> Path:
    """The data folder where it has a source, a miniature world otherwise."""
    data = Path(os.environ.get("DIPTYCH_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if (data / source).is_dir():
        return data
    make_world(scratch / "world", images, pictures=False)
    return scratch / "world"


def timed_build(name: str, data: Path, workers: int, *settings: str) -> tuple[float, float]:
    """Seconds by the clock and of the processor of one build without its audit, in a process of its own."""
    with tempfile.TemporaryDirectory() as out:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        command = [sys.executable, "-c", BUILD, name, str(data), out, str(workers), *settings]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime


def compare_workers(name: str, data: Path, *settings: str, claim: str, size: str = "", rounds: int = 2) -> None:
    """Print and record the times with one and two workers, the best of a few rounds in turn, and their ratio."""
    times = [[timed_build(name, data, workers, *settings) for workers in (1, 2)] for _ in range(rounds)]
    (one, one_cpu), (two, two_cpu) = (min(column) for column in zip(*times, strict=True))
    print(
        f"{name}: one worker {one:.1f} s ({one_cpu:.1f} s of the processor), two workers {two:.1f} s ({two_cpu:.1f} s)"
    )
    print(f"  two workers are {one / two:.2f}x one (at least 1.7x wanted; {os.cpu_count()} cores)")
    statement = f"{name}: two workers against one, seconds by the clock"
    kind = f"{size or data.name}, {os.cpu_count()} cores"
    record(Claim(claim, statement, two, "s", one, "one worker", one / two, kind, at_least=1.7))
