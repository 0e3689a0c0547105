"""What a command and all processes below it use: seconds on the clock and of the processors, and memory."""

import os
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PAUSE = 0.25  # seconds between two looks


@dataclass
class Usage:
    """What was used so far; memory at its peak."""

    seconds: float = 0.0
    peak: int = 0  # bytes of all processes together, shared pages counted once
    peak_private: int = 0  # bytes of all processes together that no file backs: mapped pages are the system's to drop
    largest: int = 0  # resident bytes of the largest process
    processes: int = 0
    others: float = 0.0  # processor seconds of everything else on the machine meanwhile
    peak_at: float = 0.0  # seconds from the start
    at_peak: tuple[int, ...] = ()  # private bytes of each process then, the largest first
    exit_code: int = 0
    _processor: dict[int, float] = field(default_factory=dict)

    @property
    def processor_seconds(self) -> float:
        """Of all processes, as they were seen last."""
        return sum(self._processor.values())

    @property
    def first_processor_seconds(self) -> float:
        """Of the process that was started: what it did itself, not its workers."""
        return next(iter(self._processor.values()), 0.0)

    def look(self, first: int, seconds: float) -> None:
        """Add up a process and all below it, so many seconds after the start."""
        parents = {pid: parent for pid, parent in _parents() if parent != pid}
        pids = [pid for pid in [first, *parents] if pid == first or _is_below(pid, first, parents)]
        total, privates = 0, []
        for pid in dict.fromkeys(pids):
            try:
                rollup = _kilobytes(Path(f"/proc/{pid}/smaps_rollup").read_text())
                fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            except (OSError, IndexError):
                continue
            total += rollup.get("Pss", 0)
            privates.append(rollup.get("Pss_Anon", 0) + rollup.get("Pss_Shmem", 0))
            self.largest = max(self.largest, rollup.get("Rss", 0))
            self._processor[pid] = (int(fields[11]) + int(fields[12])) / _TICKS
        if total > self.peak:
            self.peak, self.peak_at, self.at_peak = total, seconds, tuple(sorted(privates, reverse=True))
        self.peak_private = max(self.peak_private, sum(privates))
        self.processes = max(self.processes, len(privates))


def _parents() -> list[tuple[int, int]]:
    pairs = []
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            try:
                pairs.append((int(entry.name), int(Path(entry.path, "stat").read_text().rsplit(")", 1)[1].split()[1])))
            except (OSError, IndexError):
                continue
    return pairs


def _is_below(pid: int, first: int, parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == first:
            return True
    return False


def _kilobytes(rollup: str) -> dict[str, int]:
    """The numbers of `smaps_rollup` in bytes, by name."""
    lines = (line.split() for line in rollup.splitlines()[1:])
    return {name.rstrip(":"): int(number) * 1024 for name, number, *_ in lines}


def _busy_seconds() -> float:
    """What all processors have worked since the machine was started."""
    user, nice, system, _, _, irq, soft, *_ = map(int, Path("/proc/stat").read_text().splitlines()[0].split()[1:])
    return (user + nice + system + irq + soft) / _TICKS


def watch(command: Sequence[str], log: Path) -> Usage:
    """Run a command to its end, its output into a file, and look at it now and then."""
    usage, start, busy = Usage(), time.perf_counter(), _busy_seconds()
    with log.open("ab") as sink:
        process = subprocess.Popen(command, stdout=sink, stderr=sink)
        waiter = threading.Thread(target=process.wait)
        waiter.start()
        while waiter.is_alive():
            usage.look(process.pid, time.perf_counter() - start)
            waiter.join(_PAUSE)
    usage.others = max(0.0, _busy_seconds() - busy - usage.processor_seconds)
    usage.seconds, usage.exit_code = time.perf_counter() - start, process.returncode
    return usage
