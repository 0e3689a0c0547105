"""Whether a pair is there twice, word for word or nearly, and whether two pairs contradict each other."""

import re
from array import array
from collections.abc import Iterator
from hashlib import blake2b

import numpy as np

from diptych.audit._balance import is_imported
from diptych.audit._findings import finding, first_few, percent
from diptych.audit._tables import AuditedFolder
from diptych.folder import FindingEntry, Level

_WORD = re.compile(r"\w+")
_DROPPED_WORDS = frozenset("a an the this that these those picture photo image in".split())
_SIDES = ("test", "original_image_id", "original_question", "perturbed_image_id", "perturbed_question")
_ANSWERED = ("perturbed_image_id", "perturbed_question", "perturbed_answer")


def check_duplicates(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Pairs of the same images and questions in every config, and questions that are answered both yes and no."""
    contradicted = False
    for config in audited.pair_configs():
        yield _repetitions(config, audited)
        contradictions = _contradictions(config, audited)
        if contradictions:
            contradicted = True
            level: Level = "warning" if is_imported(audited.pairs(config, ["template_id"])) else "error"
            message = f"asked of one image and answered both yes and no: {first_few(contradictions)}"
            yield finding("contradictions", level, message, config, {"questions": len(contradictions)})
    if not contradicted:
        yield finding("contradictions", "ok", "no question of an image is answered both yes and no")


def _repetitions(config: str, audited: AuditedFolder) -> FindingEntry:
    exact, near = array("Q"), array("Q")
    for test, image, question, other_image, other_question in _rows(config, audited, _SIDES):
        exact.append(_digest(test, image, question, other_image, other_question))
        near.append(_digest(test, image, normalize(question), other_image, normalize(other_question)))
    n, distinct, dissimilar = len(exact), len(np.unique(exact)), len(np.unique(near))
    repeated, similar = n - distinct, distinct - dissimilar
    share = (repeated + similar) / max(1, n)
    message = f"{repeated:,} pairs repeat another's images and questions, {similar:,} nearly so, of {n:,}"
    numbers = {"n": n, "exact": repeated, "near": similar}
    level: Level = "warning" if share > 0.01 else "ok"
    return finding("duplicates", level, f"{message} ({percent(share)})", config, numbers)


def _contradictions(config: str, audited: AuditedFolder) -> list[str]:
    questions = {"yes": array("Q"), "no": array("Q")}
    for image, question, answer in _rows(config, audited, _ANSWERED):
        if answer in questions:
            questions[answer].append(_digest(image, question))
    both = set(np.intersect1d(questions["yes"], questions["no"]).tolist())
    if not both:
        return []
    rows = _rows(config, audited, _ANSWERED)
    return sorted({f"{question} (image {image})" for image, question, _ in rows if _digest(image, question) in both})


def _rows(config: str, audited: AuditedFolder, columns: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for table in audited.batches(config, columns):
        yield from zip(*(column.to_pylist() for column in table.columns), strict=True)


def _digest(*texts: str) -> int:
    """A short name for some texts: a million of them take little memory."""
    return int.from_bytes(blake2b("\0".join(texts).encode(), digest_size=8).digest())


def normalize(question: str) -> str:
    """A question without case, punctuation, articles and the words for the picture.

    >>> normalize("Is the dog in this picture brown?")
    'is dog brown'
    """
    return " ".join(word for word in _WORD.findall(question.lower()) if word not in _DROPPED_WORDS)
