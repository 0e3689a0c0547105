"""The fault game of the engines: `python -m tests.robustness.engine_faults --faults 100 --seed 7`.

A game builds a dataset over one work folder with engines drawn at random: local processes, slices, Ray. Faults are
drawn too: the build or one of its workers is killed, a file of the work folder is truncated, changed or removed. In the
end an undisturbed engine finishes the build, which must have the bytes of an undisturbed build of one process.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from shutil import rmtree
from tempfile import TemporaryDirectory

from diptych.demo import make_world
from tests.robustness.kill import IMAGES, TARGETS, Target, digests

ROOT = Path(__file__).resolve().parents[2]
RUN = (
    "import sys; from tests.robustness.kill import shrink_shards; shrink_shards(); from diptych.cli import main; main()"
)
ENGINES = ("local", "slices", "ray")
KILL, KILL_WORKER, TRUNCATE, FLIP, REMOVE = "kill", "kill a worker", "truncate", "flip a bit", "remove"
DAMAGES = (TRUNCATE, FLIP, REMOVE)
LONGEST_RUN = 300.0  # seconds


class Game:
    """A world, the undisturbed builds of it, and builds with faults."""

    def __init__(self, folder: Path, rng: Random) -> None:
        self.folder, self.data, self.rng = folder, folder / "data", rng
        make_world(self.data, IMAGES)
        self._references: dict[str, dict[str, str]] = {}
        self.faults: Counter[str] = Counter()
        self._count = 0

    def play(self) -> str:
        """Build one dataset with some faults; returns what was done, and fails where the bytes are others."""
        target, home = self.rng.choice(TARGETS), self._home()
        story = [target.dataset, *(self._disturb(target, home) for _ in range(self.rng.randint(1, 4)))]
        engine = self.rng.choice(ENGINES)
        self._finish(target, home, engine)
        assert digests(home / "out") == self._reference(target), f"other bytes: {story}, finished by {engine}"
        rmtree(home)
        return f"{', '.join(story)}, finished by {engine}"

    def _home(self) -> Path:
        self._count += 1
        home = self.folder / f"game-{self._count}"
        home.mkdir()
        return home

    def _reference(self, target: Target) -> dict[str, str]:
        if target.dataset not in self._references:
            home = self._home()
            process = self._start(target, home, "--out", str(home / "out"))
            assert process.wait(LONGEST_RUN) == 0
            self._references[target.dataset] = digests(home / "out")
        return self._references[target.dataset]

    def _start(self, target: Target, home: Path, *options: str) -> subprocess.Popen[bytes]:
        arguments = ["build", target.dataset, "--data", str(self.data), "--work", str(home / "work"), *options]
        arguments += [part for setting in target.settings for part in ("--set", setting)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        output = {"stdout": subprocess.DEVNULL, "stderr": (home / "err").open("ab")}
        return subprocess.Popen([sys.executable, "-c", RUN, *arguments], env=environment, **output)  # type: ignore[call-overload,no-any-return]

    def _run_options(self, engine: str, home: Path, text: str = "1/1") -> tuple[str, ...]:
        if engine == "slices":
            return "--shards", text
        processes = str(self.rng.choice((1, 2, 3) if engine == "local" else (1, 2, 4)))
        return "--out", str(home / "out"), "--overwrite", "--engine", engine, "--num-proc", processes

    def _disturb(self, target: Target, home: Path) -> str:
        """Run an engine that a fault ends or damages."""
        engine, fault = self.rng.choice(ENGINES), self.rng.choice((KILL, KILL, KILL_WORKER, *DAMAGES))
        fault = KILL if fault == KILL_WORKER and engine == "slices" else fault
        count = self.rng.randint(2, 16)
        process = self._start(target, home, *self._run_options(engine, home, f"{self.rng.randint(1, count)}/{count}"))
        time.sleep(self.rng.uniform(0.5, 9.0 if engine == "ray" else 5.0))
        if fault == KILL:
            process.kill()
        elif fault == KILL_WORKER and (workers := worker_processes(process.pid)):
            os.kill(self.rng.choice(workers), signal.SIGKILL)
        elif fault in DAMAGES:
            process.kill()
            process.wait()
            self._damage(home / "work", fault)
        process.wait(LONGEST_RUN)
        self.faults[f"{engine}: {fault}"] += 1
        return f"{engine}: {fault}"

    def _damage(self, work: Path, fault: str) -> None:
        files = sorted(path for path in work.rglob("*") if path.is_file() and not path.name.startswith("."))
        if not files:
            return
        path = self.rng.choice(files)
        content = bytearray(path.read_bytes())
        if fault == REMOVE or not content:
            path.unlink()
        elif fault == TRUNCATE:
            path.write_bytes(content[: self.rng.randrange(len(content))])
        else:
            content[self.rng.randrange(len(content))] ^= 1 << self.rng.randrange(8)
            path.write_bytes(content)

    def _finish(self, target: Target, home: Path, engine: str) -> None:
        """Finish the build without a fault."""
        if engine != "slices":
            process = self._start(target, home, *self._run_options(engine, home))
            assert process.wait(LONGEST_RUN) == 0, (home / "err").read_text()
            return
        count, status = self.rng.choice((1, 3)), 1
        for _ in range(12):
            for number in self.rng.sample(range(1, count + 1), count):
                process = self._start(target, home, "--shards", f"{number}/{count}")
                assert process.wait(LONGEST_RUN) == 0, (home / "err").read_text()
            process = self._start(target, home, "--out", str(home / "out"), "--overwrite", "--finish")
            status = process.wait(LONGEST_RUN)
            if status != 1:
                break
        assert status == 0, (home / "err").read_text()


def worker_processes(parent: int) -> list[int]:
    """The processes below a process that do tasks: its children, or the workers of Ray that belong to its cluster."""
    listing = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listing.splitlines()[1:]]
    children: dict[int, list[tuple[int, str]]] = {}
    for pid, ppid, text in rows:
        children.setdefault(int(ppid), []).append((int(pid), text))
    below, pending = [], [parent]
    while pending:
        for pid, text in children.get(pending.pop(), []):
            below.append((pid, text))
            pending.append(pid)
    ray_workers = [pid for pid, text in below if text.startswith("ray::") and "IDLE" not in text]
    is_ray = any("raylet" in text for _, text in below)
    return ray_workers if is_ray else [pid for pid, _ in below]


def main(arguments: Sequence[str] | None = None) -> int:
    """Play games until there were enough faults, and report; exit 1 where one failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.robustness.engine_faults", description=__doc__)
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args(arguments)
    failed = 0
    with TemporaryDirectory(prefix="diptych-faults-") as folder:
        game = Game(Path(folder), Random(options.seed))
        while game.faults.total() < options.faults:
            try:
                print(f"{game.faults.total():4} {game.play()}", flush=True)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"{game.faults.total():4} failed: {error}", flush=True)
    print(
        f"{game.faults.total()} faults, seed {options.seed}: {dict(game.faults.most_common())}; {failed} games failed"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
