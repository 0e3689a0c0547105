"""Claim: a million pairs in groups are scored in seconds, and the bootstrap beats a plain loop at least fiftyfold.

Each number is printed beside what it is compared with, measured in the same run. `--pairs` and `--through` make the
run shorter or longer.
"""

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import pyarrow as pa
from results import Claim, record

from diptych.metrics.paired_vqa.outcomes import Options
from diptych.metrics.paired_vqa.references import encode_references
from diptych.metrics.paired_vqa.scoring import score_pairs
from diptych.metrics.paired_vqa.summary import baseline_scores

METRIC = Path(__file__).resolve().parent.parent / "diptych" / "metrics" / "paired_vqa"


def random_pairs(pairs: int, seed: int = 0) -> tuple[pa.Table, pa.Table]:
    """Predictions and pairs like RAD's: ten annotators on the original side, one answer on the perturbed side."""
    rng = np.random.default_rng(seed)
    words = np.array([f"answer {number}" for number in range(3000)])
    majority = rng.zipf(1.5, size=pairs) % len(words)
    noise = rng.integers(0, len(words), size=(pairs, 10))
    ten_answers = np.where(rng.random((pairs, 10)) < 0.7, majority[:, None], noise)
    entries = pa.array(words).take(pa.array(ten_answers.ravel()))
    answers = pa.ListArray.from_arrays(pa.array(np.arange(0, 10 * pairs + 1, 10), pa.int32()), entries)
    yes_no = pa.array(np.where(rng.random(pairs) < 0.5, "yes", "no"))
    ids = pa.array([f"{number:024x}" for number in range(pairs)])
    groups = np.arange(pairs) // 3  # three questions for an original, as VQA-Rephrasings has them
    images = pa.array(rng.integers(0, pairs // 15 + 1, size=pairs)[groups].astype(str))
    references = pa.table(
        {
            "pair_id": ids,
            "test": pa.array([f"rad.test_{number % 3}" for number in range(pairs)]),
            "expectation": pa.array(["given"] * pairs),
            "group_id": pa.array([f"{number:024x}" for number in groups]),
            "original_image_id": images,
            "perturbed_image_id": images,
            "original_question": pa.array([f"What color is thing number {number}?" for number in groups]),
            "perturbed_question": pa.array([f"Is the color of thing {number} red?" for number in range(pairs)]),
            "original_answer": pa.array(words).take(pa.array(majority)),
            "original_answers": answers,
            "perturbed_answer": yes_no,
            "perturbed_answers": pa.ListArray.from_arrays(pa.array(np.arange(pairs + 1), pa.int32()), yes_no),
            "answer_type": pa.array(["other"] * pairs),
            "question_type": pa.array([f"what {number % 60}" for number in range(pairs)]),
        }
    )
    guesses = np.where(rng.random(pairs) < 0.6, majority, rng.integers(0, len(words), size=pairs))
    forms = np.array(["Yes.", "yes", "No, there is not.", "no", "I cannot tell", "**Yes**, clearly"])
    predictions = pa.table(
        {
            "pair_id": ids,
            "original": pa.array(words).take(pa.array(guesses)),
            "perturbed": pa.array(forms[rng.integers(0, len(forms), size=pairs)]),
        }
    )
    return predictions.take(pa.array(rng.permutation(pairs))), references


@contextmanager
def timed(step: str, seconds: dict[str, float]) -> Iterator[None]:
    """Measure and print one step."""
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    seconds[step] = time.process_time() - cpu
    print(f"{step:<72} {seconds[step]:7.2f} s CPU {time.perf_counter() - wall:7.2f} s wall")


def plain_bootstrap(table: list[tuple[str, bool, bool]], rounds: int, rng: np.random.Generator) -> list[float]:
    """RAD's bootstrap over images as one would write it down first."""
    by_image: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for image, original, perturbed in table:
        by_image[image].append((original, perturbed))
    images = list(by_image)
    values = []
    for _ in range(rounds):
        right = both = 0
        for number in rng.integers(0, len(images), size=len(images)):
            for original, perturbed in by_image[images[number]]:
                if original:
                    right += 1
                    both += perturbed
        values.append(both / right)
    return values


def through_evaluate(predictions: pa.Table, references: pa.Table, rounds: int = 3) -> float:
    """How much the metric adds to what `evaluate` itself takes for the same rows; the quickest of some rounds each."""
    import evaluate

    rows, pairs = predictions.to_pylist(), references.to_pylist()
    times: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        metric = evaluate.load(str(METRIC), "all")
        narrow = [{name: row.get(name, "") for name in metric._columns} for row in pairs]
        seconds: dict[str, float] = {}
        with timed(f"{len(rows):,} pairs through evaluate, all metrics", seconds):
            metric.compute(predictions=rows, references=pairs, bootstrap=0)
        metric._compute = lambda **_: {}
        base = type(metric).__mro__[1]
        with timed(f"{len(rows):,} pairs through evaluate, computing nothing", seconds):
            base.add_batch(metric, predictions=rows, references=narrow)
            base.compute(metric)
        for step, duration in seconds.items():
            times[step].append(duration)
    metric_time, evaluate_time = (min(durations) for durations in times.values())
    return metric_time / evaluate_time - 1


def main() -> None:
    """Print every claim with its measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--through", type=int, default=100_000, help="pairs sent through evaluate")
    options = parser.parse_args()
    pa.set_cpu_count(1)
    seconds: dict[str, float] = {}
    predictions, references = random_pairs(options.pairs)
    no_bootstrap = Options(bootstrap=0)
    with timed(f"{options.pairs:,} pairs from arrays, all metrics, by test and question type", seconds):
        encoded = encode_references(references)
        score_pairs(predictions, encoded, no_bootstrap, by=("test", "question_type"))
    with timed(f"{options.pairs:,} pairs, five baselines on top", seconds):
        baseline_scores(encoded, no_bootstrap)
    with timed(f"{options.pairs:,} pairs with 1,000 bootstrap rounds of all rates", seconds):
        score_pairs(predictions, encoded, Options(bootstrap=1000), by=())
    predictions, references = random_pairs(100_000, seed=1)
    encoded = encode_references(references)
    with timed("100,000 pairs scored, no bootstrap", seconds):
        scored = score_pairs(predictions, encoded, no_bootstrap, by=())
    with timed("100,000 pairs scored, 1,000 rounds of all scores", seconds):
        score_pairs(predictions, encoded, Options(bootstrap=1000), by=())
    right = scored.outcome.original.right.tolist(), scored.outcome.perturbed.right.tolist()
    images = references.column("original_image_id").to_pylist()
    with timed("the same images, 10 rounds of RAD alone in a plain loop", seconds):
        plain_bootstrap(list(zip(images, *right, strict=True)), 10, np.random.default_rng(0))
    ours = seconds["100,000 pairs scored, 1,000 rounds of all scores"] - seconds["100,000 pairs scored, no bootstrap"]
    loop = seconds["the same images, 10 rounds of RAD alone in a plain loop"] * 100
    first = next(iter(seconds))
    statement = "bootstrap over images, 1,000 rounds: all scores, beside RAD alone in a plain loop"
    document, size = "docs/scoring.md", "100,000 pairs"
    record(
        Claim(
            "metrics-million",
            "all scores, by test and question type, processor time",
            seconds[first],
            "s",
            size=f"{options.pairs:,} pairs",
        ),
        Claim(
            "metrics-bootstrap", statement, ours, "s", loop, "loop, from 10 rounds", loop / ours, size, document, 50.0
        ),
    )
    print(f"bootstrap: {ours:.2f} s against {loop:.0f} s for RAD alone in a loop: {loop / ours:.0f} times as fast")
    predictions, references = random_pairs(options.through, seed=2)
    overhead = through_evaluate(predictions, references)
    statement = "what the metric adds to evaluate's own round trip"
    record(Claim("metrics-evaluate", statement, 100 * overhead, "%", size=f"{options.through:,} pairs"))
    print(f"through evaluate: {100 * overhead:.0f} % on top of its own round trip")


if __name__ == "__main__":
    main()
