"""Pairs to look at: where a model goes wrong, comes right, keeps an answer that should change, or cannot be read."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import takewhile
from operator import eq
from typing import Any

import numpy as np
import orjson

from diptych.metrics.paired_vqa.columns import SIDES, Codes, align
from diptych.metrics.paired_vqa.outcomes import Flags
from diptych.metrics.paired_vqa.scoring import ModelScores

KINDS: dict[str, str] = {
    "right_to_wrong": "right on the original side, wrong on the perturbed side",
    "wrong_to_right": "wrong on the original side, right on the perturbed side",
    "kept": "the same answer on both sides, though it should have changed",
    "unread": "an answer that could not be read",
}
"""The kinds of pairs that are shown; a pair may be of two kinds."""

OUTCOMES: dict[str, str] = {
    "both_right": "right on both sides",
    "right_to_wrong": "right on the original side, wrong on the perturbed side",
    "wrong_to_right": "wrong on the original side, right on the perturbed side",
    "both_wrong": "wrong on both sides",
    "changed": "another answer on the perturbed side, where the right one is not known",
    "stayed": "the same answer on the perturbed side, where the right one is not known",
    "unread": "an answer that could not be read",
}
"""What may become of a pair: each has one outcome, and may besides have been kept though it should have changed."""

_REASON_COLUMNS = ("relation", "replaced", "replacement", "synset_from", "synset_to")
_LONGEST_TEXT = 240  # characters of a question, a reply or a reason on a terminal


@dataclass(frozen=True, slots=True)
class Explanation:
    """One pair: both questions with what differs in brackets, both replies, the right answers, and what made it."""

    kind: str
    pair_id: str
    test: str
    expectation: str
    image_id: str
    perturbed_image_id: str
    relation: str
    question_before: str
    question_after: str
    answer_before: str
    answer_after: str
    right_before: tuple[str, ...]  # the most frequent first
    right_after: tuple[str, ...]  # none where the perturbed answer is unknown
    reason: str

    def lines(self) -> Iterator[str]:
        """The pair as text."""
        images = " and ".join(dict.fromkeys(filter(None, (self.image_id, self.perturbed_image_id))))
        yield f"  {self.pair_id}  {self.test}  image {images}  expected: {self.expectation}"
        before = (self.question_before, self.answer_before, self.right_before)
        after = (self.question_after, self.answer_after, self.right_after)
        for side, (question, answer, right_answers) in zip(SIDES, (before, after), strict=True):
            right = " | ".join(right_answers[:3]) or "(not known)"
            yield f"    {side:9}  {_clip(question)}  answered: {_clip(answer) or '(nothing)'}  right: {_clip(right)}"
        yield f"    because    {_clip(self.reason)}"


@dataclass(frozen=True, slots=True)
class Explanations:
    """Some pairs of each kind, and how many pairs of each kind there are."""

    counts: Mapping[str, int]
    entries: tuple[Explanation, ...]

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {"explanation_counts": dict(self.counts), "explanations": [asdict(entry) for entry in self.entries]}

    def as_text(self) -> str:
        """One section per kind."""
        sections = []
        for kind, meaning in KINDS.items():
            entries = [entry for entry in self.entries if entry.kind == kind]
            heading = f"{kind.replace('_', '-')}: {meaning}: {self.counts[kind]:,} pairs"
            lines = [line for entry in entries for line in entry.lines()]
            sections.append("\n".join([f"{heading}, {len(entries)} shown" if entries else heading, *lines]))
        return "\n\n".join(sections)


def explain_pairs(model: ModelScores, predictions: Any, limit: int) -> Explanations:
    """At most `limit` pairs of each kind, the tests in turn, those of a test in the order of the dataset."""
    answers = align(predictions, model.references.ids)
    kinds = _kinds(model)
    tests = model.references.tests()
    turns = np.zeros(len(model.references), dtype=np.int64)
    entries = []
    for kind, is_kind in kinds.items():
        for rows in tests.groups().values():
            turns[rows[is_kind[rows]]] = np.arange(is_kind[rows].sum())
        # What is kept has a section of its own, so the others begin with what was changed.
        is_elsewhere = kinds["kept"] & (kind != "kept")
        candidates = np.flatnonzero(is_kind)
        order = np.lexsort((tests.ranks()[0][candidates], turns[candidates], is_elsewhere[candidates]))
        for row in candidates[order][:limit].tolist():
            replies = tuple(column.values[column.codes[row]] for column in answers)
            entries.append(_explain(kind, model.references.table.slice(row, 1).to_pylist()[0], *replies))
    return Explanations({kind: int(is_kind.sum()) for kind, is_kind in kinds.items()}, tuple(entries))


def classify_pairs(model: ModelScores) -> tuple[Codes, Flags]:
    """The outcome of every pair, as its place in `OUTCOMES`; and where an answer was kept that should have changed."""
    outcome, is_open = model.outcome, model.references.expects("open")
    known = 2 * ~outcome.original.right + ~outcome.perturbed.right
    names = list(OUTCOMES)
    unknown = np.where(outcome.changed, names.index("changed"), names.index("stayed"))
    codes = np.where(outcome.parsed, np.where(is_open, unknown, known), names.index("unread"))
    return codes.astype(np.int64), outcome.same & _should_change(model)


def _should_change(model: ModelScores) -> Flags:
    references = model.references
    codes: list[Codes] = [
        side.shown_answers.map(references.codebook.code) for side in (references.original, references.perturbed)
    ]
    is_given: Flags = references.expects("given") & (codes[0] != codes[1])
    return references.expects("different") | is_given


def _kinds(model: ModelScores) -> dict[str, Flags]:
    """Which pairs are of each kind, in the order of `KINDS`."""
    outcome = model.outcome
    original, perturbed = outcome.original.right, outcome.perturbed.right
    flags = (original & ~perturbed, ~original & perturbed, outcome.same & _should_change(model))
    return dict(zip(KINDS, (*(outcome.parsed & flag for flag in flags), ~outcome.parsed), strict=True))


def _explain(kind: str, row: Mapping[str, Any], answer_before: str, answer_after: str) -> Explanation:
    question_before, question_after = mark_difference(*(str(row.get(f"{side}_question") or "") for side in SIDES))
    texts = {name: str(row.get(name) or "") for name in ("pair_id", "test", "expectation", "relation")}
    return Explanation(
        kind=kind,
        **texts,
        image_id=str(row.get("original_image_id") or ""),
        perturbed_image_id=str(row.get("perturbed_image_id") or ""),
        question_before=question_before,
        question_after=question_after,
        answer_before=answer_before,
        answer_after=answer_after,
        right_before=_right_answers(row, "original"),
        right_after=_right_answers(row, "perturbed"),
        reason=_reason(row),
    )


def _right_answers(row: Mapping[str, Any], side: str) -> tuple[str, ...]:
    answers = Counter(row.get(f"{side}_answers") or [row.get(f"{side}_answer")])
    return tuple(answer for answer, _ in answers.most_common() if answer)


def _reason(row: Mapping[str, Any]) -> str:
    """What made a pair, on one line: the words and senses that were exchanged, the template and what fills it."""
    facts = {name: row[name] for name in _REASON_COLUMNS if row.get(name)}
    facts = _bindings(row.get("bindings") or "{}") | facts
    parts = [f"template {row['template_id']}"] if row.get("template_id") else []
    parts += [", ".join(f"{name} = {value}" for name, value in facts.items())] if facts else []
    parts += [f"from {row['source']} {row.get('source_id') or ''}".rstrip()] if row.get("source") else []
    return "; ".join(parts) or "the dataset does not say"


def _bindings(text: str) -> dict[str, str]:
    """What fills a template, in words; ids of records and what is empty are left out.

    >>> _bindings('{"value": "red", "fact": ["cat", "IsA", "pet"], "fact_id": "7", "objects": []}')
    {'value': 'red', 'fact': 'cat IsA pet'}
    """
    try:
        bindings = orjson.loads(text)
    except orjson.JSONDecodeError:
        bindings = text
    if not isinstance(bindings, dict):
        return {"bindings": text}
    texts = {
        name: " ".join(map(str, value)) if isinstance(value, list) else str(value) for name, value in bindings.items()
    }
    return {name: value for name, value in texts.items() if value and not name.endswith(("_id", "_questions"))}


def _clip(text: str) -> str:
    """A text on one line that a terminal can show."""
    line = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return line if len(line) <= _LONGEST_TEXT else f"{line[: _LONGEST_TEXT - 1]}…"


def mark_difference(original_question: str, perturbed_question: str) -> tuple[str, str]:
    """Two questions with what differs in brackets; nothing is shown as `_`, and other questions as they are.

    >>> mark_difference("Is there a dog?", "Is there an animal?")
    ('Is there [a dog]?', 'Is there [an animal]?')
    """
    original, perturbed = list(_words(original_question)), list(_words(perturbed_question))
    start = _common_length(original, perturbed)
    rest = min(len(original), len(perturbed)) - start
    stop = min(_common_length(original[::-1], perturbed[::-1]), rest)
    if original == perturbed or (not start and stop < 2):  # nothing differs, or all but the question mark
        return original_question, perturbed_question
    return _bracket(original, start, stop), _bracket(perturbed, start, stop)


def _common_length(original: Sequence[str], perturbed: Sequence[str]) -> int:
    """How many words two lists have in common from their start."""
    return sum(takewhile(bool, map(eq, original, perturbed)))


def _words(text: str) -> Iterator[str]:
    for word in text.split():
        stem = word.rstrip("?.!,")
        yield from (part for part in (stem, word[len(stem) :]) if part)


def _bracket(words: list[str], start: int, stop: int) -> str:
    end = len(words) - stop
    difference = " ".join(words[start:end]) or "_"
    text = " ".join([*words[:start], f"[{difference}]", *words[end:]])
    return text.replace(" ?", "?").replace(" .", ".").replace(" ,", ",").replace(" !", "!")
