"""The command line: a file for the commands that belong together, no logic; bad input is one line and exit code 2.

This module imports nothing heavy, so that `diptych --version` answers at once.
"""

import os
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Any

from diptych import __version__
from diptych.errors import DiptychError, printable

INTERNAL_ERROR = 70  # the exit code of a defect of ours, as sysexits.h has it

INTERRUPTED = "interrupted; finished work is kept: run the same command again to continue"


def main(args: Sequence[str] | None = None) -> None:
    """Run one command; an error in the input is one line on stderr, with exit code 2."""
    arguments = list(sys.argv[1:] if args is None else args)
    if arguments[:1] == ["--version"]:
        sys.stdout.write(f"diptych {__version__}\n")
        return
    # Arrow's own allocator keeps what it had at its peak; the system's gives it back, a fifth of a build's memory.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        _take_interrupts()
        from diptych.cli._app import run

        run(arguments)
    except DiptychError as error:
        sys.exit(_say(f"error: {error}", 2))
    except (KeyboardInterrupt, _Interrupt):
        sys.exit(_say(INTERRUPTED, 130))
    except BrokenPipeError:
        sys.stdout = None  # whoever read it is gone: nothing more to flush
        sys.exit(141)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        reason = printable(f"{place}{error.strerror or error}")
        sys.exit(_say(f"error: {reason}; finished work is kept: fix this and run the same command again", 2))
    except MemoryError:
        sys.exit(
            _say("error: out of memory; finished work is kept: run the same command again with a smaller --num-proc", 2)
        )
    except Exception as error:
        message = " ".join(f"{type(error).__name__}: {error}".split())[:200].removesuffix(":")
        sys.exit(_say(f"internal error: {message}; {_save_traceback()}", INTERNAL_ERROR))


class _Interrupt(BaseException):
    """Ctrl-C, under a name that Typer does not take for its own."""


def _take_interrupts() -> None:
    """Raise at the first Ctrl-C, and leave at once at the second, if the first waits for workers."""
    presses = 0

    def interrupt(*_: object) -> None:
        nonlocal presses
        presses += 1
        if presses > 1:
            os._exit(_say(INTERRUPTED, 130))
        raise _Interrupt

    def ignore(lost: Any) -> None:
        """An exception in a place that cannot raise, such as a destructor: only Ctrl-C is not lost there."""
        nonlocal presses
        if isinstance(lost.exc_value, _Interrupt):
            presses = 0
            signal.setitimer(signal.ITIMER_REAL, 0.01)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, interrupt)
        signal.signal(signal.SIGALRM, interrupt)
        if sys.unraisablehook is sys.__unraisablehook__:
            sys.unraisablehook = ignore


def _say(line: str, code: int) -> int:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
    return code


def _save_traceback() -> str:
    """Keep the traceback in a file and say how to report it."""
    import tempfile
    import traceback

    content = f"diptych {__version__}\n{traceback.format_exc()}".encode(errors="backslashreplace")
    try:
        with tempfile.NamedTemporaryFile(prefix="diptych-", suffix=".txt", delete=False) as file:
            file.write(content)
    except OSError as error:
        return f"its traceback could not be saved ({error.strerror}): please report it with the command that you ran"
    return f"the traceback is in {file.name}: please report it with the command that you ran"
