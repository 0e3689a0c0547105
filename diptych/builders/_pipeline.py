"""The pipeline: runs read, plan, the stages between and make for one config, and keeps every finished shard.

Each step is kept in the work folder under a fingerprint of everything that decides it. `read` is fingerprinted without
seed and parameters, so that configs share it; what follows a plan is fingerprinted by the stored plan itself.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from typing import Any, TypeVar

import orjson
import pyarrow as pa

from diptych.builders._code import code_digest
from diptych.builders._dataset import (
    BuildOptions,
    Candidates,
    Dataset,
    Input,
    Part,
    Plan,
    Rows,
    Stage,
    Tools,
    rows_of_tests,
)
from diptych.builders._engine import Engine
from diptych.builders._ledger import EVERY_TEST, Ledger, Problem
from diptych.builders._rows import Item, from_table, row_schema, to_table
from diptych.builders._verdicts import Verdict, judge
from diptych.builders._work import DamagedFileError, Shards, WorkFolder
from diptych.errors import DiptychError
from diptych.files import json_digest
from diptych.pairs import Pair, Row, Skip, pairs_table, row_digests, row_rng
from diptych.progress import progress

T = TypeVar("T")

DIGEST = "__digest"
"""A column of published shards with the digest of each row; it does not reach the final files."""

_COMPLETE, _PLAN = "complete", "plan.pickle"
_MOST_REPAIRS = 100


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Everything that the steps of one config share."""

    dataset: Dataset
    options: BuildOptions
    engine: Engine
    work: WorkFolder
    verdicts: Mapping[str, Verdict] | None = None
    shared_plans: dict[str, "StoredPlan"] = field(default_factory=dict)
    """Plans that the configs of a build share, by folder."""

    def run(self, part: Part) -> dict[str, "FinishedSplit"]:
        """Make everything of a part that is not in the work folder yet."""
        return repaired(self.work, lambda: self._run(part))

    def _run(self, part: Part) -> dict[str, "FinishedSplit"]:
        shards = {role: self._read(source) for role, source in part.inputs.items()}
        candidates = Candidates({role: Rows(each, self.options.tests) for role, each in shards.items()})
        plan = self._plan(part, "plan", candidates.fingerprint, (candidates,), shared=part.shared)
        source = next(iter(shards.values()))
        ledger = Ledger()
        for of_input in shards.values():
            ledger.add(of_input.ledger().restricted(self.options.tests or (EVERY_TEST,)))
        for stage in self.dataset.stages_for(self.options):
            (split,) = plan.items or {part.split: source}
            source = self._map(stage, plan, (plan.items or {}).get(split, source), split)
            ledger.add(plan.ledgers.get(split, Ledger()))
            ledger.add(source.ledger())
            rows = Rows(source)
            plan = self._plan(part, f"plan_{stage.name}", source.folder, (rows, candidates, plan.facts)).after(plan)
        finished = self._make(plan, plan.items or {part.split: source})
        if part.split in finished or ledger.as_json():  # a plan that gives splits leaves earlier skips without one
            finished.setdefault(part.split, FinishedSplit(Shards(self.work, "", None), Ledger())).ledger.add(ledger)
        return finished

    # The steps.

    def _read(self, source: Input) -> Shards:
        dataset, options = self.dataset, self.options
        tools = load_tools(dataset, options.tagger)
        fingerprint = json_digest(
            code_digest(dataset),
            source.name,
            {file.name: file.sha256() for file in source.files},
            tools.version,
            row_schema(source.candidate).to_string(),
            source.shard_size,
        )
        shards = Shards(self.work, f"{dataset.spec.name}/read-{fingerprint}", source.candidate)
        if _COMPLETE in self.work.names(shards.folder):
            counted = replace(shards, count=orjson.loads(self.work.read(f"{shards.folder}/{_COMPLETE}")))
            if not counted.missing():
                return counted
        tasks = _ReadTasks(dataset.records(source, options), source.shard_size, shards.finished())
        name = f"{dataset.spec.name} {source.name}: read"
        self._run_job(_ReadJob(dataset, options.tagger, shards), tasks, name, None)
        self.work.write(f"{shards.folder}/{_COMPLETE}", orjson.dumps(tasks.count))
        return replace(shards, count=tasks.count)

    def _plan(
        self, part: Part, method: str, origin: str, arguments: tuple[Any, ...], shared: bool = False
    ) -> "StoredPlan":
        options = self.options
        config = "" if shared or options.config is None else options.config.name
        decisive = (
            code_digest(self.dataset),
            [origin, config, part.split, options.seed],
            dict(sorted(self.dataset.recipe_parameters(options).items())),
            options.digests(),
            self.dataset.load_templates(options).hash,
            {file.name: file.sha256() for file in part.files},
        )
        folder = f"{self.dataset.spec.name}/{method}-{json_digest(*decisive)}"
        if folder in self.shared_plans:
            return self.shared_plans[folder]
        stored = StoredPlan.load(self.work, folder)
        if stored is None:
            plan: Plan = getattr(self.dataset, method)(*arguments, options)
            StoredPlan.store(self.work, folder, plan, part.split, options.tests)
            del plan  # or its facts would be in memory twice
            stored = StoredPlan.load(self.work, folder)
            assert stored is not None
        if shared:
            self.shared_plans[folder] = stored
        return stored

    def _map(self, stage: Stage, plan: "StoredPlan", source: Shards, split: str) -> Shards:
        """Run a stage. Its shards are named by the content of the plan, so that configs with equal plans share them."""
        tests = plan.tests(self.options)
        origin = source.folder if plan.items is None else ""
        decisive = (code_digest(self.dataset), plan.seal, origin, tests, self.options.seed)
        fingerprint = json_digest(*decisive, row_schema(stage.row_type).to_string())
        folder = f"{self.dataset.spec.name}/{stage.name}-{fingerprint}"
        target = Shards(self.work, folder, stage.row_type, source.count)
        job = _MapJob(self.dataset, stage.name, self.options, source, target, plan.facts, tests)
        self._run_maps({split: job})
        return target

    def _make(self, plan: "StoredPlan", sources: Mapping[str, Shards]) -> dict[str, "FinishedSplit"]:
        """Word the items of every split; those of all splits are one job."""
        options, dataset = self.options, self.dataset
        assert options.config is not None
        schema = dataset.spec.schema(options.config)
        jobs: dict[str, _MapJob] = {}
        for split, source in sources.items():
            decisive = (plan.seal, source.folder, options.seed, options.config.name, schema.to_string())
            folder = f"{dataset.spec.name}/make-{json_digest(*decisive, options.digests())}"
            target = Shards(self.work, folder, None, source.count)
            tests = plan.tests(options)
            jobs[split] = _MapJob(dataset, "make", options, source, target, plan.facts, tests, schema, self.verdicts)
        self._run_maps(jobs)
        finished: dict[str, FinishedSplit] = {}
        for split, job in jobs.items():
            ledger = Ledger()
            ledger.add(plan.ledgers.get(split, Ledger()))
            ledger.add(job.target.ledger())
            finished[split] = FinishedSplit(job.target, ledger, plan.notes, plan.templates)
        return finished

    def _run_maps(self, jobs: Mapping[str, "_MapJob"]) -> None:
        missing = [(split, index) for split, job in jobs.items() for index in job.target.missing()]
        if missing:
            assert self.options.config is not None
            method = next(iter(jobs.values())).method
            splits = ", ".join(dict.fromkeys(split for split, _ in missing))
            name = f"{self.dataset.spec.name} {self.options.config.name} {splits}: {method}"
            self._run_job(_MapJobs(jobs), missing, name, len(missing))

    def _run_job(self, job: Callable[[Any], int], tasks: Iterable[Any], name: str, total: int | None) -> None:
        with progress(name, total) as advance:
            for inputs in self.engine.run(job, tasks):
                advance(1 if total else inputs)


@dataclass(frozen=True, slots=True)
class FinishedSplit:
    """A split that is complete: its published rows, their ledger, and what the plan tells of them."""

    shards: Shards
    ledger: Ledger
    notes: Mapping[str, Any] = field(default_factory=dict)
    templates: Mapping[str, str] = field(default_factory=dict)


def repaired(work: WorkFolder, function: Callable[[], T]) -> T:
    """Call a function that reads the work folder; a damaged file is removed, so that the next call makes it again."""
    for _ in range(_MOST_REPAIRS):
        try:
            return function()
        except DamagedFileError as damaged:
            work.remove(damaged.name)
    raise DiptychError(f"{work.url}: its files do not keep what was written; choose another folder")


def load_tools(dataset: Dataset, tagger: str | None) -> Tools:
    """The tools of a dataset, loaded once in a process: before a fork, where there is one."""
    dataset_type: Any = type(dataset)
    return _load_tools(dataset_type, tagger)


@lru_cache(maxsize=1)
def _load_tools(dataset: Any, tagger: str | None) -> Tools:
    tools: Tools = dataset().tools(tagger)
    return tools


@dataclass(slots=True)
class _ReadTasks:
    """The shards of an input that are still to be read, each with its records; counts all of them on the way."""

    records: Iterable[Any]
    size: int
    finished: set[int]
    count: int = 0

    def __iter__(self) -> Iterator[tuple[int, Sequence[Any]]]:
        for chunk in _chunks(self.records, self.size):
            index, self.count = self.count, self.count + 1
            if index not in self.finished:
                yield index, chunk


@dataclass(frozen=True, slots=True)
class _ReadJob:
    """Reads the records of one shard."""

    dataset: Dataset
    tagger: str | None
    target: Shards

    def __call__(self, task: tuple[int, Sequence[Any]]) -> int:
        index, records = task
        tools = load_tools(self.dataset, self.tagger)
        if tools.parser is not None:
            tools.parser.prime(question for record in records for question in self.dataset.questions(record))
        ledger, rows = Ledger(), []
        for record in records:
            for outcome in self.dataset.read(record, tools):
                if isinstance(outcome, Skip | Problem):
                    ledger.count(EVERY_TEST, outcome)
                else:
                    rows.append(outcome)
        assert self.target.row_type is not None
        self.target.write(index, to_table(rows, self.target.row_type), ledger)
        return len(records)


@dataclass(frozen=True, slots=True)
class _MapJob:
    """Maps the items of one shard to rows: of the next stage, or, with a schema, to published rows."""

    dataset: Dataset
    method: str
    options: BuildOptions
    source: Shards
    target: Shards
    facts: Any
    tests: tuple[str, ...] = ()
    schema: pa.Schema | None = None
    verdicts: Mapping[str, Verdict] | None = None

    def __call__(self, index: int) -> int:
        table = rows_of_tests(self.source.read(index), self.tests)
        assert self.source.row_type is not None
        ledger = Ledger()
        rows = list(self._outcomes(from_table(table, self.source.row_type), ledger))
        self.target.write(index, self._table(rows), ledger)
        return int(table.num_rows)

    def _outcomes(self, items: Iterable[Item], ledger: Ledger) -> Iterator[Any]:
        function = getattr(self.dataset, self.method)
        for item in items:
            rng = row_rng(self.options.seed, item.test, item.key)
            for outcome in function(item, self.facts, rng):
                row = self._judge(outcome, ledger)
                if self.schema is not None or isinstance(row, Skip):  # a row between stages is not paired yet
                    ledger.count(row.test if isinstance(row, Pair) else item.test, row)
                if not isinstance(row, Skip):
                    yield row

    def _judge(self, outcome: Row | Skip, ledger: Ledger) -> Row | Skip:
        """A pair by people's verdict, where there are verdicts."""
        if self.verdicts is None or not isinstance(outcome, Pair):
            return outcome
        if outcome.pair_id in self.verdicts:
            ledger.judged.add(outcome.pair_id)
        judged = judge(outcome, self.verdicts)
        return judged.of(outcome.test) if isinstance(judged, Skip) else judged

    def _table(self, rows: list[Any]) -> pa.Table:
        if self.schema is None:
            assert self.target.row_type is not None
            return to_table(rows, self.target.row_type)
        table = pairs_table(rows, self.schema)
        return table.append_column(DIGEST, pa.array(list(row_digests(table)), pa.binary(32)))


@dataclass(frozen=True, slots=True)
class _MapJobs:
    """Maps the items of one shard of some split."""

    jobs: Mapping[str, _MapJob]

    def __call__(self, task: tuple[str, int]) -> int:
        split, index = task
        return self.jobs[split](index)


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan as the work folder keeps it."""

    facts: Any
    items: Mapping[str, Shards] | None
    ledgers: Mapping[str, Ledger]
    notes: Mapping[str, Any]
    templates: Mapping[str, str]
    seal: str
    """Digest of the stored file, which names the digests of its items: equal for plans of equal content.

    A pickle has no canonical form, so equal plans may differ in their seals; then nothing is shared.
    """

    def tests(self, options: BuildOptions) -> tuple[str, ...]:
        """Which rows a job takes: those of the config's tests, unless the plan gave items."""
        return options.tests if self.items is None else ()

    def after(self, earlier: "StoredPlan") -> "StoredPlan":
        """The plan with the notes and templates of an earlier one beneath its own."""
        notes, templates = {**earlier.notes, **self.notes}, {**earlier.templates, **self.templates}
        return replace(self, notes=notes, templates=templates)

    @classmethod
    def store(cls, work: WorkFolder, folder: str, plan: Plan, split: str, tests: tuple[str, ...]) -> None:
        """Write the items of a plan into shards, then the plan itself, which makes it complete."""
        streams: Mapping[str, Iterable[Item | Skip]] = {}
        if plan.items is not None:
            streams = plan.items if isinstance(plan.items, Mapping) else {split: plan.items}
        items = {name: _store_items(work, f"{folder}/{name}", stream, plan, tests) for name, stream in streams.items()}
        described = plan.items is not None, plan.row_type, items, dict(plan.notes), dict(plan.templates)
        work.write(f"{folder}/{_PLAN}", pickle.dumps((plan.facts, *described)))

    @classmethod
    def load(cls, work: WorkFolder, folder: str) -> "StoredPlan | None":
        """The plan of a folder; None where there is none, or not all of it."""
        if _PLAN not in work.names(folder):
            return None
        content = work.read(f"{folder}/{_PLAN}")
        facts, has_items, row_type, counts, notes, templates = pickle.loads(content)
        items = {name: Shards(work, f"{folder}/{name}", row_type, count) for name, (count, *_) in counts.items()}
        if any(shards.missing() for shards in items.values()):
            return None
        ledgers = {name: Ledger.from_json(ledger) for name, (_, ledger, _) in counts.items()}
        return cls(facts, items if has_items else None, ledgers, notes, templates, sha256(content).hexdigest())


def _store_items(
    work: WorkFolder, folder: str, stream: Iterable[Item | Skip], plan: Plan, tests: tuple[str, ...]
) -> tuple[int, dict[str, Any], str]:
    """Write a stream of items into shards; returns how many, the ledger of its skips, and a digest of the items."""
    assert plan.row_type is not None, "a plan with items names their type"
    shards, ledger = Shards(work, folder, plan.row_type), Ledger()

    def items() -> Iterator[Item]:
        for outcome in stream:
            if isinstance(outcome, Skip):
                ledger.count(tests[0] if tests else EVERY_TEST, outcome)
            else:
                yield outcome

    seals = [
        shards.write(index, to_table(rows, plan.row_type), Ledger())
        for index, rows in enumerate(_chunks(items(), plan.shard_size))
    ]
    return len(seals), ledger.as_json(), json_digest(seals)


def _chunks(values: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(values)
    while chunk := list(islice(iterator, size)):
        yield chunk
