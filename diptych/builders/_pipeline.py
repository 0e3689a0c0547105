"""The pipeline: runs read, plan, the stages between and make for one config, and keeps every finished shard.

Each step is kept in the work folder under a fingerprint of everything that decides it. `read` is fingerprinted without
seed and parameters, so that configs share it; what follows a plan is fingerprinted by the stored plan itself.
"""

import gc
import hashlib
import inspect
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import orjson
import pyarrow as pa

import diptych
from diptych.builders._dataset import BuildOptions, Candidates, Dataset, Input, Part, Plan, Rows, Stage, Tools
from diptych.builders._engine import Engine
from diptych.builders._ledger import EVERY_TEST, Ledger, Problem
from diptych.builders._pictures import DIGEST
from diptych.builders._plans import StoredPlan, chunks, load_facts
from diptych.builders._rows import Item, from_table, row_schema, rows_of_tests, to_table
from diptych.builders._work import DamagedFileError, Shards, WorkFolder
from diptych.errors import BadInputError, DiptychError
from diptych.files import json_digest
from diptych.pairs import DIGEST_SIZE, Pair, Skip, pairs_table, row_digests, row_rng
from diptych.progress import progress

T = TypeVar("T")

Turns = Generator[None, None, T]
"""Steps that pause where workers are busy, so that another config can go on; then a result."""

_COMPLETE = "complete"
_MOST_REPAIRS = 100
_CODE_SUFFIXES = (".py", ".toml", ".bin")  # of files that decide what a build makes: an edited one finds no old shards


@dataclass(frozen=True, slots=True)
class _RunningJob:
    """A job that is under way."""

    results: Iterator[int]
    name: str = ""
    total: int | None = None

    def wait(self) -> None:
        """Wait for all its tasks; those of a job that is done are not waited for again."""
        first = next(self.results, None)
        if first is None:
            return
        with progress(self.name, self.total) as advance:
            for inputs in chain((first,), self.results):
                advance(1 if self.total else inputs)


@dataclass(slots=True)
class BuildState:
    """What the configs of a build share."""

    running: dict[str, _RunningJob] = field(default_factory=dict)
    """The plans and stages that are under way, by the folder of what they make: two configs may need the same."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Everything that the steps of one config share."""

    dataset: Dataset
    options: BuildOptions
    engine: Engine
    work: WorkFolder
    shared: BuildState = field(default_factory=BuildState)

    def run(self, part: Part) -> "Turns[dict[str, FinishedSplit]]":
        """Make everything of a part that is not in the work folder yet. Pauses while workers are at it."""
        reads = {role: self._start_read(source) for role, source in part.inputs.items()}
        shards = {role: read.finish() for role, read in reads.items()}
        candidates = Candidates({role: Rows(of_role, self.options.tests) for role, of_role in shards.items()})
        origin = "+".join(of_input.folder for of_input in shards.values())
        plan = yield from self._plan(part, "plan", origin, _PlanInputs(candidates))
        source = next(iter(shards.values()))
        ledger = Ledger()
        for of_input in shards.values():
            ledger.add(of_input.ledger().restricted(self.options.tests or (EVERY_TEST,)))
        for stage in self.dataset.stages_for(self.options):
            (split,) = plan.items or {part.split: source}
            source = yield from self._map(stage, plan, (plan.items or {}).get(split, source), split)
            ledger.add(plan.ledgers.get(split, Ledger()))
            ledger.add(source.ledger())
            inputs = _PlanInputs(candidates, Rows(source), plan.folder)
            plan = (yield from self._plan(part, f"plan_{stage.name}", source.folder, inputs)).after(plan)
        jobs = self._make_jobs(plan, plan.items or {part.split: source})
        running = self._start_maps(jobs)
        yield
        running.wait()
        finished: dict[str, FinishedSplit] = {}
        for split, job in jobs.items():
            finished[split] = FinishedSplit(job.target, Ledger(), plan.notes, plan.templates)
            finished[split].ledger.add(plan.ledgers.get(split, Ledger()))
            finished[split].ledger.add(job.target.ledger())
        if part.split in finished or ledger.as_json():  # a plan that gives splits leaves earlier skips without one
            finished.setdefault(part.split, FinishedSplit(Shards(self.work, "", None), Ledger())).ledger.add(ledger)
        return finished

    # The steps.

    def _start_read(self, source: Input) -> "_RunningRead":
        dataset, options = self.dataset, self.options
        tools = load_tools(dataset, options.tagger)
        fingerprint = json_digest(
            code_digest(dataset),
            source.name,
            {file.name: file.packed_digest() for file in source.files},  # a checksum would unpack the file twice
            tools.version,
            row_schema(source.candidate).to_string(),
            source.shard_size,
        )
        shards = Shards(self.work, f"{dataset.spec.name}/read-{fingerprint}", source.candidate)
        if _COMPLETE in self.work.names(shards.folder):
            counted = replace(shards, count=orjson.loads(self.work.read(f"{shards.folder}/{_COMPLETE}")))
            if not counted.missing():
                return _RunningRead(counted)
        tasks = _ReadTasks(dataset.records(source, options), source.shard_size, shards.finished())
        results = self.engine.run(_ReadJob(dataset, options.tagger, shards), tasks)
        return _RunningRead(shards, tasks, _RunningJob(results, f"{dataset.spec.name} {source.name}: read"))

    def _plan(self, part: Part, method: str, origin: str, inputs: "_PlanInputs") -> Turns[StoredPlan]:
        """Find the stored plan, or let a worker make it: so that several configs can be planned at once."""
        options = self.options
        is_shared = part.shared and inputs.rows is None
        config = "" if is_shared or options.config is None else options.config.name
        decisive = (
            code_digest(self.dataset),
            [origin, config, part.split, options.seed],
            dict(sorted(self.dataset.recipe_parameters(options).items())),
            options.rejects_digest,
            self.dataset.recipe_templates(options).hash,
            {file.name: file.sha256() for file in part.files},
        )
        folder = f"{self.dataset.spec.name}/{method}-{json_digest(*decisive)}"
        job = _PlanJob(self.dataset, method, options, part.split, inputs, self.work, folder)
        while (stored := StoredPlan.load(self.work, folder)) is None:
            yield from self._wait_for(folder, lambda: _RunningJob(self.engine.run(job, (0,))))
        return stored

    def _wait_for(self, folder: str, start: Callable[[], _RunningJob]) -> Turns[None]:
        """Wait for the job that fills a folder: the one that is under way, or one that is started now."""
        running = self.shared.running.get(folder) or start()
        self.shared.running[folder] = running
        yield
        try:
            running.wait()
        finally:
            self.shared.running.pop(folder, None)

    def _map(self, stage: Stage, plan: StoredPlan, source: Shards, split: str) -> "Turns[Shards]":
        """Run a stage. Its shards are named by the content of the plan, so that configs with equal plans share them."""
        tests = plan.tests(self.options)
        origin = source.folder if plan.items is None else ""
        decisive = (code_digest(self.dataset), plan.seal, origin, tests, self.options.seed)
        fingerprint = json_digest(*decisive, row_schema(stage.row_type).to_string())
        folder = f"{self.dataset.spec.name}/{stage.name}-{fingerprint}"
        target = Shards(self.work, folder, stage.row_type, source.count)
        job = _MapJob(self.dataset, stage.name, self.options, source, target, plan.folder, tests)
        yield from self._wait_for(folder, lambda: self._start_maps({split: job}))
        return target

    def _make_jobs(self, plan: StoredPlan, sources: Mapping[str, Shards]) -> dict[str, "_MapJob"]:
        """What words the items of every split."""
        options, dataset = self.options, self.dataset
        assert options.config is not None
        schema = dataset.spec.schema(options.config)
        jobs: dict[str, _MapJob] = {}
        for split, source in sources.items():
            decisive = (plan.seal, source.folder, options.seed, options.config.name, schema.to_string())
            folder = f"{dataset.spec.name}/make-{json_digest(*decisive, options.rejects_digest)}"
            target = Shards(self.work, folder, None, source.count)
            tests = plan.tests(options)
            jobs[split] = _MapJob(dataset, "make", options, source, target, plan.folder, tests, schema)
        return jobs

    def _start_maps(self, jobs: Mapping[str, "_MapJob"]) -> _RunningJob:
        """Begin to make the missing shards of some splits, all of them as one job."""
        missing = [(split, index) for split, job in jobs.items() for index in job.target.missing()]
        if not missing:
            return _RunningJob(iter(()))
        assert self.options.config is not None
        method = next(iter(jobs.values())).method
        splits = ", ".join(dict.fromkeys(split for split, _ in missing))
        name = f"{self.dataset.spec.name} {self.options.config.name} {splits}: {method}"
        return _RunningJob(self.engine.run(partial(_map_shard, jobs), missing), name, len(missing))


@dataclass(frozen=True, slots=True)
class FinishedSplit:
    """A split that is complete: its published rows, their ledger, and what the plan tells of them."""

    shards: Shards
    ledger: Ledger
    notes: Mapping[str, Any] = field(default_factory=dict)
    templates: Mapping[str, str] = field(default_factory=dict)


def repaired(work: WorkFolder, make: Callable[[], Turns[T]]) -> Turns[T]:
    """The turns of a function that reads the work folder; a damaged file is removed and made again."""
    for _ in range(_MOST_REPAIRS):
        try:
            return (yield from make())
        except DamagedFileError as damaged:
            work.remove(damaged.name)
    raise DiptychError(f"{work.url}: its files do not keep what was written; choose another folder")


def code_digest(dataset: Dataset) -> str:
    """A digest of this package's code and tables, and of the package that defines the dataset."""
    return _folder_digest(Path(diptych.__file__).parent, Path(inspect.getfile(type(dataset))).parent)


@cache
def _folder_digest(*folders: Path) -> str:
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.suffix in _CODE_SUFFIXES):
            digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def load_tools(dataset: Dataset, tagger: str | None) -> Tools:
    """The tools of a dataset, loaded once in a process: before a fork, where there is one."""
    dataset_type: Any = type(dataset)
    return _load_tools(dataset_type, tagger)


@lru_cache(maxsize=1)
def _load_tools(dataset: Any, tagger: str | None) -> Tools:
    tools: Tools = dataset().tools(tagger)
    gc.freeze()  # models and dictionaries stay: the collector need not walk over them again and again
    return tools


@dataclass(slots=True)
class _ReadTasks:
    """The shards of an input that are still to be read, each with its records; counts all of them on the way."""

    records: Iterable[Any]
    size: int
    finished: set[int]
    count: int = 0

    def __iter__(self) -> Iterator[tuple[int, Sequence[Any]]]:
        for chunk in chunks(self.records, self.size):
            index, self.count = self.count, self.count + 1
            if index not in self.finished:
                yield index, chunk


@dataclass(frozen=True, slots=True)
class _RunningRead:
    """The shards of an input, which may be under way."""

    shards: Shards
    tasks: _ReadTasks | None = None
    job: _RunningJob = field(default_factory=lambda: _RunningJob(iter(())))

    def finish(self) -> Shards:
        """Wait for all shards; their number is known when the last record has been read."""
        self.job.wait()
        if self.tasks is None:
            return self.shards
        self.shards.work.write(f"{self.shards.folder}/{_COMPLETE}", orjson.dumps(self.tasks.count))
        return replace(self.shards, count=self.tasks.count)


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
class _PlanInputs:
    """What a plan is made from: the candidates; after a stage, also its rows and the facts of the plan before it."""

    candidates: Candidates
    rows: Rows | None = None
    earlier: str = ""  # the folder of the plan before


@dataclass(frozen=True, slots=True)
class _PlanJob:
    """Makes one plan and stores it."""

    dataset: Dataset
    method: str
    options: BuildOptions
    split: str
    inputs: _PlanInputs
    work: WorkFolder
    folder: str

    def __call__(self, _: int) -> int:
        arguments: tuple[Any, ...] = (self.inputs.candidates,)
        if self.inputs.rows is not None:
            arguments = self.inputs.rows, self.inputs.candidates, load_facts(self.work, self.inputs.earlier)
        try:
            plan: Plan = getattr(self.dataset, self.method)(*arguments, self.options)
            StoredPlan.store(self.work, self.folder, plan, self.split, self.options.tests)
        except BadInputError as error:  # rows do not know the files that they come from
            if str(self.options.data) in str(error):
                raise
            raise BadInputError(f"{self.options.data}: {error}") from None
        return 1


@dataclass(frozen=True, slots=True)
class _MapJob:
    """Maps the items of one shard to rows: of the next stage, or, with a schema, to published rows."""

    dataset: Dataset
    method: str
    options: BuildOptions
    source: Shards
    target: Shards
    plan: str  # the folder of the plan whose facts the method is given
    tests: tuple[str, ...] = ()
    schema: pa.Schema | None = None

    def __call__(self, index: int) -> int:
        table = rows_of_tests(self.source.read(index), self.tests)
        assert self.source.row_type is not None
        ledger = Ledger()
        rows = list(self._outcomes(from_table(table, self.source.row_type), ledger))
        self.target.write(index, self._table(rows), ledger)
        return int(table.num_rows)

    def _outcomes(self, items: Iterable[Item], ledger: Ledger) -> Iterator[Any]:
        function, facts = getattr(self.dataset, self.method), load_facts(self.target.work, self.plan)
        for item in items:
            rng = row_rng(self.options.seed, item.test, item.key)
            for outcome in function(item, facts, rng):
                if self.schema is not None or isinstance(outcome, Skip):  # a row between stages is not paired yet
                    ledger.count(outcome.test if isinstance(outcome, Pair) else item.test, outcome)
                if not isinstance(outcome, Skip):
                    yield outcome

    def _table(self, rows: list[Any]) -> pa.Table:
        if self.schema is None:
            assert self.target.row_type is not None
            return to_table(rows, self.target.row_type)
        table = pairs_table(rows, self.schema)
        return table.append_column(DIGEST, pa.array(list(row_digests(table)), pa.binary(DIGEST_SIZE)))


def _map_shard(jobs: Mapping[str, _MapJob], task: tuple[str, int]) -> int:
    split, index = task
    return jobs[split](index)
