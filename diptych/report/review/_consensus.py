"""From annotators' files to verdicts: who agrees, what was accepted, and what is still open."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Any

from diptych.builders import ACCEPTED, DISPUTED, FIXED, REJECTED
from diptych.errors import BadInputError
from diptych.files import read_json, write_json_lines
from diptych.report.review._items import ReviewItem

GOLD_PREFIX = "gold."
"""Ids of gold questions begin so: they are checked on the page and are no part of the dataset."""

_VERDICTS = (ACCEPTED, REJECTED, FIXED)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One annotator's file."""

    path: Path
    annotator: str
    entries: Mapping[str, Mapping[str, Any]]
    """Item id to the annotator's entry."""


@dataclass(frozen=True, slots=True)
class Consensus:
    """What the annotators decided together."""

    verdicts: list[dict[str, Any]]
    counts: Counter[str]
    reasons: Counter[str]
    annotators: tuple[str, ...]
    kappa_name: str
    kappa: float
    kappa_items: int

    def as_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "annotators": list(self.annotators),
            "counts": dict(sorted(self.counts.items())),
            "reasons": dict(self.reasons.most_common()),
            "agreement": {"name": self.kappa_name, "value": self.kappa, "items": self.kappa_items},
        }


def read_sheets(paths: Sequence[Path], items: Mapping[str, ReviewItem], mode: str) -> list[Sheet]:
    """The annotators' files; two files of one annotator are one sheet unless they contradict each other."""
    sheets: dict[str, Sheet] = {}
    for path in paths:
        sheet = _read_sheet(path, items, mode)
        earlier = sheets.get(sheet.annotator)
        if earlier:
            for item, entry in sheet.entries.items():
                if earlier.entries.get(item, entry) != entry:
                    raise BadInputError(f"{path}: item {item}: {sheet.annotator} differs in {earlier.path}; keep one")
            sheet = Sheet(path, sheet.annotator, {**earlier.entries, **sheet.entries})
        sheets[sheet.annotator] = sheet
    return [sheets[name] for name in sorted(sheets)]


def _read_sheet(path: Path, items: Mapping[str, ReviewItem], mode: str) -> Sheet:
    content = read_json(path)
    if not isinstance(content, dict) or content.get("diptych_review") != 1 or content.get("mode") != mode:
        raise BadInputError(f"{path}: not a file of a page of this kind ({mode})")
    name = str(content.get("annotator") or "").strip()
    if not name:
        raise BadInputError(f"{path}: no annotator's name")
    entries: dict[str, Mapping[str, Any]] = {}
    for entry in content.get("verdicts") or ():
        item = str(entry.get("item")) if isinstance(entry, dict) else str(entry)
        if item.startswith(GOLD_PREFIX):
            continue
        if item not in items:
            raise BadInputError(f"{path}: item {item} is none of this dataset's pairs; was it built anew since?")
        if mode == "judge" and entry.get("verdict") not in _VERDICTS:
            raise BadInputError(f"{path}: item {item}: the verdict is none of {', '.join(_VERDICTS)}")
        words = [entry.get(key) or [] for key in ("reasons", "answers")]
        words += [[entry.get(key) or ""] for key in ("question", "answer")]
        if not all(isinstance(texts, list) and all(isinstance(text, str) for text in texts) for texts in words):
            raise BadInputError(f"{path}: item {item}: reasons, answers or questions that are not texts")
        entries[item] = {key: value for key, value in entry.items() if key != "item"}
    return Sheet(path, name, entries)


def merge_files(paths: Sequence[Path], items: Sequence[ReviewItem], agree: int = 2) -> Consensus:
    """Apply the consensus rule: a pair passes if so many annotators accept it, and more than reject it."""
    if agree < 1:
        raise BadInputError(f"at least 1 annotator must agree, not {agree}")
    sheets = read_sheets(paths, {item.item_id: item for item in items}, "judge")
    if agree > len(sheets):
        raise BadInputError(f"{agree} must agree, but there are only {len(sheets)} annotators; send more files")
    verdicts: list[dict[str, Any]] = []
    counts, reasons = Counter[str](), Counter[str]()
    for item in items:
        entries = [sheet.entries[item.item_id] for sheet in sheets if item.item_id in sheet.entries]
        for entry in entries:
            reasons.update(entry.get("reasons") or ())
        verdict = _decide(entries, agree)
        counts[verdict.get("verdict", "open")] += 1
        if verdict:
            verdicts += [{"pair_id": pair_id, "item": item.item_id, **verdict} for pair_id in item.pair_ids]
    return Consensus(verdicts, counts, reasons, tuple(sheet.annotator for sheet in sheets), *_agreement(sheets))


def _decide(entries: Sequence[Mapping[str, Any]], agree: int) -> dict[str, Any]:
    """What the annotators of one item decided; nothing where there are too few."""
    if len(entries) < agree:
        return {}
    approvals = [entry for entry in entries if entry["verdict"] in {ACCEPTED, FIXED}]
    rejections = len(entries) - len(approvals)
    if len(approvals) >= agree and len(approvals) > rejections:
        fixes = [
            {"question": entry.get("question") or "", "answers": list(entry.get("answers") or ())}
            for entry in approvals
            if entry["verdict"] == FIXED
        ]
        if not fixes:
            return {"verdict": ACCEPTED}
        # Where fixes differ, no wording has been agreed on.
        return {"verdict": FIXED, **fixes[0]} if all(fix == fixes[0] for fix in fixes) else {"verdict": DISPUTED}
    return {"verdict": REJECTED if rejections >= agree and rejections > len(approvals) else DISPUTED}


def _agreement(sheets: Sequence[Sheet]) -> tuple[str, float, int]:
    """How far annotators agree on passed or not beyond chance, over the items that everybody judged."""
    if len(sheets) < 2:
        return "", nan, 0
    shared = sorted(set.intersection(*(set(sheet.entries) for sheet in sheets)))
    labels = [["no" if sheet.entries[item]["verdict"] == REJECTED else "yes" for sheet in sheets] for item in shared]
    if len(sheets) > 2:
        return "Fleiss' kappa", fleiss_kappa(labels), len(shared)
    return "Cohen's kappa", cohens_kappa([pair[0] for pair in labels], [pair[1] for pair in labels]), len(shared)


def write_verdicts(path: Path, consensus: Consensus) -> None:
    """Write one line per pair, for `diptych build --verdicts`."""
    write_json_lines(path, sorted(consensus.verdicts, key=lambda verdict: str(verdict["pair_id"])))


def cohens_kappa(first: Sequence[str], second: Sequence[str]) -> float:
    """Agreement of two annotators on the same items.

    >>> cohens_kappa(["a", "a", "r", "r"], ["a", "a", "r", "a"])
    0.5
    """
    n = len(first)
    if n == 0 or n != len(second):
        return nan
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    left, right = Counter(first), Counter(second)
    chance = sum(left[label] * right[label] for label in left) / n**2
    return 1.0 if chance == 1 else (observed - chance) / (1 - chance)


def fleiss_kappa(items: Sequence[Sequence[str]]) -> float:
    """Agreement of several annotators; every item has as many labels as the first.

    >>> round(fleiss_kappa([["a", "a", "r"], ["r", "r", "r"], ["a", "a", "a"]]), 3)
    0.55
    """
    if not items or len(items[0]) < 2:
        return nan
    raters = len(items[0])
    counts = [Counter(labels) for labels in items]
    within = [sum(n * (n - 1) for n in count.values()) / (raters * (raters - 1)) for count in counts]
    total: Counter[str] = sum(counts, Counter())
    chance = sum((n / (len(items) * raters)) ** 2 for n in total.values())
    return 1.0 if chance == 1 else (sum(within) / len(items) - chance) / (1 - chance)
