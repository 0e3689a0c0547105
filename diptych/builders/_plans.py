"""Plans as the work folder keeps them: their facts and their description in a file each, their items in shards."""

import pickle
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from itertools import accumulate, islice
from typing import Any, TypeVar

from diptych.builders._dataset import BuildOptions, Plan
from diptych.builders._ledger import EVERY_TEST, Ledger
from diptych.builders._rows import Item, to_table
from diptych.builders._work import Shards, WorkFolder
from diptych.files import json_digest
from diptych.pairs import Skip

T = TypeVar("T")

_PLAN = "plan.pickle"
_ALIGNMENT = 64


@lru_cache(maxsize=4)
def load_facts(work: WorkFolder, file: str) -> Any:
    """The facts of a plan; a process keeps those of the last few, with their arrays mapped from the file."""
    return unpack(work.read(file))


def pack(value: Any) -> bytearray:
    """A value as bytes, with its arrays beside the pickle and aligned, so that they can be used where they lie."""
    arrays: list[pickle.PickleBuffer] = []
    body = pickle.dumps(value, protocol=5, buffer_callback=arrays.append)
    parts = [memoryview(body), *(each.raw() for each in arrays)]
    content = bytearray()
    for part in parts:
        content += part
        content += bytes(-len(part) % _ALIGNMENT)
    content += struct.pack(f"<{len(parts) + 1}Q", *map(len, parts), len(parts))
    return content


def unpack(content: memoryview) -> Any:
    """The value that was packed; its arrays are views of the content.

    >>> unpack(memoryview(pack(["a", 1])))
    ['a', 1]
    """
    (count,) = struct.unpack("<Q", content[-8:])
    sizes = struct.unpack(f"<{count}Q", content[-8 - 8 * count : -8])
    starts = accumulate((size + -size % _ALIGNMENT for size in sizes), initial=0)
    body, *arrays = (content[start : start + size] for start, size in zip(starts, sizes, strict=False))
    return pickle.loads(body, buffers=arrays)


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan as the work folder keeps it."""

    facts: str  # the file of the facts, which a job of many workers names instead of carrying them
    items: Mapping[str, Shards] | None
    ledgers: Mapping[str, Ledger]
    notes: Mapping[str, Any]
    templates: Mapping[str, str]
    seal: str
    """Digest of the stored plan, with the digests of its facts and items: plans with equal seals are equal.

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
        """Write the items and facts of a plan, then the plan itself, which makes it complete.

        Of two processes that make the same plan, the first to finish decides: a pickle has no canonical form, so the
        facts are named by their digest, and a plan is never replaced by another.
        """
        streams: Mapping[str, Iterable[Item | Skip]] = {}
        if plan.items is not None:
            streams = plan.items if isinstance(plan.items, Mapping) else {split: plan.items}
        items = {name: _store_items(work, f"{folder}/{name}", stream, plan, tests) for name, stream in streams.items()}
        content = pack(plan.facts)
        facts = f"facts-{sha256(content).hexdigest()[:16]}.pickle"
        work.write(f"{folder}/{facts}", content)
        described = facts, plan.items is not None, plan.row_type, items, dict(plan.notes), dict(plan.templates)
        work.create(f"{folder}/{_PLAN}", pickle.dumps(described))

    @classmethod
    def load(cls, work: WorkFolder, folder: str) -> "StoredPlan | None":
        """The plan of a folder; None where there is none. One that is not all there is removed."""
        names = work.names(folder)
        if _PLAN not in names:
            return None
        if any(name.startswith(f".{_PLAN}.") for name in names):  # killed between its link and the end of its file
            work.remove_leftovers(f"{folder}/{_PLAN}")
        content = work.read(f"{folder}/{_PLAN}")
        facts, has_items, row_type, counts, notes, templates = pickle.loads(content)
        items = {name: Shards(work, f"{folder}/{name}", row_type, count) for name, (count, *_) in counts.items()}
        if facts not in names or any(shards.missing() for shards in items.values()):
            work.remove(f"{folder}/{_PLAN}")
            return None
        ledgers = {name: Ledger.from_json(ledger) for name, (_, ledger, _) in counts.items()}
        seal = sha256(content).hexdigest()
        return cls(f"{folder}/{facts}", items if has_items else None, ledgers, notes, templates, seal)


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
        for index, rows in enumerate(chunks(items(), plan.shard_size))
    ]
    return len(seals), ledger.as_json(), json_digest(seals)


def chunks(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """The values in lists of some size; the last may be shorter."""
    iterator = iter(values)
    while chunk := list(islice(iterator, size)):
        yield chunk
