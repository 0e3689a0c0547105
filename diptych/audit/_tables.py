"""What the checks share: findings in words, and the pairs of a folder's readable splits, a few rows at a time."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from diptych.builders import AuditRules
from diptych.folder import BuiltFolder, FindingEntry, Level

EVERYWHERE = "all"  # the place of a finding about the whole folder

_SHOWN = 3


def finding(
    name: str, level: Level, message: str, place: str = EVERYWHERE, numbers: Mapping[str, Any] | None = None
) -> FindingEntry:
    """The result of one check in one place."""
    return FindingEntry(name=name, level=level, message=message, place=place, numbers=dict(numbers or {}))


def result(name: str, faults: Iterable[str], message: str, place: str = EVERYWHERE, **numbers: Any) -> FindingEntry:
    """An error with the first few faults where there are any, otherwise ok with the message."""
    text = first_few(faults)
    return finding(name, "error" if text else "ok", text or message, place, numbers)


def first_few(names: Iterable[object]) -> str:
    """The first few of many, and how many more there are.

    >>> first_few(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    texts = [str(name) for name in names]
    more = f" and {len(texts) - _SHOWN:,} more" if len(texts) > _SHOWN else ""
    return ", ".join(texts[:_SHOWN]) + more


def percent(share: float) -> str:
    """A share as it is shown."""
    return f"{100 * share:.1f} %"


@dataclass(frozen=True, slots=True)
class AuditedTest:
    """One test of a config, and what its pairs have in common."""

    config: str
    name: str
    answers: Counter[str] = field(default_factory=Counter)  # how many pairs have each perturbed answer
    templates: set[str] = field(default_factory=set)
    expectations: set[str] = field(default_factory=set)

    @property
    def place(self) -> str:
        """Where its findings are."""
        return f"{self.config}: {self.name}"

    @property
    def is_yes_no(self) -> bool:
        """Whether every perturbed answer is yes or no."""
        return self.answers.keys() <= {"yes", "no"}

    @property
    def is_imported(self) -> bool:
        """Whether the pairs were taken over as they are, and not made with templates of ours."""
        return self.templates <= {""}


@dataclass(frozen=True)
class AuditedFolder:
    """A built folder and those of its splits that can be read."""

    folder: BuiltFolder
    rules: AuditRules
    readable: tuple[tuple[str, str], ...]  # config and split of every readable split

    @cached_property
    def pair_configs(self) -> list[str]:
        """The configs whose rows are pairs."""
        names = dict.fromkeys(config for config, _ in self.readable)
        return [name for name in names if self.folder.manifest.configs[name].tests]

    @cached_property
    def tests(self) -> list[AuditedTest]:
        """Every test of every config, counted in one pass."""
        tests: dict[tuple[str, str], AuditedTest] = {}
        for config in self.pair_configs:
            counts = Counter(self.rows(config, ("test", "template_id", "expectation", "perturbed_answer")))
            for (name, template, expectation, answer), count in sorted(counts.items()):
                test = tests.setdefault((config, name), AuditedTest(config, name))
                test.answers[answer] += count
                test.templates.add(template)
                test.expectations.add(expectation)
        return list(tests.values())

    @cached_property
    def _repeated(self) -> dict[tuple[str, str], pa.ChunkedArray]:
        """By config and split, the pairs of an earlier split: FVQA's originating questions are test questions too."""
        repeated = {}
        for config in self.pair_configs:
            earlier = pa.chunked_array([], pa.string())
            for split in (split for name, split in self.readable if name == config):
                ids = self.folder.table(config, split, ["pair_id"])["pair_id"]
                repeated[config, split] = ids.filter(pc.is_in(ids, earlier))
                earlier = pa.chunked_array([*earlier.chunks, *ids.chunks], pa.string())
        return repeated

    def batches(self, config: str, columns: Sequence[str], test: str = "") -> Iterator[pa.Table]:
        """Some columns of the pairs of a config or one of its tests, each pair once, a few rows at a time."""
        names = list(dict.fromkeys(("pair_id", "test", *columns)))
        for split in (split for name, split in self.readable if name == config):
            repeated = self._repeated[config, split]
            for batch in self.folder.batches(config, split, names):
                table = batch.filter(pc.invert(pc.is_in(batch["pair_id"], repeated))) if len(repeated) else batch
                yield (table.filter(pc.equal(table["test"], test)) if test else table).select(list(columns))

    def rows(self, config: str, columns: Sequence[str], test: str = "") -> Iterator[tuple[Any, ...]]:
        """The same, row by row: a million pairs are large as Python objects."""
        for table in self.batches(config, columns, test):
            yield from zip(*(column.to_pylist() for column in table.columns), strict=True)

    def first_pairs(self, config: str, columns: Sequence[str], most: int, test: str = "") -> pa.Table:
        """The first pairs by their ids, so that neither files nor splits decide which; with the columns that exist."""
        split = next(split for name, split in self.readable if name == config)
        own_schema = pq.read_schema(self.folder.files(config, split)[0])
        columns = [name for name in columns if name in own_schema.names]
        chunks = [chunk for table in self.batches(config, ["pair_id"], test) for chunk in table["pair_id"].chunks]
        ids = pa.chunked_array(chunks, pa.string())
        tables: Iterable[pa.Table] = self.batches(config, columns, test)
        if len(ids) > most:
            last = ids.take(pc.sort_indices(ids)[most - 1 : most])[0]
            tables = (table.filter(pc.less_equal(table["pair_id"], last)) for table in tables)
        schema = pa.schema([own_schema.field(name) for name in columns])
        return pa.concat_tables([schema.empty_table(), *tables])
