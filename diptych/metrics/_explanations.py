"""Pairs to look at: where a model goes wrong, comes right, keeps an answer that should change, or cannot be read."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import orjson

from diptych.metrics._brackets import mark_difference
from diptych.metrics._figures import Answers, FigureExample, Variants, figure_examples, figure_sections, new_words
from diptych.metrics.paired_vqa.columns import SIDES, Codes, align
from diptych.metrics.paired_vqa.families import FAMILIES
from diptych.metrics.paired_vqa.outcomes import Flags
from diptych.metrics.paired_vqa.scoring import ModelScores

KINDS: dict[str, str] = {
    "right_to_wrong": "right on the original side, wrong on the perturbed side",
    "wrong_to_right": "wrong on the original side, right on the perturbed side",
    "kept": "the same answer on both sides, though it should have changed",
    "changed": "another answer on the perturbed side, though it should have stayed",
    "unread": "an answer that could not be read",
}
"""The kinds of pairs that are shown; a pair may be of two kinds.

Where the right perturbed answer is not known, the paper of the family says of some tests whether to expect another.
"""

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
class Companion:
    """Another wording of the same question in the same test, beside the one that is explained."""

    label: str  # what tells it from the others, such as `uncommon`
    question: str
    answer: str


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
    companions: tuple[Companion, ...] = ()

    def lines(self) -> Iterator[str]:
        """The pair as text."""
        images = " and ".join(dict.fromkeys(filter(None, (self.image_id, self.perturbed_image_id))))
        yield f"  {self.pair_id}  {self.test}  image {images}  expected: {self.expectation}"
        before = (self.question_before, self.answer_before, self.right_before)
        after = (self.question_after, self.answer_after, self.right_after)
        for side, (question, answer, right_answers) in zip(SIDES, (before, after), strict=True):
            right = " | ".join(right_answers[:3]) or "(not known)"
            yield f"    {side:9}  {_clip(question)}  answered: {_clip(answer) or '(nothing)'}  right: {_clip(right)}"
        for companion in self.companions:
            answer = _clip(companion.answer) or "(nothing)"
            yield f"    {companion.label:9}  {_clip(companion.question)}  answered: {answer}"
        yield f"    because    {_clip(self.reason)}"


@dataclass(frozen=True, slots=True)
class Explanations:
    """Some pairs of each kind, and how many pairs of each kind there are."""

    counts: Mapping[str, int]
    entries: tuple[Explanation, ...]
    figures: tuple[FigureExample, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        entries = {"explanations": [asdict(entry) for entry in self.entries]}
        figures = {"figures": [asdict(example) for example in self.figures]} if self.figures else {}
        return {"explanation_counts": dict(self.counts), **entries, **figures}

    def as_text(self) -> str:
        """One section per kind, and one per figure of the paper."""
        sections = []
        for kind, meaning in KINDS.items():
            if kind not in self.counts:
                continue
            entries = [entry for entry in self.entries if entry.kind == kind]
            heading = f"{kind.replace('_', '-')}: {meaning}: {self.counts[kind]:,} pairs"
            lines = [line for entry in entries for line in entry.lines()]
            sections.append("\n".join([f"{heading}, {len(entries)} shown" if entries else heading, *lines]))
        sections += figure_sections(self.figures)
        return "\n\n".join(sections)


def explain_pairs(model: ModelScores, predictions: Any, limit: int) -> Explanations:
    """At most `limit` pairs of each kind, the tests in turn, those of a test in the order of the dataset."""
    answers = align(predictions, model.references.ids)
    kinds, variants = _kinds(model), Variants(model.references)
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
            entry = _explain(kind, variants.record(row), *replies)
            others = [other for other in variants.rows(row) if other != row]
            entries.append(replace(entry, companions=tuple(_companion(variants, answers, other) for other in others)))
    counts = {kind: int(is_kind.sum()) for kind, is_kind in kinds.items()}
    surprises = kinds["kept"] | kinds.get("changed", kinds["kept"])
    figures = figure_examples(model.references, answers, variants, surprises, limit)
    return Explanations(counts, tuple(entries), tuple(figures))


def _companion(variants: Variants, answers: Answers, row: int) -> Companion:
    record, perturbed = variants.record(row), answers[1]
    _, question = _marked_questions(record)
    return Companion(variants.label(row), question, perturbed.values[perturbed.codes[row]])


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
    return references.expects("different") | is_given | _expected(model, "changing_tests")


def _expected(model: ModelScores, name: str) -> Flags:
    """The pairs without a known perturbed answer of the tests that a family of scores lists under a name."""
    tests = {test for family in FAMILIES.values() for test in getattr(family, name)}
    is_listed = model.references.tests().map(tests.__contains__).astype(np.bool_)
    return model.references.expects("open") & is_listed


def _kinds(model: ModelScores) -> dict[str, Flags]:
    """Which pairs are of each kind, in the order of `KINDS`; `changed` only where a test expects answers to stay."""
    outcome = model.outcome
    original, perturbed = outcome.original.right, outcome.perturbed.right
    is_staying = _expected(model, "staying_tests")
    surprises = outcome.same & _should_change(model), outcome.changed & is_staying
    flags = (original & ~perturbed, ~original & perturbed, *surprises)
    kinds = dict(zip(KINDS, (*(outcome.parsed & flag for flag in flags), ~outcome.parsed), strict=True))
    return kinds if is_staying.any() else {kind: flag for kind, flag in kinds.items() if kind != "changed"}


def _explain(kind: str, row: Mapping[str, Any], answer_before: str, answer_after: str) -> Explanation:
    question_before, question_after = _marked_questions(row)
    return Explanation(
        kind=kind,
        pair_id=str(row.get("pair_id") or ""),
        test=str(row.get("test") or ""),
        expectation=str(row.get("expectation") or ""),
        relation=str(row.get("relation") or ""),
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


def _marked_questions(row: Mapping[str, Any]) -> tuple[str, str]:
    original, perturbed = (str(row.get(f"{side}_question") or "") for side in SIDES)
    return mark_difference(original, perturbed, new_words(row))


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
