"""Statistics and color differences written by hand against the libraries: time per call, and the largest difference.

Decision 9 rests on these numbers. `pip install scikit-image` adds the color difference.

python benchmarks/bench_libraries.py
"""

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_table
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from diptych.kg.colors import ciede2000
from diptych.metrics.paired_vqa.intervals import benjamini_hochberg, fisher, holm, mcnemar, wilson

CALLS = 300


def compare(name: str, inputs: list[Any], by_hand: Callable[[Any], Any], library: Callable[[Any], Any]) -> None:
    """Print the time per call of both, their ratio, and by how much their results differ."""
    by_hand(inputs[0]), library(inputs[0])
    times, results = [], []
    for function in (by_hand, library):
        start = time.perf_counter()
        results.append([function(value) for value in inputs])
        times.append(1e6 * (time.perf_counter() - start) / len(inputs))
    gap = max(float(np.max(np.abs(np.subtract(*pair)))) for pair in zip(*results, strict=True))
    print(
        f"{name:28} by hand {times[0]:8.1f} µs  library {times[1]:8.1f} µs  {times[1] / times[0]:5.1f}x  gap {gap:.0e}"
    )


def fisher_by_scipy(table: tuple[int, int, int, int]) -> float:
    """SciPy's test of the same two rates."""
    hits, support, total, n = table
    return float(stats.fisher_exact([[hits, support - hits], [total - hits, n - support - total + hits]]).pvalue)


def compare_statistics(rng: np.random.Generator) -> None:
    """Intervals, tests and corrections."""
    sizes = rng.integers(5, 5_000, CALLS)
    counts = [(int(rng.integers(0, size + 1)), int(size)) for size in sizes]
    compare(
        "Wilson (statsmodels)",
        counts,
        lambda pair: wilson(pair[0] / pair[1], pair[1]),
        lambda pair: proportion_confint(*pair, method="wilson"),
    )
    models = [rng.random((2, size)) < 0.7 for size in sizes]
    compare(
        "McNemar (statsmodels)",
        models,
        lambda pair: mcnemar(*pair),
        lambda pair: (
            mcnemar_table(
                [[0, int((pair[0] & ~pair[1]).sum())], [int((pair[1] & ~pair[0]).sum()), 0]], exact=True
            ).pvalue
        ),
    )
    p_values = [rng.random(20) ** 4 for _ in range(CALLS)]
    for name, function, method in (("Holm", holm, "holm"), ("Benjamini–Hochberg", benjamini_hochberg, "fdr_bh")):
        compare(
            f"{name} (statsmodels)", p_values, function, lambda p, method=method: multipletests(p, method=method)[1]
        )
    tables = []
    while len(tables) < CALLS:
        hits, missed, others, rest = map(int, rng.integers(1, 60, 4))
        tables.append((hits, hits + missed, hits + others, hits + missed + others + rest))
    compare("Fisher (SciPy)", tables, lambda table: fisher(*table), fisher_by_scipy)


def compare_colors(rng: np.random.Generator) -> None:
    """CIEDE2000 of one color to the 949 of a palette."""
    if not find_spec("skimage"):
        print("CIEDE2000 needs scikit-image: pip install scikit-image")
        return
    from skimage.color import deltaE_ciede2000

    labs = [rng.uniform([0, -90, -90], [100, 90, 90], (950, 3)) for _ in range(50)]
    compare(
        "CIEDE2000 (scikit-image)",
        labs,
        lambda lab: ciede2000(lab[:1], lab[1:]),
        lambda lab: deltaE_ciede2000(lab[:1], lab[1:]),
    )


if __name__ == "__main__":
    generator = np.random.default_rng(0)
    compare_statistics(generator)
    compare_colors(generator)
