"""The LASSO ranker beside general solvers, in one run: CPU seconds a main question on one core, and what was reached.

    python benchmarks/bench_lasso.py [--quick] [--questions FILE] [--vectors FILE.npy] [--prototype FOLDER]

Vectors of 384 numbers: made-up topics of topics; with `--questions` (a text a line, or a VQA question file) also
TF-IDF brought to 384 dimensions, and wordllama's vectors of a question's two halves, projected; with `--vectors`
anyone's. Where texts are fewer than the columns asked for, words of other questions are put in. celer and spams are
measured where they are installed, and an earlier solver where `--prototype` names the folder of its `stream.py`.

Every ratio is of CPU time in this process, the best of `--repeat` runs that take turns.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from diptych.ranking import Ranking, rank

LAMBDAS = (1e-2, 1e-6)
WIDTH = 384
TOP = 21


def topics(n: int, d: int = WIDTH) -> np.ndarray:
    """Topics of topics, with a common direction, as encoders make them."""
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(40, d)) * np.linspace(1.5, 0.2, d)
    narrow = wide[rng.integers(40, size=n // 20)] + 0.8 * rng.normal(size=(n // 20, d)) * np.linspace(1.2, 0.3, d)
    rows = narrow[rng.integers(n // 20, size=n)] + 0.6 * rng.normal(size=(n, d)) * np.linspace(1.0, 0.4, d) + 0.3
    return rows.astype(np.float32)


def questions(path: Path, n: int) -> list[str]:
    """Distinct questions of a file in a fixed order, and after them as many variants as are missing."""
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    given = json.loads(raw)["questions"] if ".json" in path.name else raw.decode().splitlines()
    texts = list(dict.fromkeys(one["question"] if isinstance(one, dict) else one for one in given))
    rng = np.random.default_rng(0)
    rng.shuffle(texts)
    words = sorted({word for text in texts for word in text.strip("?").split()})
    real, seen = len(texts), set(texts)
    while len(texts) < n:
        parts = texts[rng.integers(real)].strip("?").split() or ["?"]
        parts[rng.integers(len(parts))] = words[rng.integers(len(words))]
        text = " ".join(parts) + "?"
        if text not in seen:
            seen.add(text)
            texts.append(text)
    return texts[:n]


def counted(texts: Sequence[str]) -> np.ndarray:
    """Words and pairs of words, weighted, brought to 384 dimensions."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    table = TfidfVectorizer(ngram_range=(1, 2), min_df=3, token_pattern=r"(?u)\b\w+\b").fit_transform(texts)
    return TruncatedSVD(WIDTH, random_state=0, n_iter=2).fit_transform(table).astype(np.float32)


def halves(texts: Sequence[str]) -> np.ndarray:
    """Wordllama's vectors of the first and the second half, so that order counts, projected to 384 dimensions."""
    from diptych.ranking import get_encoder

    encode = get_encoder("wordllama").encode
    words = [text.split() for text in texts]
    first = encode([" ".join(one[: (len(one) + 1) // 2]) or "?" for one in words])
    second = encode([" ".join(one[(len(one) + 1) // 2 :]) or "?" for one in words])
    both = np.hstack([first, second])
    fixed = np.random.default_rng(0).normal(size=(both.shape[1], WIDTH)).astype(np.float32)
    return (both @ fixed).astype(np.float32)


def unit(rows: np.ndarray) -> np.ndarray:
    """Rows of unit length in float64; zero rows stay zero."""
    wide = rows.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return np.divide(wide, lengths, out=np.zeros_like(wide), where=lengths > 0)


def gap(columns: np.ndarray, b: np.ndarray, x: np.ndarray, lam: float) -> float:
    """The duality gap as a share of the objective, over all columns in float64."""
    residual = b - columns @ x
    primal = 0.5 * residual @ residual + lam * np.abs(x).sum()
    theta = residual / max(1.0, np.abs(columns.T @ residual).max() / lam)
    return float((primal - (b @ theta - 0.5 * theta @ theta)) / primal)


def celer(columns: np.ndarray, b: np.ndarray, lam: float) -> np.ndarray:
    """Celer's working sets."""
    from celer import Lasso

    return np.asarray(Lasso(alpha=lam / len(b), fit_intercept=False, tol=1e-8).fit(columns, b).coef_)


def spams(columns: np.ndarray, b: np.ndarray, lam: float) -> np.ndarray:
    """Spams' LARS."""
    import spams as library

    found = library.lasso(np.asfortranarray(b[:, None]), D=columns, lambda1=lam, mode=2, numThreads=1)
    return np.asarray(found.todense()).ravel()


RIVALS: dict[str, tuple[Callable[[np.ndarray, np.ndarray, float], np.ndarray], float]] = {
    "celer": (celer, 1e-3),
    "spams": (spams, 0.0),
}
"""Name to call, and the smallest penalty at which it comes to an end in bearable time."""


def timed(calls: Sequence[Callable[[], object]], repeat: int) -> list[float]:
    """CPU seconds of each call, the best of so many rounds in which they take turns."""
    spent: list[list[float]] = [[] for _ in calls]
    for _ in range(repeat):
        for call, times in zip(calls, spent, strict=True):
            before = time.process_time()
            call()
            times.append(time.process_time() - before)
    return [min(times) for times in spent]


def prototype(folder: str, basic: np.ndarray, main: np.ndarray, lam: float) -> Callable[[], object]:
    """A call of the earlier solver, on distinct unit rows as it needs them, in one thread."""
    if folder not in sys.path:
        sys.path.insert(0, folder)
    import numba
    from stream import Stream

    numba.set_num_threads(1)
    rows, wanted = (unit(one).astype(np.float32) for one in (basic, main))
    _, first = np.unique(rows, axis=0, return_index=True)
    rows = rows[np.sort(first)]
    rows = rows[np.abs(rows).max(axis=1) > 0]
    size = 400 if lam > 1e-3 else 800
    Stream(rows[:2000], m=size, E=40, T=128).run(wanted[:1], lam, [[]])  # compiles
    return lambda: Stream(rows, m=size, E=40, T=128).run(wanted, lam, [[]] * len(wanted))


def signed(basic: np.ndarray, main: np.ndarray, lam: float) -> np.ndarray:
    """All coefficients: those of the question and, with the other sign, those of the question turned round."""
    x = np.zeros((len(main), len(basic)))
    for sign in (1.0, -1.0):
        found = rank(basic, sign * main, lam, k=main.shape[1])
        for row, (indices, scores) in enumerate(zip(found.indices, found.scores, strict=True)):
            x[row, indices[indices >= 0]] += sign * scores[indices >= 0]
    return x


def beside(basic: np.ndarray, main: np.ndarray, lam: float, given: argparse.Namespace) -> float:
    """Ours and the others at one size and penalty; returns our seconds a question."""
    rankings: list[Ranking] = []
    calls: list[Callable[[], object]] = [lambda: rankings.append(rank(basic, main, lam))]
    if given.prototype:
        calls.append(prototype(given.prototype, basic, main, lam))
    ours, *theirs = (spent / len(main) for spent in timed(calls, given.repeat))
    found = rankings[0]
    print(f"  λ = {lam:g}, n = {len(basic):,}")
    print(
        f"    diptych    {ours:9.4f} s   certified {int(found.certified.sum())} of {len(main)},"
        f" gap at most {found.gaps.max():.0e}, {found.supports.mean():.0f} coefficients"
    )
    for spent in theirs:
        print(f"    prototype  {spent:9.4f} s   {spent / ours:7.2f} x")
    return ours


def rivals(basic: np.ndarray, main: np.ndarray, lam: float, ours: float) -> None:
    """The general solvers on a few questions, and how far they and we come to the same answer."""
    first = rank(basic, main[:1], 1.0).first
    # Equal and empty columns break most solvers; they are spared them.
    alone = np.flatnonzero((first == np.arange(len(first))) & basic.any(axis=1))
    basic = basic[alone]
    columns, targets = np.asfortranarray(unit(basic).T), unit(main)
    found, mine = rank(basic, main, lam, k=TOP), signed(basic, main, lam)
    checked = max(gap(columns, b, x, lam) for b, x in zip(targets, mine, strict=True))
    print(f"    diptych    gap from outside, over all columns in float64: {checked:.0e}")
    for name, (call, smallest) in RIVALS.items():
        if find_spec(name) is None or lam < smallest:
            print(f"    {name:10} {'not installed' if find_spec(name) is None else 'does not come to an end'}")
            continue
        call(columns[:, :50].copy(order="F"), targets[0], 0.1)  # compiles
        before = time.process_time()
        answers = [call(columns, b, lam) for b in targets]
        theirs = (time.process_time() - before) / len(answers)
        gaps = max(gap(columns, b, x, lam) for b, x in zip(targets, answers, strict=True))
        same = np.mean([shared(row, x) for row, x in zip(found.indices, answers, strict=True)])
        print(f"    {name:10} {theirs:9.4f} s   {theirs / ours:7.1f} x   gap {gaps:.0e}, same top {TOP}: {same:.1%}")


def shared(row: np.ndarray, x: np.ndarray) -> float:
    """The share of a row's columns that are among as many largest coefficients of another answer."""
    kept = row[row >= 0]
    return len({*kept} & {*np.argsort(-x)[: len(kept)]}) / max(1, len(kept))


def peak() -> int:
    """The most bytes this process has held."""
    status = Path("/proc/self/status").read_text()
    return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


def memory(path: str, n: int, count: int) -> None:
    """In a process of its own: the peak above the columns themselves."""
    rows = np.load(path)
    rank(rows[:500], rows[-1:], 0.1)  # compiles
    before = peak()
    rank(rows[:n], rows[-count:], 1e-6)
    above = (peak() - before) / 2**30
    print(f"  memory: columns {rows[:n].nbytes / 2**30:.2f} GiB, peak above them {above:.2f} GiB", flush=True)


def same_bytes(basic: np.ndarray, main: np.ndarray) -> bool:
    """Whether workers and BLAS threads change no byte."""
    found = []
    for threads, blas in ((1, 1), (2, 2)):
        with threadpool_limits(blas):
            ranking = rank(basic, np.concatenate([main] * (600 // len(main) + 1)), 1e-2, threads=threads)
        found.append((ranking.indices.tobytes(), ranking.scores.tobytes(), ranking.gaps.tobytes()))
    return found[0] == found[1]


def series(name: str, rows: np.ndarray, given: argparse.Namespace) -> None:
    """Everything about one table of vectors, whose last rows are the main questions."""
    main = rows[-given.main :]
    large = min(given.large, len(rows) - given.main)
    print(f"{name}: d = {rows.shape[1]}, {given.main} main questions", flush=True)
    for lam in LAMBDAS:
        small = beside(rows[: given.n], main, lam, given)
        rivals(rows[: given.n], main[: given.rivals], lam, small)
        if large > given.n:
            full = beside(rows[:large], main, lam, given)
            print(f"    from n = {given.n:,} to {large:,}: {full / small:.2f} x")
    print(f"  same bytes for one and two workers and BLAS threads: {same_bytes(rows[: given.n], main)}")
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "rows.npy", rows)
        call = [sys.executable, __file__, "--memory", f"{folder}/rows.npy", "--large", f"{large}", "--main", "256"]
        subprocess.run(call, check=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes: a minute")
    parser.add_argument("--n", type=int, default=20_000)
    parser.add_argument("--large", type=int, default=186_027)
    parser.add_argument("--main", type=int, default=256)
    parser.add_argument("--rivals", type=int, default=2, help="main questions the other solvers are given")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--prototype")
    parser.add_argument("--memory", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.memory:
        return memory(given.memory, given.large, given.main)
    if given.quick:
        given.n, given.large, given.main, given.rivals, given.repeat = 2000, 8000, 32, 1, 1
    size = given.large + given.main
    tables: dict[str, Callable[[], np.ndarray]] = {"made-up topics": lambda: topics(size)}
    if given.questions:
        texts = questions(given.questions, size)
        tables |= {"TF-IDF": lambda: counted(texts), "wordllama, two halves": lambda: halves(texts)}
    if given.vectors:
        tables = {given.vectors.name: lambda: np.load(given.vectors)}
    rank(topics(500), topics(500)[:1], 1e-2)  # compiles
    with threadpool_limits(1):
        for name, make in tables.items():
            series(name, make(), given)
    return None


if __name__ == "__main__":
    main()
