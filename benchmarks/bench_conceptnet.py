"""ConceptNet's dump: our graph file against conceptnet-lite on the same 100,000 edges, and memory by number of lines.

    python benchmarks/bench_conceptnet.py [conceptnet-assertions-*.csv.gz]

Without a dump, one is made up. conceptnet-lite is measured where it is installed, as the extra of that name does.
"""

import gzip
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from diptych.kg.conceptnet import open_dump
from diptych.sources import SourceFile

EDGES = 100_000
PROBE = """
import resource, sys
from pathlib import Path
from diptych.kg.conceptnet_ingest import ingest
from diptych.sources import SourceFile
path = Path(sys.argv[1])
ingest(SourceFile(path, path.name.removesuffix(".gz")), path.with_suffix(".graph"))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def made_up(path: Path, lines: int) -> Path:
    """A dump of so many lines, a tenth of them English, as in the official one."""
    rng = Random(0)
    with gzip.open(path, "wt", compresslevel=1) as file:
        for number in range(lines):
            language = "en" if lines <= EDGES or number % 10 == 0 else "fr"
            head, tail = (f"/c/{language}/term_{int(rng.paretovariate(0.6)) % (lines // 2)}" for _ in range(2))
            about = '{"dataset": "/d/x", "weight": 2.0, "surfaceStart": "a term", "surfaceEnd": "another"}'
            file.write(f"/a/[/r/IsA/,{head}/,{tail}/]\t/r/IsA\t{head}\t{tail}\t{about}\n")
    return path


def ours(dump: Path, folder: Path) -> float:
    """Seconds to read the dump and open the graph."""
    start = time.perf_counter()
    open_dump(SourceFile(dump, dump.name.removesuffix(".gz")), folder / "ours.graph")
    return time.perf_counter() - start


def lite(dump: Path, folder: Path) -> float | None:
    """Seconds conceptnet-lite takes for the same dump, or None where it is not installed."""
    try:
        from conceptnet_lite.db import load_dump_to_db
    except ImportError:
        return None
    plain = folder / "dump.csv"
    plain.write_bytes(gzip.decompress(dump.read_bytes()))
    start = time.perf_counter()
    load_dump_to_db(plain, folder / "lite.db", edge_count=EDGES, delete_dump=False)
    return time.perf_counter() - start


def memory(dump: Path) -> int:
    """The peak memory of reading a dump in a process of its own, in megabytes."""
    found = subprocess.run([sys.executable, "-c", PROBE, str(dump)], capture_output=True, text=True, check=True)
    return int(found.stdout)


def main() -> None:
    """Print the seconds, their ratio, and memory for one and for ten times the lines."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        dump = Path(sys.argv[1]) if len(sys.argv) > 1 else made_up(folder / "small.csv.gz", EDGES)
        times = []
        for number in range(3):
            (folder / str(number)).mkdir()
            times.append(ours(dump, folder / str(number)))
        theirs = lite(dump, folder)
        print(f"{EDGES:,} edges: ours {min(times):.2f} s, used again {ours(dump, folder / '0') * 1000:.1f} ms")
        if theirs is None:
            print("conceptnet-lite is not installed: nothing to compare with")
        else:
            print(f"conceptnet-lite {theirs:.2f} s: {theirs / min(times):.0f} times as long")
        small, large = (memory(made_up(folder / f"{n}.csv.gz", n)) for n in (EDGES * 2, EDGES * 20))
        print(f"peak memory: {small} MB for {EDGES * 2:,} lines, {large} MB for {EDGES * 20:,} lines")


if __name__ == "__main__":
    main()
