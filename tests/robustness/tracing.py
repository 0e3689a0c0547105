"""Which files a command opens: an audit hook in its process, and the folders that it may touch."""

import os
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from tests.robustness.commands import Command, Ended

_ROOT = Path(__file__).resolve().parents[2]
_EVENTS = frozenset(
    {"open", "os.listdir", "os.scandir", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.symlink"}
)


def trace(command: Command, scratch: Path, *allowed: Path) -> tuple[Ended, list[str]]:
    """Run a command; returns how it ended and every path outside the allowed folders that it opened or changed.

    Python, its packages, Diptych itself and the devices are always allowed, links are followed to their targets.
    """
    log = scratch / "opened"
    scratch.mkdir(parents=True, exist_ok=True)
    traced = Command(command.arguments, command.root, command.environment, lambda: _install(log))
    ended = traced.run(scratch)
    roots = [os.path.realpath(path) for path in (*allowed, scratch, *_machinery())]
    paths = dict.fromkeys(log.read_text(encoding="utf-8", errors="surrogateescape").split("\0"))
    return ended, [path for path in paths if path and not _is_below(path, roots)]


def _install(log: Path) -> None:
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in _EVENTS:
            for path in arguments[:2] if event == "os.rename" else arguments[:1]:
                if isinstance(path, str | bytes | os.PathLike):
                    text = os.path.realpath(os.path.abspath(os.fsdecode(path)))
                    os.write(handle, text.encode("utf-8", "surrogateescape") + b"\0")

    sys.addaudithook(hook)


def _machinery() -> Iterable[str]:
    yield from (sys.prefix, sys.base_prefix, sysconfig.get_paths()["stdlib"], str(_ROOT))
    yield from ("/dev", "/proc", "/sys", "/etc", "/usr/share", "/usr/lib")
    yield from (path for path in sys.path if path)
    # Libraries of others keep their settings and compiled code there.
    yield from (str(Path.home() / name) for name in (".cache", ".config", ".numba", "nltk_data"))


def _is_below(path: str, roots: Iterable[str]) -> bool:
    return any(path == root or path.startswith(f"{root.rstrip('/')}/") for root in roots)
