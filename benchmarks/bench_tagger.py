"""Questions a second through the question tagger on one core: in batches and one by one, with the parser and without.

Targets: 2,500 a second tagging alone and 1,000 with the parser, in batches. Questions come from a CoNLL-U file where
one is given (`DIPTYCH_DATA`), else from a few patterns.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy: the claim is about one core

import itertools
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc

from diptych.language import tagger, tagger_version
from diptych.language.silver import read_conllu

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
NOUNS = (
    "cat",
    "dog",
    "car",
    "truck",
    "horse",
    "bird",
    "chair",
    "table",
    "lamp",
    "tree",
    "shirt",
    "hat",
    "ball",
    "kite",
)


def questions() -> list[str]:
    """Real questions where there are some, else as many made ones, none twice."""
    data = Path(os.environ.get("DIPTYCH_DATA", ROOT.parent / "shared" / "data"))
    path = data / "tagged" / "vqa_questions.conllu.gz"
    if path.is_file():
        return [question.text for question in itertools.islice(read_conllu(path), COUNT)]
    made = (p.format(a=a, b=b) for p in PATTERNS for a in NOUNS for b in NOUNS if a != b)
    return list(itertools.islice(itertools.cycle(dict.fromkeys(made)), COUNT))


def rate(run: Callable[[], Iterable[Doc]], count: int) -> float:
    """Questions a second of processor time in the best of a few runs, so that busy neighbours do not count."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        for _ in run():
            pass
        best = min(best, time.process_time() - start)
    return count / best


def compare(nlp: Language, texts: list[str]) -> tuple[float, float]:
    """The rates in batches and one by one."""
    few = texts[: len(texts) // 4]
    return rate(lambda: nlp.pipe(texts), len(texts)), rate(lambda: map(nlp, few), len(few))


def main() -> None:
    """Print a line for each way, with its ratio to one call a question."""
    texts = questions()
    start = time.perf_counter()
    print(f"{tagger_version(tagger())}: loaded in {time.perf_counter() - start:.2f} s; {len(texts)} questions")
    for name, parse, target in (("tagging", False, 2500), ("with the parser", True, 1000)):
        batched, single = compare(tagger(parse=parse), texts)
        print(f"{name:16} in batches {batched:6.0f}/s (target {target})", end="")
        print(f", one by one {single:5.0f}/s: {batched / single:.1f}x")


if __name__ == "__main__":
    main()
