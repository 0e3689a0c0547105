"""The LASSO ranker on vectors of skip-thought's size, 4,800 numbers: processor seconds of a question by penalty.

The vectors are made up: 20,000 sums of eight of 3,000 random word vectors, and noise.
"""

import time

import numpy as np
from results import Claim, record
from threadpoolctl import threadpool_limits

from diptych.ranking import rank

COLUMNS, WIDTH, WORDS, QUESTIONS, TOP = 20_000, 4_800, 3_000, 4, 21
LAMBDAS = (1e-1, 5e-2, 2e-2, 1e-2, 4.8e-3)


def sentence_vectors() -> np.ndarray:
    """Sums of the vectors of eight words, and noise."""
    rng = np.random.default_rng(0)
    words = rng.normal(size=(WORDS, WIDTH)).astype(np.float32)
    rows = np.zeros((COLUMNS + QUESTIONS, WIDTH), np.float32)
    for chosen in rng.integers(WORDS, size=(8, len(rows))):
        rows += words[chosen]
    return rows + 0.5 * rng.normal(size=rows.shape).astype(np.float32)


def main() -> None:
    """Print a line for each penalty."""
    rows = sentence_vectors()
    size = f"{QUESTIONS} questions over {COLUMNS:,} of {WIDTH:,} numbers"
    with threadpool_limits(1):
        rank(rows[:500], rows[-1:], 1e-1)  # compiles
        for lam in LAMBDAS:
            start = time.process_time()
            ranking = rank(rows[:COLUMNS], rows[COLUMNS:], lam, k=TOP)
            seconds = (time.process_time() - start) / QUESTIONS
            least, most = int(ranking.supports.min()), int(ranking.supports.max())
            note = f"{least} to {most} coefficients, {int(ranking.certified.sum())} of {QUESTIONS} certified"
            print(f"λ = {lam:g}: {seconds:.2f} s a question, {note}", flush=True)
            claim, statement = (
                f"wide-{lam:g}",
                f"vectors of skip-thought's size, λ = {lam:g}: processor time of a question",
            )
            record(Claim(claim, statement, seconds, "s", size=size, document="docs/basic-questions.md", note=note))


if __name__ == "__main__":
    main()
