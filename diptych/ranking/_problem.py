"""The LASSO as it is posed: columns of unit length, targets of unit length, a penalty, and what may not be chosen.

The solver and the check of its answers start from here; only this module says what the columns are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from diptych.errors import BadInputError
from diptych.ranking._equal_vectors import find_equal_vectors

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
Convention = Literal["paper", "sklearn"]
Exclusions = Sequence[Sequence[int]] | Literal["equal"]

_LARGE_EXPONENT, _TILE = 20, 8192


@dataclass(frozen=True, slots=True)
class Problem:
    """min ½‖Ax−b‖² + λ‖x‖₁ for every target b; column j of A is `scale[j] · rows[j]`, less its mean if `centered`."""

    rows: Singles
    scale: Floats  # the factor that makes a row a unit vector; 0 for a row of zeros
    targets: Floats
    penalty: float
    nonneg: bool
    centered: bool
    excluded: Sequence[Integers]  # for every target, the columns that may not be chosen, in order

    def columns(self, numbers: Integers) -> Floats:
        """Some columns in float64, one per row."""
        columns: Floats = self.rows[numbers].astype(np.float64) * self.scale[numbers, None]
        return center(columns) if self.centered else columns

    def only(self, number: int) -> "Problem":
        """The problem of one target."""
        return replace(self, targets=self.targets[number : number + 1], excluded=[self.excluded[number]])


@dataclass(frozen=True, slots=True)
class Solution:
    """The coefficients of one target that are not zero, in the order of the columns, and the point that proves them."""

    number: int
    columns: Integers
    coefs: Floats
    dual: Floats  # the residual, as exact as the solver has it
    level: float  # the penalty that was reached; above that of the problem, it is a point on the way


def center(vectors: Floats) -> Floats:
    """Vectors without their means, one per row."""
    centered: Floats = vectors - vectors.mean(axis=1, keepdims=True)
    return centered


def pose_problem(
    basic: npt.ArrayLike,
    main: npt.ArrayLike,
    lam: float,
    exclude: Exclusions | None,
    nonneg: bool,
    convention: Convention,
) -> Problem:
    """Check what a user asks for, and pose it."""
    if not isinstance(lam, int | float | np.number) or not 0 < lam < np.inf:
        raise BadInputError(f"the penalty must be a positive number, not {lam!r}")
    if not isinstance(nonneg, bool | np.bool_):
        raise BadInputError(f"nonneg must be True or False, not {nonneg!r}")
    if convention not in ("paper", "sklearn"):
        raise BadInputError(f"convention must be 'paper' or 'sklearn', not {convention!r}")
    basic_rows, main_rows = _to_rows(basic, "basic"), _to_rows(main, "main")
    if basic_rows.shape[1] != main_rows.shape[1]:
        raise BadInputError(f"basic vectors have {basic_rows.shape[1]} numbers, main vectors {main_rows.shape[1]}")
    rows, scale = _scale_rows(basic_rows, "basic")
    main_rows, main_scale = _scale_rows(main_rows, "main")
    targets = main_rows.astype(np.float64) * main_scale[:, None]
    penalty, centered = float(lam), convention == "sklearn"
    if centered:
        # scikit-learn divides the squares by the number of samples, here d, and fits an intercept: centered columns.
        penalty, targets = penalty * rows.shape[1], center(targets)
    excluded = _excluded_columns(exclude, basic_rows, main_rows)
    return Problem(rows, scale, targets, penalty, bool(nonneg), centered, excluded)


def _to_rows(vectors: npt.ArrayLike, name: str) -> Singles:
    try:
        array = np.asarray(vectors)
    except ValueError:
        raise BadInputError(f"{name}: a table of numbers is needed, with as many in every row") from None
    is_real = np.issubdtype(array.dtype, np.number) and not np.issubdtype(array.dtype, np.complexfloating)
    if array.ndim != 2 or not array.shape[1] or not is_real:
        raise BadInputError(f"{name}: a table of numbers with one vector per row is needed, not shape {array.shape}")
    with np.errstate(over="ignore"):
        rows: Singles = np.ascontiguousarray(array, dtype=np.float32)
    return rows


def _scale_rows(rows: Singles, name: str) -> tuple[Singles, Floats]:
    """Rows and the factors that make them unit length; rows of extreme lengths are first scaled by powers of 2."""
    # That is exact, and keeps float32 products within their range.
    lengths = np.sqrt(_squares(rows))
    bad_rows = np.flatnonzero(~np.isfinite(lengths))
    if len(bad_rows):
        raise BadInputError(f"{name}: row {bad_rows[0]} holds a number that is not finite")
    exponents = np.abs(np.log2(lengths, where=lengths > 0, out=lengths * 0))
    extremes = np.flatnonzero((lengths > 0) & (exponents > _LARGE_EXPONENT))
    if len(extremes):
        rows = rows.copy()
        rows[extremes] = np.ldexp(rows[extremes], -np.frexp(lengths[extremes])[1][:, None])
        lengths[extremes] = np.sqrt(_squares(rows[extremes]))
    return rows, np.divide(1.0, lengths, out=np.zeros(len(rows)), where=lengths > 0)


def _squares(rows: Singles) -> Floats:
    squares = np.empty(len(rows))
    for start in range(0, len(rows), _TILE):
        tile = rows[start : start + _TILE].astype(np.float64)
        np.einsum("ij,ij->i", tile, tile, out=squares[start : start + _TILE])
    return squares


def _excluded_columns(exclude: Exclusions | None, basic_rows: Singles, main_rows: Singles) -> list[Integers]:
    count, basic_count = len(main_rows), len(basic_rows)
    if exclude is None:
        return [np.zeros(0, np.int64)] * count
    if isinstance(exclude, str):
        if exclude != "equal":
            raise BadInputError(f"exclude: must be lists of rows or 'equal', not {exclude!r}")
        exclude = find_equal_vectors(basic_rows, main_rows)
    if len(exclude) != count:
        raise BadInputError(f"exclude: {len(exclude)} lists for {count} main vectors")
    columns = [_to_integers(indices, number) for number, indices in enumerate(exclude)]
    for number, indices in enumerate(columns):
        if len(indices) and not (indices[0] >= 0 and indices[-1] < basic_count):
            raise BadInputError(
                f"exclude: list {number} names a row that basic, with {basic_count} rows, does not have"
            )
    return columns


def _to_integers(indices: Sequence[int], number: int) -> Integers:
    array = np.asarray(indices)
    if array.ndim != 1 or (len(array) and not np.issubdtype(array.dtype, np.integer)):
        raise BadInputError(f"exclude: list {number} must hold row numbers, not {indices!r}")
    integers: Integers = np.unique(array.astype(np.int64))
    return integers
