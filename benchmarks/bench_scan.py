"""The scan in 16-bit integers beside the same product in float32: billions of multiplications and additions a second.

Each target that numba can be told runs in a process of its own with a cache of its own, on one core; float32 is that of
numpy as it is installed. A target that the processor does not have is not run.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from results import Claim, not_run, record

from diptych.ranking._panels import Panels

COLUMNS, WIDTH, POINTS, ROUNDS = 20_000, 384, 64, 15
TARGETS = {
    "vnni": ("512 bits with VNNI", "icelake-server", "avx512_vnni"),
    "avx512": ("512 bits", "skylake-avx512", "avx512bw"),
    "avx2": ("256 bits, AVX2", "haswell", "avx2"),
    "sse2": ("x86-64 alone, SSE2", "x86-64", "sse2"),
}
"""By name: what it is, what numba calls a processor of it, and the flag of a processor that has it."""


def billions(work: Callable[[], object]) -> float:
    """Billions of multiplications and additions per second of the processor, the best of some rounds."""
    work()
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return COLUMNS * WIDTH * POINTS / best / 1e9


def measure() -> tuple[float, float]:
    """The rate of the integers and of float32."""
    rng = np.random.default_rng(0)
    rows, vectors = rng.normal(size=(COLUMNS, WIDTH)).astype(np.float32), rng.normal(size=(POINTS, WIDTH))
    panels = Panels(rows, 1 / np.linalg.norm(rows, axis=1))
    points, singles = panels.points(vectors), vectors.astype(np.float32)
    return billions(lambda: panels.multiply(points)), billions(lambda: rows @ singles.T)


def flags() -> set[str]:
    """The flags of this processor, where Linux tells them."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.is_file() else []
    return set(next((line.partition(":")[2] for line in lines if line.startswith("flags")), "").split())


def main() -> None:
    """Print a line for each target, or as a child one measurement."""
    if sys.argv[1:] == ["--child"]:
        print(json.dumps(measure()))
        return
    for name, (title, processor, flag) in TARGETS.items():
        claim, statement = f"scan-{name}", f"integer scan, {title}, one core"
        if flag not in flags():
            record(not_run(claim, statement, f"the processor has no {flag}", "docs/ranking.md"))
            continue
        with tempfile.TemporaryDirectory() as cache:
            plain = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": "", "XDG_CACHE_HOME": cache}
            plain |= {"OPENBLAS_NUM_THREADS": "1"}
            command = [sys.executable, __file__, "--child"]
            run = subprocess.run(command, check=True, env=os.environ | plain, stdout=subprocess.PIPE)
        ours, singles = json.loads(run.stdout)
        print(f"{title:24} {ours:6.0f} billion/s, float32 {singles:6.0f}: {ours / singles:.1f}x")
        size = f"{COLUMNS:,} columns of {WIDTH} numbers, {POINTS} vectors"
        numbers = ours, "billion/s", singles, "float32 by numpy", ours / singles, size, "docs/ranking.md"
        record(Claim(claim, statement, *numbers))


if __name__ == "__main__":
    main()
