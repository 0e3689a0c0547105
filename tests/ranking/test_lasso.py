"""The LASSO ranker: the same answers as independent solvers, certified, on ordinary and on degenerate input."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diptych.errors import BadInputError
from diptych.ranking import Ranking, Tuning, find_equal_vectors, rank

Floats = npt.NDArray[np.float64]


def unit(rows: npt.ArrayLike) -> Floats:
    array = np.asarray(rows, dtype=np.float32).astype(np.float64)
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    return np.divide(array, lengths, out=np.zeros_like(array), where=lengths > 0)


def problem(n: int, d: int, m: int, seed: int = 0) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    rng = np.random.default_rng(seed)
    topics = rng.normal(size=(max(2, n // 8), d))
    rows = topics[rng.integers(len(topics), size=n + m)] + 0.7 * rng.normal(size=(n + m, d))
    return rows[:n].astype(np.float32), rows[n:].astype(np.float32)


def rank_all(basic: npt.ArrayLike, main: npt.ArrayLike, lam: float, **options: object) -> tuple[Ranking, Floats]:
    """The ranking with k = n, and its positive coefficients as a table."""
    ranking = rank(basic, main, lam, k=len(np.asarray(basic)), **options)  # type: ignore[arg-type]
    coefs = np.zeros((len(ranking.indices), len(np.asarray(basic))))
    for row, (indices, scores) in enumerate(zip(ranking.indices, ranking.scores, strict=True)):
        coefs[row, indices[indices >= 0]] = scores[indices >= 0]
    return ranking, coefs


@pytest.mark.parametrize("nonneg", [False, True])
@pytest.mark.parametrize("lam", [0.1, 1e-2])
def test_agrees_with_scikit_learns_coordinate_descent(lam: float, nonneg: bool) -> None:
    from sklearn.linear_model import Lasso

    basic, main = problem(60, 24, 4)
    ranking, coefs = rank_all(basic, main, lam, nonneg=nonneg)
    for b, row in zip(unit(main), coefs, strict=True):
        reference = Lasso(alpha=lam / 24, fit_intercept=False, tol=1e-14, max_iter=1_000_000, positive=nonneg)
        reference.fit(unit(basic).T, b)
        np.testing.assert_allclose(row, np.maximum(reference.coef_, 0.0), atol=1e-6)
    assert ranking.certified.all()


@pytest.mark.parametrize("lam", [1e-2, 1e-4])
def test_agrees_with_scikit_learns_least_angles(lam: float) -> None:
    from sklearn.linear_model import lars_path

    basic, main = problem(50, 12, 6, seed=3)
    _, coefs = rank_all(basic, main, lam)
    for b, row in zip(unit(main), coefs, strict=True):
        _, _, path = lars_path(unit(basic).T, b, method="lasso", alpha_min=lam / 12, eps=1e-16)
        np.testing.assert_allclose(row, np.maximum(path[:, -1], 0.0), atol=1e-7)


def test_at_the_papers_penalty_it_is_basis_pursuit() -> None:
    from scipy.optimize import linprog

    basic, main = problem(80, 16, 4, seed=4)
    _, coefs = rank_all(basic, main, 1e-8)
    columns = unit(basic).T
    for b, row in zip(unit(main), coefs, strict=True):
        solution = linprog(np.ones(160), A_eq=np.hstack([columns, -columns]), b_eq=b).x
        np.testing.assert_allclose(row, solution[:80], atol=1e-5)


def test_scikit_learns_convention_is_its_alpha_with_an_intercept() -> None:
    from sklearn.linear_model import Lasso

    basic, main = problem(40, 16, 3, seed=5)
    _, coefs = rank_all(basic, main, 1e-4, convention="sklearn")
    for b, row in zip(unit(main), coefs, strict=True):
        reference = Lasso(alpha=1e-4, tol=1e-14, max_iter=1_000_000).fit(unit(basic).T, b)
        np.testing.assert_allclose(row, np.maximum(reference.coef_, 0.0), atol=1e-5)


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 80),
    d=st.integers(1, 30),
    lam=st.sampled_from([0.3, 1e-2, 1e-4, 1e-6]),
    nonneg=st.booleans(),
    coarse=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_every_row_is_certified_whatever_the_columns(
    n: int, d: int, lam: float, nonneg: bool, coarse: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-1, 2, size=(n + 3, d)) if coarse else rng.normal(size=(n + 3, d))
    ranking = rank(vectors[:n], vectors[n:], lam, k=5, nonneg=nonneg)
    assert ranking.certified.all(), (ranking.gaps, ranking.excess, ranking.misfit)


def coefficients(basic: npt.ArrayLike, main: Floats, lam: float, **options: object) -> Floats:
    """All coefficients: those of the negated question are the same with the other sign."""
    return rank_all(basic, main, lam, **options)[1] - rank_all(basic, -main, lam, **options)[1]


def excess_and_misfit(basic: npt.ArrayLike, main: Floats, coefs: Floats, lam: float) -> tuple[float, float]:
    """Over all columns, how far scores lie above λ, and those of the support from ±λ, as shares of λ."""
    columns = unit(basic)
    scores = (unit(main) - coefs @ columns) @ columns.T / lam
    support = coefs != 0
    return float(np.abs(scores).max() - 1.0), float(np.abs(scores - np.sign(coefs))[support].max(initial=0.0))


@pytest.mark.parametrize("lam", [1e-2, 1e-6])
@pytest.mark.parametrize("kind", ["topics", "near copies", "few dimensions", "a lattice"])
def test_the_optimality_conditions_hold_over_all_columns_seen_from_outside(kind: str, lam: float) -> None:
    basic, main = problem(1500, 24, 6, seed=12)
    if kind == "near copies":
        basic[750:] = basic[:750] + 1e-6 * np.random.default_rng(0).normal(size=(750, 24)).astype(np.float32)
    if kind == "few dimensions":
        basic[:, 12:], main[:, 12:] = basic[:, :12], main[:, :12]
    if kind == "a lattice":
        basic = np.sign(basic).astype(np.float32)
    tuning = Tuning(pool=60, budget=12, violations=20)
    excess, misfit = excess_and_misfit(basic, main, coefficients(basic, main, lam, tuning=tuning), lam)
    assert excess <= 1e-6
    assert misfit <= 1e-6


def test_more_columns_at_the_bound_than_a_pool_holds_are_certified() -> None:
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * 9)).reshape(9, -1).T
    ranking = rank(corners, np.eye(9)[:2], 1e-3, tuning=Tuning(pool=20))
    assert ranking.certified.all()


@pytest.mark.parametrize("factor", [1e-30, 1e30])
def test_very_short_and_very_long_vectors_rank_as_unit_vectors_do(factor: float) -> None:
    basic, main = problem(300, 16, 4, seed=13)
    ranking = rank(basic, main, 1e-4, tuning=Tuning(pool=50))
    scaled = rank(basic.astype(np.float64) * factor, main, 1e-4, tuning=Tuning(pool=50))
    np.testing.assert_array_equal(ranking.indices, scaled.indices)
    assert scaled.certified.all()


def test_a_question_far_from_all_columns_is_certified() -> None:
    basic, main = problem(2000, 12, 2, seed=14)
    basic[:, 6:], main[:, :6] = 0.0, 1e-9 * main[:, :6]
    ranking = rank(basic, main, 1e-12, tuning=Tuning(pool=100))
    assert ranking.certified.all()
    assert (ranking.supports > 0).all()


def test_a_column_that_left_the_support_is_priced_again() -> None:
    from diptych.ranking._batch import Slot, _make_pool, gather

    rows, scale = np.eye(3, dtype=np.float32), np.ones(3)
    slot = Slot(0, np.array([0.9, 0.3, 0.2]), np.zeros(0, np.int64), 0.3, 3)
    s = slot.support
    s.column[:2], s.sign[:2] = [2, 0], [1.0, 0.0]  # the second place is free, but still names column 0
    s.inverse.count[0] = 2
    pool = _make_pool(6, 3)
    assert gather(pool, s, rows, scale, np.arange(3), slot.excluded_columns, np.zeros(3, np.int8), False) == 0.9


def test_large_coefficients_are_certified() -> None:
    vectors = np.random.default_rng(30).normal(size=(33, 30))
    assert rank(vectors[:30], vectors[30:], 1e-6, k=5).certified.all()


def test_k_may_exceed_the_number_of_columns() -> None:
    basic, main = problem(5, 8, 2)
    ranking = rank(basic, main, 1e-4, k=9)
    assert ranking.indices.shape == (2, 9)
    assert (ranking.indices[:, 5:] == -1).all()
    assert ranking.certified.all()


def test_small_pools_and_stages_change_no_answer() -> None:
    basic, main = problem(400, 20, 6, seed=8)
    default = rank(basic, main, 1e-5)
    tuned = rank(basic, main, 1e-5, tuning=Tuning(pool=25, budget=4, slots=2, descent=0.05, violations=10))
    np.testing.assert_array_equal(default.indices, tuned.indices)
    np.testing.assert_allclose(default.scores, tuned.scores, atol=1e-8)


def test_equal_vectors_are_one_column_and_the_first_stands_for_them() -> None:
    basic, main = problem(30, 8, 2)
    doubled = np.concatenate([basic, 2.0 * basic])
    ranking = rank(doubled, main, 1e-3)
    np.testing.assert_array_equal(ranking.first[30:], np.arange(30))
    np.testing.assert_array_equal(ranking.indices, rank(basic, main, 1e-3).indices)


def test_what_is_excluded_is_never_chosen() -> None:
    basic, main = problem(40, 10, 2)
    best = rank(basic, main, 1e-3).indices[:, 0]
    ranking = rank(basic, main, 1e-3, exclude=[[best[0]], []])
    assert best[0] not in ranking.indices[0]
    assert best[1] == ranking.indices[1, 0]


def test_a_main_question_in_the_pool_is_its_own_answer_unless_equals_are_excluded() -> None:
    basic, _ = problem(40, 10, 1)
    ranking = rank(basic, basic[7:8], 1e-3)
    assert ranking.indices[0].tolist() == [7] + [-1] * 20
    assert ranking.scores[0, 0] == pytest.approx(1 - 1e-3)
    excluding = rank(basic, basic[7:8], 1e-3, exclude=find_equal_vectors(basic, basic[7:8]))
    assert 7 not in excluding.indices
    assert excluding.certified.all()


def test_zero_vectors_are_never_chosen_and_a_zero_question_has_no_answer() -> None:
    basic, main = problem(20, 6, 2)
    basic[3], main[1] = 0.0, 0.0
    ranking = rank(basic, main, 1e-4)
    assert 3 not in ranking.indices
    assert (ranking.indices[1] == -1).all()
    assert ranking.certified.all()


def test_a_penalty_above_every_score_gives_empty_certified_rows() -> None:
    basic, main = problem(20, 6, 2)
    ranking = rank(basic, main, 5.0)
    assert (ranking.indices == -1).all()
    assert ranking.certified.all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lam": 0.0}, "positive"),
        ({"lam": float("nan")}, "positive"),
        ({"k": 0}, "at least 1"),
        ({"convention": "R"}, "'sklearn'"),
        ({"exclude": [[99], []]}, "list 0"),
        ({"exclude": [[1]]}, "1 lists for 2"),
    ],
)
def test_a_wrong_setting_is_one_clear_line(change: dict[str, object], message: str) -> None:
    basic, main = problem(10, 4, 2)
    with pytest.raises(BadInputError, match=message):
        rank(basic, main, **change)  # type: ignore[arg-type]


@pytest.mark.parametrize("sizes", [{"pool": 0}, {"slots": 2.5}, {"budget": -1}, {"descent": 1.0}])
def test_sizes_that_leave_no_room_are_refused(sizes: dict[str, Any]) -> None:
    with pytest.raises(BadInputError, match="tuning: "):
        Tuning(**sizes)


def test_a_number_that_is_not_finite_is_refused_with_its_row() -> None:
    basic, main = problem(10, 4, 2)
    basic[6, 1] = np.nan
    with pytest.raises(BadInputError, match="basic: row 6"):
        rank(basic, main)


def test_tables_that_do_not_fit_are_refused() -> None:
    basic, main = problem(10, 4, 2)
    with pytest.raises(BadInputError, match="4 numbers"):
        rank(basic, main[:, :3])
    with pytest.raises(BadInputError, match="shape"):
        rank(basic[0], main)


def test_a_second_run_in_the_same_process_changes_no_byte() -> None:
    basic, main = problem(3000, 48, 24, seed=11)
    first, again = rank(basic, main, 1e-6), rank(basic, main, 1e-6)
    assert first.scores.tobytes() == again.scores.tobytes()
    assert first.gaps.tobytes() == again.gaps.tobytes()


def test_the_sweep_inverts() -> None:
    from diptych.ranking._kernels import invert

    rows = np.random.default_rng(0).normal(size=(12, 30))
    gram = rows @ rows.T
    inverse = gram.copy()
    invert(inverse, 12)
    lower = np.tril(inverse)
    np.testing.assert_allclose((lower + np.tril(lower, -1).T) @ gram, np.eye(12), atol=1e-10)
