"""Problems of thirty kinds: no certificate is false, every row ends, and no memory is touched that is not ours."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from diptych.ranking import Tuning, rank, verify
from tests.ranking.instances import KINDS, Instance, false_certificates, make_instance

ROOT = Path(__file__).resolve().parents[2]


def solve(instance: Instance) -> None:
    ranking = rank(instance.basic, instance.main, instance.lam, k=7, **instance.settings)
    assert not false_certificates(instance, ranking)
    # At the penalties that a dataset may have, the objective of every row is proved; only very large coefficients, of
    # columns that are almost equal, can be too coarse for their own scores.
    assert (ranking.gaps <= 1e-8).all() or instance.lam < 1e-6
    assert ranking.certified.all() or instance.lam < 1e-6 or np.abs(ranking.coefs).sum() > 1e3
    certificate = verify(instance.basic, instance.main, ranking, instance.lam, **instance.settings)
    np.testing.assert_array_equal(certificate.certified, ranking.certified)
    assert np.isfinite(certificate.gaps).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", KINDS)
def test_no_certificate_is_false(name: str, seed: int) -> None:
    solve(make_instance(name, seed))


def test_an_event_at_the_very_end_of_a_stage_divides_by_nothing() -> None:
    solve(make_instance("corners", 7063, largest=900))


@pytest.mark.parametrize("name", ["gaussian", "integer grid", "bag of words"])
def test_the_smallest_pools_and_stages_are_safe(name: str) -> None:
    instance = make_instance(name, 1, largest=60)
    tuning = Tuning(pool=1, budget=1, violations=1, slots=1)
    ranking = rank(instance.basic, instance.main, 1e-4, k=7, tuning=tuning, **instance.settings)
    assert ranking.certified.all()


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_no_certificate_of_many_is_false(name: str) -> None:
    for seed in range(3, 15):
        solve(make_instance(name, seed, largest=3000))


@pytest.mark.slow
def test_no_index_is_out_of_bounds_and_compilation_is_announced_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-s", "-m", "not slow", __file__]
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "XDG_CACHE_HOME": str(tmp_path), "DIPTYCH_DATA": ""}
    outputs = []
    for selection in ([], ["-k", "gaussian"]):
        run = subprocess.run(
            [*command, *selection], check=False, env=environment, cwd=ROOT, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
        outputs.append(run.stdout + run.stderr)
    assert ["compiling the ranker" in output for output in outputs] == [True, False]
