"""From annotators' files to verdicts: who agrees, what was accepted, and what is still open."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import Any

from diptych.builders import ACCEPTED, DISPUTED, FIXED, REJECTED
from diptych.errors import BadInputError
from diptych.files import read_json, write_json_lines
from diptych.report.review._agreement import cohens_kappa, fleiss_kappa
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


@dataclass(slots=True)
class Consensus:
    """What the annotators decided together."""

    verdicts: list[dict[str, Any]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    annotators: tuple[str, ...] = ()
    kappa: float = nan
    kappa_name: str = ""
    kappa_items: int = 0

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
        entries[item] = {key: value for key, value in entry.items() if key != "item"}
    return Sheet(path, name, entries)


def merge_files(paths: Sequence[Path], items: Sequence[ReviewItem], agree: int = 2) -> Consensus:
    """Apply the consensus rule: a pair passes if so many annotators accept it, and more than reject it."""
    if agree < 1:
        raise BadInputError(f"at least 1 annotator must agree, not {agree}")
    sheets = read_sheets(paths, {item.item_id: item for item in items}, "judge")
    if agree > len(sheets):
        raise BadInputError(f"{agree} must agree, but there are only {len(sheets)} annotators; send more files")
    consensus = Consensus(annotators=tuple(sheet.annotator for sheet in sheets))
    for item in items:
        entries = [sheet.entries[item.item_id] for sheet in sheets if item.item_id in sheet.entries]
        for entry in entries:
            consensus.reasons.update(entry.get("reasons") or ())
        verdict = _decide(entries, agree)
        consensus.counts[verdict.get("verdict", "open")] += 1
        if verdict:
            consensus.verdicts += [{"pair_id": pair_id, "item": item.item_id, **verdict} for pair_id in item.pair_ids]
    _measure(consensus, sheets)
    return consensus


def _decide(entries: Sequence[Mapping[str, Any]], agree: int) -> dict[str, Any]:
    """What the annotators of one item decided; nothing where there are too few."""
    if len(entries) < agree:
        return {}
    approvals = [entry for entry in entries if entry["verdict"] in {ACCEPTED, FIXED}]
    rejections = len(entries) - len(approvals)
    if len(approvals) >= agree and len(approvals) > rejections:
        fixes = [_fix(entry) for entry in approvals if entry["verdict"] == FIXED]
        if not fixes:
            return {"verdict": ACCEPTED}
        # Where fixes differ, no wording has been agreed on.
        return {"verdict": FIXED, **fixes[0]} if all(fix == fixes[0] for fix in fixes) else {"verdict": DISPUTED}
    return {"verdict": REJECTED if rejections >= agree and rejections > len(approvals) else DISPUTED}


def _fix(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"question": entry.get("question") or "", "answers": list(entry.get("answers") or ())}


def _measure(consensus: Consensus, sheets: Sequence[Sheet]) -> None:
    """Agreement on passed or not, over the items that everybody judged."""
    if len(sheets) < 2:
        return
    shared = sorted(set.intersection(*(set(sheet.entries) for sheet in sheets)))
    labels = [["no" if sheet.entries[item]["verdict"] == REJECTED else "yes" for sheet in sheets] for item in shared]
    consensus.kappa_items = len(shared)
    if len(sheets) == 2:
        consensus.kappa_name = "Cohen's kappa"
        consensus.kappa = cohens_kappa([pair[0] for pair in labels], [pair[1] for pair in labels])
    else:
        consensus.kappa_name = "Fleiss' kappa"
        consensus.kappa = fleiss_kappa(labels)


def write_verdicts(path: Path, consensus: Consensus) -> None:
    """Write one line per pair, for `diptych build --verdicts`."""
    write_json_lines(path, sorted(consensus.verdicts, key=lambda verdict: str(verdict["pair_id"])))
