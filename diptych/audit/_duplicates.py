"""Whether a pair is there twice, word for word or nearly, and whether two pairs contradict each other."""

import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b

import pyarrow as pa

from diptych.audit._balance import is_imported
from diptych.audit._findings import finding, first_few, percent
from diptych.audit._tables import AuditedFolder
from diptych.folder import FindingEntry, Level

_WORD = re.compile(r"\w+")
_DROPPED_WORDS = frozenset("a an the this that these those picture photo image in".split())
_SIDES = ("test", "original_image_id", "original_question", "perturbed_image_id", "perturbed_question")
_COLUMNS = (*_SIDES, "perturbed_answer", "template_id")


def check_duplicates(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """Pairs of the same images and questions in every config, and questions that are answered both yes and no."""
    contradicted = False
    for config in audited.pair_configs():
        table = audited.pairs(config, _COLUMNS)
        yield _repetitions(config, table)
        contradictions = _contradictions(table)
        if contradictions:
            contradicted = True
            level: Level = "warning" if is_imported(table) else "error"
            message = f"asked of one image and answered both yes and no: {first_few(contradictions)}"
            yield finding("contradictions", level, message, config, {"questions": len(contradictions)})
    if not contradicted:
        yield finding("contradictions", "ok", "no question of an image is answered both yes and no")


def _repetitions(config: str, table: pa.Table) -> FindingEntry:
    exact: set[bytes] = set()
    near: set[bytes] = set()
    for row in _rows(table, _SIDES):
        test, image, question, other_image, other_question = row
        exact.add(_digest(row))
        near.add(_digest((test, image, normalize(question), other_image, normalize(other_question))))
    n = table.num_rows
    repeated, similar = n - len(exact), len(exact) - len(near)
    share = (repeated + similar) / max(1, n)
    message = f"{repeated:,} pairs repeat another's images and questions, {similar:,} nearly so, of {n:,}"
    numbers = {"n": n, "exact": repeated, "near": similar}
    level: Level = "warning" if share > 0.01 else "ok"
    return finding("duplicates", level, f"{message} ({percent(share)})", config, numbers)


def _contradictions(table: pa.Table) -> list[str]:
    answers: dict[bytes, int] = {}
    contradictions: set[str] = set()
    bits = {"yes": 1, "no": 2}
    for image, question, answer in _rows(table, ("perturbed_image_id", "perturbed_question", "perturbed_answer")):
        if answer in bits:
            key = _digest((image, question))
            answers[key] = answers.get(key, 0) | bits[answer]
            if answers[key] == 3:
                contradictions.add(f"{question} (image {image})")
    return sorted(contradictions)


def _rows(table: pa.Table, columns: Iterable[str]) -> Iterator[tuple[str, ...]]:
    for batch in table.select(list(columns)).to_batches(max_chunksize=4096):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _digest(texts: Iterable[str]) -> bytes:
    """A short name for some texts: a million of them take little memory."""
    return blake2b("\0".join(texts).encode(), digest_size=16).digest()


def normalize(question: str) -> str:
    """A question without case, punctuation, articles and the words for the picture.

    >>> normalize("Is the dog in this picture brown?")
    'is dog brown'
    """
    return " ".join(word for word in _WORD.findall(question.lower()) if word not in _DROPPED_WORDS)
