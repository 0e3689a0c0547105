"""No mutated file is more than one line: a few hundred cases of the fuzzer; `make fuzz` runs thousands."""

import os
from pathlib import Path

import pytest

from tests.robustness.fuzz import draw_cases, run_cases
from tests.robustness.readers import READERS

pytestmark = pytest.mark.slow

COUNT = int(os.environ.get("DIPTYCH_FUZZ_COUNT", "300"))
SEED = int(os.environ.get("DIPTYCH_FUZZ_SEED", "1"))


def test_every_kind_of_file_is_fuzzed() -> None:
    assert len(READERS) >= 26


def test_what_is_broken_is_refused_in_one_line(tmp_path: Path) -> None:
    outcomes = list(run_cases(draw_cases(COUNT, SEED), tmp_path / "corpus", tmp_path / "scratch"))
    problems = [f"{outcome.case}: {outcome.problem}" for outcome in outcomes if outcome.problem]
    assert len(outcomes) == COUNT
    assert not problems, "\n".join(problems)
