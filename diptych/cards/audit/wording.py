"""Whether the wording gives the answer away: a classifier that reads the question alone, against chance."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from diptych.cards.audit.balance import is_yes_no
from diptych.cards.audit.built import Built
from diptych.cards.audit.finding import Finding, Level, percent
from diptych.metrics.paired_vqa.intervals import wilson

MOST_PAIRS = 20_000
"""More pairs than this are not read, for time; which ones is decided by their ids."""

LEAST_PAIRS = 50
"""Fewer pairs than this cannot tell."""

MARGIN = 0.03
"""How far above chance the question alone may lead."""

_FOLDS = 5


def question_only(built: Built) -> Iterator[Finding]:
    """How often a classifier of the perturbed question's words and word pairs is right, by test."""
    for config, test, table in built.by_test():
        if is_yes_no(table):
            yield _finding(built, config, test, table)


def _finding(built: Built, config: str, test: str, table: pa.Table) -> Finding:
    where = f"{config}: {test}"
    rows = _rows(table)
    answers = np.array([row[2] == "yes" for row in rows])
    images = [row[3] for row in rows]
    n = len(rows)
    chance = float(max(answers.mean(), 1 - answers.mean()))
    if n < LEAST_PAIRS or len(set(images)) < _FOLDS or chance == 1:
        return Finding("question only", "ok", f"too few pairs to tell ({n:,})", where, {"n": n})
    accuracy = float((cross_predicted([row[1] for row in rows], answers, images) == answers).mean())
    low, high = wilson(accuracy, n)
    what = f"{percent(accuracy)} ({100 * low:.1f} to {100 * high:.1f}) against chance {percent(chance)}, n {n:,}"
    leaks = accuracy > chance + MARGIN and low > chance
    meant = built.manifest["recipes"].get(config, {}).get("parameters", {}).get("values") == "matched"
    level: Level = "ok" if not leaks else "wanting" if meant or config == "matched" else "note"
    numbers = {"accuracy": accuracy, "chance": chance, "low": low, "high": high}
    rounded = {name: round(value, 6) for name, value in numbers.items()}
    return Finding("question only", level, what, where, {"n": n, **rounded})


def _rows(table: pa.Table) -> list[tuple[str, str, str, str]]:
    """Id, question, answer and image in the order of the ids, so that neither files nor splits decide anything."""
    columns = ("pair_id", "perturbed_question", "perturbed_answer", "perturbed_image_id")
    return sorted(zip(*(table[name].to_pylist() for name in columns), strict=True))[:MOST_PAIRS]


def cross_predicted(questions: Sequence[str], answers: Any, images: Sequence[str]) -> Any:
    """What a classifier says of every question after reading those about other images."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold

    said = np.zeros(len(questions), dtype=bool)
    texts = np.array(questions, dtype=object)
    groups = np.unique(np.array(images), return_inverse=True)[1]
    for train, test in GroupKFold(_FOLDS).split(texts, answers, groups):
        if len(set(answers[train])) < 2:
            said[test] = answers[train][0]
            continue
        words = CountVectorizer(ngram_range=(1, 2), binary=True, token_pattern=r"(?u)\b\w+\b")
        # liblinear is one thread of its own arithmetic: the same numbers on every machine.
        model = LogisticRegression(solver="liblinear", random_state=0)
        model.fit(words.fit_transform(texts[train]), answers[train])
        said[test] = model.predict(words.transform(texts[test]))
    return said
