"""The same bytes from every engine: local processes, slices in shuffled order, and Ray, on any data folder.

    python benchmarks/compare_engines.py --data DIR [--datasets rad-cads,kb-counterfactuals] [--json FILE]
    python benchmarks/compare_engines.py --data DIR --datasets carets --nodes 3     # one build on a cluster of nodes

With `--nodes`, a cluster of so many Ray nodes is started, each with processes and an object store of its own on this
machine, and the build on it is compared with that of two local processes. Nothing is said about networks or machines.
"""

import argparse
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import orjson
from bench_full_size import describe_machine

import diptych

SETTINGS: dict[str, dict[str, Any]] = {
    "bqd": {"configs": ("gbqd", "gbqd_ranked", "shuffled"), "parameters": {"limit": 100}},
    "carets": {"parameters": {"images": "recipe"}},
}
MOST_ROUNDS = 10


def folder_digest(folder: Path) -> str:
    """One digest of the names and the bytes of all files."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def build_slices(name: str, data: Path, out: Path, count: int, **settings: Any) -> Path:
    """Run all slices in a shuffled order, again and again, until the build can be finished."""
    work, rng = str(out.parent / "work"), Random(name)
    for _ in range(MOST_ROUNDS):
        order = rng.sample(range(1, count + 1), count)
        results = [diptych.build_shards(name, data, f"{number}/{count}", work, **settings) for number in order]
        if not results[-1].missing:
            break
    built = diptych.build(name, data, out, work=work, finish=True, **settings).path
    shutil.rmtree(work)
    return built


def all_engines() -> dict[str, Callable[..., Path]]:
    """What builds a dataset, by name."""

    def with_options(**options: Any) -> Callable[..., Path]:
        return lambda name, data, out, **settings: diptych.build(name, data, out, **options, **settings).path

    def with_slices(count: int) -> Callable[..., Path]:
        return lambda name, data, out, **settings: build_slices(name, data, out, count, **settings)

    engines = {f"local {workers}": with_options(num_proc=workers) for workers in (1, 2, 3)}
    engines |= {f"slices of {count}": with_slices(count) for count in (1, 16)}
    return engines | {f"ray {workers}": with_options(engine="ray", num_proc=workers) for workers in (1, 2, 4)}


@contextmanager
def cluster_engine(nodes: int, work: Path) -> Iterator[dict[str, Callable[..., Path]]]:
    """Two local processes, and a cluster of nodes with one CPU each."""
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        for _ in range(nodes - 1):
            cluster.add_node(num_cpus=1)
        options = {"engine": "ray", "ray_address": cluster.address, "work": str(work)}
        yield {
            "local 2": lambda name, data, out, **settings: diptych.build(name, data, out, num_proc=2, **settings).path,
            f"ray, {nodes} nodes": lambda name, data, out, **settings: (
                diptych.build(name, data, out, **options, **settings).path
            ),
        }
    finally:
        cluster.shutdown()


def compare(name: str, data: Path, engines: dict[str, Callable[..., Path]], scratch: Path) -> dict[str, Any]:
    """Build a dataset with every engine, and tell whether all bytes are the same."""
    digests, seconds = {}, {}
    for engine, build in engines.items():
        out, start = scratch / "built" / "out", time.perf_counter()
        digests[engine] = folder_digest(build(name, data, out, **SETTINGS.get(name, {})))
        seconds[engine] = round(time.perf_counter() - start, 1)
        shutil.rmtree(out)
        print(f"{name}, {engine}: {digests[engine][:16]} in {seconds[engine]} s", flush=True)
    same = len(set(digests.values())) == 1
    print(f"{name}: {'the same bytes' if same else 'OTHER BYTES'} from {len(digests)} engines", flush=True)
    return {"case": "engines", "dataset": name, "same": same, "digests": digests, "seconds": seconds}


def main() -> None:
    """Compare the engines; exit code 1 if some bytes differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--datasets", type=lambda text: text.split(","), default=None)
    parser.add_argument("--nodes", type=int, default=0)
    parser.add_argument("--note", default="")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    names = options.datasets or diptych.builders.dataset_names()[:6]
    records = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        if options.nodes:
            with cluster_engine(options.nodes, scratch / "shared-work") as engines:
                records = [compare(name, options.data, engines, scratch) for name in names]
        else:
            records = [compare(name, options.data, all_engines(), scratch) for name in names]
    for record in records:
        if options.json:
            with options.json.open("ab") as file:
                file.write(orjson.dumps({**record, "note": options.note, **describe_machine()}) + b"\n")
    sys.exit(not all(record["same"] for record in records))


if __name__ == "__main__":
    main()
