"""The oracle of a dataset: it answers every question again, and what it answers differently is an error."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from diptych.audit import audit_folder
from diptych.audit._files import open_audited
from diptych.audit._oracle import check_oracle
from diptych.builders import AuditRules
from diptych.errors import BadInputError
from diptych.folder import BuiltFolder, FindingEntry
from tests.audit.findings import worst
from tests.folders import make_folder, some_pairs

Rows = list[dict[str, Any]]
Answers = Iterator[tuple[int, tuple[str | None, ...]]]


def true_oracle(rows: Rows, split: str, data: Path, templates: Path | None) -> Answers:
    for number, row in enumerate(rows):
        yield number, (row["original_answer"], row["perturbed_answer"])


def wrong_oracle(rows: Rows, split: str, data: Path, templates: Path | None) -> Answers:
    for number, row in enumerate(rows):
        yield number, (row["original_answer"], "maybe" if number == 0 else row["perturbed_answer"])


def puzzled_oracle(rows: Rows, split: str, data: Path, templates: Path | None) -> Answers:
    for number, row in enumerate(rows):
        yield number, (None if number == 1 else row["original_answer"], row["perturbed_answer"])


def silent_oracle(rows: Rows, split: str, data: Path, templates: Path | None) -> Answers:
    return iter(())


@pytest.fixture
def folder(tmp_path: Path) -> BuiltFolder:
    return make_folder(tmp_path / "out", some_pairs(8))


def ask(folder: BuiltFolder, oracle: Callable[..., Answers], monkeypatch: pytest.MonkeyPatch) -> FindingEntry:
    module = ModuleType("toy_oracle")
    module.answer = oracle  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "toy_oracle", module)
    audited, _ = open_audited(folder, AuditRules())
    (finding,) = check_oracle(audited, "toy_oracle:answer", folder.path)
    return finding


def test_pairs_that_the_oracle_answers_the_same_are_counted(
    folder: BuiltFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = ask(folder, true_oracle, monkeypatch)
    assert (finding.level, finding.numbers) == ("ok", {"pairs": 8, "wrong": 0})


def test_an_answer_that_is_not_the_oracles_is_an_error(folder: BuiltFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = ask(folder, wrong_oracle, monkeypatch)
    assert finding.level == "error"
    assert "1 of 16 answers differ from the oracle's" in finding.message
    assert "is maybe, not" in finding.message


def test_a_question_that_the_oracle_cannot_read_is_an_error(
    folder: BuiltFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "cannot be read" in ask(folder, puzzled_oracle, monkeypatch).message


def test_a_config_that_the_oracle_leaves_out_is_said(folder: BuiltFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = ask(folder, silent_oracle, monkeypatch)
    assert (finding.level, finding.message) == ("ok", "its answers are from its authors: the oracle cannot check them")


def test_a_dataset_without_an_oracle_says_so(folder: BuiltFolder) -> None:
    assert "has no oracle" in worst(audit_folder(folder), "oracle").message


def test_an_oracle_is_refused_where_there_is_none(folder: BuiltFolder) -> None:
    with pytest.raises(BadInputError, match="rad-cads has no oracle; leave out --oracle"):
        audit_folder(folder, data=folder.path)


def test_an_oracle_without_source_files_is_refused(folder: BuiltFolder) -> None:
    audited, _ = open_audited(folder, AuditRules())
    with pytest.raises(BadInputError, match="no such data folder"):
        list(check_oracle(audited, "toy_oracle:answer", folder.path / "none"))
