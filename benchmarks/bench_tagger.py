"""Questions per second through the question tagger on one core: in batches or one by one, with or without the parser.

Targets: 2,500 per second for tagging alone and 1,000 with the parser, in batches. The questions come from the CoNLL-U
file in the data folder (`DIPTYCH_DATA`) or else from a few patterns.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy: the claim is about one core

import gzip
import itertools
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from results import Claim, record
from spacy.language import Language
from spacy.tokens import Doc

from diptych.language import tagger, tagger_version

ROOT = Path(__file__).resolve().parent.parent
COUNT, REPEATS = 4000, 3
PATTERNS = (
    "What color is the {a}?",
    "How many {a}s are there?",
    "Is the {a} on the {b}?",
    "Is there a {a} in front of the {b}?",
    "What is the man with the {a} doing near the {b}?",
    "Are the {a}s and the {b}s the same size?",
)
NOUNS = "cat dog car truck horse bird chair table lamp tree shirt hat ball kite".split()


def questions() -> list[str]:
    """Real questions if there are any, else as many from patterns."""
    data = Path(os.environ.get("DIPTYCH_DATA", ROOT.parent / "shared" / "data"))
    path = data / "tagged" / "vqa_questions.conllu.gz"
    if path.is_file():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            texts = (line.removeprefix("# text = ").rstrip("\r\n") for line in lines if line.startswith("# text = "))
            return list(itertools.islice(texts, COUNT))
    texts = (pattern.format(a=a, b=b) for pattern in PATTERNS for a in NOUNS for b in NOUNS if a != b)
    return list(itertools.islice(itertools.cycle(dict.fromkeys(texts)), COUNT))


def rate(run: Callable[[], Iterable[Doc]], count: int) -> float:
    """Questions per second of processor time in the best of a few runs, so that other processes do not matter."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        for _ in run():
            pass
        best = min(best, time.process_time() - start)
    return count / best


def compare(nlp: Language, texts: list[str]) -> tuple[float, float]:
    """The rates in batches and one by one."""
    sample = texts[: len(texts) // 4]
    return rate(lambda: nlp.pipe(texts), len(texts)), rate(lambda: map(nlp, sample), len(sample))


def main() -> None:
    """Print one line with the parser and one without, each with the ratio of batches to single calls."""
    texts = questions()
    start = time.perf_counter()
    print(f"{tagger_version(tagger())}: loaded in {time.perf_counter() - start:.2f} s; {len(texts)} questions")
    for name, parse, target in (("tagging", False, 2500), ("with the parser", True, 1000)):
        with tagger().select_pipes(disable=() if parse else ("parser",)):
            batched, single = compare(tagger(), texts)
        print(f"{name:16} in batches {batched:6.0f}/s (target {target})", end="")
        print(f", one by one {single:5.0f}/s: {batched / single:.1f}x")
        claim, statement = f"tagger-{'parser' if parse else 'tags'}", f"the tagger, one core, {name}"
        size = f"{len(texts):,} questions"
        numbers = batched, "questions/s", single, "one by one", batched / single, size
        record(
            Claim(claim, statement, batched, "questions/s", size=size, at_least=float(target)),
            Claim(f"{claim}-batches", f"{statement}: in batches", *numbers),
        )


if __name__ == "__main__":
    main()
