"""The direct similarities: what the reference libraries say, and exactly the best k."""

import warnings
from dataclasses import dataclass
from itertools import product
from math import exp

import numpy as np
import pytest

from diptych.errors import UnknownNameError
from diptych.kg import wordnet
from diptych.ranking.meteor import meteor
from diptych.ranking.similarities import NAMES, bleu, build_index, cider, most_similar, rouge_l, words_of

WORDS = [
    "what",
    "is",
    "the",
    "cat",
    "cats",
    "sitting",
    "sits",
    "on",
    "car",
    "automobile",
    "red",
    "reddish",
    "old",
    "a",
    "an",
    "man",
    "person",
    "who",
    "running",
]


def questions(count: int, seed: int) -> tuple[str, ...]:
    rng = np.random.default_rng(seed)
    return tuple(" ".join(rng.choice(WORDS, size=rng.integers(1, 12))) + "?" for _ in range(count))


@pytest.fixture(scope="module")
def pool() -> tuple[str, ...]:
    return questions(60, 1)


# Half of them share long runs of words with the pool.
MAIN = (*questions(20, 2), *(" ".join([*words_of(text), "today"]) for text in questions(60, 1)[:20]))


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_bleu_is_nltks_where_every_order_matches(pool: tuple[str, ...], order: int) -> None:
    from nltk.translate.bleu_score import sentence_bleu

    index, compared = build_index(pool), 0
    for text in MAIN:
        mine = bleu(index, words_of(text), order)
        for at, other in enumerate(index.words):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs = sentence_bleu([words_of(text)], other, weights=[1 / order] * order)
            if theirs > 1e-9:
                assert mine[at] == pytest.approx(theirs, abs=1e-6)
                compared += 1
            else:
                assert mine[at] < 0.05  # the small constants alone
    assert compared > 4


def test_bleu_is_sacrebleus_where_every_order_matches(pool: tuple[str, ...]) -> None:
    from sacrebleu import sentence_bleu

    index = build_index(pool)
    for text in MAIN[:20]:
        mine = bleu(index, words_of(text), 4)
        for at, other in enumerate(index.words):
            if len(other) < 4:
                continue
            theirs = sentence_bleu(" ".join(other), [" ".join(words_of(text))], smooth_method="none", tokenize="none")
            if theirs.score > 0:
                assert 100 * mine[at] == pytest.approx(theirs.score, abs=1e-4)


def test_rouge_is_rouge_scores_f_measure(pool: tuple[str, ...]) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    scorer, index = RougeScorer(["rougeL"]), build_index(pool)
    for text in MAIN:
        mine = rouge_l(index, words_of(text))
        for at, other in enumerate(pool):
            assert mine[at] == pytest.approx(scorer.score(text, other)["rougeL"].fmeasure, abs=1e-9)


def test_a_main_question_of_a_hundred_words_has_a_rouge_too(pool: tuple[str, ...]) -> None:
    index = build_index(pool)
    words = words_of(" ".join(MAIN))[:100]
    assert rouge_l(index, words).max() <= 2 * index.lengths.max() / (100 + index.lengths.max())


def test_cider_is_the_formula_of_the_reference_scorer(pool: tuple[str, ...]) -> None:
    """Written out pair by pair, with document frequencies over the pool."""
    index = build_index(pool)
    for text, at in product(MAIN[:10], range(len(pool))):
        assert cider(index, words_of(text))[at] == pytest.approx(_cider(pool, pool[at], text), abs=1e-9)


def _cider(pool: tuple[str, ...], hypothesis: str, reference: str) -> float:
    def counts(text: str, n: int) -> dict[tuple[str, ...], int]:
        words = words_of(text)
        grams = [words[at : at + n] for at in range(len(words) - n + 1)]
        return {gram: grams.count(gram) for gram in grams}

    total = 0.0
    for n in range(1, 5):

        def vector(text: str, n: int = n) -> dict[tuple[str, ...], float]:
            holding = [counts(other, n) for other in pool]
            return {
                gram: count * (np.log(len(pool)) - np.log(max(1.0, sum(gram in other for other in holding))))
                for gram, count in counts(text, n).items()
            }

        ours, theirs = vector(hypothesis), vector(reference)
        shared = sum(min(weight, theirs.get(gram, 0.0)) * theirs.get(gram, 0.0) for gram, weight in ours.items())
        length = np.sqrt(sum(w * w for w in ours.values()) * sum(w * w for w in theirs.values()))
        total += shared / length if length else 0.0
    pairs = [max(0, len(words_of(text)) - 1) for text in (hypothesis, reference)]
    return float(10 * total / 4 * exp(-((pairs[0] - pairs[1]) ** 2) / 72))


def test_cider_is_pycocoevalcaps() -> None:
    scorers = pytest.importorskip("pycocoevalcap.cider.cider_scorer")
    pool = questions(30, 5)
    index = build_index(pool)
    for text in MAIN[:10]:
        scorer = scorers.CiderScorer(n=4, sigma=6.0)
        # Each pool question is a document of the reference scorer; the main question is put in as the reference after.
        for other in pool:
            scorer += (" ".join(words_of(other)), [" ".join(words_of(other))])
        scorer.compute_doc_freq()
        scorer.crefs = [scorers.cook_refs([" ".join(words_of(text))]) for _ in pool]
        np.testing.assert_allclose(cider(index, words_of(text)), scorer.compute_cider(), atol=1e-6)


@dataclass(frozen=True)
class OurWordNet:
    """Our WordNet with the three methods nltk's METEOR asks of its own."""

    def synsets(self, word: str) -> list["OurSynset"]:
        return [OurSynset(synset.lemma_names) for synset in wordnet().synsets(word)]


@dataclass(frozen=True)
class OurSynset:
    names: tuple[str, ...]

    def lemmas(self) -> list["OurLemma"]:
        return [OurLemma(name) for name in self.names]


@dataclass(frozen=True)
class OurLemma:
    text: str

    def name(self) -> str:
        return self.text


def test_meteor_is_nltks_with_our_wordnet(pool: tuple[str, ...]) -> None:
    from nltk.translate.meteor_score import single_meteor_score

    for one, other in product(MAIN, pool):
        theirs = single_meteor_score(words_of(one), words_of(other), wordnet=OurWordNet())  # type: ignore[arg-type]
        assert meteor(words_of(other), words_of(one)) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_the_best_are_the_best_of_all(name: str) -> None:
    pool = questions(300, 3)
    found = most_similar(name, pool, MAIN, k=7)
    whole = most_similar(name, pool, MAIN, k=300)
    np.testing.assert_array_equal(found["indices"], whole["indices"][:, :7])
    if name == "meteor":
        for text, scores in zip(MAIN, found["scores"], strict=True):
            every = sorted((meteor(words_of(other), words_of(text)) for other in pool), reverse=True)
            np.testing.assert_allclose(scores, every[:7], atol=1e-9)


def test_what_is_excluded_is_not_found() -> None:
    pool = questions(20, 4)
    for name in NAMES:
        assert 3 not in most_similar(name, pool, [pool[3]], k=20, exclude=[[3]])["indices"]


def test_an_unknown_ranker_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'bleu4'"):
        most_similar("bleu", ("a",), ["b"])
