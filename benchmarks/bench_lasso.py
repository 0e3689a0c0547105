"""The LASSO ranker beside general solvers, in one run: CPU seconds per main question on one core, and the gaps reached.

    python benchmarks/bench_lasso.py [--quick] [--questions FILE] [--vectors FILE.npy] [--prototype FOLDER]
                                     [--earlier FOLDER]

Vectors of 384 numbers: synthetic topics of topics; with `--questions` (one text per line, or a VQA question file; by
default the one under DIPTYCH_DATA) also TF-IDF reduced to 384 dimensions, and wordllama's vectors of the two halves of
a question, projected; with `--vectors` those of a file. Where there are fewer texts than columns, variants with words
of other questions are added. celer and spams are measured where they are installed, and an earlier solver where
`--prototype` is the folder of its `stream.py`. `--earlier` is a checkout of an earlier release: then only the two are
compared, in processes that alternate.

Every ratio is of CPU time of one thread, the best of `--repeat` alternating runs.
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
from hashlib import blake2b
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
from results import Claim, Point, not_run, record
from threadpoolctl import threadpool_limits

from diptych.ranking import Ranking, rank, verify

DOCUMENT = "docs/ranking.md"
LAMBDAS = (1e-2, 1e-6)
WIDTH = 384
TOP = 21


def topic_vectors(n: int, d: int = WIDTH) -> np.ndarray:
    """Topics of topics with a common direction, like the vectors of encoders."""
    rng = np.random.default_rng(0)
    topics = rng.normal(size=(40, d)) * np.linspace(1.5, 0.2, d)
    subtopics = topics[rng.integers(40, size=n // 20)] + 0.8 * rng.normal(size=(n // 20, d)) * np.linspace(1.2, 0.3, d)
    rows = subtopics[rng.integers(n // 20, size=n)] + 0.6 * rng.normal(size=(n, d)) * np.linspace(1.0, 0.4, d) + 0.3
    return rows.astype(np.float32)


def read_questions(path: Path, n: int) -> list[str]:
    """Distinct questions of a file in a fixed order, followed by as many variants as are missing."""
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    entries = json.loads(content)["questions"] if ".json" in path.name else content.decode().splitlines()
    texts = list(dict.fromkeys(entry["question"] if isinstance(entry, dict) else entry for entry in entries))
    rng = np.random.default_rng(0)
    rng.shuffle(texts)
    words = sorted({word for text in texts for word in text.strip("?").split()})
    count, distinct = len(texts), set(texts)
    while len(texts) < n:
        parts = texts[rng.integers(count)].strip("?").split() or ["?"]
        parts[rng.integers(len(parts))] = words[rng.integers(len(words))]
        text = " ".join(parts) + "?"
        if text not in distinct:
            distinct.add(text)
            texts.append(text)
    return texts[:n]


def tfidf_vectors(texts: Sequence[str]) -> np.ndarray:
    """Weighted words and pairs of words, reduced to 384 dimensions."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    table = TfidfVectorizer(ngram_range=(1, 2), min_df=3, token_pattern=r"(?u)\b\w+\b").fit_transform(texts)
    return TruncatedSVD(WIDTH, random_state=0, n_iter=2).fit_transform(table).astype(np.float32)


def half_vectors(texts: Sequence[str]) -> np.ndarray:
    """Wordllama's vectors of the first and the second half, so that order counts, projected to 384 dimensions."""
    from diptych.ranking import get_encoder

    encode = get_encoder("wordllama").encode
    halves = [(words[: (len(words) + 1) // 2], words[(len(words) + 1) // 2 :]) for words in map(str.split, texts)]
    vectors = np.hstack([encode([" ".join(half) or "?" for half in side]) for side in zip(*halves, strict=True)])
    projection = np.random.default_rng(0).normal(size=(vectors.shape[1], WIDTH)).astype(np.float32)
    return (vectors @ projection).astype(np.float32)


def default_questions() -> Path | None:
    """The validation questions under DIPTYCH_DATA (or ../shared/data), where they are."""
    data = Path(os.environ.get("DIPTYCH_DATA", Path(__file__).parents[2] / "shared" / "data"))
    return next(iter(sorted((data / "vqa").glob("v2_OpenEnded_mscoco_val2014_questions.json*"))), None)


def unit(rows: np.ndarray) -> np.ndarray:
    """Rows of unit length in float64; zero rows stay zero."""
    vectors = rows.astype(np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def duality_gap(columns: np.ndarray, b: np.ndarray, x: np.ndarray, lam: float) -> float:
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

    coefs = library.lasso(np.asfortranarray(b[:, None]), D=columns, lambda1=lam, mode=2, numThreads=1)
    return np.asarray(coefs.todense()).ravel()


SOLVERS: dict[str, tuple[Callable[[np.ndarray, np.ndarray, float], np.ndarray], float]] = {
    "celer": (celer, 1e-3),
    "spams": (spams, 0.0),
}
"""The call of each solver, and the smallest penalty at which it ends in reasonable time."""


def measure_seconds(functions: Sequence[Callable[[], object]], repeat: int) -> list[float]:
    """CPU seconds of each call, the best of `repeat` rounds in which the calls alternate."""
    seconds: list[list[float]] = [[] for _ in functions]
    for _ in range(repeat):
        for function, times in zip(functions, seconds, strict=True):
            start = time.process_time()
            function()
            times.append(time.process_time() - start)
    return [min(times) for times in seconds]


def prototype_call(folder: str, basic_rows: np.ndarray, main: np.ndarray, lam: float) -> Callable[[], object]:
    """A call of the earlier solver in one thread, on distinct unit rows as it needs them."""
    if folder not in sys.path:
        sys.path.insert(0, folder)
    import numba
    from stream import Stream

    numba.set_num_threads(1)
    rows, targets = (unit(vectors).astype(np.float32) for vectors in (basic_rows, main))
    _, first = np.unique(rows, axis=0, return_index=True)
    rows = rows[np.sort(first)]
    rows = rows[np.abs(rows).max(axis=1) > 0]
    size = 400 if lam > 1e-3 else 800
    Stream(rows[:2000], m=size, E=40, T=128).run(targets[:1], lam, [[]])  # compiles
    return lambda: Stream(rows, m=size, E=40, T=128).run(targets, lam, [[]] * len(targets))


def all_coefficients(ranking: Ranking, n: int) -> np.ndarray:
    """The coefficients of every row over all n columns."""
    coefs = np.zeros((len(ranking.indices), n))
    for row in range(len(coefs)):
        columns, values = ranking[row]
        coefs[row, columns] = values
    return coefs


def claim_name(table: str, lam: float, *rest: object) -> str:
    """The name of a claim about a table of vectors and a penalty."""
    short = {"synthetic topics": "topics", "wordllama, two halves": "wordllama", "TF-IDF": "tfidf"}.get(table, "file")
    return "-".join(map(str, ("lasso", short, f"{lam:g}".replace("e-0", "e-").replace("0.01", "1e-2"), *rest)))


def compare_speed(basic_rows: np.ndarray, main: np.ndarray, lam: float, options: argparse.Namespace) -> float:
    """Our ranker and the prototype at one size and penalty; returns our seconds per question."""
    rankings: list[Ranking] = []
    functions: list[Callable[[], object]] = [lambda: rankings.append(rank(basic_rows, main, lam))]
    if options.prototype:
        functions.append(prototype_call(options.prototype, basic_rows, main, lam))
    functions.append(lambda: verify(basic_rows, main, rankings[0], lam))
    *times, verify_seconds = (total / len(main) for total in measure_seconds(functions, options.repeat))
    seconds, *prototype_times = times
    ranking = rankings[0]
    print(f"  λ = {lam:g}, n = {len(basic_rows):,}")
    print(
        f"    diptych    {seconds:9.4f} s   certified {int(ranking.certified.sum())} of {len(main)},"
        f" gap at most {ranking.gaps.max():.0e}, {ranking.supports.mean():.0f} coefficients"
    )
    print(f"    verify     {verify_seconds:9.4f} s   over all columns in float64, after the fact")
    for prototype_seconds in prototype_times:
        print(f"    prototype  {prototype_seconds:9.4f} s   {prototype_seconds / seconds:7.2f} x")
    return seconds


def compare_solvers(table: str, basic_rows: np.ndarray, main: np.ndarray, lam: float, our_seconds: float) -> None:
    """The general solvers on a few questions, and how far their answers agree with ours."""
    first = rank(basic_rows, main[:1], 1.0).first
    # Equal and empty columns break most solvers: leave them out.
    distinct = np.flatnonzero((first == np.arange(len(first))) & basic_rows.any(axis=1))
    basic_rows = basic_rows[distinct]
    columns, targets = np.asfortranarray(unit(basic_rows).T), unit(main)
    ranking = rank(basic_rows, main, lam, k=TOP)
    coefs = all_coefficients(ranking, len(basic_rows))
    largest_gap = max(duality_gap(columns, b, x, lam) for b, x in zip(targets, coefs, strict=True))
    print(f"    diptych    gap over all columns in float64: {largest_gap:.0e}")
    for name, (solve, penalty_limit) in SOLVERS.items():
        claim, statement = claim_name(table, lam, name), f"LASSO, {table}, λ = {lam:g}: a question, beside {name}"
        if find_spec(name) is None or lam < penalty_limit:
            reason = (
                f"{name} is not installed" if find_spec(name) is None else f"{name} does not end in reasonable time"
            )
            print(f"    {name:10} {reason}")
            record(not_run(claim, statement, reason, DOCUMENT))
            continue
        solve(columns[:, :50].copy(order="F"), targets[0], 0.1)  # compiles
        start = time.process_time()
        answers = [solve(columns, b, lam) for b in targets]
        seconds = (time.process_time() - start) / len(answers)
        solver_gap = max(duality_gap(columns, b, x, lam) for b, x in zip(targets, answers, strict=True))
        share = np.mean([top_overlap(row, x) for row, x in zip(ranking.indices, answers, strict=True)])
        size = f"{len(basic_rows):,} columns, {len(main)} questions for {name}"
        note = f"gap {solver_gap:.0e} beside our {largest_gap:.0e}, same top {TOP}: {share:.1%}"
        ratio = seconds / our_seconds
        record(Claim(claim, statement, our_seconds, "s", seconds, name, ratio, size, DOCUMENT, note=note))
        print(
            f"    {name:10} {seconds:9.4f} s   {seconds / our_seconds:7.1f} x   gap {solver_gap:.0e},"
            f" same top {TOP}: {share:.1%}"
        )


def top_overlap(row: np.ndarray, x: np.ndarray) -> float:
    """The share of a row's columns that are among the largest coefficients of another answer."""
    columns = row[row >= 0]
    return len({*columns} & {*np.argsort(-x)[: len(columns)]}) / max(1, len(columns))


def peak_bytes() -> int:
    """The peak memory of this process in bytes."""
    status = Path("/proc/self/status").read_text()
    return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


def measure_memory(path: str, n: int, count: int) -> None:
    """Print the peak memory above the columns themselves; runs in its own process."""
    rows = np.load(path)
    rank(rows[:500], rows[-1:], 0.1)  # compiles
    start = peak_bytes()
    rank(rows[:n], rows[-count:], 1e-6)
    growth = (peak_bytes() - start) / 2**30
    size = f"{n:,} columns of {rows.shape[1]} numbers, {rows[:n].nbytes / 2**30:.2f} GiB"
    statement = "LASSO: peak memory above the columns"
    record(Claim("lasso-memory", statement, growth, "GiB", size=size, document=DOCUMENT))
    print(f"  memory: columns {rows[:n].nbytes / 2**30:.2f} GiB, peak above them {growth:.2f} GiB", flush=True)


def has_same_bytes(basic_rows: np.ndarray, main: np.ndarray) -> bool:
    """Whether the result is the same bytes for all numbers of BLAS threads."""
    results = []
    for blas in (1, 2):
        with threadpool_limits(blas):
            ranking = rank(basic_rows, np.concatenate([main] * (600 // len(main) + 1)), 1e-2)
        results.append((ranking.indices.tobytes(), ranking.scores.tobytes(), ranking.gaps.tobytes()))
    return results[0] == results[1]


def time_rank(path: str, n: int, count: int, lam: float) -> None:
    """Print the CPU seconds per question and a digest of the answers; runs in its own process, with either release."""
    rows = np.load(path)
    with threadpool_limits(1):
        rank(rows[:500], rows[-2:], lam)  # compiles
        start = time.process_time()
        ranking = rank(rows[:n], rows[-count:], lam, k=TOP)
        seconds = (time.process_time() - start) / count
    answers = ranking.indices.tobytes() + (ranking.scores.round(9) + 0.0).tobytes() + ranking.certified.tobytes()
    print(json.dumps([seconds, blake2b(answers).hexdigest()]))


def compare_releases(path: Path, n: int, lam: float, options: argparse.Namespace) -> tuple[float, float]:
    """The best seconds per question of the earlier release and of this one."""
    command = [sys.executable, __file__, "--time", f"{path}", "--large", f"{n}"]
    command += ["--main", f"{options.main}", "--penalty", f"{lam}"]
    seconds: tuple[list[float], list[float]] = [], []
    digests = set()
    for _ in range(options.repeat):
        for folder, times in zip((options.earlier, Path(__file__).parents[1]), seconds, strict=True):
            run = subprocess.run(command, check=True, capture_output=True, env=os.environ | {"PYTHONPATH": f"{folder}"})
            elapsed, digest = json.loads(run.stdout)
            times.append(elapsed)
            digests.add(digest)
    earlier, ours = map(min, seconds)
    same = "the same" if len(digests) == 1 else "NOT the same"
    print(
        f"  λ = {lam:g}, n = {n:>7,}: earlier {earlier:.4f} s, now {ours:.4f} s ({earlier / ours:.2f} x);"
        f" ranks, scores to nine decimals and certificates are {same}",
        flush=True,
    )
    return earlier, ours


def compare_growth(tables: dict[str, Callable[[], np.ndarray]], options: argparse.Namespace) -> None:
    """Both releases on all tables: seconds per question, and their growth with the number of columns."""
    growths: dict[float, list[np.ndarray]] = {lam: [] for lam in LAMBDAS}
    for name, make_vectors in tables.items():
        print(f"{name}: {options.main} main questions, the best of {options.repeat}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.npy"
            np.save(path, make_vectors())
            for lam in LAMBDAS:
                small, large = (np.array(compare_releases(path, n, lam, options)) for n in (options.n, options.large))
                growths[lam].append(large / small)
                print("    growth: earlier {:.2f} x, now {:.2f} x".format(*growths[lam][-1]), flush=True)
    for lam, ratios in growths.items():
        print("λ = {:g}, mean growth: earlier {:.2f} x, now {:.2f} x".format(lam, *np.mean(ratios, axis=0)))


def run_series(name: str, rows: np.ndarray, options: argparse.Namespace) -> None:
    """All measurements on one table of vectors, whose last rows are the main questions."""
    main = rows[-options.main :]
    large_n = min(options.large, len(rows) - options.main)
    print(f"{name}: d = {rows.shape[1]}, {options.main} main questions", flush=True)
    for lam in LAMBDAS:
        small_seconds = compare_speed(rows[: options.n], main, lam, options)
        compare_solvers(name, rows[: options.n], main[: options.solver_questions], lam, small_seconds)
        if large_n > options.n:
            large_seconds = compare_speed(rows[:large_n], main, lam, options)
            print(f"    from n = {options.n:,} to {large_n:,}: {large_seconds / small_seconds:.2f} x")
            statement = f"LASSO, {name}, λ = {lam:g}: processor time of a question, one core"
            size, beside = f"{large_n:,} columns of {rows.shape[1]}", f"at {options.n:,} columns"
            growth = large_seconds / small_seconds
            record(
                Claim(
                    claim_name(name, lam), statement, large_seconds, "s", small_seconds, beside, growth, size, DOCUMENT
                )
            )
            for n, seconds in ((options.n, small_seconds), (large_n, large_seconds)):
                record(Point("lasso", f"{name}, λ = {lam:g}", n, seconds))
    print(f"  same bytes for one and two BLAS threads: {has_same_bytes(rows[: options.n], main)}")
    if name != "synthetic topics":
        return
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "rows.npy", rows)
        command = [sys.executable, __file__, "--memory", f"{folder}/rows.npy", "--large", f"{large_n}", "--main", "256"]
        subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes: a minute")
    parser.add_argument("--n", type=int, default=20_000)
    parser.add_argument("--large", type=int, default=186_027)
    parser.add_argument("--main", type=int, default=64)
    parser.add_argument("--solver-questions", type=int, default=2, help="main questions for the other solvers")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--prototype")
    parser.add_argument("--earlier", type=Path, help="a checkout of an earlier release")
    for name, kind in (("--memory", str), ("--time", str), ("--penalty", float)):
        parser.add_argument(name, type=kind, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory:
        return measure_memory(options.memory, options.large, options.main)
    if options.time:
        return time_rank(options.time, options.large, options.main, options.penalty)
    if options.quick:
        options.n, options.large, options.main, options.solver_questions, options.repeat = 2000, 8000, 32, 1, 1
    size = options.large + options.main
    tables: dict[str, Callable[[], np.ndarray]] = {"synthetic topics": lambda: topic_vectors(size)}
    if options.questions is None:
        options.questions = default_questions()
    if options.questions:
        texts = read_questions(options.questions, size)
        tables |= {"TF-IDF": lambda: tfidf_vectors(texts), "wordllama, two halves": lambda: half_vectors(texts)}
    else:
        for name, lam in product(("TF-IDF", "wordllama, two halves"), LAMBDAS):
            statement = f"LASSO, {name}, λ = {lam:g}: processor time of a question, one core"
            record(not_run(claim_name(name, lam), statement, "no questions under DIPTYCH_DATA", DOCUMENT))
    if options.vectors:
        tables = {options.vectors.name: lambda: np.load(options.vectors)}
    if options.earlier:
        return compare_growth(tables, options)
    rank(topic_vectors(500), topic_vectors(500)[:1], 1e-2)  # compiles
    with threadpool_limits(1):
        for name, make_vectors in tables.items():
            run_series(name, make_vectors(), options)
    return None


if __name__ == "__main__":
    main()
