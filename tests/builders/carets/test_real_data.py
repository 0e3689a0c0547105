"""CARETS on the real graphs: true labels, words that tell nothing, and English that a parser takes.

`pytest --log-cli-level=INFO` prints the tables.
"""

import logging
import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from diptych import build
from diptych.builders.carets import LARGEST_SHARE
from diptych.builders.carets._questions import ANTONYM, TABLE_6, VISUAL
from diptych.folder import BuiltFolder
from diptych.pairs import Expectation, Pair, Side

pytestmark = [pytest.mark.slow, pytest.mark.real_data]
Pairs = dict[str, list[Pair]]
log = logging.getLogger(__name__)
SIDES = ("original", "perturbed")
MOST = 3000
"""How many pairs a classifier learns from: more take minutes, and a give-away shows in these."""


@pytest.fixture(scope="module")
def folder(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    out = tmp_path_factory.mktemp("real") / "carets"
    configs = tuple(test.partition(".")[2] for test in TABLE_6)
    return build("carets", real_data, out, configs=configs, parameters={"images": "recipe"}, num_proc=2)


@pytest.fixture(scope="module")
def pairs(folder: BuiltFolder) -> Pairs:
    rows = {test: folder.table(test.partition(".")[2], "validation").to_pylist() for test in TABLE_6}
    # A question of the visual test is there once for each operation.
    return {test: [as_pair(row) for row in of if row["operation"] in (None, "mask")] for test, of in rows.items()}


def as_pair(row: dict[str, Any]) -> Pair:
    original, perturbed = (
        Side(row[f"{side}_image_id"], row[f"{side}_question"], row[f"{side}_answer"]) for side in SIDES
    )
    return Pair(
        row["test"],
        Expectation(row["expectation"]),
        original,
        perturbed,
        row["answer_type"],
        row["question_type"],
        row["source"],
        row["source_id"],
        bindings=orjson.loads(row["bindings"]),
    )


@dataclass(frozen=True)
class Told:
    """How often a classifier that reads only the words is right."""

    n: int
    right: float
    margin: float
    """Half of the 95 % interval, images drawn anew."""
    chance: float

    @property
    def near(self) -> bool:
        """Within three points of chance, as far as the sample can tell."""
        return abs(self.right - self.chance) <= 0.03 + self.margin


def told(pairs: Sequence[Pair], side: str) -> Told:
    """A linear model on words and word pairs, five folds by image; choices are scored among themselves."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression, RidgeClassifier
    from sklearn.model_selection import GroupKFold

    asked = [(pair, getattr(pair, side)) for pair in pairs[:: -(-len(pairs) // MOST)]]
    reader = CountVectorizer(ngram_range=(1, 2), token_pattern=r"\w+", min_df=3)  # what is rarer teaches nothing
    words = reader.fit_transform(of.question for _, of in asked)
    answers = np.array([of.answer for _, of in asked])
    images = np.array([pair.source_id for pair, _ in asked])
    # Of many answers a logistic regression would learn for minutes.
    kind = LogisticRegression(max_iter=100) if len(set(answers)) == 2 else RidgeClassifier(solver="sparse_cg")
    right = np.zeros(len(asked))
    for learnt, held in GroupKFold(5).split(words, answers, images):
        model = kind.fit(words[learnt], answers[learnt])
        scores = model.decision_function(words[held])
        scores = scores if scores.ndim > 1 else np.stack([-scores, scores], axis=1)
        place = {answer: number for number, answer in enumerate(model.classes_)}
        for row, number in enumerate(held):
            options = asked[number][0].bindings.get("choices", ("yes", "no"))
            # An answer that was never right in the other folds is as good as any: it counts by chance.
            seen = [option for option in options if option in place]
            best = max(seen, key=lambda option: scores[row, place[option]]) if seen else None
            right[number] = best == answers[number] if best else 1 / len(options)
    return Told(len(asked), float(right.mean()), _margin(right, images), _chance(pairs))


def _margin(right: np.ndarray, images: np.ndarray) -> float:
    sums: defaultdict[str, float] = defaultdict(float)
    for image, value in zip(images, right - right.mean(), strict=True):
        sums[image] += value
    return 1.96 * float(np.sqrt(sum(value**2 for value in sums.values()))) / len(right)


def _chance(pairs: Sequence[Pair]) -> float:
    return float(np.mean([1 / len(pair.bindings.get("choices", "yn")) for pair in pairs]))


def parts(pairs: Pairs, by_type: bool = True) -> list[tuple[str, str, list[Pair]]]:
    """The pairs of each test by its yes/no and its choice questions, and by question type."""
    found: dict[tuple[str, str], list[Pair]] = {}
    for test, of in pairs.items():
        for pair in of:
            for name in (pair.answer_type, pair.question_type) if by_type else (pair.answer_type,):
                found.setdefault((test, name), []).append(pair)
    return [(test, name, of) for (test, name), of in found.items()]


def test_nothing_but_the_image_tells_the_answer(pairs: Pairs) -> None:
    wanting = []
    for test, name, of in parts(pairs, by_type=False):
        # The partner in the visual test has the same words.
        for side in SIDES[:1] if test == VISUAL else SIDES:
            result = told(of, side)
            spoken = f"right {result.right:.1%} ± {result.margin:.1%}, chance {result.chance:.1%}"
            log.info("%-20s%-12s%-10s n %6d  %s", test, name, side, result.n, spoken)
            if not result.near:
                wanting.append((test, name, side, result))
    assert not wanting


def test_neither_do_the_words_of_all_tests_together(pairs: Pairs) -> None:
    together = [pair for of in pairs.values() for pair in of]
    for name in ("yes/no", "other"):
        of = sorted((pair for pair in together if pair.answer_type == name), key=lambda pair: pair.source_id)
        result = told(of, "original")
        log.info("%-20s%-12s n %6d  right %s", "all", name, result.n, f"{result.right:.1%} ± {result.margin:.1%}")
        assert result.near, (name, result)


def test_the_audit_finds_that_neither_words_nor_gist_tell(folder: BuiltFolder) -> None:
    assert folder.manifest.audit is not None
    checks = [entry for entry in folder.manifest.audit.findings if entry.name in ("question only", "gist only")]
    assert {entry.level for entry in checks} == {"ok"}
    areas = [entry.numbers["area"] for entry in checks if entry.name == "gist only"]
    assert len(areas) == 12
    assert all(0.45 <= area <= 0.55 for area in areas), areas


def test_yes_is_half_of_every_type(pairs: Pairs) -> None:
    for test, name, of in parts(pairs):
        if "yes/no" in {pair.answer_type for pair in of}:
            assert abs(Counter(pair.original.answer for pair in of)["yes"] - len(of) / 2) <= 3, (test, name)


def test_the_right_choice_stands_everywhere_alike(pairs: Pairs) -> None:
    for test, name, of in parts(pairs):
        for size in (2, 3):
            listed = [(pair, pair.bindings["choices"]) for pair in of if len(pair.bindings.get("choices", ())) == size]
            places = Counter(choices.index(pair.original.answer) for pair, choices in listed)
            assert not listed or max(places.values()) - min(places.values()) <= 3, (test, name, places)


def test_no_pair_of_opposites_has_more_than_its_share(pairs: Pairs) -> None:
    asked = Counter(frozenset((pair.bindings["attribute"], pair.bindings["opposite"])) for pair in pairs[ANTONYM])
    assert asked.total() >= 400
    assert asked.most_common(1)[0][1] <= LARGEST_SHARE * asked.total()


def test_a_parser_takes_nearly_every_question(pairs: Pairs) -> None:
    if shutil.which("link-parser") is None:
        pytest.skip("link-parser is not installed (Debian's link-grammar)")
    wanting = []
    for test, name, of in parts(pairs):
        for side in SIDES:
            sample = [getattr(pair, side).question for pair in of[:: max(1, len(of) // 100)]]
            share = parsed(sample)
            log.info("%-20s%-12s%-10s n %4d  parsed %s", test, name, side, len(sample), f"{share:.1%}")
            error = sqrt(
                0.97 * 0.03 / len(sample)
            )  # a sample may hold one unknown word, such as "utensil", a few times
            wanting += [(test, name, side, share)] if share < 0.97 - 2 * error else []
    assert not wanting


def parsed(questions: Sequence[str]) -> float:
    """The share of questions that link-grammar parses whole."""
    said = subprocess.run(
        ["link-parser", "en", "-batch", "-verbosity=1", "-null=0"],
        input="\n".join(questions) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    wrong = [line for line in (said.stdout + said.stderr).splitlines() if line.startswith("+++++ error")]
    return 1 - len(wrong) / len(questions)
