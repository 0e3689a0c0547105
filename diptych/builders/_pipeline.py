"""The pipeline: runs read, plan, the stages between and make for one config, and keeps every finished shard.

Each step is kept in the work folder under a fingerprint of everything that decides it. `read` is fingerprinted without
seed and parameters, so that configs share it; what follows a plan is fingerprinted by the stored plan itself.
"""

import hashlib
import inspect
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import orjson

import diptych
from diptych.builders._dataset import BuildOptions, Candidates, Dataset, Input, Part, Rows, Stage
from diptych.builders._engine import Engine, Task
from diptych.builders._jobs import MapJob, MapJobs, PlanInputs, PlanJob, ReadJob, load_tools
from diptych.builders._ledger import EVERY_TEST, Ledger
from diptych.builders._plans import StoredPlan, chunks
from diptych.builders._rows import row_schema
from diptych.builders._work import DamagedFileError, Shards, UnfinishedError, WorkFolder
from diptych.errors import DiptychError
from diptych.files import json_digest
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
        plan = yield from self._plan(part, "plan", origin, PlanInputs(candidates))
        source = next(iter(shards.values()))
        ledger = Ledger()
        for of_input in shards.values():
            ledger.add(of_input.ledger().restricted(self.options.tests or (EVERY_TEST,)))
        for stage in self.dataset.stages_for(self.options):
            (split,) = plan.items or {part.split: source}
            tests = () if part.shared else plan.tests(self.options)
            source = yield from self._map(stage, plan, (plan.items or {}).get(split, source), split, tests)
            ledger.add(plan.ledgers.get(split, Ledger()))
            ledger.add(source.ledger())
            inputs = PlanInputs(candidates, Rows(source), plan.facts)
            plan = (yield from self._plan(part, f"plan_{stage.name}", source.folder, inputs)).after(plan)
        jobs = self._make_jobs(plan, plan.items or {part.split: source})
        running = self._start_maps(jobs)
        yield
        running.wait()
        finished: dict[str, FinishedSplit] = {}
        for split, job in jobs.items():
            job.target.require(self._step(split, "make"))
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
        count: int | None = None
        if _COMPLETE in self.work.names(shards.folder):
            count = orjson.loads(self.work.read(f"{shards.folder}/{_COMPLETE}"))
            counted = replace(shards, count=count)
            if not counted.missing():
                return _RunningRead(counted)
        tasks = _ReadTasks(dataset.records(source, options), source.shard_size, shards.finished(), count)
        results = self.engine.run(ReadJob(dataset, options.tagger, shards), tasks)
        return _RunningRead(shards, tasks, _RunningJob(results, self._step(source.name, "read")))

    def _plan(self, part: Part, method: str, origin: str, inputs: PlanInputs) -> Turns[StoredPlan]:
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
        job = PlanJob(self.dataset, method, options, part.split, inputs, self.work, folder)
        if (stored := StoredPlan.load(self.work, folder)) is None:
            yield from self._wait_for(folder, lambda: _RunningJob(self.engine.run(job, (Task(None),))))
            stored = StoredPlan.load(self.work, folder)
        if stored is None:
            raise UnfinishedError(self._step(part.split, method))
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

    def _map(
        self, stage: Stage, plan: StoredPlan, source: Shards, split: str, tests: tuple[str, ...]
    ) -> "Turns[Shards]":
        """Run a stage. Its shards are named by the content of the plan, so that configs with equal plans share them."""
        origin = source.folder if plan.items is None else ""
        decisive = (code_digest(self.dataset), plan.seal, origin, tests, self.options.seed)
        fingerprint = json_digest(*decisive, row_schema(stage.row_type).to_string())
        folder = f"{self.dataset.spec.name}/{stage.name}-{fingerprint}"
        target = Shards(self.work, folder, stage.row_type, source.count)
        job = MapJob(self.dataset, stage.name, self.options, source, target, plan.facts, tests)
        yield from self._wait_for(folder, lambda: self._start_maps({split: job}))
        target.require(self._step(split, stage.name))
        return target

    def _make_jobs(self, plan: StoredPlan, sources: Mapping[str, Shards]) -> dict[str, MapJob]:
        """What words the items of every split."""
        options, dataset = self.options, self.dataset
        assert options.config is not None
        schema = dataset.spec.schema(options.config)
        jobs: dict[str, MapJob] = {}
        for split, source in sources.items():
            decisive = (plan.seal, source.folder, options.seed, options.config.name, schema.to_string())
            folder = f"{dataset.spec.name}/make-{json_digest(*decisive, options.rejects_digest)}"
            target = Shards(self.work, folder, None, source.count)
            tests = plan.tests(options)
            jobs[split] = MapJob(dataset, "make", options, source, target, plan.facts, tests, schema)
        return jobs

    def _start_maps(self, jobs: Mapping[str, MapJob]) -> _RunningJob:
        """Begin to make the missing shards of some splits, all of them as one job."""
        tasks = [Task(index, split) for split, job in jobs.items() for index in job.target.missing()]
        if not tasks:
            return _RunningJob(iter(()))
        method = next(iter(jobs.values())).method
        name = self._step(", ".join(dict.fromkeys(task.content for task in tasks)), method)
        return _RunningJob(self.engine.run(MapJobs(jobs), tasks), name, len(tasks))

    def _step(self, what: str, method: str) -> str:
        """The name of a step as people read it."""
        config = f" {self.options.config.name}" if self.options.config and method != "read" else ""
        return f"{self.dataset.spec.name}{config} {what}: {method.replace('_', ' ')}"


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
    raise DiptychError(f"{work.url}: files cannot be read back as they were written; choose another folder")


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


@dataclass(slots=True)
class _ReadTasks:
    """The shards of an input that are still to be read, each with its records; counts all of them on the way."""

    records: Iterable[Any]
    size: int
    finished: set[int]
    count: int | None = None  # how many shards there are: known when the last record has been read once

    def __iter__(self) -> Iterator[Task]:
        index = -1
        for index, chunk in enumerate(chunks(self.records, self.size)):
            if index not in self.finished:
                yield Task(index, chunk)
        self.count = index + 1


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
        if self.tasks.count is None:
            raise UnfinishedError(self.job.name)
        self.shards.work.write(f"{self.shards.folder}/{_COMPLETE}", orjson.dumps(self.tasks.count))
        counted = replace(self.shards, count=self.tasks.count)
        counted.require(self.job.name)
        return counted
