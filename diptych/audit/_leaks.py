"""Whether the wording gives the answer away: a classifier that reads the question alone, against chance."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diptych.audit._balance import is_yes_no
from diptych.audit._findings import finding, percent
from diptych.audit._tables import AuditedFolder
from diptych.folder import FindingEntry, Level
from diptych.metrics import wilson

MOST_PAIRS = 20_000
"""More pairs than this are not read, for time; which ones is decided by their ids."""

LEAST_PAIRS = 50
"""Fewer pairs than this cannot tell."""

MARGIN = 0.03
"""How far above chance the question alone may lead."""

_FOLDS = 5
_COLUMNS = ("pair_id", "perturbed_question", "perturbed_answer", "perturbed_image_id")


def check_leaks(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """How often a classifier of the perturbed question's words and word pairs is right, by test."""
    for config, test, table in audited.tests(_COLUMNS):
        if is_yes_no(table):
            yield _leak(f"{config}: {test}", table, _must_not_leak(audited, config))


def _must_not_leak(audited: AuditedFolder, config: str) -> bool:
    parameters = audited.manifest.recipes[config].parameters if config in audited.manifest.recipes else {}
    rule = audited.rules.leak_free
    return config in rule.configs or any(parameters.get(name) == value for name, value in rule.parameters.items())


def _leak(place: str, table: pa.Table, must_not_leak: bool) -> FindingEntry:
    # In the order of the ids, so that neither files nor splits decide anything.
    order = table.take(pc.sort_indices(table["pair_id"])[:MOST_PAIRS])
    answers = np.array([answer == "yes" for answer in order["perturbed_answer"].to_pylist()])
    images, questions = order["perturbed_image_id"].to_pylist(), order["perturbed_question"].to_pylist()
    n = len(answers)
    chance = float(max(answers.mean(), 1 - answers.mean()))
    if n < LEAST_PAIRS or len(set(images)) < _FOLDS or chance == 1:
        return finding("question only", "ok", f"too few pairs to tell ({n:,})", place, {"n": n})
    accuracy = float((cross_predict(questions, answers, images) == answers).mean())
    low, high = wilson(accuracy, n)
    message = f"{percent(accuracy)} ({100 * low:.1f} to {100 * high:.1f}) against chance {percent(chance)}, n {n:,}"
    leaks = accuracy > chance + MARGIN and low > chance
    level: Level = "ok" if not leaks else "error" if must_not_leak else "warning"
    numbers = {"accuracy": accuracy, "chance": chance, "low": low, "high": high}
    rounded = {name: round(value, 6) for name, value in numbers.items()}
    return finding("question only", level, message, place, {"n": n, **rounded})


def cross_predict(questions: Sequence[str], answers: Any, images: Sequence[str]) -> Any:
    """What a classifier answers to every question after reading those about other images."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold

    predictions = np.zeros(len(questions), dtype=bool)
    texts = np.array(questions, dtype=object)
    groups = np.unique(np.array(images), return_inverse=True)[1]
    for train, test in GroupKFold(_FOLDS).split(texts, answers, groups):
        if len(set(answers[train])) < 2:
            predictions[test] = answers[train][0]
            continue
        words = CountVectorizer(ngram_range=(1, 2), binary=True, token_pattern=r"(?u)\b\w+\b")
        # liblinear is one thread of its own arithmetic: the same numbers on every machine.
        model = LogisticRegression(solver="liblinear", random_state=0)
        model.fit(words.fit_transform(texts[train]), answers[train])
        predictions[test] = model.predict(words.transform(texts[test]))
    return predictions
