"""kb-counterfactuals on real VQA questions: how many of the questions with a fitting word make a pair."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders.conftest import run

pytestmark = [pytest.mark.slow, pytest.mark.real_data]

# What makes a question none with a fitting word; every other skip counts against the yield.
NOT_FITTING = ("no colour is named", "no noun to", "no verb to", "no adjective to", "WordNet has no usable")


@pytest.fixture(scope="module")
def ledger(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("real") / "out"
    args = ("--data", str(real_data), "--out", str(out), "--config", "vqa_v2", "--num-proc", "2")
    assert run("build", "kb-counterfactuals", *args) == 0
    manifest = json.loads((out / "manifest.json").read_text())
    return dict(manifest["configs"]["vqa_v2"]["ledger"]["validation"])


def test_most_questions_with_a_fitting_word_make_a_pair(ledger: dict[str, Any]) -> None:
    for test, counts in ledger.items():
        missed = sum(n for reason, n in counts["skipped"].items() if not reason.startswith(NOT_FITTING))
        assert counts["paired"] >= 0.8 * (counts["paired"] + missed), test


def test_every_test_yields_pairs(ledger: dict[str, Any]) -> None:
    assert min(counts["paired"] for counts in ledger.values()) > 500
