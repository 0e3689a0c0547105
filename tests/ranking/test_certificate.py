"""Proofs from outside: `verify` accepts what is optimal, whoever computed it, and nothing else."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from diptych.errors import BadInputError
from diptych.ranking import Ranking, find_equal_vectors, rank, verify

LAM = 1e-4


@pytest.fixture(scope="module")
def vectors() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    rng = np.random.default_rng(21)
    return rng.normal(size=(300, 24)).astype(np.float32), rng.normal(size=(4, 24)).astype(np.float32)


def test_the_coefficients_are_all_there_with_their_signs(vectors: tuple[npt.ArrayLike, npt.ArrayLike]) -> None:
    basic, main = map(np.asarray, vectors)
    ranking = rank(basic, main, LAM)
    columns = basic / np.linalg.norm(basic.astype(np.float64), axis=1, keepdims=True)
    for number, target in enumerate(main / np.linalg.norm(main.astype(np.float64), axis=1, keepdims=True)):
        numbers, coefs = ranking[number]
        residual = target - coefs @ columns[numbers]
        assert (coefs < 0).any()
        np.testing.assert_allclose(residual, ranking.duals[number], atol=1e-9)
        assert np.linalg.norm(residual) == pytest.approx(ranking.residual_norms[number], rel=1e-9)
        assert len(coefs) == ranking.supports[number]


@pytest.mark.parametrize("nonneg", [False, True])
@pytest.mark.parametrize("convention", ["paper", "sklearn"])
def test_a_ranking_is_verified_under_its_own_settings(
    vectors: tuple[npt.ArrayLike, npt.ArrayLike], convention: str, nonneg: bool
) -> None:
    settings = {"lam": LAM, "exclude": [[1, 2], [], [5], []], "nonneg": nonneg, "convention": convention}
    ranking = rank(*vectors, **settings, verify=True)  # type: ignore[arg-type]
    assert ranking.certified.all()
    assert verify(*vectors, ranking, **settings).certified.all()  # type: ignore[arg-type]


def change(name: str, value: float) -> Callable[[Ranking], Ranking]:
    def changed(ranking: Ranking) -> Ranking:
        array = getattr(ranking, name).copy()
        array.flat[0] += value
        return replace(ranking, **{name: array})

    return changed


CORRUPTIONS = [change("coefs", 1e-3), change("columns", 1), change("columns", 10**6), change("duals", 1e-2)]
CORRUPTIONS += [change("scores", 1e-9), change("indices", 1), change("coefs", np.nan), change("duals", np.nan)]


@pytest.mark.parametrize("corrupt", CORRUPTIONS)
def test_a_row_that_was_tampered_with_is_not_certified(
    vectors: tuple[npt.ArrayLike, npt.ArrayLike], corrupt: Callable[[Ranking], Ranking]
) -> None:
    ranking = corrupt(rank(*vectors, LAM))
    assert verify(*vectors, ranking, LAM).certified.tolist() == [False, True, True, True]


def test_another_penalty_or_another_exclusion_is_not_certified(vectors: tuple[npt.ArrayLike, npt.ArrayLike]) -> None:
    ranking = rank(*vectors, LAM)
    best = ranking.indices[:, 0]
    assert not verify(*vectors, ranking, 1.01 * LAM).certified.any()
    assert not verify(*vectors, ranking, LAM, exclude=best[:, None].tolist()).certified.any()
    excluding = rank(*vectors, LAM, exclude=best[:, None].tolist())
    assert not verify(*vectors, excluding, LAM).certified.any()


def test_the_dual_point_may_not_hide_a_column_above_the_penalty(vectors: tuple[npt.ArrayLike, npt.ArrayLike]) -> None:
    basic, main = map(np.asarray, vectors)
    part = rank(basic[:150], main, LAM)
    certificate = verify(basic, main, replace(part, first=np.arange(300)), LAM)
    assert not certificate.certified.any()
    assert (certificate.excess > 1e-3).all()


def test_a_ranking_of_other_questions_is_refused(vectors: tuple[npt.ArrayLike, npt.ArrayLike]) -> None:
    basic, main = map(np.asarray, vectors)
    with pytest.raises(BadInputError, match="4 rows for 2"):
        verify(basic, main[:2], rank(basic, main, LAM), LAM)


def test_equals_are_excluded_as_they_are_found(vectors: tuple[npt.ArrayLike, npt.ArrayLike]) -> None:
    basic = np.asarray(vectors[0]).copy()
    main = (0.7 * basic[[3, 8]] * (1 + 3e-7)).astype(np.float32)
    ranking = rank(basic, main, LAM, exclude="equal")
    assert not {3, 8} & {*ranking.indices.ravel()}
    listed = rank(basic, main, LAM, exclude=find_equal_vectors(basic, main))
    np.testing.assert_array_equal(ranking.indices, listed.indices)


def test_only_the_rows_that_are_named_are_excluded() -> None:
    basic = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    ranking = rank(basic, [[3.0, 1.0]], 1e-3, exclude=[[0]], verify=True)
    assert ranking.indices[0, :2].tolist() == [1, 2]
    assert ranking.certified.all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 2.5}, "whole number"),
        ({"k": "2"}, "whole number"),
        ({"lam": "1e-6"}, "positive number"),
        ({"exclude": "all"}, "lists of rows or 'equal', not 'all'"),
        ({"exclude": [["a"], [], [], []]}, "list 0 must hold row numbers"),
        ({"exclude": [[], [1.5], [], []]}, "list 1 must hold row numbers"),
        ({"nonneg": "yes"}, "True or False"),
    ],
)
def test_a_wrong_setting_is_one_line(
    vectors: tuple[npt.ArrayLike, npt.ArrayLike], settings: dict[str, object], message: str
) -> None:
    with pytest.raises(BadInputError, match=message):
        rank(*vectors, **settings)  # type: ignore[arg-type]
