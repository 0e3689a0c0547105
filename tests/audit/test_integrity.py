"""Rows that are not what a pair must be: their ids, their expectations, their bindings."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from diptych.pairs import Expectation, Side, pairs_table
from tests.audit.findings import audit_pairs, errors, worst
from tests.folders import make_pair, some_pairs


def test_an_id_that_is_used_twice_is_an_error(tmp_path: Path) -> None:
    assert "unique ids" in errors(audit_pairs(tmp_path, [*some_pairs(), make_pair(0)]))


def test_an_id_that_is_not_the_hash_of_its_pair_is_an_error(tmp_path: Path) -> None:
    table = pairs_table(some_pairs())
    ids = ["0" * 24, *table["pair_id"].to_pylist()[1:]]
    audit = audit_pairs(tmp_path, table.set_column(table.column_names.index("pair_id"), "pair_id", pa.array(ids)))
    assert errors(audit) == {"true ids"}
    assert "0" * 24 in worst(audit, "true ids").message


@pytest.mark.parametrize(("expectation", "answer"), [(Expectation.SAME, "blue"), (Expectation.DIFFERENT, "red")])
def test_answers_that_break_the_expectation_are_an_error(expectation: Expectation, answer: str, tmp_path: Path) -> None:
    pair = make_pair(1000, expectation=expectation, original=Side("1000", "What color is it?", "red"))
    broken = replace(pair, perturbed=Side("1000", "Which color is it?", answer))
    assert "expectations" in errors(audit_pairs(tmp_path, [*some_pairs(), broken]))


def test_an_unknown_expectation_is_an_error(tmp_path: Path) -> None:
    expectations = pa.array(["perhaps", *["given"] * 383])
    table = pairs_table(some_pairs())
    table = table.set_column(table.column_names.index("expectation"), "expectation", expectations)
    assert "unknown expectation" in worst(audit_pairs(tmp_path, table), "expectations").message


@pytest.mark.parametrize("bindings", ["[]", "{", ""])
def test_bindings_that_are_not_a_json_object_are_an_error(bindings: str, tmp_path: Path) -> None:
    table = pairs_table(some_pairs())
    table = table.set_column(table.column_names.index("bindings"), "bindings", pa.array([bindings, *["{}"] * 383]))
    assert errors(audit_pairs(tmp_path, table)) == {"bindings"}
