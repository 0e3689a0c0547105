"""Whether the words of a question or the gist of its image give the answer away.

Two models that cannot know the answer are asked all the same: a classifier of the words of a question, and a score of
how well an object goes with what else the image shows. Both must be right by chance alone. One that is reliably *worse*
than chance is a finding too: it has learned something, and to know its contrary is to know the answer.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from diptych.audit._tables import EVERYWHERE, AuditedFolder, finding, percent
from diptych.folder import FindingEntry, Level
from diptych.metrics import wilson

TOLERANCE = 0.03  # how far from chance the words may lead
STRICT_TOLERANCE = 0.02  # where they must not lead anywhere
GIST_TOLERANCE = 0.05  # how far from one half the gist may lie, as the area under the curve
LEAST_GIST = 2000  # from fewer questions the gist is a warning: a small source has no image as plausible as another
RELIABLE = 3.0  # standard errors beyond which a deviation is no accident
LEAST_BELOW = 1000
"""Fewer questions cannot tell less than chance: where a few are evenly matched, what one fold lacks the others have."""

MOST_CLASSIFIED, LEAST_CLASSIFIED = 20_000, 50
"""More questions than this are not classified, for time, and fewer cannot tell."""

GIST = "gist"  # the name of the note in which a plan tells how plausible what it asks is, by answer

_FOLDS = 5
_SIDES = ("original", "perturbed")
_CHOICES = "choices"

Flags = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]


def check_leaks(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """How often a classifier of words and word pairs is right, by test; where nothing may leak, on either side."""
    for test in audited.tests:
        is_strict = _must_not_leak(audited, test.config)
        if test.is_yes_no or is_strict:
            for side in _SIDES if is_strict else _SIDES[1:]:
                questions = _questions(audited, test.config, side, test.name)
                if not is_strict or questions.num_rows:
                    place = test.place if side == "perturbed" else f"{test.place} ({side})"
                    yield _words(place, questions, is_strict)


def check_pooled_leaks(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """The same over all tests together where nothing may leak, and for questions with choices."""
    configs = [config for config in audited.pair_configs if _must_not_leak(audited, config)]
    for side in _SIDES if len(configs) > 1 else ():
        tables = [_questions(audited, config, side) for config in configs]
        if sum(table.num_rows for table in tables):
            yield _words(f"{EVERYWHERE} ({side})", pa.concat_tables(tables), is_strict=True)
    choices = [_choice_questions(audited, config) for config in configs]
    for config, of_config in zip(configs, choices, strict=True):
        if of_config:
            yield _choice_words(f"{config}: {_CHOICES}", of_config)
    if sum(map(bool, choices)) > 1:
        yield _choice_words(f"{EVERYWHERE}: {_CHOICES}", [row for of_config in choices for row in of_config])


def _must_not_leak(audited: AuditedFolder, config: str) -> bool:
    recipes = audited.folder.manifest.recipes
    return audited.rules.leak_free.applies(config, recipes[config].parameters if config in recipes else {})


# Yes/no questions.


def _questions(audited: AuditedFolder, config: str, side: str, test: str = "") -> pa.Table:
    """The distinct yes/no questions of one side: `pair_id`, `question`, `answer`, `image`."""
    columns = ("pair_id", f"{side}_question", f"{side}_answer", "original_image_id")
    table = audited.first_pairs(config, columns, 5 * MOST_CLASSIFIED, test)
    table = table.rename_columns(["pair_id", "question", "answer", "image"])
    table = table.filter(pc.is_in(table["answer"], pa.array(["yes", "no"])))
    # The same question about several versions of one image is one question.
    grouped = table.group_by(["image", "question", "answer"]).aggregate([("pair_id", "min")])
    grouped = grouped.rename_columns(["image", "question", "answer", "pair_id"])
    return grouped.select(["pair_id", "question", "answer", "image"])


def _words(place: str, table: pa.Table, is_strict: bool) -> FindingEntry:
    # In the order of the ids, so that neither files nor splits decide anything.
    table = table.take(pc.sort_indices(table["pair_id"])[:MOST_CLASSIFIED])
    answers = np.array([answer == "yes" for answer in table["answer"].to_pylist()])
    images, questions = table["image"].to_pylist(), table["question"].to_pylist()
    n = len(answers)
    chance = float(max(answers.mean(), 1 - answers.mean())) if n else 1.0
    if n < LEAST_CLASSIFIED or len(set(images)) < _FOLDS or chance == 1:
        return finding("question only", "ok", f"too few pairs to test ({n:,})", place, {"n": n})
    right = _cross_predict(questions, answers, images) == answers
    return _accuracy_finding("question only", place, right, images, (1 - chance, chance), is_strict)


def _accuracy_finding(
    name: str, place: str, right: npt.NDArray[Any], images: Sequence[str], chance: tuple[float, float], is_strict: bool
) -> FindingEntry:
    """Whether a share of right answers lies between what chance could give."""
    accuracy, n = float(right.mean()), len(right)
    low, high = wilson(accuracy, n)
    below, above = chance
    message = f"{percent(accuracy)} ({100 * low:.1f} to {100 * high:.1f}) against chance {percent(above)}, n {n:,}"
    is_below = accuracy < below and is_strict and n >= LEAST_BELOW
    excess = below - accuracy if is_below else accuracy - above
    tolerance = STRICT_TOLERANCE if is_strict else TOLERANCE
    leaks = excess > tolerance and excess > RELIABLE * _standard_error(right, images)
    level: Level = "ok" if not leaks else "error" if is_strict else "warning"
    message += ": reliably worse than chance" if leaks and is_below else ""
    numbers = {"accuracy": accuracy, "chance": above, "low": low, "high": high}
    return finding(name, level, message, place, {"n": n, **{key: round(value, 6) for key, value in numbers.items()}})


def _standard_error(right: npt.NDArray[Any], images: Sequence[str]) -> float:
    """Of a share of right answers, where those about one image are not independent."""
    groups = np.unique(np.array(images), return_inverse=True)[1]
    sums = np.bincount(groups, weights=right - right.mean())
    return float(np.sqrt((sums**2).sum())) / len(right)


def _cross_predict(questions: Sequence[str], answers: Flags, images: Sequence[str]) -> Flags:
    """What a classifier answers to every question after reading those about other images."""
    texts = np.array(questions, dtype=object)
    return _cross_decide(texts, answers, images, r"(?u)\b\w+\b", (1, 2)) > 0


def _cross_decide(
    texts: npt.NDArray[np.object_], answers: Flags, images: Sequence[str], token: str, ngrams: tuple[int, int]
) -> npt.NDArray[np.float64]:
    """How surely a classifier says yes, above zero, or no; learned from the texts about other images."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold

    decisions = np.zeros(len(texts))
    groups = np.unique(np.array(images), return_inverse=True)[1]
    for train, test in GroupKFold(_FOLDS).split(texts, answers, groups):
        if len(set(answers[train])) < 2:
            decisions[test] = 1.0 if answers[train][0] else -1.0
            continue
        words = CountVectorizer(ngram_range=ngrams, binary=True, token_pattern=token)
        # liblinear is one thread of its own arithmetic: the same numbers on every machine. The answer that is rarer in
        # the other folds is more frequent in this one: without weights a classifier that knows nothing would be wrong.
        balance = "balanced" if abs(answers.mean() - 0.5) < TOLERANCE else None
        model = LogisticRegression(solver="liblinear", random_state=0, class_weight=balance)
        model.fit(words.fit_transform(texts[train]), answers[train])
        decisions[test] = model.decision_function(words.transform(texts[test]))
    return decisions


# Questions with choices.


def _choice_questions(audited: AuditedFolder, config: str) -> list[tuple[str, str, str, tuple[str, ...]]]:
    """Image, question, answer and choices of the distinct original questions with choices, in the order of ids."""
    columns = ("pair_id", "original_image_id", "original_question", "original_answer", "bindings")
    table = audited.first_pairs(config, columns, 5 * MOST_CLASSIFIED)
    table = table.filter(pc.match_substring(table["bindings"], '"choices"')).sort_by("pair_id")
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    questions = ((*row[1:4], tuple(orjson.loads(row[4]).get("choices", ()))) for row in rows)
    return list(dict.fromkeys(questions))[:MOST_CLASSIFIED]


def _choice_words(place: str, rows: Sequence[tuple[str, str, str, tuple[str, ...]]]) -> FindingEntry:
    """How often a classifier of the choices, in their places and beside the words of the question, is right."""
    images = [image for image, *_ in rows]
    if len(rows) < LEAST_CLASSIFIED or len(set(images)) < _FOLDS:
        return finding("question only", "ok", f"too few pairs to test ({len(rows):,})", place, {"n": len(rows)})
    sizes = np.array([len(choices) for *_, choices in rows])
    texts = [_choice_text(question, choices, k) for _, question, _, choices in rows for k in range(len(choices))]
    is_right = np.array([choice == answer for *_, answer, choices in rows for choice in choices])
    owners = [image for image, size in zip(images, sizes, strict=True) for _ in range(size)]
    decisions = _cross_decide(np.array(texts, dtype=object), is_right, owners, r"\S+", (1, 1))
    starts = np.cumsum([0, *sizes[:-1]])
    right = np.array(
        [
            is_right[start + int(np.argmax(decisions[start : start + size]))]
            for start, size in zip(starts, sizes, strict=True)
        ]
    )
    chance = float((1 / sizes).mean())
    return _accuracy_finding("question only", place, right, images, (chance, chance), is_strict=True)


def _choice_text(question: str, choices: Sequence[str], place: int) -> str:
    """What can be known of one choice: its place, the others, the words of the question."""
    choice = choices[place].replace(" ", "_")
    others = [f"{choice}/{other.replace(' ', '_')}" for other in choices if other != choices[place]]
    words = [f"{choice}+{word}" for word in question.lower().replace("?", "").split()]
    return " ".join((choice, f"{place}of{len(choices)}", *others, *words))


# The gist of an image.


def check_gist(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """How well the plausibility of what is asked, in images that it was not learned from, tells yes from no."""
    pools: dict[str, list[Counts]] = {}
    for config in audited.pair_configs:
        is_strict = _must_not_leak(audited, config)
        for name, note in audited.folder.manifest.configs[config].notes.items():
            if name.partition(" (")[0] != GIST:
                continue
            try:
                sides = {side: np.array([counts["no"], counts["yes"]], np.int64) for side, counts in note.items()}
            except (AttributeError, KeyError, TypeError, ValueError):
                yield finding("gist only", "error", f"the note {name!r} of the manifest cannot be read", config)
                continue
            for side, by_answer in sides.items():
                yield _area_finding(f"{config}: {side}{name.removeprefix(GIST)}", by_answer, is_strict)
                if is_strict:
                    pools.setdefault(side, []).append(by_answer)
    for side, parts in pools.items():
        if len(parts) > 1:
            # Tests may ask the same, so that together they tell no more than one of them for certain.
            yield _area_finding(f"{EVERYWHERE}: {side}", np.sum(parts, axis=0), is_strict=True, repeats=len(parts))


def _area_finding(place: str, counts: Counts, is_strict: bool, repeats: int = 1) -> FindingEntry:
    """The area under the curve of a score of which the counts by answer and interval are known."""
    no, yes = counts
    n = int(counts.sum())
    if min(no.sum(), yes.sum()) < LEAST_CLASSIFIED // 2:
        return finding("gist only", "ok", f"too few questions to test ({n:,})", place, {"n": n})
    area = float((yes * (np.cumsum(no) - no / 2)).sum() / (yes.sum() * no.sum()))
    error = float(np.sqrt(repeats * (1 / yes.sum() + 1 / no.sum()) / 12))  # where the two are distributed alike
    leaks = abs(area - 0.5) > max(GIST_TOLERANCE, RELIABLE * error)
    level: Level = "ok" if not leaks else "error" if is_strict and n >= LEAST_GIST else "warning"
    message = f"area under the curve {area:.3f} ± {1.96 * error:.3f} against chance 0.5, n {n:,}"
    return finding("gist only", level, message, place, {"n": n, "area": round(area, 6), "error": round(error, 6)})
