"""The fuzzer: `python -m tests.robustness.fuzz --count 5000 --seed 7`.

A case is a reader, one of its files and a mutation of it, all drawn from the seed and the number of the case. It passes
if the reader succeeds or raises a `DiptychError` of one line that names the file, within five seconds of computing.
Cases run in forked processes, so that a crash of a C library is a failure of its case.
"""

import argparse
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from diptych.errors import DiptychError
from tests.robustness.mutations import mutate
from tests.robustness.readers import READERS, Reader

LONGEST_SECONDS = 5.0
"""Of computing: a machine may be busy with something else."""

_STUCK_SECONDS = 120.0
_MEMORY = 6_000_000_000
_BATCH = 50


class TooSlowError(BaseException):
    """A case that computes for too long."""


@dataclass(frozen=True, slots=True)
class Case:
    """A reader and the number that decides the file and the mutation."""

    reader: Reader
    seed: int
    number: int

    def __str__(self) -> str:
        return f"--reader {self.reader.name} --seed {self.seed} --case {self.number}"

    def rng(self) -> Random:
        """The randomness of this case alone."""
        return Random(f"{self.seed} {self.reader.name} {self.number}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case; a problem is what must not happen."""

    case: str
    reader: str
    line: str = ""
    problem: str = ""
    seconds: float = 0.0


def draw_cases(count: int, seed: int, readers: Sequence[Reader] = READERS) -> list[Case]:
    """So many cases, shared out among the readers."""
    shares = [reader for reader in readers for _ in range(reader.share)]
    return [Case(shares[number % len(shares)], seed, number) for number in range(count)]


def run_case(case: Case, corpus: Path, scratch: Path) -> Outcome:
    """Mutate a file, read it, and judge what happens."""
    folder = scratch / "case"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sound_files(case.reader, corpus), folder)
    rng = case.rng()
    path = rng.choice(sorted(path for path in folder.glob(case.reader.files) if path.is_file()))
    path.write_bytes(mutate(path.read_bytes(), path.name, rng))
    names = {file.name for file in folder.rglob("*")} | {str(folder)}
    line = problem = ""
    began = time.process_time()
    try:
        with _limited(LONGEST_SECONDS):
            case.reader.read(folder)
    except DiptychError as error:
        line = str(error)
        problem = judge(line, names if case.reader.names_file else set())
    except TooSlowError:
        problem = f"longer than {LONGEST_SECONDS:g} s:\n{traceback.format_exc()}"
    except BaseException:
        problem = traceback.format_exc()
    return Outcome(str(case), case.reader.name, line, problem, time.process_time() - began)


def judge(line: str, names: set[str]) -> str:
    """What is wrong with an error: it must be one line that names a file, if any is to be named."""
    if not line.strip() or "\n" in line:
        return f"not one line: {line!r}"
    if len(line) > 2000:
        return f"a long line: {line[:100]!r}, {len(line):,} characters"
    if names and not any(name and name in line for name in names):
        return f"names no file: {line!r}"
    try:
        line.encode()
    except UnicodeEncodeError:
        return f"cannot be printed: {line!r}"
    return ""


def sound_files(reader: Reader, corpus: Path) -> Path:
    """The files of a reader before any mutation; made once."""
    folder = corpus / reader.name
    if not folder.exists():
        partial = corpus / f".{reader.name}.{os.getpid()}"
        partial.mkdir(parents=True)
        reader.prepare(partial)
        if reader.compiles:
            reader.read(Path(shutil.copytree(partial, corpus / f".{reader.name}.first")))
        partial.rename(folder)
    return folder


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooSlowError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def run_cases(cases: Sequence[Case], corpus: Path, scratch: Path) -> Iterator[Outcome]:
    """Run cases in a forked process; where that dies, its case has failed and the next ones run in another."""
    for case in cases:
        sound_files(case.reader, corpus)
    waiting = list(cases)
    while waiting:
        batch = waiting[:_BATCH]
        outcomes = list(_run_batch(batch, corpus, scratch))
        yield from outcomes
        waiting = waiting[len(outcomes) :]


def _run_batch(batch: Sequence[Case], corpus: Path, scratch: Path) -> Iterator[Outcome]:
    read_end, write_end = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(read_end)
        _work(batch, corpus, scratch, write_end)
    os.close(write_end)
    count = 0
    with open(read_end, encoding="utf-8") as lines:
        for line in lines:
            count += 1
            yield Outcome(**json.loads(line))
    _, status = os.waitpid(process, 0)
    if count < len(batch):
        case = batch[count]
        yield Outcome(str(case), case.reader.name, "", f"the process died: {status}")


def _work(batch: Sequence[Case], corpus: Path, scratch: Path, write_end: int) -> None:
    """Run cases in a forked process and leave it: no code of the parent may run here."""
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_AS, (_address_space() + _MEMORY,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with open(write_end, "w", encoding="utf-8") as out, open(os.devnull, "w") as null, redirect_stderr(null):
            for case in batch:
                signal.alarm(int(_STUCK_SECONDS))
                try:
                    outcome = run_case(case, corpus, scratch)
                except Exception:
                    outcome = Outcome(str(case), case.reader.name, "", f"in the fuzzer: {traceback.format_exc()}")
                out.write(json.dumps(asdict(outcome)) + "\n")
                out.flush()
        code = 0
    finally:
        os._exit(code)


def _address_space() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    return pages * resource.getpagesize()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run cases and report; exit 1 where one failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.robustness.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=int(os.environ.get("DIPTYCH_FUZZ_COUNT", "2000")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DIPTYCH_FUZZ_SEED", str(int(time.time())))))
    parser.add_argument("--reader", action="append", help="only this reader (repeatable)")
    parser.add_argument("--case", type=int, help="only the case of this number, in this process")
    parser.add_argument("--show", action="store_true", help="print the line of every error")
    options = parser.parse_args(arguments)
    readers = [reader for reader in READERS if not options.reader or reader.name in options.reader]
    cases = draw_cases(options.count, options.seed, readers)
    with TemporaryDirectory(prefix="diptych-fuzz-") as folder:
        corpus, scratch = Path(folder) / "corpus", Path(folder) / "scratch"
        if options.case is not None:
            case = Case(readers[0], options.seed, options.case)
            outcomes: Iterator[Outcome] = iter([run_case(case, corpus, scratch)])
        else:
            outcomes = run_cases(cases, corpus, scratch)
        return _report(outcomes, options.show)


def _report(outcomes: Iterator[Outcome], show: bool) -> int:
    counts: Counter[str] = Counter()
    problems: Counter[str] = Counter()
    slowest = Outcome("", "")
    for outcome in outcomes:
        counts["problem" if outcome.problem else "refused" if outcome.line else "read"] += 1
        slowest = max(slowest, outcome, key=lambda entry: entry.seconds)
        if show and outcome.line:
            print(f"{outcome.reader}: {outcome.line}")
        if outcome.problem:
            last = outcome.problem.strip().splitlines()[-1]
            key = f"{outcome.reader}: {last[:160]}"
            problems[key] += 1
            if problems[key] == 1:
                print(f"{outcome.case}\n{outcome.problem}", file=sys.stderr, flush=True)
    for key, count in problems.most_common():
        print(f"{count:6} {key}")
    print(f"{counts.total():,} cases: {dict(counts)}; slowest {slowest.seconds:.1f} s: {slowest.case}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
