"""The columns as integers: products that are the same on every processor, bounds that hold, all candidates found."""

import os
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest

from diptych.ranking._panels import Panels
from diptych.ranking._problem import Floats, Integers, Singles

SHAPES = [(1, 1, 1), (63, 2, 5), (64, 7, 4), (65, 33, 3), (700, 384, 9)]


def columns_and_vectors(n: int, d: int, m: int) -> tuple[Singles, Floats, Floats]:
    rng = np.random.default_rng(n)
    rows = rng.normal(size=(n, d)).astype(np.float32)
    scale = 1.0 / np.linalg.norm(rows.astype(np.float64), axis=1)
    scale[1::10] = 0.0
    return rows, scale, 20.0 * rng.normal(size=(m, d))


@pytest.mark.parametrize("shape", SHAPES)
def test_products_are_those_of_integers(shape: tuple[int, int, int]) -> None:
    rows, scale, vectors = columns_and_vectors(*shape)
    panels = Panels(rows, scale)
    points = panels.points(vectors)
    integers = np.rint(rows * (scale[:, None] * 32767)).astype(np.int64)
    expected = points.integers[: len(vectors), : rows.shape[1]].astype(np.int64) @ integers.T
    np.testing.assert_array_equal(panels.multiply(points), expected)


@pytest.mark.parametrize("shape", SHAPES)
def test_no_product_is_farther_from_the_score_than_its_bound(shape: tuple[int, int, int]) -> None:
    rows, scale, vectors = columns_and_vectors(*shape)
    panels = Panels(rows, scale)
    points = panels.points(vectors)
    scores = vectors @ (rows * scale[:, None]).T
    differences = np.abs(panels.multiply(points) / points.units[:, None] - scores)
    assert (differences.max(axis=1) <= points.errors + 1e-12).all()
    assert (points.errors <= 1e-3 * np.linalg.norm(vectors, axis=1)).all()


def test_the_longest_columns_and_vectors_fit() -> None:
    for width in (1, 2, 5000):
        vector = np.ones((1, width))
        panels = Panels(vector.astype(np.float32), np.full(1, width**-0.5))
        points = panels.points(np.array([1e30, -1e-30, 0.0])[:, None] * vector)
        assert (panels.multiply(points) / points.units[:, None] / width**0.5)[:, 0] == pytest.approx(
            [1e30, -1e-30, 0.0], rel=1e-2
        )


def test_a_vector_that_is_not_finite_has_no_products() -> None:
    panels = Panels(np.eye(3, dtype=np.float32), np.ones(3))
    assert not panels.multiply(panels.points(np.array([[np.nan, 1.0, 0.0], [np.inf, 0.0, 0.0]]))).any()


@pytest.mark.parametrize("nonneg", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_all_columns_above_the_cut_are_candidates_but_those_left_out(shape: tuple[int, int, int], nonneg: bool) -> None:
    rows, scale, vectors = columns_and_vectors(*shape)
    panels = Panels(rows, scale)
    points = panels.points(vectors)
    excluded: list[Integers] = [np.arange(a, len(rows), 3) for a in range(len(vectors))]
    candidates = panels.collect(points, np.full(len(vectors), 9.0), len(rows), scale, excluded, nonneg)
    products = panels.multiply(points) / points.units[:, None]
    for a, columns in enumerate(candidates.columns):
        is_high = (products[a] if nonneg else np.abs(products[a])) > 9.0
        is_high[excluded[a]] = False
        assert sorted(columns.tolist()) == np.flatnonzero(is_high & (scale > 0)).tolist()


def test_where_too_many_columns_lie_above_the_cut_the_largest_are_left_and_the_cut_bounds_the_others() -> None:
    rows, scale, vectors = columns_and_vectors(3000, 8, 3)
    panels = Panels(rows, scale)
    points = panels.points(vectors)
    nothing = [np.zeros(0, np.int64)] * len(vectors)
    candidates = panels.collect(points, np.zeros(len(vectors)), 10, scale, nothing, False)
    products = np.abs(panels.multiply(points) / points.units[:, None])
    for a, columns in enumerate(candidates.columns):
        assert {*np.argsort(-products[a])[:10].tolist()} <= {*columns.tolist()}
        assert np.delete(products[a], columns).max() <= candidates.cuts[a]


def digest_of_products() -> str:
    digest = blake2b()
    for shape in SHAPES:
        rows, scale, vectors = columns_and_vectors(*shape)
        panels = Panels(rows, scale)
        points = panels.points(vectors)
        nothing = [np.zeros(0, np.int64)] * len(vectors)
        candidates = panels.collect(points, np.full(len(vectors), 9.0), 20, scale, nothing, False)
        digest.update(panels.multiply(points).tobytes())
        digest.update(b"".join(columns.tobytes() for columns in candidates.columns))
    return digest.hexdigest()


@pytest.mark.slow
def test_a_processor_without_wide_instructions_has_the_same_products(tmp_path: Path) -> None:
    command = [sys.executable, "-c", f"from {__name__} import digest_of_products; print(digest_of_products())"]
    plain = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "XDG_CACHE_HOME": str(tmp_path)}
    root = Path(__file__).resolve().parents[2]
    run = subprocess.run(command, check=True, env=os.environ | plain, cwd=root, capture_output=True, text=True)
    assert run.stdout.split() == [digest_of_products()]
