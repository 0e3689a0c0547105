"""Whether every row is what it must be: a pair with its id, expectation and bindings, there once; a sound ranking."""

import re
from array import array
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any

import numpy as np
import orjson

from diptych.audit._tables import AuditedFolder, finding, first_few, percent, result
from diptych.folder import FindingEntry, Level
from diptych.pairs import CORE_COLUMNS, Expectation, row_pair_id

LARGEST_GAP, LARGEST_EXCESS = 1e-8, 1e-6  # what the certificate of a ranking may say at most

_EXPECTATIONS = frozenset(expectation.value for expectation in Expectation)
_WORD = re.compile(r"\w+")
_DROPPED_WORDS = frozenset("a an the this that these those picture photo image in".split())
_SIDES = ("test", "original_image_id", "original_question", "perturbed_image_id", "perturbed_question")
_ANSWERED = ("perturbed_image_id", "perturbed_question", "perturbed_answer")
_RANKED = ("question_id", "question", "basic_questions", "scores", "gap", "excess")


def check_integrity(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Ids are unique in a config and hash what the pair says; expectations and bindings hold."""
    repeated, unknown, untrue, broken, unreadable = [], [], [], [], []
    pairs = 0
    for config in audited.pair_configs:
        ids = array("Q")
        for row in (row for table in audited.batches(config, CORE_COLUMNS) for row in table.to_pylist()):
            place = f"{config}: {row['pair_id']}"
            ids.append(_digest(row["pair_id"]))
            if row["expectation"] not in _EXPECTATIONS:
                unknown.append(f"{place} {row['expectation']!r}")
            elif row_pair_id(row) != row["pair_id"]:
                untrue.append(place)
            if not _keeps_expectation(row):
                broken.append(place)
            if not _is_object(row["bindings"]):
                unreadable.append(place)
        pairs += len(ids)
        repeated += [f"{config}: {pair_id}" for pair_id in _repeated_ids(audited, config, ids)]
    yield _verdict("unique ids", {"used twice": repeated}, "no id is used twice in a config", pairs=pairs)
    yield _verdict("true ids", {"not the hash of its pair": untrue}, "every id is the hash of its pair")
    faults = {"unknown expectation": unknown, "answers contradict the expectation": broken}
    yield _verdict("expectations", faults, "the answers of every pair fit its expectation")
    faults = {"bindings are not a JSON object": unreadable}
    yield _verdict("bindings", faults, "the bindings of every pair are a JSON object")


def _verdict(name: str, faults: Mapping[str, list[str]], message: str, **numbers: Any) -> FindingEntry:
    """The result of a check of several faults, each with the places that have it."""
    texts = [f"{fault}: {first_few(places)}" for fault, places in faults.items() if places]
    return result(name, ["; ".join(texts)] if texts else [], message, **numbers)


def _repeated_ids(audited: AuditedFolder, config: str, digests: "array[int]") -> list[str]:
    values, counts = np.unique(digests, return_counts=True)
    repeated = set(values[counts > 1].tolist())
    rows = audited.rows(config, ["pair_id"]) if repeated else ()
    return list(dict.fromkeys(pair_id for (pair_id,) in rows if _digest(pair_id) in repeated))


def _keeps_expectation(row: Mapping[str, Any]) -> bool:
    match row["expectation"]:
        case "same":
            return bool(row["original_answer"] == row["perturbed_answer"])
        case "different":
            return bool(row["original_answer"] != row["perturbed_answer"])
        case "given":
            return bool(row["original_answers"]) and bool(row["perturbed_answers"])
    return True


def _is_object(text: str) -> bool:
    try:
        return isinstance(orjson.loads(text), dict)
    except orjson.JSONDecodeError:
        return False


def check_duplicates(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Pairs of the same images and questions in every config, and questions that are answered both yes and no."""
    contradicted = False
    for config in audited.pair_configs:
        yield _repetitions(audited, config)
        if contradictions := _contradictions(audited, config):
            contradicted = True
            is_imported = all(test.is_imported for test in audited.tests if test.config == config)
            message = f"the same question about the same image is answered both yes and no: {first_few(contradictions)}"
            numbers = {"questions": len(contradictions)}
            yield finding("contradictions", "warning" if is_imported else "error", message, config, numbers)
    if not contradicted:
        yield finding("contradictions", "ok", "no question about an image is answered both yes and no")


def _repetitions(audited: AuditedFolder, config: str) -> FindingEntry:
    exact, near = array("Q"), array("Q")
    for test, image, question, other_image, other_question in audited.rows(config, _SIDES):
        exact.append(_digest(test, image, question, other_image, other_question))
        near.append(_digest(test, image, normalize(question), other_image, normalize(other_question)))
    n, distinct, dissimilar = len(exact), len(np.unique(exact)), len(np.unique(near))
    repeated, similar = n - distinct, distinct - dissimilar
    share = (repeated + similar) / max(1, n)
    message = f"{repeated:,} pairs repeat another's images and questions, {similar:,} nearly so, of {n:,}"
    numbers = {"n": n, "exact": repeated, "near": similar}
    level: Level = "warning" if share > 0.01 else "ok"
    return finding("duplicates", level, f"{message} ({percent(share)})", config, numbers)


def _contradictions(audited: AuditedFolder, config: str) -> list[str]:
    questions = {"yes": array("Q"), "no": array("Q")}
    for image, question, answer in audited.rows(config, _ANSWERED):
        if answer in questions:
            questions[answer].append(_digest(image, question))
    both = set(np.intersect1d(questions["yes"], questions["no"]).tolist())
    rows = audited.rows(config, _ANSWERED) if both else ()
    return sorted({f"{question} (image {image})" for image, question, _ in rows if _digest(image, question) in both})


def _digest(*texts: str) -> int:
    """A short name for some texts: a million of them take little memory."""
    return int.from_bytes(blake2b("\0".join(texts).encode(), digest_size=8).digest())


def normalize(question: str) -> str:
    """A question without case, punctuation, articles and the words for the picture.

    >>> normalize("Is the dog in this picture brown?")
    'is dog brown'
    """
    return " ".join(word for word in _WORD.findall(question.lower()) if word not in _DROPPED_WORDS)


def check_rankings(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Ranked rows, where a dataset has any: scores fall, certificates hold, no question is its own basic question."""
    faults, count = [], 0
    for config, split in audited.readable:
        entry = audited.folder.manifest.configs[config]
        if entry.tests or not set(_RANKED) <= {feature["name"] for feature in entry.features}:
            continue
        for table in audited.folder.batches(config, split, _RANKED):
            count += table.num_rows
            rows = table.to_pylist()
            faults += [f"{config} {row['question_id']}: {fault}" for row in rows if (fault := _ranking_fault(row))]
    if count:
        message = f"{count:,} rankings have falling scores, valid certificates and no question that ranks itself"
        yield result("rankings", faults, message, rows=count)


def _ranking_fault(row: Mapping[str, Any]) -> str:
    basic, scores = row["basic_questions"], row["scores"]
    if len(scores) != len(basic) or scores != sorted(scores, reverse=True):
        return "its scores do not fall"
    if row["question"] in basic or len(set(basic)) < len(basic):
        return "its basic questions repeat the main question or each other"
    if row["gap"] is not None and not (row["gap"] <= LARGEST_GAP and row["excess"] <= LARGEST_EXCESS):
        return "its certificate does not hold"
    return ""
