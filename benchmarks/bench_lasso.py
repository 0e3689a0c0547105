"""The LASSO ranker beside general solvers, in one run: CPU seconds a main question on one core, and the gap reached.

    python benchmarks/bench_lasso.py [--n 20000] [--main 16] [--vectors FILE.npy]

Without `--vectors` (n or more rows, one vector each) the vectors are made up: 384 numbers that fall into topics, as
sentence embeddings do. celer, skglm and spams are measured where they are installed.
"""

import argparse
import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
from threadpoolctl import threadpool_limits

from diptych.ranking import rank


def vectors(n: int, d: int = 384) -> np.ndarray:
    """Topics of topics, with a common direction, as encoders make them."""
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(40, d)) * np.linspace(1.5, 0.2, d)
    narrow = wide[rng.integers(40, size=n // 20)] + 0.8 * rng.normal(size=(n // 20, d)) * np.linspace(1.2, 0.3, d)
    rows = narrow[rng.integers(n // 20, size=n)] + 0.6 * rng.normal(size=(n, d)) * np.linspace(1.0, 0.4, d) + 0.3
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def gap(columns: np.ndarray, b: np.ndarray, x: np.ndarray, lam: float) -> float:
    """The duality gap as a share of the objective, over all columns in float64."""
    residual = b - columns @ x
    primal = 0.5 * residual @ residual + lam * np.abs(x).sum()
    theta = residual / max(1.0, np.abs(columns.T @ residual).max() / lam)
    return float((primal - (b @ theta - 0.5 * theta @ theta)) / primal)


def scikit(columns: np.ndarray, b: np.ndarray, lam: float) -> np.ndarray:
    """scikit-learn's coordinate descent, its penalty divided by the number of rows."""
    from sklearn.linear_model import Lasso

    model = Lasso(alpha=lam / len(b), fit_intercept=False, tol=1e-8, max_iter=2000)
    return np.asarray(model.fit(columns, b).coef_)


def celer(columns: np.ndarray, b: np.ndarray, lam: float) -> np.ndarray:
    """Celer's working sets."""
    from celer import Lasso

    return np.asarray(Lasso(alpha=lam / len(b), fit_intercept=False, tol=1e-8).fit(columns, b).coef_)


def spams(columns: np.ndarray, b: np.ndarray, lam: float) -> np.ndarray:
    """Spams' LARS."""
    import spams as library

    found = library.lasso(np.asfortranarray(b[:, None]), D=columns, lambda1=lam, mode=2, numThreads=1)
    return np.asarray(found.todense()).ravel()


RIVALS: dict[str, tuple[str, Callable[[np.ndarray, np.ndarray, float], np.ndarray], float]] = {
    "scikit-learn": ("sklearn", scikit, 1e-3),
    "celer": ("celer", celer, 1e-3),
    "spams": ("spams", spams, 0.0),
}
"""Name to module, call, and the smallest penalty at which it comes to an end in bearable time."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=20_000)
    parser.add_argument("--main", type=int, default=16)
    parser.add_argument("--rivals", type=int, default=2, help="main questions the other solvers are given")
    parser.add_argument("--vectors")
    given = parser.parse_args()
    rows = np.load(given.vectors) if given.vectors else vectors(given.n + given.main)
    basic, questions = rows[: given.n], rows[given.n : given.n + given.main]
    wide = basic.astype(np.float64)
    columns = np.asfortranarray((wide / np.linalg.norm(wide, axis=1, keepdims=True)).T)
    targets = questions.astype(np.float64) / np.linalg.norm(questions.astype(np.float64), axis=1, keepdims=True)
    rank(basic[:500], questions[:1], 1e-2)  # compiles
    for lam in (1e-2, 1e-6):
        with threadpool_limits(1):
            report(lam, basic, questions, columns, targets, given.rivals)


def report(
    lam: float, basic: np.ndarray, questions: np.ndarray, columns: np.ndarray, targets: np.ndarray, few: int
) -> None:
    """One penalty: ours, then the others with their ratio."""
    before = time.process_time()
    found = rank(basic, questions, lam)
    ours = (time.process_time() - before) / len(questions)
    print(f"n = {len(basic):,}, d = {basic.shape[1]}, λ = {lam:g}")
    print(
        f"  diptych       {ours:9.4f} s  gap {found.gaps.max():.0e}"
        f"  certified {int(found.certified.sum())} of {len(questions)}"
    )
    for name, (module, call, smallest) in RIVALS.items():
        if find_spec(module) is None or lam < smallest:
            print(f"  {name:13} {'not installed' if find_spec(module) is None else 'does not come to an end'}")
            continue
        before = time.process_time()
        answers = [call(columns, b, lam) for b in targets[:few]]
        theirs = (time.process_time() - before) / len(answers)
        gaps = max(gap(columns, b, x, lam) for b, x in zip(targets, answers, strict=False))
        same = [
            len(set(row[row >= 0]) & set(np.argsort(-x)[: (row >= 0).sum()])) / max(1, (row >= 0).sum())
            for row, x in zip(found.indices, answers, strict=False)
        ]
        print(f"  {name:13} {theirs:9.4f} s  gap {gaps:.0e}  {theirs / ours:7.1f} x  same top 21: {np.mean(same):.0%}")


if __name__ == "__main__":
    main()
