"""From annotators' files to verdicts: who agrees, what was accepted, and what is still open."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

from diptych.builders import ACCEPTED, DISPUTED, FIXED, REJECTED
from diptych.errors import BadInputError
from diptych.files import read_json
from diptych.report.review._items import ReviewItem

GOLD_PREFIX = "gold."  # ids of gold questions begin so: they are checked on the page and are no part of the dataset

_VERDICTS = (ACCEPTED, REJECTED, FIXED)


class Sheet(NamedTuple):
    """One annotator's file: the entry of each item by its id."""

    path: Path
    annotator: str
    entries: Mapping[str, Mapping[str, Any]]


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
    verdicts = content.get("verdicts") or []
    if not isinstance(verdicts, list) or not all(isinstance(entry, dict) for entry in verdicts):
        raise BadInputError(f"{path}: its verdicts are not a list of objects; take the file that the page wrote")
    for entry in verdicts:
        item = str(entry.get("item"))
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


def merge_files(
    paths: Sequence[Path], items: Sequence[ReviewItem], agree: int = 2
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The verdicts on pairs and a report; a pair passes if so many annotators accept it, and more than reject it."""
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
    report = {
        "annotators": [sheet.annotator for sheet in sheets],
        "counts": dict(sorted(counts.items())),
        "reasons": dict(reasons.most_common()),
        "agreement": _agreement(sheets),
    }
    return sorted(verdicts, key=lambda verdict: str(verdict["pair_id"])), report


def _decide(entries: Sequence[Mapping[str, Any]], agree: int) -> dict[str, Any]:
    """What the annotators of one item decided; nothing where there are too few."""
    if len(entries) < agree:
        return {}
    approvals = [entry for entry in entries if entry["verdict"] in {ACCEPTED, FIXED}]
    rejections = len(entries) - len(approvals)
    if len(approvals) >= agree and len(approvals) > rejections:
        fixed = [entry for entry in approvals if entry["verdict"] == FIXED]
        fixes = [{"question": fix.get("question") or "", "answers": list(fix.get("answers") or ())} for fix in fixed]
        if not fixes:
            return {"verdict": ACCEPTED}
        # Where fixes differ, no wording has been agreed on.
        return {"verdict": FIXED, **fixes[0]} if all(fix == fixes[0] for fix in fixes) else {"verdict": DISPUTED}
    return {"verdict": REJECTED if rejections >= agree and rejections > len(approvals) else DISPUTED}


def _agreement(sheets: Sequence[Sheet]) -> dict[str, Any]:
    """How far annotators agree on passed or not beyond chance, over the items that everybody judged."""
    if len(sheets) < 2:
        return {"name": "", "value": nan, "items": 0}
    shared = sorted(set.intersection(*(set(sheet.entries) for sheet in sheets)))
    labels = [["no" if sheet.entries[item]["verdict"] == REJECTED else "yes" for sheet in sheets] for item in shared]
    if len(sheets) > 2:
        return {"name": "Fleiss' kappa", "value": fleiss_kappa(labels), "items": len(shared)}
    kappa = cohens_kappa([pair[0] for pair in labels], [pair[1] for pair in labels])
    return {"name": "Cohen's kappa", "value": kappa, "items": len(shared)}


def cohens_kappa(first: Sequence[str], second: Sequence[str]) -> float:
    """Agreement of two annotators on the same items."""
    from sklearn.metrics import cohen_kappa_score  # slow to import

    if not first:
        return nan
    return 1.0 if first == second else float(cohen_kappa_score(first, second))


def fleiss_kappa(items: Sequence[Sequence[str]]) -> float:
    """Agreement of several annotators; every item has as many labels as the first."""
    if not items or len(items[0]) < 2:
        return nan
    raters = len(items[0])
    counts = [Counter(labels) for labels in items]
    within = [sum(n * (n - 1) for n in count.values()) / (raters * (raters - 1)) for count in counts]
    total: Counter[str] = sum(counts, Counter())
    chance = sum((n / (len(items) * raters)) ** 2 for n in total.values())
    return 1.0 if chance == 1 else (sum(within) / len(items) - chance) / (1 - chance)
