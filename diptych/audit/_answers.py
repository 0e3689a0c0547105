"""Whether the answers give anything away: their balance, what models that look at nothing score, telling words."""

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diptych.audit._tables import AuditedFolder, AuditedTest, finding, percent
from diptych.errors import BadInputError
from diptych.folder import FindingEntry, Level
from diptych.metrics import SCORED_COLUMNS, score_baselines, scoring, wilson
from diptych.models import predict_blind

TOLERANCE = 0.03  # how far the share of yes may lie from one half, and how far above chance the question alone may lead

BLIND = 0.55  # a model that looks at nothing and is surely right more often than this makes a score hard to read

MOST_SCORED = 20_000  # more pairs of a config than this are not scored, for memory; which ones is decided by their ids

MOST_CLASSIFIED, LEAST_CLASSIFIED = 20_000, 50
"""More pairs of a test than this are not classified, for time, and fewer cannot tell."""

_FOLDS = 5
_ASKED = ("original_question", "perturbed_question")
_SCORED = tuple(dict.fromkeys((*SCORED_COLUMNS, "original_image_id", "group_id", *_ASKED)))
_CLASSIFIED = ("pair_id", "perturbed_question", "perturbed_answer", "perturbed_image_id")


def check_balance(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """The share of yes among the perturbed answers of every test."""
    # Open pairs have no right answer to balance.
    yield from (_balance(test) for test in audited.tests if test.answers.keys() != {""})


def _balance(test: AuditedTest) -> FindingEntry:
    n = test.answers.total()
    if not test.is_yes_no:
        answer, count = min(test.answers.items(), key=lambda item: (-item[1], item[0]))
        most = f"the most frequent is {answer!r}, {percent(count / n)} of {n:,}"
        message = f"{len(test.answers):,} different answers; {most}"
        return finding("answer balance", "ok", message, test.place, {"n": n, "most_frequent": round(count / n, 6)})
    share = test.answers["yes"] / n
    low, high = wilson(share, n)
    message = f"yes {percent(share)} ({100 * low:.1f} to {100 * high:.1f}) of {n:,}"
    numbers = {"n": n, "yes": round(share, 6), "low": round(low, 6), "high": round(high, 6)}
    is_far = low > 0.5 + TOLERANCE or high < 0.5 - TOLERANCE
    # Where both sides share or swap an answer, its balance is the source's.
    is_ours = not test.is_imported and "given" in test.expectations
    level: Level = "ok" if not is_far else "error" if is_ours else "warning"
    return finding("answer balance", level, message, test.place, numbers)


def check_baselines(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """What models that look at nothing score in every config."""
    for config in audited.pair_configs:
        columns = (*_SCORED, "bindings") if _has_choices(audited, config) else _SCORED
        table = audited.first_pairs(config, columns, MOST_SCORED)
        try:
            with scoring():
                blind = {"blind": predict_blind(table)} if set(_ASKED) <= set(table.column_names) else {}
            scores = score_baselines(table, audited.folder.manifest.score_family, blind)
        except BadInputError as error:
            yield finding("degenerate baselines", "error", f"cannot be scored: {error}", config)
            continue
        numbers = {
            model: {name: None if isnan(value) else round(value, 6) for name, value in values.items()}
            for model, values in scores.items()
        }
        accuracies = {model: values["accuracy_perturbed"] or 0.0 for model, values in numbers.items()}
        # The one looks at the right answers; what the other learns is told by the check of telling words.
        accuracies = {model: value for model, value in accuracies.items() if model not in ("copy-original", "blind")}
        best = max(sorted(accuracies), key=accuracies.__getitem__)
        message = f"{best} is right on {percent(accuracies[best])} of {table.num_rows:,} perturbed questions"
        level: Level = "warning" if wilson(accuracies[best], table.num_rows)[0] > BLIND else "ok"
        yield finding("degenerate baselines", level, message, config, numbers)


def _has_choices(audited: AuditedFolder, config: str) -> bool:
    """Whether bindings name choices; other bindings are large, and no score rests on them."""
    columns = (table["bindings"] for table in audited.batches(config, ["bindings"]))
    return any(pc.any(pc.match_substring(column, '"choices"')).as_py() for column in columns)


def check_leaks(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """How often a classifier of the perturbed question's words and word pairs is right, by test."""
    for test in audited.tests:
        if test.is_yes_no:
            table = audited.first_pairs(test.config, _CLASSIFIED, MOST_CLASSIFIED, test.name)
            yield _leak(test.place, table, _must_not_leak(audited, test.config))


def _must_not_leak(audited: AuditedFolder, config: str) -> bool:
    recipes, rule = audited.folder.manifest.recipes, audited.rules.leak_free
    parameters = recipes[config].parameters if config in recipes else {}
    return config in rule.configs or any(parameters.get(name) == value for name, value in rule.parameters.items())


def _leak(place: str, table: pa.Table, must_not_leak: bool) -> FindingEntry:
    # In the order of the ids, so that neither files nor splits decide anything.
    table = table.take(pc.sort_indices(table["pair_id"])[:MOST_CLASSIFIED])
    answers = np.array([answer == "yes" for answer in table["perturbed_answer"].to_pylist()])
    images, questions = table["perturbed_image_id"].to_pylist(), table["perturbed_question"].to_pylist()
    n = len(answers)
    chance = float(max(answers.mean(), 1 - answers.mean()))
    if n < LEAST_CLASSIFIED or len(set(images)) < _FOLDS or chance == 1:
        return finding("question only", "ok", f"too few pairs to tell ({n:,})", place, {"n": n})
    accuracy = float((_cross_predict(questions, answers, images) == answers).mean())
    low, high = wilson(accuracy, n)
    message = f"{percent(accuracy)} ({100 * low:.1f} to {100 * high:.1f}) against chance {percent(chance)}, n {n:,}"
    leaks = accuracy > chance + TOLERANCE and low > chance
    level: Level = "ok" if not leaks else "error" if must_not_leak else "warning"
    numbers = {"accuracy": accuracy, "chance": chance, "low": low, "high": high}
    rounded = {name: round(value, 6) for name, value in numbers.items()}
    return finding("question only", level, message, place, {"n": n, **rounded})


def _cross_predict(questions: Sequence[str], answers: Any, images: Sequence[str]) -> Any:
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
