"""From reviewers' files to verdicts: who agrees, what was accepted, and what is still open."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from diptych.builders import ACCEPTED, DISPUTED, FIXED, REJECTED
from diptych.errors import BadInputError
from diptych.files import read_json
from diptych.report.review._agreement import measure_agreement, measure_share
from diptych.report.review._items import ReviewItem

GOLD_PREFIX = "gold."  # ids of gold questions begin so: they are checked on the page and are no part of the dataset

_VERDICTS = (ACCEPTED, REJECTED, FIXED)
_VERSIONS = (1, 2)  # files of the first have no causes
_COVERED = "covered_by"


Cause = tuple[str, str]  # what pairs rest on, such as a fact: its kind and its text


class Sheet(NamedTuple):
    """One reviewer's file: the entry of each item by its id, and what was rejected as a whole."""

    path: Path
    annotator: str
    entries: Mapping[str, Mapping[str, Any]]
    causes: Mapping[Cause, tuple[float, bool]] = {}  # when each was last rejected or not, and which of the two

    def decision(self, item: ReviewItem) -> Mapping[str, Any] | None:
        """What the reviewer decided on an item: of a verdict on it and one on what it rests on, the later."""
        own = self.entries.get(item.item_id)
        times = {cause: self.causes[cause][0] for cause in item.causes.items() if self.causes.get(cause, (0, False))[1]}
        last = max(times, key=lambda cause: times[cause], default=None)
        if last is None or (own is not None and own["at"] >= times[last]):
            return own
        return {"verdict": REJECTED, _COVERED: dict([last])}

    def with_earlier(self, earlier: "Sheet") -> "Sheet":
        """The sheet with another file of its reviewer: of two decisions the later holds, if both say when they were."""
        entries = dict(earlier.entries)
        for item, entry in self.entries.items():
            before = entries.get(item, entry)
            is_same = {**before, "at": 0} == {**entry, "at": 0}
            if not is_same and not (before["at"] and entry["at"]):
                raise BadInputError(f"{self.path}: item {item}: {self.annotator} differs in {earlier.path}; keep one")
            entries[item] = max(before, entry, key=lambda decision: decision["at"])
        causes = dict(earlier.causes)
        for cause, decision in self.causes.items():
            causes[cause] = max(causes.get(cause, decision), decision)
        return self._replace(entries=entries, causes=causes)


def read_sheets(paths: Sequence[Path], items: Mapping[str, ReviewItem], mode: str) -> list[Sheet]:
    """The annotators' files; two files of one annotator are one sheet unless they contradict each other."""
    sheets: dict[str, Sheet] = {}
    for path in paths:
        sheet = _read_sheet(path, items, mode)
        earlier = sheets.get(sheet.annotator)
        sheets[sheet.annotator] = sheet.with_earlier(earlier) if earlier else sheet
    return [sheets[name] for name in sorted(sheets)]


def _read_sheet(path: Path, items: Mapping[str, ReviewItem], mode: str) -> Sheet:
    content = read_json(path)
    if not isinstance(content, dict) or content.get("diptych_review") not in _VERSIONS or content.get("mode") != mode:
        raise BadInputError(f"{path}: not written by a page of this kind ({mode})")
    name = str(content.get("annotator") or "").strip()
    if not name:
        raise BadInputError(f"{path}: no annotator's name")
    entries: dict[str, Mapping[str, Any]] = {}
    verdicts = content.get("verdicts") or []
    if not isinstance(verdicts, list) or not all(isinstance(entry, dict) for entry in verdicts):
        raise BadInputError(f"{path}: its verdicts are not a list of objects; use the file that the page saved")
    for entry in verdicts:
        item = str(entry.get("item"))
        if item.startswith(GOLD_PREFIX):
            continue
        if item not in items:
            raise BadInputError(f"{path}: item {item} is not a pair of this dataset; it may have been rebuilt since")
        if mode == "judge" and entry.get("verdict") not in _VERDICTS:
            raise BadInputError(f"{path}: item {item}: the verdict is not one of {', '.join(_VERDICTS)}")
        words = [entry.get(key) or [] for key in ("reasons", "answers")]
        words += [[entry.get(key) or ""] for key in ("question", "answer")]
        if not all(isinstance(texts, list) and all(isinstance(text, str) for text in texts) for texts in words):
            raise BadInputError(f"{path}: item {item}: reasons, answers or questions that are not strings")
        entries[item] = {**{key: value for key, value in entry.items() if key != "item"}, "at": _time(entry)}
    return Sheet(path, name, entries, _read_causes(path, content.get("causes") or [], items))


def _read_causes(path: Path, causes: Any, items: Mapping[str, ReviewItem]) -> dict[Cause, tuple[float, bool]]:
    if not isinstance(causes, list) or not all(isinstance(cause, dict) for cause in causes):
        raise BadInputError(f"{path}: its causes are not a list of objects; use the file that the page saved")
    known = {cause for item in items.values() for cause in item.causes.items()} if causes else set()
    decisions: dict[Cause, tuple[float, bool]] = {}
    for entry in causes:
        cause = str(entry.get("kind")), str(entry.get("value"))
        if cause not in known:
            raise BadInputError(
                f"{path}: no pair is based on the {' '.join(cause)}; the dataset may have been rebuilt since"
            )
        decision = _time(entry), not entry.get("undone")
        decisions[cause] = max(decisions.get(cause, decision), decision)
    return decisions


def _time(entry: Mapping[str, Any]) -> float:
    """When something was decided; files of the first version do not say."""
    at = entry.get("at")
    return float(at) if isinstance(at, int | float) else 0.0


def merge_files(
    paths: Sequence[Path], items: Sequence[ReviewItem], agree: int = 2
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The verdicts on pairs and a report; a pair passes if so many reviewers accept it, and more than reject it.

    What a reviewer rejected as a whole counts as a rejection of every pair that rests on it, also of pairs that were
    in no sample; a verdict that rests on such rejections alone says so in `covered_by`.
    """
    if agree < 1:
        raise BadInputError(f"at least 1 annotator must agree, not {agree}")
    sheets = read_sheets(paths, {item.item_id: item for item in items}, "judge")
    if agree > len(sheets):
        raise BadInputError(f"{agree} must agree, but there are only {len(sheets)} annotators; send more files")
    verdicts: list[dict[str, Any]] = []
    decided: dict[str, str] = {}
    reasons, covered = Counter[str](), Counter[str]()
    labels: dict[str, list[str]] = {}  # of the items that everybody judged and somebody looked at
    seen: set[str] = set()  # the items that somebody looked at
    for item in items:
        entries = [entry for sheet in sheets if (entry := sheet.decision(item)) is not None]
        for entry in entries:
            reasons.update(entry.get("reasons") or ())
        if not all(_COVERED in entry for entry in entries):
            seen.add(item.item_id)
        if len(entries) == len(sheets) and item.item_id in seen:
            labels[item.item_id] = ["no" if entry["verdict"] == REJECTED else "yes" for entry in entries]
        verdict = _decide(entries, agree)
        decided[item.item_id] = verdict.get("verdict", "open")
        if verdict:
            verdicts += [{"pair_id": pair_id, "item": item.item_id, **verdict} for pair_id in item.pair_ids]
            covered.update(
                f"{kind}: {value}" for kind, value in verdict.get(_COVERED, {}).items() for _ in item.pair_ids
            )
    report = {
        "annotators": [sheet.annotator for sheet in sheets],
        "counts": dict(sorted(Counter(decided.values()).items())),
        "reasons": dict(reasons.most_common()),
        "pairs_by_cause": dict(covered.most_common()),
        "agreement": measure_agreement(list(labels.values())),
        "tests": _by_test(items, decided, labels, seen),
    }
    return sorted(verdicts, key=lambda verdict: str(verdict["pair_id"])), report


def _by_test(
    items: Sequence[ReviewItem], decided: Mapping[str, str], labels: Mapping[str, list[str]], seen: set[str]
) -> dict[str, dict[str, Any]]:
    """What was decided on the items of each test, how many passed of those seen, and how far reviewers agree there."""
    tests: dict[str, list[str]] = {}
    for item in items:
        tests.setdefault(item.test, []).append(item.item_id)
    report = {}
    for test, ids in sorted(tests.items()):
        counts = Counter(decided[item_id] for item_id in ids)
        judged = [decided[item_id] for item_id in ids if item_id in seen and decided[item_id] != "open"]
        passed = sum(verdict in {ACCEPTED, FIXED} for verdict in judged)
        agreement = measure_agreement([labels[item_id] for item_id in ids if item_id in labels])
        report[test] = {
            **dict(sorted(counts.items())),
            "passed": measure_share(passed, len(judged)),
            "agreement": agreement,
        }
    return report


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
    if rejections < agree or rejections <= len(approvals):
        return {"verdict": DISPUTED}
    rejected = [entry for entry in entries if entry["verdict"] == REJECTED]
    covered = {kind: value for entry in rejected for kind, value in entry.get(_COVERED, {}).items()}
    is_covered = all(_COVERED in entry for entry in rejected)
    return {"verdict": REJECTED, **({_COVERED: dict(sorted(covered.items()))} if is_covered else {})}
