"""The CARETS form: people answer 24 questions a task, 4 of them gold; the majority is the human baseline."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from diptych.errors import BadInputError, MissingFileError
from diptych.metrics import Options, score_pairs
from diptych.pairs import row_rng
from diptych.report.review.items import Item, embedded
from diptych.report.review.merging import GOLD_PREFIX, read_sheets
from diptych.report.review.page import write_page
from diptych.sources import read_vqa, vqa_files, vqa_splits

TASK, GOLD = 24, 4
"""Questions of a task, and how many of them are gold."""

VOTES = 5
"""Answers that a question should have, of which the majority counts."""

AMBIGUOUS = "ambiguous"
_SIDES = ("original", "perturbed")
_ENOUGH_GOLD = 1000


def answers_of(row: Mapping[str, Any], side: str) -> list[str]:
    """The choices a question leaves; none where it is open."""
    answers = {answer.lower() for answer in row[f"{side}_answers"]} or {row[f"{side}_answer"].lower()}
    if answers <= {"yes", "no"}:
        return ["yes", "no"]
    bindings = orjson.loads(row.get("bindings") or "{}")
    choices = bindings.get("choices") if isinstance(bindings, dict) else None
    return [str(choice) for choice in choices] if isinstance(choices, list) else []


def gold_of(data: Path, images: Path | None = None) -> list[dict[str, Any]]:
    """Gold questions from VQA v2, as the paper has them: yes/no questions on which all ten annotators agreed."""
    splits = [split for split in vqa_splits(data, "vqa_v2") if not split.startswith("test")]
    if not splits:
        raise MissingFileError(f"{data}: no VQA v2 questions with answers there; gold questions are taken from them")
    agreed = [row for row in read_vqa(vqa_files(data, "vqa_v2", splits[0])) if _is_unanimous(row.answers)]
    return [
        {
            "id": f"{GOLD_PREFIX}{row.question_id}",
            "side": {
                "image": row.image_id,
                "data": embedded(images, row.image_id) if images else "",
                "question": row.question,
            },
            "choices": ["yes", "no"],
            "answer": row.answer.lower(),
        }
        for row in agreed[:_ENOUGH_GOLD]
    ]


def _is_unanimous(answers: Sequence[str]) -> bool:
    return len(answers) == 10 and len(set(answers)) == 1 and answers[0] in {"yes", "no"}


def export_hits(
    folder: Path,
    title: str,
    items: Sequence[Item],
    gold: Sequence[Mapping[str, Any]],
    images: Path | None = None,
    seed: int = 0,
) -> list[Path]:
    """Write one page a task: twenty questions of the dataset among four gold ones, which must be right to save."""
    asked = [_question(item, side, images) for item in items for side in _SIDES if _is_asked(item, side)]
    asked.sort(key=lambda each: row_rng(seed, "review.hits", each["id"]).random())
    size = TASK - GOLD
    pages = []
    for number, start in enumerate(range(0, len(asked), size), start=1):
        mine = asked[start : start + size]
        chosen = sorted(gold, key=lambda each: row_rng(seed, f"review.gold.{number}", each["id"]).random())[:GOLD]
        if len(chosen) < GOLD:
            raise BadInputError(f"a task needs {GOLD} gold questions, and there are only {len(chosen)}")
        shown = [*mine, *({**each, "gold": _hash(f"{each['id']}|{each['answer']}")} for each in chosen)]
        shown.sort(key=lambda each: row_rng(seed, f"review.order.{number}", each["id"]).random())
        path = folder / f"task-{number:03}.html"
        page = [{key: value for key, value in each.items() if key != "answer"} for each in shown]
        write_page(path, f"{title}, task {number}", "answer", page)
        pages.append(path)
    return pages


def _is_asked(item: Item, side: str) -> bool:
    return (
        side == "perturbed"
        or item.row["original_question"] != item.row["perturbed_question"]
        or (item.row["original_image_id"] != item.row["perturbed_image_id"])
    )


def _question(item: Item, side: str, images: Path | None) -> dict[str, Any]:
    name = item.row[f"{side}_image_id"]
    return {
        "id": f"{item.item_id}.{side}",
        "side": {
            "image": name,
            "data": embedded(images, name) if images else "",
            "question": item.row[f"{side}_question"],
        },
        "choices": answers_of(item.row, side),
    }


def _hash(text: str) -> int:
    """The page's own hash, so that gold answers do not stand in it in clear."""
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def merge_hits(paths: Sequence[Path], items: Sequence[Item]) -> tuple[list[dict[str, str]], dict[str, Any]]:
    """People's answers as predictions to be scored, and how far they agreed.

    As in the paper, a question without a majority, or with *ambiguous* as its majority, counts as answered wrongly: its
    answer is left empty.
    """
    known = {f"{item.item_id}.{side}": item for item in items for side in _SIDES}
    sheets = read_sheets(paths, known, "answer")
    votes: dict[str, Counter[str]] = {}
    for sheet in sheets:
        for question, said in sheet.given.items():
            votes.setdefault(question, Counter())[str(said.get("answer") or "").strip().lower()] += 1
    decided = {question: _majority(count) for question, count in votes.items()}
    predictions = [
        {"pair_id": pair_id, **{side: decided.get(_asked_as(item, side), "") for side in _SIDES}}
        for item in items
        if all(_asked_as(item, side) in decided for side in _SIDES)
        for pair_id in item.pair_ids
    ]
    report = {
        "annotators": [sheet.annotator for sheet in sheets],
        "questions": len(votes),
        "pairs": len(predictions),
        "without_majority": sum(not answer for answer in decided.values()),
        "answers_a_question": sum(map(Counter.total, votes.values())) / len(votes) if votes else 0.0,
        f"with_fewer_than_{VOTES}_answers": sum(count.total() < VOTES for count in votes.values()),
        "human_baseline": _baseline(predictions, items),
    }
    return predictions, report


def _baseline(predictions: Sequence[Mapping[str, str]], items: Sequence[Item]) -> dict[str, float]:
    """How often people are right on either side and on both, over the pairs they answered."""
    answered = {line["pair_id"] for line in predictions}
    rows = [{**item.row, "pair_id": pair_id} for item in items for pair_id in item.pair_ids if pair_id in answered]
    if not rows:
        return {}
    values = score_pairs(predictions, rows, Options(bootstrap=0), by=()).values()
    return {name: values[name] for name in ("accuracy_original", "accuracy_perturbed", "accuracy_both")}


def _asked_as(item: Item, side: str) -> str:
    return f"{item.item_id}.{side if _is_asked(item, side) else 'perturbed'}"


def _majority(votes: Counter[str]) -> str:
    answer, count = min(votes.items(), key=lambda each: (-each[1], each[0]))
    return "" if 2 * count <= votes.total() or answer == AMBIGUOUS else answer
