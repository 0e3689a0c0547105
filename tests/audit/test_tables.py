"""Columns that are not those of a pair."""

from pathlib import Path

import pyarrow as pa
import pytest

from diptych.pairs import pairs_table
from tests.audit.findings import audit_pairs, errors, worst
from tests.folders import some_pairs

TABLE = pairs_table(some_pairs())
IMAGE_ID = TABLE.column_names.index("original_image_id")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (TABLE.drop_columns(["bindings"]), "lacks the column bindings"),
        (TABLE.set_column(IMAGE_ID, "original_image_id", pa.array(range(384))), "is int64, not string"),
        (TABLE.set_column(IMAGE_ID, "original_image_id", pa.nulls(384, pa.string())), "null in"),
    ],
    ids=["missing", "type", "null"],
)
def test_a_column_that_is_not_as_it_must_be_is_an_error(table: pa.Table, message: str, tmp_path: Path) -> None:
    audit = audit_pairs(tmp_path, table)
    assert message in worst(audit, "schema").message
    assert errors(audit) == {"schema"}


def test_columns_of_the_dataset_after_the_core_columns_are_no_error(tmp_path: Path) -> None:
    table = TABLE.append_column("agreement", pa.array([3] * 384, pa.int8()))
    assert errors(audit_pairs(tmp_path, table)) == set()
