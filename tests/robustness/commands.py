"""The command line in processes of its own, forked from this one so that nothing is imported twice.

A child runs in a session of its own. It can be told to end itself at one of the instants at which it changes the file
system: an audit hook counts them, so that every rename can be hit.
"""

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

CHANGES = frozenset({"os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree", "os.symlink", "os.link"})


@dataclass(frozen=True, slots=True)
class Instant:
    """When a process is ended, and how: at its n-th change below a folder, or after some seconds."""

    kind: signal.Signals = signal.SIGKILL
    change: int = 0
    """Just before this change; 0 for none."""
    delay: float = 0.0
    """Seconds after the change, or after the start where there is none."""
    whole_group: bool = True
    """Whether workers are ended too."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that has ended."""

    status: int
    """The exit code, or the negative number of a signal."""
    out: str
    err: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Command:
    """A run of the command line that changes files below some folder."""

    arguments: tuple[str, ...]
    root: Path
    """Changes below this folder are counted and logged."""
    environment: dict[str, str] = field(default_factory=dict)
    prepare: Callable[[], object] = lambda: None
    """Called in the child before the command, to limit it."""

    def run(self, scratch: Path, instant: Instant | None = None) -> Ended:
        """Run it in a forked process and wait for the end."""
        running = self.start(scratch, instant)
        if instant and not instant.change and running.poll(instant.delay) is None:
            running.send(instant.kind, instant.whole_group)
        return running.wait()

    def start(self, scratch: Path, instant: Instant | None = None) -> "Running":
        """Start it in a forked process."""
        scratch.mkdir(parents=True, exist_ok=True)
        for name in ("changes", "out", "err"):
            (scratch / name).unlink(missing_ok=True)
        process = os.fork()
        if process == 0:
            self._become(scratch, instant)
        return Running(process, scratch)

    def _become(self, scratch: Path, instant: Instant | None) -> None:
        """Run the command in this process, which is a child, and leave it."""
        code = 99
        try:
            os.setsid()
            os.environ.update(self.environment)
            self.prepare()
            for number, name in ((1, "out"), (2, "err")):
                handle = os.open(scratch / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(handle, number)
            sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
            watch_changes(self.root, scratch / "changes", instant)
            code = _run_main(self.arguments)
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


@dataclass(slots=True)
class Running:
    """A process that was started and not waited for yet: until then nobody else can have its number."""

    process: int
    scratch: Path
    began: float = field(default_factory=time.monotonic)
    status: int | None = None

    def poll(self, seconds: float = 0.0) -> int | None:
        """The exit code; None where it still runs after so many seconds."""
        end = time.monotonic() + seconds
        while self.status is None:
            pid, status = os.waitpid(self.process, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            elif time.monotonic() >= end:
                break
            else:
                time.sleep(0.002)
        return self.status

    def send(self, kind: signal.Signals, whole_group: bool = False) -> None:
        """Signal it, or it and its workers."""
        if self.status is None and whole_group and os.getpgid(self.process) == self.process:
            os.killpg(self.process, kind)
        elif self.status is None:
            os.kill(self.process, kind)

    def workers(self) -> list[int]:
        """The processes that it has started."""
        try:
            text = Path(f"/proc/{self.process}/task/{self.process}/children").read_text()
        except OSError:
            return []
        return [int(number) for number in text.split()]

    def wait(self, limit: float = 600.0) -> Ended:
        """Wait until it has ended, and its workers with it: they notice it by themselves."""
        if self.poll(limit) is None:
            self.send(signal.SIGKILL, whole_group=True)
        status = self.poll(10.0)
        for _ in range(5000):
            try:
                os.killpg(self.process, 0)
            except ProcessLookupError:
                break
            time.sleep(0.002)
        else:
            raise AssertionError("a worker outlives the command that started it")
        texts = ((self.scratch / name).read_text(encoding="utf-8", errors="replace") for name in ("out", "err"))
        return Ended(-1 if status is None else status, *texts, time.monotonic() - self.began)


def _run_main(arguments: Sequence[str]) -> int:
    from diptych.cli import main

    try:
        main(list(arguments))
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    except BaseException:  # as the interpreter does
        traceback.print_exc()
        return 1
    return 0


def watch_changes(root: Path, log: Path, instant: Instant | None) -> None:
    """Log every change below a folder, by this process and its workers, and end this one at an instant."""
    parent, prefix = os.getpid(), str(root)
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    count = 0

    def end() -> None:
        assert instant is not None
        if instant.whole_group and instant.kind == signal.SIGKILL:
            os.killpg(parent, instant.kind)
        else:
            os.kill(parent, instant.kind)

    def note(event: str, paths: Sequence[str]) -> None:
        nonlocal count
        os.write(handle, f"{event}\t{chr(9).join(paths)}\n".encode("utf-8", "replace"))
        if os.getpid() != parent:
            return
        count += 1
        if instant and count == instant.change:
            if instant.delay:
                timer = threading.Timer(instant.delay, end)
                timer.daemon = True
                timer.start()
            else:
                end()

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in CHANGES or (event == "open" and _writes(arguments)):
            paths = [os.fsdecode(path) for path in arguments[:2] if isinstance(path, str | bytes | os.PathLike)]
            if any(path.startswith(prefix) for path in paths):
                note(event, paths)

    sys.addaudithook(hook)


def _writes(arguments: tuple[object, ...]) -> bool:
    flags = arguments[2] if len(arguments) > 2 else 0
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


def read_changes(scratch: Path) -> list[tuple[str, ...]]:
    """What a run changed: the event and its paths."""
    lines = (scratch / "changes").read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines]


def warm_up(*loads: Callable[[], object]) -> None:
    """Import what commands need, before anything is forked."""
    import datasets  # noqa: F401  slow, and every build needs it
    import sklearn.linear_model  # noqa: F401

    import diptych.cli._app  # noqa: F401
    from diptych import _api  # noqa: F401

    for load in loads:
        load()
