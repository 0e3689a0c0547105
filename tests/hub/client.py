"""Real clients in processes of their own: huggingface_hub reads its endpoint when it is imported."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from types import TracebackType
from typing import Self

from .server import TOKEN, LoopbackHub

ROOT = Path(__file__).resolve().parent.parent.parent
Process = subprocess.CompletedProcess[str]


def client_env(
    hub: LoopbackHub, *, token: str | None, home: Path | None = None, offline: bool = False
) -> dict[str, str]:
    """The whole environment of a client: ours without any Hugging Face setting, and the Hub's own."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
    return {**variables, "PYTHONPATH": str(ROOT), **hub.env(token=token, home=home, offline=offline)}


def run_client(
    code_or_args: str | Sequence[str],
    hub: LoopbackHub,
    *,
    token: str | None = TOKEN,
    home: Path | None = None,
    offline: bool = False,
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
    check: bool = True,
) -> Process:
    """Run Python code, or Python with arguments, as a client of the Hub.

    A client that fails raises with all that it said, unless `check=False`.
    """
    args = [sys.executable, *_args(code_or_args)]
    env = {**client_env(hub, token=token, home=home, offline=offline), **(env or {})}
    process = subprocess.run(args, env=env, capture_output=True, text=True, timeout=timeout, check=False)
    return _checked(process, hub) if check else process


class WarmClient:
    """A client whose imports are paid for once: each run is a fork of a process that has them.

    What the libraries read when imported (endpoint, home, offline) is the same for all runs; the token may differ.
    Meant for the same command run hundreds of times, with `hub.reset()` in between.
    """

    def __init__(self, hub: LoopbackHub, preload: str = "import datasets, huggingface_hub"):
        self._hub = hub
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("forkserver.py")), preload],
            env=client_env(hub, token=None),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def run(
        self,
        code_or_args: str | Sequence[str],
        *,
        token: str | None = TOKEN,
        env: Mapping[str, str] | None = None,
        timeout: float = 120,
        check: bool = True,
    ) -> Process:
        """Run Python code, or `["-m", module, …]`, as `run_client` does."""
        args = _args(code_or_args)
        job = {"args": args, "env": {"HF_TOKEN": token or "", **(env or {})}, "timeout": timeout}
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        result = json.loads(self._process.stdout.readline())
        if result["code"] is None:
            raise subprocess.TimeoutExpired(args, timeout, result["stdout"], result["stderr"])
        process = Process(args, result["code"], result["stdout"], result["stderr"])
        return _checked(process, self._hub) if check else process


def _args(code_or_args: str | Sequence[str]) -> list[str]:
    return ["-c", dedent(code_or_args)] if isinstance(code_or_args, str) else list(code_or_args)


def _checked(process: Process, hub: LoopbackHub) -> Process:
    if process.returncode != 0:
        log = "\n".join(map(str, hub.requests[-20:]))
        output = f"{process.stdout}\n{process.stderr}\nlast requests:\n{log}"
        raise AssertionError(f"client exited with {process.returncode}\n{output}")
    return process
