"""Annotators' files into verdicts: who agrees, what passed, and what is still open."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import Any

import orjson

from diptych.builders.verdicts import MENDED, PASSED, SPLIT, TURNED_DOWN
from diptych.errors import BadInputError
from diptych.report.review.agreement import cohens_kappa, fleiss_kappa
from diptych.report.review.items import Item

GOLD_PREFIX = "gold."
"""Ids of gold questions begin so: they are checked on the page and are no part of the dataset."""

_SAID = (PASSED, TURNED_DOWN, MENDED)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One annotator's file."""

    path: Path
    annotator: str
    given: Mapping[str, Mapping[str, Any]]
    """Item id to what was said of it."""


@dataclass(slots=True)
class Merged:
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


def read_sheets(paths: Sequence[Path], known: Mapping[str, Item], mode: str) -> list[Sheet]:
    """The annotators' files; two files of one annotator are one sheet unless they contradict each other."""
    sheets: dict[str, Sheet] = {}
    for path in paths:
        sheet = _sheet(path, known, mode)
        earlier = sheets.get(sheet.annotator)
        if earlier:
            for item, said in sheet.given.items():
                if earlier.given.get(item, said) != said:
                    raise BadInputError(
                        f"{path}: item {item}: {sheet.annotator} says otherwise in {earlier.path}; keep one"
                    )
            sheet = Sheet(path, sheet.annotator, {**earlier.given, **sheet.given})
        sheets[sheet.annotator] = sheet
    return [sheets[name] for name in sorted(sheets)]


def _sheet(path: Path, known: Mapping[str, Item], mode: str) -> Sheet:
    try:
        content = orjson.loads(path.read_bytes())
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror}") from None
    except orjson.JSONDecodeError:
        raise BadInputError(f"{path}: not the JSON file that a review page saves") from None
    if not isinstance(content, dict) or content.get("diptych_review") != 1 or content.get("mode") != mode:
        raise BadInputError(f"{path}: not a file of a page of this kind ({mode})")
    name = str(content.get("annotator") or "").strip()
    if not name:
        raise BadInputError(f"{path}: no annotator's name")
    given: dict[str, Mapping[str, Any]] = {}
    for entry in content.get("verdicts") or ():
        item = str(entry.get("item")) if isinstance(entry, dict) else str(entry)
        if item.startswith(GOLD_PREFIX):
            continue
        if item not in known:
            raise BadInputError(f"{path}: item {item} is none of this dataset's pairs; was it built anew since?")
        if mode == "judge" and entry.get("verdict") not in _SAID:
            raise BadInputError(f"{path}: item {item}: the verdict is none of {', '.join(_SAID)}")
        given[item] = {key: value for key, value in entry.items() if key != "item"}
    return Sheet(path, name, given)


def merge_files(paths: Sequence[Path], items: Sequence[Item], agree: int = 2) -> Merged:
    """Apply the consensus rule: a pair passes if so many annotators accept it, and more than reject it."""
    if agree < 1:
        raise BadInputError(f"at least 1 annotator must agree, not {agree}")
    known = {item.item_id: item for item in items}
    sheets = read_sheets(paths, known, "judge")
    if agree > len(sheets):
        raise BadInputError(f"{agree} must agree, but there are only {len(sheets)} annotators; send more files")
    merged = Merged(annotators=tuple(sheet.annotator for sheet in sheets))
    for item in items:
        said = [sheet.given[item.item_id] for sheet in sheets if item.item_id in sheet.given]
        for each in said:
            merged.reasons.update(each.get("reasons") or ())
        verdict = _consensus(said, agree)
        merged.counts[verdict.get("verdict", "open")] += 1
        if verdict:
            merged.verdicts += [{"pair_id": pair_id, "item": item.item_id, **verdict} for pair_id in item.pair_ids]
    _measure(merged, sheets)
    return merged


def _consensus(said: Sequence[Mapping[str, Any]], agree: int) -> dict[str, Any]:
    """What the annotators of one item decided; nothing where too few have spoken."""
    if len(said) < agree:
        return {}
    good = [each for each in said if each["verdict"] in {PASSED, MENDED}]
    bad = len(said) - len(good)
    if len(good) >= agree and len(good) > bad:
        mended = [_mending(each) for each in good if each["verdict"] == MENDED]
        if not mended:
            return {"verdict": PASSED}
        # Where menders differ, no wording has been agreed on.
        return {"verdict": MENDED, **mended[0]} if all(each == mended[0] for each in mended) else {"verdict": SPLIT}
    return {"verdict": TURNED_DOWN} if bad >= agree and bad > len(good) else {"verdict": SPLIT}


def _mending(said: Mapping[str, Any]) -> dict[str, Any]:
    return {"question": said.get("question") or "", "answers": list(said.get("answers") or ())}


def _measure(merged: Merged, sheets: Sequence[Sheet]) -> None:
    """Agreement on passed or not, over the items that everybody judged."""
    if len(sheets) < 2:
        return
    shared = sorted(set.intersection(*(set(sheet.given) for sheet in sheets)))
    labels = [["no" if sheet.given[item]["verdict"] == TURNED_DOWN else "yes" for sheet in sheets] for item in shared]
    merged.kappa_items = len(shared)
    if len(sheets) == 2:
        merged.kappa_name = "Cohen's kappa"
        merged.kappa = cohens_kappa([each[0] for each in labels], [each[1] for each in labels])
    else:
        merged.kappa_name = "Fleiss' kappa"
        merged.kappa = fleiss_kappa(labels)


def write_verdicts(path: Path, merged: Merged) -> None:
    """Write one line a pair, for `diptych build --verdicts`."""
    lines = [orjson.dumps(verdict) for verdict in sorted(merged.verdicts, key=lambda each: each["pair_id"])]
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_bytes(b"".join(line + b"\n" for line in lines))
        os.replace(partial, path)
    except OSError as error:
        raise BadInputError(f"{path}: cannot be written: {error.strerror}") from None
