"""Intervals and tests against known values, and against SciPy and statsmodels on random inputs."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_of_table
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from diptych.metrics import Options, ScoringError, score_pairs, wilson
from diptych.metrics._comparison import compare
from diptych.metrics.paired_vqa.intervals import (
    benjamini_hochberg,
    bootstrap_sums,
    count_profiles,
    fisher,
    holm,
    mcnemar,
    resample,
)
from diptych.metrics.paired_vqa.scores import coverage_matrix, rad_regression, regression_r2
from tests.metrics.rows import pair, prediction


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [(0, 10, 0.0, 0.277533), (10, 10, 0.722467, 1.0), (5, 10, 0.236593, 0.763407), (81, 263, 0.255258, 0.366214)],
)
def test_wilson_gives_known_bounds(hits: int, n: int, low: float, high: float) -> None:
    assert wilson(hits / n, n) == pytest.approx((low, high), abs=2e-4)
    expected = stats.binomtest(hits, n).proportion_ci(method="wilson")
    assert wilson(hits / n, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(st.integers(1, 100_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_statsmodels(counts: tuple[int, int]) -> None:
    hits, n = counts
    assert wilson(hits / n, n) == pytest.approx(proportion_confint(hits, n, method="wilson"), rel=1e-12, abs=1e-14)


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_mcnemar_is_statsmodels(only_first: int, only_second: int) -> None:
    first_right = np.arange(only_first + only_second) < only_first
    expected = mcnemar_of_table([[0, only_first], [only_second, 0]], exact=True).pvalue
    assert mcnemar(first_right, ~first_right) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("correct", "method"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
def test_corrections_are_statsmodels(correct: Callable[[list[float]], list[float]], method: str) -> None:
    rng = np.random.default_rng(1)
    for size in (1, 2, 7, 60):
        p_values = (rng.random(size) ** 4).tolist()
        assert correct(p_values) == pytest.approx(multipletests(p_values, method=method)[1].tolist(), rel=1e-12)
        assert correct(p_values * 2) == pytest.approx(multipletests(p_values * 2, method=method)[1].tolist())  # ties


@given(*(st.integers(1, 200) for _ in range(4)))
def test_fisher_is_scipys(hits: int, missed: int, others: int, rest: int) -> None:
    expected = stats.fisher_exact([[hits, missed], [others, rest]]).pvalue
    assert fisher(hits, hits + missed, hits + others, hits + missed + others + rest) == pytest.approx(
        expected, rel=1e-6
    )


def test_resampling_independent_pairs_has_the_binomial_spread() -> None:
    right = np.array([1.0] * 300 + [0.0] * 700)
    rates = bootstrap_sums(right[None], np.arange(1000), rounds=4000, seed=3)[0] / 1000
    assert rates.mean() == pytest.approx(0.3, abs=0.002)
    assert rates.std() == pytest.approx(np.sqrt(0.3 * 0.7 / 1000), rel=0.05)


def test_pairs_of_one_image_are_drawn_together() -> None:
    right = np.repeat([1.0] * 30 + [0.0] * 70, 10)
    images = np.repeat(np.arange(100), 10)
    rates = bootstrap_sums(right[None], images, rounds=4000, seed=3)[0] / 1000
    assert rates.std() == pytest.approx(np.sqrt(0.3 * 0.7 / 100), rel=0.05)


def test_both_ways_of_drawing_have_the_same_distribution() -> None:
    rng = np.random.default_rng(0)
    sums = rng.integers(0, 2, size=(500, 1)).astype(np.float64)
    counted = count_profiles(sums.T, np.arange(500))
    uncounted = (sums, np.ones(500, dtype=np.int64))
    assert len(counted[1]) == 2
    samples = [
        resample(*profiles, 4000, np.random.default_rng(seed))[:, 0]
        for seed, profiles in enumerate((counted, uncounted))
    ]
    assert stats.ks_2samp(*samples).pvalue > 0.001


def test_the_bootstrap_is_seeded() -> None:
    columns = np.array([[1.0, 0.0, 1.0, 0.0]])
    first, again, another = (bootstrap_sums(columns, np.arange(4), 50, seed).tolist() for seed in (1, 1, 2))
    assert first == again != another


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (6, 0), (5, 5), (3, 12), (12, 3), (400, 330)])
def test_mcnemar_is_the_exact_binomial_test(first: int, second: int) -> None:
    expected = stats.binomtest(first, first + second).pvalue if first + second else 1.0
    first_right = np.arange(first + second) < first
    assert mcnemar(first_right, ~first_right) == pytest.approx(expected, rel=1e-9)


def test_mcnemar_counts_disagreements_only() -> None:
    assert mcnemar([True] * 9 + [False], [True] * 9 + [True]) == 1.0


def test_holm_gives_known_values() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert np.isnan(holm([0.01, float("nan")])[1])


def test_benjamini_hochberg_gives_known_values() -> None:
    p = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205]
    assert benjamini_hochberg(p) == pytest.approx(list(stats.false_discovery_control(p)))


@pytest.mark.parametrize("table", [(8, 10, 12, 40), (0, 5, 10, 30), (5, 5, 6, 20), (30, 60, 70, 200)])
def test_the_rules_p_value_is_fishers(table: tuple[int, int, int, int]) -> None:
    hits, support, total, n = table
    expected = stats.fisher_exact([[hits, support - hits], [total - hits, n - support - total + hits]]).pvalue
    assert fisher(hits, support, total, n) == pytest.approx(expected, rel=1e-6)


def test_coverage_is_the_share_of_the_other_models_right_pairs() -> None:
    result = coverage_matrix({"a": [True, True, False, False], "b": [True, False, True, True], "none": [False] * 4})
    assert result["a"]["b"] == pytest.approx(1 / 3)
    assert result["b"]["a"] == 0.5
    assert result["a"]["a"] == 1.0
    assert np.isnan(result["a"]["none"])


def test_regression_explains_what_is_linear_and_not_noise() -> None:
    rng = np.random.default_rng(0)
    features = rng.random((45, 3))
    assert regression_r2(features, features @ [1.0, 2.0, 3.0] + 0.5) == pytest.approx(1.0)
    assert regression_r2(features, rng.random(45)) < 0.3


def test_two_models_are_compared_by_test() -> None:
    references = [pair(str(number), "yes", "no", test=f"rad.{number % 2}") for number in range(40)]
    right_answers = [prediction(str(number), "yes", "no") for number in range(40)]
    wrong_answers = [prediction(str(number), "yes", "no" if number % 2 else "yes") for number in range(40)]
    options = Options("rad", bootstrap=200)
    models = [score_pairs(rows, references, options, by=()) for rows in (right_answers, wrong_answers)]
    result = compare(*models, options)
    assert result["rad.0"]["accuracy_both"].difference == 1.0
    assert result["rad.0"]["accuracy_both"].p_mcnemar == pytest.approx(2 * 0.5**20)
    assert result["rad.0"]["accuracy_both"].p_holm == pytest.approx(4 * 0.5**20)
    assert result["rad.1"]["accuracy_both"].p_mcnemar == 1.0
    assert (result["rad.0"]["rad_forward"].low, result["rad.0"]["rad_forward"].high) == (1.0, 1.0)


def test_rads_regression_is_over_tests_each_unseen_in_turn() -> None:
    rng = np.random.default_rng(0)
    models = {}
    for number in range(20):
        skill = 0.2 + 0.03 * number
        original = rng.random((3, 400)) < 0.7
        perturbed = rng.random((3, 400)) < skill
        models[f"m{number}"] = {f"t{test}": (original[test], perturbed[test]) for test in range(3)}
    result = rad_regression(models)
    # The original's accuracy says nothing of the skill here; RAD forward does.
    assert result["rad_forward"][0] > 0.9 > 0.5 > result["accuracy"][0]
    assert result["accuracy, rad_forward, rad_backward"][0] >= result["rad_forward"][0]


def test_rads_regression_needs_every_model_on_every_test() -> None:
    with pytest.raises(ScoringError, match="every model on all of them"):
        rad_regression({"a": {"t": ([True], [True]), "u": ([True], [True])}, "b": {"t": ([True], [True])}})
