"""The inside of a `WarmClient`: imports the libraries once, then forks for every run.

Run as a script, so nothing here is imported from the package: `forkserver.py "import datasets"`. Jobs come as lines
of JSON on standard input, results go as lines of JSON to standard output, and the end of the input is the end.
"""

import json
import os
import runpy
import signal
import sys
import time
import traceback
from tempfile import TemporaryFile
from typing import IO, Any, NoReturn


def serve(preload: str) -> None:
    """Import, then do one job after the other."""
    exec(preload, {})
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_do(json.loads(line))) + "\n")
        sys.stdout.flush()


def _do(job: dict[str, Any]) -> dict[str, Any]:
    with TemporaryFile("w+") as out, TemporaryFile("w+") as errors:
        pid = os.fork()
        if pid == 0:
            _become(job, out, errors)
        code = _wait(pid, time.monotonic() + job["timeout"])
        out.seek(0)
        errors.seek(0)
        return {"code": code, "stdout": out.read(), "stderr": errors.read()}


def _wait(pid: int, deadline: float) -> int | None:
    while time.monotonic() < deadline:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def _become(job: dict[str, Any], out: IO[str], errors: IO[str]) -> NoReturn:
    code = 1
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out.fileno(), 1)
        os.dup2(errors.fileno(), 2)
        os.environ.update(job["env"])
        _run(job["args"])
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        if isinstance(stop.code, str):
            sys.stderr.write(stop.code + "\n")
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _run(args: list[str]) -> None:
    option, code, *rest = args
    sys.argv = [code, *rest]
    if option == "-m":
        runpy.run_module(code, run_name="__main__", alter_sys=True)
    else:
        exec(compile(code, "<client>", "exec"), {"__name__": "__main__"})


if __name__ == "__main__":
    serve(sys.argv[1])
