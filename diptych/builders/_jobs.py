"""What workers do: read, plan or map one shard of a step, and keep it in the work folder."""

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa

from diptych.builders._dataset import BuildOptions, Candidates, Dataset, Plan, Rows, Tools
from diptych.builders._engine import Task
from diptych.builders._ledger import EVERY_TEST, Ledger, Problem
from diptych.builders._pictures import DIGEST
from diptych.builders._plans import StoredPlan, load_facts
from diptych.builders._rows import Item, from_table, rows_of_tests, to_table
from diptych.builders._work import Shards, WorkFolder
from diptych.errors import BadInputError
from diptych.pairs import DIGEST_SIZE, Pair, Skip, pairs_table, row_digests, row_rng


def load_tools(dataset: Dataset, tagger: str | None) -> Tools:
    """The tools of a dataset, loaded once in a process: before a fork, where there is one."""
    dataset_type: Any = type(dataset)
    return _load_tools(dataset_type, tagger)


@lru_cache(maxsize=1)
def _load_tools(dataset: Any, tagger: str | None) -> Tools:
    tools: Tools = dataset().tools(tagger)
    gc.freeze()  # models and dictionaries stay: the collector need not walk over them again and again
    return tools


@dataclass(frozen=True, slots=True)
class ReadJob:
    """Reads the records of one shard."""

    dataset: Dataset
    tagger: str | None
    target: Shards

    def __call__(self, task: Task) -> int:
        records: Sequence[Any] = task.content
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
        assert task.index is not None
        self.target.write(task.index, to_table(rows, self.target.row_type), ledger)
        return len(records)


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """What a plan is made from: the candidates; after a stage, also its rows and the facts of the plan before it."""

    candidates: Candidates
    rows: Rows | None = None
    earlier: str = ""  # the file with the facts of the plan before


@dataclass(frozen=True, slots=True)
class PlanJob:
    """Makes one plan and stores it."""

    dataset: Dataset
    method: str
    options: BuildOptions
    split: str
    inputs: PlanInputs
    work: WorkFolder
    folder: str

    def __call__(self, _: Task) -> int:
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
class MapJob:
    """Maps the items of one shard to rows: of the next stage, or, with a schema, to published rows."""

    dataset: Dataset
    method: str
    options: BuildOptions
    source: Shards
    target: Shards
    facts: str  # the file with the facts of the plan
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
        function, facts = getattr(self.dataset, self.method), load_facts(self.target.work, self.facts)
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


@dataclass(frozen=True, slots=True)
class MapJobs:
    """The jobs of some splits, as one."""

    jobs: Mapping[str, MapJob]

    def __call__(self, task: Task) -> int:
        assert task.index is not None
        return self.jobs[task.content](task.index)

    def shared_files(self) -> set[tuple[WorkFolder, str]]:
        """The files of the work folder that every worker needs."""
        return {(job.target.work, job.facts) for job in self.jobs.values()}
