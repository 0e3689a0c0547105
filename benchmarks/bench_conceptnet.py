"""ConceptNet's dump: the streaming reader against conceptnet-lite on 100,000 edges, and memory by number of lines.

    python benchmarks/bench_conceptnet.py [conceptnet-assertions-*.csv.gz] [--lines N ...] [--folder DIR]

Without a dump, one is generated. conceptnet-lite is measured if its extra is installed. Both start from the same .gz
file and end with the edges of one term; times are CPU seconds, with wall-clock seconds in parentheses. `--lines` gives
the sizes of the generated dumps for the memory measurement: the official dump has 34,000,000 lines (about 0.9 GB).
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
from results import Claim, Point, not_run, record

from diptych.builders import Input
from diptych.builders.fvqa2._records import EdgeBlock, read_record, source_records
from diptych.kg import Edge
from diptych.sources import SourceFile

EDGES = 100_000
ROUNDS = 5
TERM = "dog"
STATEMENT = "edges of a term from ConceptNet's dump: processor time beside conceptnet-lite"
RELATIONS = "Antonym AtLocation CapableOf FormOf HasContext IsA RelatedTo Synonym UsedFor".split()
LANGUAGES = {"de": 2, "en": 2, "es": 2, "fr": 5, "it": 2, "ja": 2, "la": 2, "pt": 1, "ru": 1, "zh": 1}
NODES_PER_LINE = 0.45
PROBE = """
import sys, time
from pathlib import Path
from diptych.builders import Input
from diptych.builders.fvqa2._records import EdgeBlock, read_record, source_records
from diptych.sources import SourceFile
def peak():  # of this process alone: getrusage also counts that of the process that started it
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) // 1024
path, bare, start = Path(sys.argv[1]), peak(), time.perf_counter()
source = Input("edges/dump", (SourceFile(path, path.name.removesuffix(".gz")),), EdgeBlock)
blocks = (block for record in source_records(source, path.parent) for block in read_record(record))
edges = sum(len(block.edges) for block in blocks)
print(bare, peak(), edges, time.process_time(), time.perf_counter() - start)
"""


def generate_dump(path: Path, lines: int, english_only: bool = False) -> Path:
    """A dump like the official one: sorted by relation and language, a tenth of it English."""
    shares = {"en": 1} if english_only else LANGUAGES
    rng = np.random.default_rng(0)
    with gzip.open(path, "wb", compresslevel=1) as file:
        for number, relation in enumerate(RELATIONS):
            relation_lines = lines * (number + 1) // len(RELATIONS) - lines * number // len(RELATIONS)
            for language, share in shares.items():
                language_lines = relation_lines * share // sum(shares.values())
                nodes = max(10, int(lines * share / sum(shares.values()) * NODES_PER_LINE))
                for text in _generate_lines(relation, language, language_lines, nodes, number * 7919, rng):
                    file.write(text)
    return path


def _generate_lines(
    relation: str, language: str, lines: int, nodes: int, shift: int, rng: np.random.Generator
) -> Iterator[bytes]:
    """Lines whose heads go through all nodes and whose tails are mostly of a few; a quarter has surfaces."""
    sources = '"dataset": "/d/wiktionary/en", "license": "cc:by-sa/4.0", "sources": [{"contributor": "/s/resource'
    for start in range(0, lines, 20_000):
        count = min(20_000, lines - start)
        heads = ((np.arange(start, start + count) + shift) * nodes // max(1, lines) % nodes).tolist()
        tails = ((rng.random(count) ** 4) * nodes).astype(np.int64).tolist()
        weights = rng.integers(1, 20, count).tolist()
        texts = []
        for head, tail, weight in zip(heads, tails, weights, strict=True):
            head_uri, tail_uri = f"/c/{language}/the_{head:x}_thing", f"/c/{language}/term_{tail:x}"
            surfaces = f', "surfaceEnd": "term {tail:x}", "surfaceStart": "a {head:x} thing"' if tail % 4 == 0 else ""
            details = f'{{{sources}/{language}", "process": "/s/p/{head % 50}"}}]{surfaces}, "weight": {weight / 2}}}'
            uri = f"/a/[/r/{relation}/,{head_uri}/n/,{tail_uri}/]"
            texts.append(f"{uri}\t/r/{relation}\t{head_uri}/n\t{tail_uri}\t{details}\n")
        yield "".join(texts).encode()


def measure(work: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall-clock seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def measure_diptych(dump: Path) -> tuple[float, float]:
    """Seconds to stream the dump and list the edges of a term."""
    source = Input("edges/dump", (SourceFile(dump, dump.name.removesuffix(".gz")),), EdgeBlock)

    def work() -> list[Edge]:
        blocks = [block for record in source_records(source, dump.parent) for block in read_record(record)]
        return [edge for block in blocks if isinstance(block, EdgeBlock) for edge in block.edges if edge.head == TERM]

    return measure(work)


def measure_lite(dump: Path, folder: Path) -> tuple[float, float] | None:
    """Seconds conceptnet-lite takes to unpack and load the same dump and list the edges; None if it is missing."""
    try:
        from conceptnet_lite import db
    except ImportError:
        return None
    copy = folder / "dump.csv.gz"
    copy.write_bytes(dump.read_bytes())

    def work() -> None:
        db.extract_compressed_dump(copy, delete_compressed_dump=False)
        db.load_dump_to_db(folder / "dump.csv", folder / "lite.db", edge_count=EDGES, delete_dump=False)
        list(db.Edge.select().join(db.Concept, on=db.Edge.start).join(db.Label).where(db.Label.text == TERM))

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return measure(work)


def compare(dump: Path, folder: Path) -> None:
    """Print the seconds of both and their ratio; half of our rounds run before conceptnet-lite, half after it."""
    times = [measure_diptych(dump) for _ in range(ROUNDS)]
    lite_times = measure_lite(dump, folder)
    times += [measure_diptych(dump) for _ in range(ROUNDS)]
    cpu, wall = np.median(times, axis=0).tolist()
    print(f"{EDGES:,} edges: diptych {cpu:.2f} s ({wall:.2f} s)")
    if lite_times is None:
        print("conceptnet-lite is not installed: nothing to compare with")
        record(not_run("conceptnet-speed", STATEMENT, "conceptnet-lite is not installed"))
    else:
        ratios = f"{lite_times[0] / cpu:.1f} times as long ({lite_times[1] / wall:.1f} on the clock)"
        print(f"conceptnet-lite {lite_times[0]:.2f} s ({lite_times[1]:.2f} s): {ratios}")
        record(
            Claim(
                "conceptnet-speed",
                STATEMENT,
                cpu,
                "s",
                lite_times[0],
                "conceptnet-lite",
                lite_times[0] / cpu,
                f"{EDGES:,} edges",
            )
        )


def measure_memory(lines: int, folder: Path) -> tuple[float, float]:
    """Print the peak memory of reading the edges of one term from a dump, in a process of its own; peak and rate."""
    dump = generate_dump(folder / f"{lines}.csv.gz", lines)
    probe = subprocess.run([sys.executable, "-c", PROBE, str(dump)], capture_output=True, text=True, check=True)
    bare, peak, edges, cpu, wall = map(float, probe.stdout.split())
    size = dump.stat().st_size / 1e6
    print(f"{lines:,} lines ({size:,.0f} MB, {edges:,.0f} English): {cpu:.1f} s ({wall:.1f} s),", end=" ")
    print(f"peak {peak:.0f} MB, {bare:.0f} MB before the first line", flush=True)
    dump.unlink()
    record(Point("conceptnet-memory", "one process", lines, peak))
    return peak, lines / cpu


def main() -> None:
    """Compare the speeds, then measure memory for each number of lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump", nargs="?", type=Path)
    parser.add_argument("--lines", nargs="*", type=int, default=[EDGES * 2, EDGES * 6, EDGES * 20])
    parser.add_argument("--folder", type=Path, help="where the generated dumps are written")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        folder = Path(scratch)
        compare(options.dump or generate_dump(folder / "small.csv.gz", EDGES, english_only=True), folder)
        peaks = [measure_memory(lines, folder) for lines in options.lines]
    (small, _), (large, rate), size = peaks[0], peaks[-1], " and ".join(f"{lines:,}" for lines in options.lines)
    statement = "reading ConceptNet's dump: peak memory of the longest dump, beside the shortest"
    record(
        Claim(
            "conceptnet-memory-growth",
            statement,
            large,
            "MB",
            small,
            "shortest",
            large / small,
            f"{size} lines",
            "README.md",
            at_most=1.15,
        ),
        Claim(
            "conceptnet-rate",
            "reading ConceptNet's dump, one core",
            rate,
            "lines/s",
            size=f"{options.lines[-1]:,} lines",
        ),
    )


if __name__ == "__main__":
    main()
