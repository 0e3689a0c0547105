"""Whether a pair is there twice, word for word or nearly, and whether two pairs contradict each other."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from diptych.cards.audit.balance import is_imported
from diptych.cards.audit.built import Built
from diptych.cards.audit.finding import Finding, Level, percent, some

_WORD = re.compile(r"\w+")
_DROPPED = frozenset({"a", "an", "the", "this", "that", "these", "those", "picture", "photo", "image", "in"})
_COLUMNS = ("test", "original_image_id", "original_question", "perturbed_image_id", "perturbed_question")


def duplicates(built: Built) -> Iterator[Finding]:
    """Pairs of the same images and questions in every config, and questions that are answered both yes and no."""
    found = False
    for config, table in built.by_config().items():
        yield _repeated(config, table)
        contradicting = _contradicting(table)
        if contradicting:
            found = True
            level: Level = "note" if is_imported(table) else "wanting"
            what = f"asked of one image and answered both yes and no: {some(contradicting)}"
            yield Finding("contradictions", level, what, config, {"questions": len(contradicting)})
    if not found:
        yield Finding("contradictions", "ok", "no question of an image is answered both yes and no")


def _repeated(config: str, table: pa.Table) -> Finding:
    exact: Counter[Any] = Counter()
    near: Counter[Any] = Counter()
    for row in zip(*(table[name].to_pylist() for name in _COLUMNS), strict=True):
        test, image, question, other_image, other_question = row
        exact[row] += 1
        near[test, image, normalised(question), other_image, normalised(other_question)] += 1
    twice = sum(exact.values()) - len(exact)
    nearly = sum(near.values()) - len(near) - twice
    what = f"{twice:,} pairs repeat another's images and questions, {nearly:,} nearly so, of {table.num_rows:,}"
    many = (twice + nearly) / max(1, table.num_rows) > 0.01
    numbers = {"n": table.num_rows, "exact": twice, "near": nearly}
    what += f" ({percent((twice + nearly) / max(1, table.num_rows))})"
    return Finding("duplicates", "note" if many else "ok", what, config, numbers)


def _contradicting(table: pa.Table) -> list[str]:
    said: dict[tuple[str, str], set[str]] = {}
    columns = ("perturbed_image_id", "perturbed_question", "perturbed_answer")
    for image, question, answer in zip(*(table[name].to_pylist() for name in columns), strict=True):
        said.setdefault((image, question), set()).add(answer)
    both = [asked for asked, answers in said.items() if answers >= {"yes", "no"}]
    return sorted(f"{question} (image {image})" for image, question in both)


def normalised(question: str) -> str:
    """A question without case, punctuation, articles and the words for the picture.

    >>> normalised("Is the dog in this picture brown?")
    'is dog brown'
    """
    return " ".join(word for word in _WORD.findall(question.lower()) if word not in _DROPPED)
