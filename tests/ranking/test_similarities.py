"""The direct similarities: what the reference libraries say, and exactly the best k."""

import warnings
from dataclasses import dataclass
from itertools import product
from math import exp

import numpy as np
import pytest

from diptych.errors import UnknownNameError
from diptych.kg import wordnet
from diptych.ranking import SIMILARITIES, most_similar
from diptych.ranking._similarities import bleu, build_index, cider, meteor, rouge_l, split_words

WORDS = "what is the cat cats sitting sits on car automobile red reddish old a an man person who running".split()


def questions(count: int, seed: int) -> tuple[str, ...]:
    rng = np.random.default_rng(seed)
    return tuple(" ".join(rng.choice(WORDS, size=rng.integers(1, 12))) + "?" for _ in range(count))


@pytest.fixture(scope="module")
def pool() -> tuple[str, ...]:
    return questions(60, 1)


# Half of them share long runs of words with the pool.
MAIN = (*questions(20, 2), *(" ".join([*split_words(text), "today"]) for text in questions(60, 1)[:20]))


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_bleu_is_nltks_where_every_order_matches(pool: tuple[str, ...], order: int) -> None:
    from nltk.translate.bleu_score import sentence_bleu

    index, compared = build_index(pool), 0
    for text in MAIN:
        scores = bleu(index, split_words(text), order)
        for row, question in enumerate(index.questions):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = sentence_bleu([split_words(text)], question, weights=[1 / order] * order)
            if expected > 1e-9:
                assert scores[row] == pytest.approx(expected, abs=1e-6)
                compared += 1
            else:
                assert scores[row] < 0.05  # the small constants alone
    assert compared > 4


def test_bleu_is_sacrebleus_where_every_order_matches(pool: tuple[str, ...]) -> None:
    from sacrebleu import sentence_bleu

    index = build_index(pool)
    for text in MAIN[:20]:
        scores = bleu(index, split_words(text), 4)
        for row, question in enumerate(index.questions):
            if len(question) < 4:
                continue
            expected = sentence_bleu(
                " ".join(question), [" ".join(split_words(text))], smooth_method="none", tokenize="none"
            )
            if expected.score > 0:
                assert 100 * scores[row] == pytest.approx(expected.score, abs=1e-4)


def test_rouge_is_rouge_scores_f_measure(pool: tuple[str, ...]) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    scorer, index = RougeScorer(["rougeL"]), build_index(pool)
    for text in MAIN:
        scores = rouge_l(index, split_words(text))
        for row, question in enumerate(pool):
            assert scores[row] == pytest.approx(scorer.score(text, question)["rougeL"].fmeasure, abs=1e-9)


def test_cocos_rouge_is_the_formula_with_its_beta(pool: tuple[str, ...]) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    scorer, index, beta = RougeScorer(["rougeL"]), build_index(pool), 1.2
    for text in MAIN:
        scores = rouge_l(index, split_words(text), beta)
        for row, question in enumerate(pool):
            precision, recall, _ = scorer.score(text, question)["rougeL"]
            divisor = recall + beta**2 * precision
            expected = (1 + beta**2) * precision * recall / divisor if divisor else 0.0
            assert scores[row] == pytest.approx(expected, abs=1e-9)


def test_a_main_question_of_a_hundred_words_has_a_rouge_too(pool: tuple[str, ...]) -> None:
    index = build_index(pool)
    words = split_words(" ".join(MAIN))[:100]
    assert rouge_l(index, words).max() <= 2 * index.lengths.max() / (100 + index.lengths.max())


def test_cider_is_the_formula_of_the_reference_scorer(pool: tuple[str, ...]) -> None:
    """Written out pair by pair, with document frequencies over the pool."""
    index = build_index(pool)
    for text, row in product(MAIN[:10], range(len(pool))):
        assert cider(index, split_words(text))[row] == pytest.approx(_cider(pool, pool[row], text), abs=1e-9)


def _cider(pool: tuple[str, ...], hypothesis: str, reference: str) -> float:
    def counts(text: str, n: int) -> dict[tuple[str, ...], int]:
        words = split_words(text)
        grams = [words[start : start + n] for start in range(len(words) - n + 1)]
        return {gram: grams.count(gram) for gram in grams}

    total = 0.0
    for n in range(1, 5):

        def vector(text: str, n: int = n) -> dict[tuple[str, ...], float]:
            documents = [counts(document, n) for document in pool]
            return {
                gram: count * (np.log(len(pool)) - np.log(max(1.0, sum(gram in document for document in documents))))
                for gram, count in counts(text, n).items()
            }

        weights, reference_weights = vector(hypothesis), vector(reference)
        dot_product = sum(
            min(weight, reference_weights.get(gram, 0.0)) * reference_weights.get(gram, 0.0)
            for gram, weight in weights.items()
        )
        length = np.sqrt(sum(w * w for w in weights.values()) * sum(w * w for w in reference_weights.values()))
        total += dot_product / length if length else 0.0
    lengths = [max(0, len(split_words(text)) - 1) for text in (hypothesis, reference)]
    return float(10 * total / 4 * exp(-((lengths[0] - lengths[1]) ** 2) / 72))


def test_cider_is_pycocoevalcaps() -> None:
    scorers = pytest.importorskip("pycocoevalcap.cider.cider_scorer")
    pool = questions(30, 5)
    index = build_index(pool)
    for text in MAIN[:10]:
        scorer = scorers.CiderScorer(n=4, sigma=6.0)
        # Each pool question is a document of the reference scorer; the main question is put in as the reference after.
        for question in pool:
            scorer += (" ".join(split_words(question)), [" ".join(split_words(question))])
        scorer.compute_doc_freq()
        scorer.crefs = [scorers.cook_refs([" ".join(split_words(text))]) for _ in pool]
        np.testing.assert_allclose(cider(index, split_words(text)), scorer.compute_cider(), atol=1e-6)


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

    for text, question in product(MAIN, pool):
        expected = single_meteor_score(split_words(text), split_words(question), wordnet=OurWordNet())  # type: ignore[arg-type]
        assert meteor(split_words(question), split_words(text)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", SIMILARITIES)
def test_the_best_are_the_best_of_all(name: str) -> None:
    pool = questions(300, 3)
    best = most_similar(name, pool, MAIN, k=7)
    complete = most_similar(name, pool, MAIN, k=300)
    np.testing.assert_array_equal(best["indices"], complete["indices"][:, :7])
    if name == "meteor":
        for text, scores in zip(MAIN, best["scores"], strict=True):
            expected = sorted((meteor(split_words(question), split_words(text)) for question in pool), reverse=True)
            np.testing.assert_allclose(scores, expected[:7], atol=1e-9)


def test_what_is_excluded_is_not_found() -> None:
    pool = questions(20, 4)
    for name in SIMILARITIES:
        assert 3 not in most_similar(name, pool, [pool[3]], k=20, exclude=[[3]])["indices"]


def test_an_unknown_ranker_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'bleu4'"):
        most_similar("bleu", ("a",), ["b"])
