"""Run benchmarks, keep what they record in results.jsonl, and render RESULTS.md and the plots.

    python benchmarks/run.py              # every benchmark but the long ones
    python benchmarks/run.py lasso kb     # some: only their rows are replaced
    python benchmarks/run.py plans --with "rad --scales 100"   # a part of one: only the rows that it records again
    python benchmarks/run.py --render     # none: render what is recorded

A benchmark that fails leaves its earlier rows as they are; the exit code is then 1.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from render import write_results
from results import FOLDER, RESULTS, VARIABLE, Run, read_records, replace_records

LONG = ("full_size",)
"""Benchmarks of hours, which only run by name."""
PACKAGES = (
    *("diptych", "numpy", "pyarrow", "orjson", "spacy", "numba", "wordllama", "scikit-learn", "opencv-python-headless"),
    *("pillow", "jinja2", "nltk", "datasets", "evaluate", "ray", "celer", "conceptnet-lite", "pycocoevalcap"),
)


def describe_machine() -> str:
    """Processor, cores, memory and system."""
    processor = next(
        (line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor() or platform.machine(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = f"{platform.system()} {platform.release().partition('-')[0]}"
    return f"{processor}, {os.cpu_count()} cores, {memory:.0f} GiB of memory, {system}"


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).is_file() else []


def describe_versions() -> str:
    """Python and the packages that are installed."""
    names = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            names.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(names)


def run_benchmark(name: str, arguments: list[str]) -> bool:
    """Run one benchmark in a process of its own and keep what it records; whether it ended well."""
    print(f"== {name}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.jsonl"
        command = [f"benchmarks/bench_{name}.py", *arguments]
        load = os.getloadavg()[0]
        start, date = time.perf_counter(), datetime.now(UTC).strftime("%Y-%m-%d")
        process = subprocess.run(
            [sys.executable, *command], cwd=FOLDER.parent, check=False, env=os.environ | {VARIABLE: str(path)}
        )
        seconds = round(time.perf_counter() - start)
        if process.returncode:
            print(f"bench_{name}.py failed with {process.returncode}: its earlier rows stay", file=sys.stderr)
            return False
        data = "DIPTYCH_DATA=DIR " * ("DIPTYCH_DATA" in os.environ)
        run = Run(date, seconds, f"{data}python {' '.join(command)}", describe_machine(), describe_versions(), load)
        records = [run, *(entry for _, entry in read_records(path))]
        replace_records(RESULTS, name, records, is_part=bool(arguments))
    return True


def main() -> None:
    """Run what is asked for, and render."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which benchmarks: {', '.join(names)}")
    parser.add_argument("--render", action="store_true", help="run nothing")
    parser.add_argument("--with", dest="arguments", default="", help="arguments for the benchmarks, in one text")
    options = parser.parse_args()
    if unknown := sorted({*options.names} - {*names}):
        parser.error(f"no such benchmark: {', '.join(unknown)} (there are {', '.join(names)})")
    chosen = [] if options.render else options.names or [name for name in names if name not in LONG]
    results = [run_benchmark(name, options.arguments.split()) for name in chosen]
    write_results()
    sys.exit(not all(results))


if __name__ == "__main__":
    main()
