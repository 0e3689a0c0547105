"""Whether every row is what a pair must be: its id, its expectation, its bindings."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from diptych.audit._findings import first_few, result
from diptych.audit._tables import AuditedFolder
from diptych.folder import FindingEntry
from diptych.pairs import CORE_COLUMNS, Expectation, Pair, Side

_EXPECTATIONS = frozenset(expectation.value for expectation in Expectation)


def check_integrity(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Ids are unique in a config and hash what the pair says; expectations and bindings hold."""
    repeated, unknown, untrue, broken, unreadable = [], [], [], [], []
    pairs = 0
    for config in audited.pair_configs():
        ids = audited.pairs(config, ["pair_id"])
        pairs += ids.num_rows
        repeated += [f"{config}: {pair_id}" for pair_id in _repeated_ids(ids)]
        for row in (row for table in audited.batches(config, CORE_COLUMNS) for row in table.to_pylist()):
            place = f"{config}: {row['pair_id']}"
            if row["expectation"] not in _EXPECTATIONS:
                unknown.append(f"{place} {row['expectation']!r}")
            elif expected_id(row) != row["pair_id"]:
                untrue.append(place)
            if not _keeps_expectation(row):
                broken.append(place)
            if not _is_object(row["bindings"]):
                unreadable.append(place)
    yield result("unique ids", _faults("used twice", repeated), "no id is used twice in a config", pairs=pairs)
    yield result("true ids", _faults("not the hash of its pair", untrue), "every id is the hash of its pair")
    faults = _faults("unknown expectation", unknown) + _faults("answers break the expectation", broken)
    yield result("expectations", faults, "the answers of every pair keep its expectation")
    faults = _faults("bindings are not a JSON object", unreadable)
    yield result("bindings", faults, "the bindings of every pair are a JSON object")


def _repeated_ids(table: pa.Table) -> list[str]:
    counts = pc.value_counts(table["pair_id"])
    repeated: list[str] = counts.filter(pc.greater(counts.field("counts"), 1)).field("values").to_pylist()
    return repeated


def expected_id(row: Mapping[str, Any]) -> str:
    """The id a row should have, from what it says."""
    original, perturbed = (
        Side(row[f"{side}_image_id"], row[f"{side}_question"], row[f"{side}_answer"])
        for side in ("original", "perturbed")
    )
    expectation = Expectation(row["expectation"])
    return Pair(row["test"], expectation, original, perturbed, "", "", row["source"], row["source_id"]).pair_id


def pair_rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    """The rows a few at a time: a million pairs are large as Python objects."""
    for batch in table.to_batches(max_chunksize=4096):
        yield from batch.to_pylist()


def _keeps_expectation(row: Mapping[str, Any]) -> bool:
    match row["expectation"]:
        case "same":
            return bool(row["original_answer"] == row["perturbed_answer"])
        case "different":
            return bool(row["original_answer"] != row["perturbed_answer"])
        case "given":
            return bool(row["original_answers"]) and bool(row["perturbed_answers"])
    return True


def _is_object(text: str) -> bool:
    try:
        return isinstance(orjson.loads(text), dict)
    except orjson.JSONDecodeError:
        return False


def _faults(fault: str, names: list[str]) -> list[str]:
    return [f"{fault}: {first_few(names)}"] if names else []
