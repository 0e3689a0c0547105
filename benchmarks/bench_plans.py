"""The plan steps at a tenth to a hundred times the official sizes, on generated inputs: time, memory, size of facts.

    python benchmarks/bench_plans.py [NAME ...] [--scales 0.1 1 10]

A plan reads the rows that the stage before it left. Here these are real rows, read from DIPTYCH_DATA (or
../shared/data) or from a miniature world, that are repeated as they are read, each copy under ids, texts and terms of
its own; vectors and rankings are drawn at random. So the plans are the real ones, and nothing but their input is made
up. Each size runs in a process of its own; memory is the peak of a step above what the process had before it.

A scale of 1 is: VQA v2's 658,111 questions (rad, kb), Visual Genome's 108,077 images (carets; those of `bench_vg`, with
as much in each as the real ones have), 244,302 main over 186,027 basic questions (bqd), FVQA's questions with the
34,000,000 lines of ConceptNet's dump (fvqa2).
"""

import argparse
import ctypes
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from bench_vg import make_files
from results import Claim, Point, record
from workers import real_or_small

from diptych.builders import BuildOptions, Dataset, get_dataset
from diptych.builders._dataset import Candidates, Rows
from diptych.builders._ledger import Ledger, Problem
from diptych.builders._plans import StoredPlan, load_facts
from diptych.builders._rows import from_table, row_schema, to_table
from diptych.builders._work import Shards, WorkFolder
from diptych.builders.bqd._records import MAIN, POOL
from diptych.pairs import Skip, row_rng

SIZES = {"rad-cads": 658_111, "kb-counterfactuals": 658_111, "carets": 108_077, "bqd": 244_302, "fvqa2": 34_000_000}
UNITS = {"carets": "images", "fvqa2": "lines of ConceptNet"}
BASIC = 186_027
GRAPHS, MOST_READ = 300, {"kb-counterfactuals": 2_000}  # images and questions that are read, to be repeated
SHARD, DIMENSIONS, TOP = 4096, 256, 21
SCALES = {"kb": (1.0, 10.0, 100.0), "bqd": (0.1, 1.0, 3.0)}
"""By name, other scales than a tenth, once and ten times: beyond, memory or time of a machine of two cores is short."""


@dataclass(frozen=True, slots=True)
class RepeatedShards(Shards):
    """Shards that repeat those of a folder: each copy has ids, texts and terms of its own."""

    base: int = 1  # how many shards there are to repeat
    texts: tuple[str, ...] = ()  # columns of texts that a copy tells apart, besides the keys
    as_number: bool = False  # whether the keys are numbers, and stay so

    def read(self, index: int, columns: tuple[str, ...] = ()) -> pa.Table:
        """The rows of a shard of a copy."""
        copy, place = divmod(index, self.base)
        table = Shards.read(self, place, columns)
        if not copy:
            return table
        suffix = f"{copy:06d}" if self.as_number else f" {copy}"
        for name in ("key", *self.texts):
            if name in table.column_names:
                parts = (suffix, table[name]) if self.as_number else (table[name], suffix)
                renamed = pc.binary_join_element_wise(*parts, "")
                table = table.set_column(table.column_names.index(name), name, renamed)
        return self._rename_edges(table) if "edges" in table.column_names else table

    def _rename_edges(self, table: pa.Table) -> pa.Table:
        """Edges between other terms than those of the first copy."""
        edges = table["edges"].combine_chunks()
        fields = {field.name: edges.values.field(field.name) for field in edges.type.value_type}
        for name in ("head", "tail"):
            fields[name] = pc.binary_join_element_wise(fields[name], "0", " ")
        values = pa.StructArray.from_arrays(list(fields.values()), fields=list(edges.type.value_type))
        renamed = pa.ListArray.from_arrays(edges.offsets, values, edges.type)
        return table.set_column(table.column_names.index("edges"), "edges", renamed)


@dataclass(frozen=True, slots=True)
class EncodedShards(Shards):
    """Blocks of texts as a plan gave them, with random vectors."""

    def read(self, index: int, columns: tuple[str, ...] = ()) -> pa.Table:
        """A block."""
        table, rng = Shards.read(self, index, columns), np.random.default_rng(index)
        if "vectors" not in table.column_names:
            return table
        vectors = [
            rng.standard_normal((len(texts), DIMENSIONS), np.float32).tobytes() for texts in table["texts"].to_pylist()
        ]
        place = table.column_names.index("vectors")
        return table.set_column(place, "vectors", pa.array(vectors, pa.large_binary()))


@dataclass(frozen=True, slots=True)
class RankedShards(Shards):
    """Rankings of the main questions of blocks as a plan gave them, drawn at random."""

    basic: int = 0

    def read(self, index: int, columns: tuple[str, ...] = ()) -> pa.Table:
        """The rankings of a block."""
        (texts,), rng = Shards.read(self, index, ("texts",))["texts"].to_pylist(), np.random.default_rng(index)
        count = len(texts)
        indices = rng.integers(self.basic, size=(count, TOP))
        scores = -np.sort(-rng.random((count, TOP)), axis=1)
        values: dict[str, Any] = {
            "test": ["bqd.gbqd"] * count,
            "key": [f"{index}/{number}" for number in range(count)],
            "text": texts,
            "indices": list(indices),
            "scores": list(scores),
            **{name: np.zeros(count) for name in ("gap", "excess")},
            "support": np.full(count, TOP),
            "certified": np.ones(count, bool),
        }
        names = columns or tuple(values)
        schema = row_schema(get_dataset("bqd").stages[1].row_type)
        return pa.table({name: pa.array(values[name], schema.field(name).type) for name in names})


@dataclass
class Step:
    """What one plan step took."""

    name: str
    seconds: float  # of the processor
    memory: float  # MB at the peak, above what the process had before
    facts: float  # MB on disk
    items: int
    shards: float  # KB on disk of what `read` leaves of a record


def memory_of(field: str) -> float:
    """A line of this process's status in megabytes."""
    return int(Path("/proc/self/status").read_text().partition(f"{field}:")[2].split()[0]) / 1000


class Plans:
    """The plan steps of one config, on one work folder."""

    def __init__(self, name: str, config: str, data: Path, work: WorkFolder) -> None:
        self.dataset: Dataset = get_dataset(name)
        chosen = next(entry for entry in self.dataset.spec.configs if entry.name == config)
        self.options = self.dataset.resolve(BuildOptions(data)).for_config(chosen)
        self.work, self.steps, self.split, self.stored, self.records = work, list[Step](), "part", 0, 1

    def read(self, role: str, most: int | None = None) -> Shards:
        """The candidates of an input of the config, read as a build reads them."""
        part = self.dataset.parts(self.options)[-1]
        source, tools = part.inputs[role], self.dataset.tools(None)
        shards, rows = Shards(self.work, f"read-{source.name.replace('/', '-')}", source.candidate), []
        records = list(islice(self.dataset.records(source, self.options), most))
        if tools.parser is not None:
            tools.parser.prime(question for entry in records for question in self.dataset.questions(entry))
        for entry in records:
            outcomes = self.dataset.read(entry, tools)
            rows += [outcome for outcome in outcomes if not isinstance(outcome, Skip | Problem)]
        size = min(SHARD, source.shard_size)
        blocks = [rows[start : start + size] for start in range(0, len(rows), size)]
        for index, block in enumerate(blocks):
            shards.write(index, to_table(block, source.candidate), Ledger())
            self.stored += len(self.work.read(f"{shards.folder}/{index:05d}.arrow"))
        return replace(shards, count=len(blocks))

    def plan(self, method: str, *arguments: Any) -> StoredPlan:
        """Make one plan as a worker does, and measure it."""
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)  # what was freed is not taken for memory at hand
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before, start = memory_of("VmRSS"), time.process_time()
        plan = getattr(self.dataset, method)(*arguments, self.options)
        StoredPlan.store(self.work, method, plan, self.split, self.options.tests)
        seconds, memory = time.process_time() - start, memory_of("VmHWM") - before
        stored = StoredPlan.load(self.work, method)
        assert stored is not None
        facts = len(self.work.read(stored.facts)) / 1e6
        items = sum(shards.count for shards in (stored.items or {}).values())
        self.steps.append(Step(method, seconds, memory, facts, items, self.stored / self.records / 1000))
        return stored

    def stage_facts(self, stored: StoredPlan) -> Any:
        """The facts of a plan as the next step loads them."""
        return load_facts(self.work, stored.facts)


def repeat(shards: Shards, records: int, have: int, *texts: str, as_number: bool = False) -> RepeatedShards:
    """So many records from shards that hold those of `have` records."""
    count = max(1, round(shards.count * records / have))
    return RepeatedShards(shards.work, shards.folder, shards.row_type, count, shards.count, texts, as_number)


def vqa_plans(name: str, config: str) -> Callable[[float, Path, WorkFolder], list[Step]]:
    """The only plan of a dataset over VQA's questions."""

    def run(scale: float, data: Path, work: WorkFolder) -> list[Step]:
        plans = Plans(name, config, data, work)
        source = plans.dataset.parts(plans.options)[-1].inputs["questions"]
        have = sum(1 for _ in islice(plans.dataset.records(source, plans.options), MOST_READ.get(name)))
        rows = repeat(plans.read("questions", have), round(scale * SIZES[name]), have)
        plans.records = have
        plans.plan("plan", Candidates({"questions": Rows(rows, plans.options.tests)}))
        return plans.steps

    return run


def carets_plans(scale: float, data: Path, work: WorkFolder) -> list[Step]:
    """What the units depend on, and the questions of a test from the units of the first copy."""
    make_files(data := data / "graphs", GRAPHS)
    plans = Plans("carets", "rephrase", data, work)
    graphs = plans.read("records")
    have = sum(table.num_rows for table in graphs.tables("key"))
    rows, plans.records = repeat(graphs, round(scale * SIZES["carets"]), have, as_number=True), have
    candidates = Candidates({"records": Rows(rows)})
    stored = plans.plan("plan", candidates)
    facts = plans.stage_facts(stored)
    (stage,) = plans.dataset.stages
    units = Shards(work, "units", stage.row_type, 1)
    first_rows = (row for table in graphs.tables() for row in from_table(table, graphs.row_type or object))
    sampled = [unit for row in first_rows for unit in plans.dataset.sample(row, facts, row_rng(0, "", row.key))]
    units.write(0, to_table(sampled, stage.row_type), Ledger())
    plans.plan("plan_sample", Rows(units), candidates, facts)
    return plans.steps


def bqd_plans(scale: float, data: Path, work: WorkFolder) -> list[Step]:
    """The distinct questions, the vectors of the pool, and the rankings."""
    plans = Plans("bqd", "gbqd", data, work)
    questions = plans.read(MAIN)
    have = sum(len(set(table["letters"].to_pylist())) for table in questions.tables("letters"))
    texts, plans.records = ("text", "words", "letters"), have
    main, pool = (repeat(questions, round(scale * size), have, *texts) for size in (SIZES["bqd"], BASIC))
    candidates = Candidates({MAIN: Rows(main), f"{POOL} train": Rows(pool)})
    stored = plans.plan("plan", candidates)
    assert stored.items is not None
    (blocks,) = stored.items.values()
    encoded = EncodedShards(work, blocks.folder, blocks.row_type, blocks.count)
    facts = plans.stage_facts(stored)
    basic = len(facts.pool)
    stored = plans.plan("plan_encode", Rows(encoded), candidates, facts)
    assert stored.items is not None
    (blocks,) = stored.items.values()
    ranked = RankedShards(work, blocks.folder, plans.dataset.stages[1].row_type, blocks.count, basic)
    plans.plan("plan_rank", Rows(ranked), candidates, plans.stage_facts(stored))
    return plans.steps


def fvqa2_plans(scale: float, data: Path, work: WorkFolder) -> list[Step]:
    """The facts about the things in the images, from so many lines of ConceptNet."""
    plans = Plans("fvqa2", "fold_0", data, work)
    roles = plans.dataset.parts(plans.options)[-1].inputs
    inputs = {role: plans.read(role) for role in roles}
    have = sum(pc.sum(table["lines"]).as_py() for table in inputs["edges"].tables("lines"))
    edges, plans.records = repeat(inputs["edges"], round(scale * SIZES["fvqa2"]), have), have
    plans.plan("plan", Candidates({role: Rows(shards) for role, shards in {**inputs, "edges": edges}.items()}))
    return plans.steps


PLANS: Mapping[str, tuple[str, str, Callable[[float, Path, WorkFolder], list[Step]]]] = {
    "rad": ("rad-cads", "vqa", vqa_plans("rad-cads", "paper")),
    "rad-matched": ("rad-cads", "vqa", vqa_plans("rad-cads", "matched")),
    "kb": ("kb-counterfactuals", "vqa", vqa_plans("kb-counterfactuals", "vqa_v2")),
    "carets": ("carets", "", carets_plans),
    "bqd": ("bqd", "vqa", bqd_plans),
    "fvqa2": ("fvqa2", "fvqa", fvqa2_plans),
}
"""By name: the dataset, its source, and how its plans are run."""


def run_all(names: list[str], scales: list[float] | None) -> None:
    """Run every size in a process of its own, and print and record what it took."""
    for name in names:
        dataset, *_ = PLANS[name]
        steps: dict[str, list[tuple[float, Step]]] = {}
        for scale in scales or SCALES.get(name, (0.1, 1.0, 10.0)):
            command = [sys.executable, __file__, "--child", name, str(scale)]
            for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
                step = Step(**json.loads(line))
                steps.setdefault(step.name, []).append((scale * SIZES[dataset], step))
                size = f"{scale * SIZES[dataset]:,.0f} {UNITS.get(dataset, 'questions')}"
                print(
                    f"{name:12} {step.name:12} {size:32} {step.seconds:8.1f} s {step.memory:9,.0f} MB"
                    f" {step.facts:9,.1f} MB of facts",
                    flush=True,
                )
        record_steps(name, dataset, steps)
        record_shards(name, dataset, steps["plan"][0][1])


def record_shards(name: str, dataset: str, step: Step) -> None:
    """Record what `read` leaves on disk of a record."""
    unit = UNITS.get(dataset, "questions").split()[0].removesuffix("s")
    statement = f"{name}: what `read` leaves on disk of one {unit}, compressed"
    record(Claim(f"plans-{name}-shards", statement, step.shards, "KB", document="docs/scale.md"))


def record_steps(name: str, dataset: str, steps: Mapping[str, list[tuple[float, Step]]]) -> None:
    """Record the largest size of each step, and the points of the curves."""
    for method, entries in steps.items():
        sizes = [size for size, _ in entries]
        title, last = f"{name}.{method}", entries[-1][1]
        size, document = f"{sizes[-1]:,.0f} {UNITS.get(dataset, 'questions')}", "docs/scale.md"
        for key, unit, bound in (
            ("memory", "MB", "peak memory"),
            ("seconds", "s", "processor time"),
            ("facts", "MB", "facts"),
        ):
            values = [getattr(step, key) for _, step in entries]
            plot = {"seconds": "time"}.get(key, key)
            claim, statement = f"plans-{name}-{method.replace('_', '-')}-{plot}", f"{title}: {bound}"
            record(Claim(claim, statement, getattr(last, key), unit, size=size, document=document))
            for point, value in zip(sizes, values, strict=True):
                record(Point(f"plans-{plot}", title, point, max(value, 0.1 if unit == "MB" else 0.01)))


def run_child(name: str, scale: float) -> None:
    """One size: a line for each step."""
    _, source, run = PLANS[name]
    with tempfile.TemporaryDirectory() as folder:
        data = real_or_small(source, 400, Path(folder)) if source else Path(folder)
        for step in run(scale, data, WorkFolder(f"{folder}/work")):
            print(json.dumps({field: getattr(step, field) for field in Step.__annotations__}))


def main() -> None:
    """Run all, or as a child one size."""
    if sys.argv[1:2] == ["--child"]:
        run_child(sys.argv[2], float(sys.argv[3]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*PLANS, []], default=[])
    parser.add_argument("--scales", nargs="+", type=float)
    options = parser.parse_args()
    run_all(options.names or list(PLANS), options.scales)


if __name__ == "__main__":
    main()
