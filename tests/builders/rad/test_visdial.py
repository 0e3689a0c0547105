"""Pairs from VisDial's dialogs: what a model of dialogs needs, and one annotator's answers."""

from pathlib import Path
from typing import Any

import pytest

from tests.builders.rad.conftest import build_rad

Row = dict[str, Any]


@pytest.fixture(scope="module")
def rows(data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    return build_rad(data, tmp_path_factory.mktemp("visdial"), "visdial").table("visdial", "validation").to_pylist()


def test_one_annotator_agrees_with_herself(rows: list[Row]) -> None:
    assert {row["agreement"] for row in rows} == {1}


def test_a_row_has_the_caption_and_the_rounds_before(rows: list[Row]) -> None:
    for row in rows:
        assert row["caption"]
        assert len(row["history"]) == int(row["source_id"].rpartition("-")[2]) - 1
    assert any(row["history"] for row in rows)


def test_the_right_option_is_the_answer(rows: list[Row]) -> None:
    for row in rows:
        assert len(row["original_options"]) == 100
        assert row["original_options"][row["original_option_index"]] == row["original_answer"]
        assert row["perturbed_answer"] in row["perturbed_options"]


def test_other_configs_have_no_columns_of_dialogs(data: Path, tmp_path: Path) -> None:
    table = build_rad(data, tmp_path, "yn_from_color").table("yn_from_color", "validation")
    assert "history" not in table.column_names
    assert "agreement" in table.column_names
