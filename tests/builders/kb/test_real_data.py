"""kb-counterfactuals on real VQA questions: how many of the questions with a fitting word make a pair."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from diptych.folder._manifest import TestLedger
from tests.builders.kb.conftest import build_kb

pytestmark = [pytest.mark.slow, pytest.mark.real_data]

# What makes a question none with a fitting word; every other skip counts against the yield.
NOT_FITTING = ("no color is named", "no noun to", "no verb to", "no adjective to", "the tables have no synonym")
LEAST_YIELD = 0.5  # of such questions; a guard leaves many alone


@pytest.fixture(scope="module")
def ledger(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, TestLedger]:
    built = build_kb(real_data, tmp_path_factory.mktemp("real"), "vqa_v2", num_proc=2)
    return built.manifest.configs["vqa_v2"].ledger["validation"]


def test_most_questions_with_a_fitting_word_make_a_pair(ledger: Mapping[str, TestLedger]) -> None:
    for test, counts in ledger.items():
        missed = sum(n for reason, n in counts.skipped.items() if not reason.startswith(NOT_FITTING))
        assert counts.paired >= LEAST_YIELD * (counts.paired + missed), test


def test_every_test_yields_pairs(ledger: Mapping[str, TestLedger]) -> None:
    assert min(counts.paired for counts in ledger.values()) > 500
