"""The kill harness: `python -m tests.robustness.kill --rounds 200 --seed 7`.

A round runs a command, ends it at a random instant, and runs the same command again: the result must be byte for byte
that of an undisturbed run, nothing may be left beside it, and no shard that was finished may be made again.
"""

import argparse
import hashlib
import os
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from diptych.builders import _pipeline, _plans, get_dataset
from diptych.builders._jobs import load_tools
from diptych.builders._plans import chunks
from diptych.cli import INTERRUPTED
from diptych.demo import make_world
from tests.robustness.commands import Command, Ended, Instant, read_changes, warm_up

IMAGES = 24
SHARD_SIZE = 40
"""Rows of a shard, so that even a small world has several for workers to share."""


def shrink_shards() -> None:
    """Let a build of this process have many shards; their size decides no bytes."""

    def small_chunks(values: Iterable[Any], size: int) -> Iterator[list[Any]]:
        return chunks(values, min(size, SHARD_SIZE))

    _pipeline.chunks = _plans.chunks = small_chunks  # type: ignore[attr-defined,assignment]


@dataclass(frozen=True, slots=True)
class Target:
    """A command whose runs are ended: what it is called with, and what it leaves."""

    dataset: str
    settings: tuple[str, ...] = ()

    def command(self, folder: Path, data: Path, processes: int, work: bool, overwrite: bool) -> Command:
        """The build of a dataset into a folder of its own."""
        arguments = ["build", self.dataset, "--data", str(data), "--out", str(folder / "home" / "out")]
        arguments += ["--num-proc", str(processes)]
        arguments += [part for setting in self.settings for part in ("--set", setting)]
        arguments += ["--work", str(folder / "home" / "work")] if work else []
        arguments += ["--overwrite"] if overwrite else []
        return Command(tuple(arguments), folder / "home", {"TMPDIR": str(folder / "tmp")}, shrink_shards)


TARGETS: tuple[Target, ...] = (
    Target("rad-cads"),
    Target("kb-counterfactuals"),
    Target("bqd", ("limit=20",)),
    Target("carets", ("pairs=20",)),
    Target("fvqa2"),
)


@dataclass(frozen=True, slots=True)
class Reference:
    """An undisturbed build: its files, how long it took and how often it changed the file system."""

    files: dict[str, str]
    seconds: float
    changes: int


@dataclass(frozen=True, slots=True)
class Round:
    """One kill: of what, when and how."""

    target: Target
    processes: int
    work: bool
    overwrite: bool
    instant: Instant

    def __str__(self) -> str:
        when = f"change {self.instant.change}" if self.instant.change else "a moment"
        where = f"{when} + {self.instant.delay:.3f} s, {'group' if self.instant.whole_group else 'parent alone'}"
        flags = "".join((" --work" * self.work, " --overwrite" * self.overwrite))
        return f"{self.target.dataset} --num-proc {self.processes}{flags}: {self.instant.kind.name} at {where}"


def digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file of a folder, by its path."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


class Harness:
    """A world, the undisturbed builds of it, and rounds of kills."""

    def __init__(self, folder: Path, targets: Sequence[Target] = TARGETS) -> None:
        self.folder, self.data, self.targets = folder, folder / "data", tuple(targets)
        make_world(self.data, IMAGES)
        warm_up(*(partial(load_tools, get_dataset(target.dataset), None) for target in targets))
        self._references: dict[str, Reference] = {}
        self._count = 0

    def reference(self, target: Target) -> Reference:
        """The undisturbed build of a target, made once."""
        if target.dataset not in self._references:
            folder = self._new_folder()
            ended = target.command(folder, self.data, 1, False, False).run(folder / "log")
            assert ended.status == 0, ended.err
            changes, files = len(read_changes(folder / "log")), digests(folder / "home" / "out")
            self._references[target.dataset] = Reference(files, ended.seconds, changes)
        return self._references[target.dataset]

    def _new_folder(self) -> Path:
        self._count += 1
        folder = self.folder / f"round-{self._count}"
        for name in ("home", "tmp"):
            (folder / name).mkdir(parents=True)
        return folder

    def draw(self, rng: Random) -> Round:
        """A kill at random: of any target, by any signal, at any change or moment."""
        target = rng.choice(self.targets)
        reference = self.reference(target)
        kind = rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
        change = rng.randint(1, reference.changes) if rng.random() < 0.75 else 0
        delay = rng.choice((0.0, 0.0, rng.random() * 0.02)) if change else rng.random() * reference.seconds
        # Ctrl-C reaches the whole group of a terminal.
        instant = Instant(kind, change, delay, kind == signal.SIGINT or rng.random() < 0.5)
        return Round(target, rng.choice((1, 1, 2)), rng.random() < 0.3, rng.random() < 0.3, instant)

    def play(self, game: Round) -> str:
        """Play a round; returns what became of the first run, and fails where the second is not as it must be."""
        folder, reference = self._new_folder(), self.reference(game.target)
        home, out = folder / "home", folder / "home" / "out"
        command = game.target.command(folder, self.data, game.processes, game.work, game.overwrite)
        if game.overwrite:
            self._place_earlier_build(game.target, out)
        first = command.run(folder / "first", game.instant)
        _check_first(first, game.instant)
        was_whole = out.is_dir() and digests(out) == reference.files
        if out.exists() and not game.overwrite:
            assert was_whole, f"half a build is visible: {sorted(os.listdir(out))}"
        shards = finished_shards(home)
        second = command.run(folder / "second")
        if was_whole and not game.overwrite:
            assert second.status == 2, f"exit {second.status}: {second.err}"
            assert "already exists" in second.err
        else:
            assert second.status == 0, f"exit {second.status}: {second.err}"
            if not was_whole or game.work:  # a build that was in place has let go of its shards, or is about to
                _check_kept(shards, folder / "second")
        assert digests(out) == reference.files, _difference(digests(out), reference.files)
        left = set(os.listdir(home)) - {"out", *(["work"] if game.work else [])}
        assert not left, f"left behind: {sorted(left)}"
        temporary = [path.name for path in (home / "work").rglob(".*")] if game.work else []
        assert not temporary, f"left behind in the work folder: {temporary}"
        assert not os.listdir(folder / "tmp"), f"left behind: {os.listdir(folder / 'tmp')}"
        shutil.rmtree(folder)
        return "completed before it" if first.status == 0 else f"ended at {_phase(shards, was_whole)}"

    def _place_earlier_build(self, target: Target, out: Path) -> None:
        earlier = self.folder / f"earlier-{target.dataset}"
        if not earlier.exists():
            folder = self._new_folder()
            command = target.command(folder, self.data, 1, False, False)
            arguments = (*command.arguments, "--seed", "5")
            ended = Command(arguments, command.root, command.environment).run(folder / "log")
            assert ended.status == 0, ended.err
            (folder / "home" / "out").rename(earlier)
        shutil.copytree(earlier, out)


def _check_first(first: Ended, instant: Instant) -> None:
    assert "Traceback" not in first.err, first.err
    assert first.status in {0, -instant.kind, 130}, f"exit {first.status}: {first.err}"
    if first.status == 130:
        last = first.err.strip().splitlines()[-1]
        assert last == INTERRUPTED, first.err


def finished_shards(home: Path) -> dict[str, tuple[int, int]]:
    """The shards and plans that a build has finished, by their path, with what tells whether they are made again.

    The items of a plan belong to it: they are finished when the plan is.
    """
    steps = [path for folder in (home / "work", home / ".out.building" / "work") for path in folder.glob("*/*")]
    whole = [step for step in steps if not step.name.startswith("plan") or (step / "plan.pickle").exists()]
    files = (path for step in whole for path in step.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {str(path): _stamp(path) for path in files}


def _check_kept(shards: dict[str, tuple[int, int]], scratch: Path) -> None:
    """No shard that was finished may be written again: neither was its name taken anew, nor has it another stamp."""
    renamed = {change[2] for change in read_changes(scratch) if change[0] == "os.rename" and len(change) > 2}
    again = sorted(renamed & set(shards))
    again += [path for path, stamp in shards.items() if Path(path).exists() and _stamp(Path(path)) != stamp]
    assert not again, f"made again: {again}"


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_ino, status.st_mtime_ns


def _difference(files: dict[str, str], expected: dict[str, str]) -> str:
    names = {name for name in {**files, **expected} if files.get(name) != expected.get(name)}
    return f"other bytes than an undisturbed build: {sorted(names)}"


def _phase(shards: dict[str, tuple[int, int]], was_whole: bool) -> str:
    if was_whole:
        return "the end"
    steps = ("make-", "rank-", "draw-", "encode-", "plan", "read-")
    return next((step.strip("-") for step in steps if any(f"/{step}" in path for path in shards)), "the start")


def play_rounds(count: int, seed: int, folder: Path) -> Iterator[tuple[Round, str, str]]:
    """Rounds with what became of each, and what went wrong."""
    harness, rng = Harness(folder), Random(seed)
    for _ in range(count):
        game = harness.draw(rng)
        try:
            yield game, harness.play(game), ""
        except AssertionError as error:
            yield game, "", str(error)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play rounds and report; exit 1 where one failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.robustness.kill", description=__doc__)
    parser.add_argument("--rounds", type=int, default=int(os.environ.get("DIPTYCH_KILL_ROUNDS", "200")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("DIPTYCH_KILL_SEED", str(int(time.time())))))
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    with TemporaryDirectory(prefix="diptych-kill-") as folder:
        for number, (game, outcome, problem) in enumerate(play_rounds(options.rounds, options.seed, Path(folder)), 1):
            counts["failed" if problem else outcome] += 1
            print(f"{number:4} {game}: {problem or outcome}", flush=True)
    print(f"{counts.total()} kills, seed {options.seed}: {dict(counts.most_common())}")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
