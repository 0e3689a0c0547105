"""ConceptNet's dump: our graph file against conceptnet-lite on the same 100,000 edges, and memory by number of lines.

    python benchmarks/bench_conceptnet.py [conceptnet-assertions-*.csv.gz] [--lines N ...] [--folder DIR]

Without a dump, one is made up. conceptnet-lite is measured where it is installed, as the extra of that name does. Both
start from the same .gz file and end with an answered question; seconds are those of the processor, with the seconds on
the clock beside them. `--lines` says how many lines the made-up dumps have by which memory is measured: 34,000,000 is
the size of the official one (about 0.9 GB on disk while it is read).
"""

import argparse
import contextlib
import gzip
import io
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from diptych.kg.conceptnet import open_dump
from diptych.sources import SourceFile

EDGES = 100_000
ROUNDS = 5
RELATIONS = ("Antonym", "AtLocation", "CapableOf", "FormOf", "HasContext", "IsA", "RelatedTo", "Synonym", "UsedFor")
LANGUAGES = {"de": 2, "en": 2, "es": 2, "fr": 5, "it": 2, "ja": 2, "la": 2, "pt": 1, "ru": 1, "zh": 1}
NODES_A_LINE = 0.45
PROBE = """
import sys, time
from pathlib import Path
from diptych.kg.conceptnet_ingest import ingest
from diptych.sources import SourceFile
def peak():  # of this process alone: getrusage also counts that of the process that started it
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) // 1024
path, before, start = Path(sys.argv[1]), peak(), time.perf_counter()
seen = ingest(SourceFile(path, path.name.removesuffix(".gz")), path.with_suffix(".graph"))
print(before, peak(), seen.kept, time.process_time(), time.perf_counter() - start)
"""


def made_up(path: Path, lines: int, english_only: bool = False) -> Path:
    """A dump of so many lines in the manner of the official one: by relation and language, a tenth of it English."""
    shares = {"en": 1} if english_only else LANGUAGES
    rng = np.random.default_rng(0)
    with gzip.open(path, "wb", compresslevel=1) as file:
        for number, relation in enumerate(RELATIONS):
            of_relation = lines * (number + 1) // len(RELATIONS) - lines * number // len(RELATIONS)
            done = 0
            for place, (language, share) in enumerate(shares.items()):
                last = place == len(shares) - 1
                mine = of_relation - done if last else of_relation * share // sum(shares.values())
                done += mine
                nodes = max(10, int(lines * share / sum(shares.values()) * NODES_A_LINE))
                for text in _edges(relation, language, mine, nodes, number * 7919, rng):
                    file.write(text)
    return path


def _edges(
    relation: str, language: str, lines: int, nodes: int, turn: int, rng: np.random.Generator
) -> Iterator[bytes]:
    """Lines whose heads go through all nodes and whose tails are mostly of a few; some say their surfaces."""
    first = '"dataset": "/d/wiktionary/en", "license": "cc:by-sa/4.0", "sources": [{"contributor": "/s/resource'
    for low in range(0, lines, 20_000):
        count = min(20_000, lines - low)
        heads = ((np.arange(low, low + count) + turn) * nodes // max(1, lines) % nodes).tolist()
        tails = ((rng.random(count) ** 4) * nodes).astype(np.int64).tolist()
        weights = rng.integers(1, 20, count).tolist()
        text = []
        for head, tail, weight in zip(heads, tails, weights, strict=True):
            start, end = f"the_{head:x}_thing", f"term_{tail:x}"
            said = f', "surfaceEnd": "{end}", "surfaceStart": "a {start}"' if tail % 4 == 0 else ""
            about = f'{{{first}/{language}", "process": "/s/p/{head % 50}"}}]{said}, "weight": {weight / 2}}}'
            one, other = f"/c/{language}/{start}", f"/c/{language}/{end}"
            text.append(f"/a/[/r/{relation}/,{one}/n/,{other}/]\t/r/{relation}\t{one}/n\t{other}\t{about}\n")
        yield "".join(text).encode()


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the processor and on the clock."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def ours(dump: Path, folder: Path) -> tuple[float, float]:
    """Seconds to read the dump, open the graph and ask it."""
    source = SourceFile(dump, dump.name.removesuffix(".gz"))
    return timed(lambda: open_dump(source, folder / "ours.graph").edges(head="dog"))


def lite(dump: Path, folder: Path) -> tuple[float, float] | None:
    """Seconds conceptnet-lite takes to unpack the same dump, load and ask it; None where it is not installed."""
    try:
        from conceptnet_lite import db
    except ImportError:
        return None
    copy = folder / "dump.csv.gz"
    copy.write_bytes(dump.read_bytes())

    def work() -> None:
        db.extract_compressed_dump(copy, delete_compressed_dump=False)
        db.load_dump_to_db(folder / "dump.csv", folder / "lite.db", edge_count=EDGES, delete_dump=False)
        list(db.Edge.select().join(db.Concept, on=db.Edge.start).join(db.Label).where(db.Label.text == "dog"))

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return timed(work)


def compare(dump: Path, folder: Path) -> None:
    """Print the seconds of both and their ratio: half of our rounds before conceptnet-lite's, half after it."""
    times = [ours(dump, Path(tempfile.mkdtemp(dir=folder))) for _ in range(ROUNDS)]
    theirs = lite(dump, folder)
    times += [ours(dump, Path(tempfile.mkdtemp(dir=folder))) for _ in range(ROUNDS)]
    again = Path(tempfile.mkdtemp(dir=folder))
    ours(dump, again)
    cpu, wall = (float(np.median([time[side] for time in times])) for side in (0, 1))
    print(f"{EDGES:,} edges: ours {cpu:.2f} s ({wall:.2f} s), used again {ours(dump, again)[1] * 1000:.1f} ms")
    if theirs is None:
        print("conceptnet-lite is not installed: nothing to compare with")
    else:
        ratios = f"{theirs[0] / cpu:.1f} times as long ({theirs[1] / wall:.1f} on the clock)"
        print(f"conceptnet-lite {theirs[0]:.2f} s ({theirs[1]:.2f} s): {ratios}")


def memory(lines: int, folder: Path) -> None:
    """Print the peak memory of reading a dump of so many lines in a process of its own."""
    dump = made_up(folder / f"{lines}.csv.gz", lines)
    found = subprocess.run([sys.executable, "-c", PROBE, str(dump)], capture_output=True, text=True, check=True)
    before, peak, kept, cpu, wall = map(float, found.stdout.split())
    size = dump.stat().st_size / 1e6
    print(f"{lines:,} lines ({size:,.0f} MB, {kept:,.0f} kept): {cpu:.1f} s ({wall:.1f} s),", end=" ")
    print(f"peak {peak:.0f} MB, {before:.0f} MB before the first line", flush=True)
    dump.unlink()
    dump.with_suffix(".graph").unlink()


def main() -> None:
    """Compare the speeds, then measure memory for each number of lines."""
    asked = argparse.ArgumentParser()
    asked.add_argument("dump", nargs="?", type=Path)
    asked.add_argument("--lines", nargs="*", type=int, default=[EDGES * 2, EDGES * 20])
    asked.add_argument("--folder", type=Path)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        folder = Path(scratch)
        compare(given.dump or made_up(folder / "small.csv.gz", EDGES, english_only=True), folder)
        for lines in given.lines:
            memory(lines, folder)


if __name__ == "__main__":
    main()
