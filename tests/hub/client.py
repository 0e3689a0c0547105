"""Real clients in processes of their own: huggingface_hub reads its endpoint when it is imported."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent

from .server import TOKEN, LoopbackHub

ROOT = Path(__file__).resolve().parent.parent.parent


def client_env(hub: LoopbackHub, **options: object) -> dict[str, str]:
    """The whole environment of a client: ours without any Hugging Face setting, and the Hub's own."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
    return {**ours, "PYTHONPATH": str(ROOT), **hub.env(**options)}  # type: ignore[arg-type]


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
) -> subprocess.CompletedProcess[str]:
    """Run Python code, or Python with arguments, as a client of the Hub.

    A client that fails raises with all that it said, unless `check=False`.
    """
    args = ["-c", dedent(code_or_args)] if isinstance(code_or_args, str) else list(code_or_args)
    done = subprocess.run(
        [sys.executable, *args],
        env={**client_env(hub, token=token, home=home, offline=offline), **(env or {})},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    if check and done.returncode != 0:
        log = "\n".join(map(str, hub.requests[-20:]))
        raise AssertionError(
            f"client exited with {done.returncode}\n{done.stdout}\n{done.stderr}\nlast requests:\n{log}"
        )
    return done
