"""Whether every row is what a pair must be: its id, its expectation, its bindings."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import orjson
import pyarrow as pa

from diptych.cards.audit.built import Built
from diptych.cards.audit.finding import Finding, some, verdict
from diptych.pairs import CORE_COLUMNS, Expectation, Pair, Side

_KNOWN = frozenset(each.value for each in Expectation)


def integrity(built: Built) -> Iterator[Finding]:
    """Ids are unique in a config and say what the pair says; expectations and bindings hold."""
    repeated, strange, untrue, unsaid, unread = [], [], [], [], []
    pairs = 0
    for config, table in built.by_config().items():
        pairs += table.num_rows
        counts = Counter(table["pair_id"].to_pylist())
        repeated += [f"{config}: {pair_id}" for pair_id, count in counts.items() if count > 1]
        for row in _rows(table):
            name = f"{config}: {row['pair_id']}"
            if row["expectation"] not in _KNOWN:
                strange.append(f"{name} {row['expectation']!r}")
            elif expected_id(row) != row["pair_id"]:
                untrue.append(name)
            if not _keeps_expectation(row):
                unsaid.append(name)
            if not _is_object(row["bindings"]):
                unread.append(name)
    yield verdict("unique ids", _faults("used twice", repeated), "no id is used twice in a config", pairs=pairs)
    yield verdict("true ids", _faults("not the hash of its pair", untrue), "every id is the hash of its pair")
    broken = _faults("unknown expectation", strange) + _faults("answers break the expectation", unsaid)
    yield verdict("expectations", broken, "every pair's answers keep its expectation")
    yield verdict("bindings", _faults("bindings are no JSON object", unread), "every pair's bindings are a JSON object")


def expected_id(row: Mapping[str, Any]) -> str:
    """The id a row should have, from what it says."""
    original, perturbed = (
        Side(row[f"{side}_image_id"], row[f"{side}_question"], row[f"{side}_answer"])
        for side in ("original", "perturbed")
    )
    told = Pair(
        row["test"], Expectation(row["expectation"]), original, perturbed, "", "", row["source"], row["source_id"]
    )
    return told.pair_id


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    """The rows a few at a time: a split of a million pairs is large as Python objects."""
    for batch in table.select(CORE_COLUMNS).to_batches(max_chunksize=4096):
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


def _faults(what: str, names: list[str]) -> list[str]:
    return [f"{what}: {some(names)}"] if names else []
