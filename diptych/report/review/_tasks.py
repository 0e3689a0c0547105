"""The CARETS form: people answer tasks of 24 questions, 4 of them gold; the majority is the human baseline."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from diptych.errors import BadInputError, MissingFileError
from diptych.folder import SIDES, read_bindings
from diptych.metrics import Options, score_pairs
from diptych.pairs import row_rng
from diptych.report.review._consensus import GOLD_PREFIX, read_sheets
from diptych.report.review._items import ReviewItem
from diptych.report.review._pages import show_side, write_questions
from diptych.report.review._pictures import PagePictures
from diptych.sources import iter_vqa, vqa_files, vqa_splits

Row = dict[str, Any]

_TASK_SIZE, _GOLD_SIZE, _ENOUGH_GOLD = 24, 4, 1000
_UNANIMOUS = (("yes",) * 10, ("no",) * 10)
_VOTES = 5  # answers that a question should have, of which the majority counts


def answer_choices(row: Mapping[str, Any], side: str) -> list[str]:
    """The choices a question leaves; none where it is open."""
    answers = {answer.lower() for answer in row[f"{side}_answers"]} or {row[f"{side}_answer"].lower()}
    if answers <= {"yes", "no"}:
        return ["yes", "no"]
    choices = read_bindings(row).get("choices")
    return [str(choice) for choice in choices] if isinstance(choices, list) else []


def gold_questions(data: Path, pictures: PagePictures | None = None) -> list[Row]:
    """Gold questions from VQA v2, as the paper has them: yes/no questions on which all ten annotators agreed."""
    splits = [split for split in vqa_splits(data, "vqa_v2") if not split.startswith("test")]
    if not splits:
        raise MissingFileError(f"{data}: no VQA v2 questions with answers found; gold questions are taken from them")
    unanimous = [row for row in iter_vqa(vqa_files(data, "vqa_v2", splits[0])) if tuple(row.answers) in _UNANIMOUS]
    questions: list[Row] = []
    for row in unanimous[:_ENOUGH_GOLD]:
        answer = {"choices": ["yes", "no"], "answer": row.answer.lower()}
        parts = {"image_id": row.image_id, "image_file": row.image_file, "question": row.question}
        side = show_side(
            {f"original_{name}": part for name, part in parts.items()}, "original", pictures or PagePictures()
        )
        questions.append({"id": f"{GOLD_PREFIX}{row.question_id}", "side": side, **answer})
    return questions


def export_tasks(
    folder: Path,
    title: str,
    items: Sequence[ReviewItem],
    gold: list[Row],
    pictures: PagePictures | None = None,
    seed: int = 0,
) -> list[Path]:
    """Write one page per task: twenty questions of the dataset among four gold ones, which must be right to save."""
    pictures = pictures or PagePictures()
    pictures.add_embedded({item.row["pair_id"] for item in items})
    questions = [_question(item, side, pictures) for item in items for side in SIDES if _is_asked(item, side)]
    questions.sort(key=lambda question: row_rng(seed, "review.hits", question["id"]).random())
    size = _TASK_SIZE - _GOLD_SIZE
    pages = []
    for number, start in enumerate(range(0, len(questions), size), start=1):
        controls = sorted(gold, key=lambda row: row_rng(seed, f"review.gold.{number}", row["id"]).random())[:_GOLD_SIZE]
        if len(controls) < _GOLD_SIZE:
            raise BadInputError(f"a task needs {_GOLD_SIZE} gold questions, and there are only {len(controls)}")
        hashes = ({**row, "gold": _hash(f"{row['id']}|{row['answer']}")} for row in controls)
        rows = [*questions[start : start + size], *hashes]
        rows.sort(key=lambda row: row_rng(seed, f"review.order.{number}", row["id"]).random())
        path = folder / f"task-{number:03}.html"
        page = [{key: value for key, value in row.items() if key != "answer"} for row in rows]
        write_questions(path, f"{title}, task {number}", page)
        pages.append(path)
    return pages


def _is_asked(item: ReviewItem, side: str) -> bool:
    parts = ("question", "image_id")
    return side == "perturbed" or any(item.row[f"original_{part}"] != item.row[f"perturbed_{part}"] for part in parts)


def _question(item: ReviewItem, side: str, pictures: PagePictures) -> Row:
    shown_side = show_side(item.row, side, pictures)
    return {"id": f"{item.item_id}.{side}", "side": shown_side, "choices": answer_choices(item.row, side)}


def _hash(text: str) -> int:
    """The page's own hash, so that gold answers do not stand in it in clear."""
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def merge_tasks(paths: Sequence[Path], items: Sequence[ReviewItem]) -> tuple[list[dict[str, str]], dict[str, Any]]:
    """People's answers as predictions to be scored, and how far they agreed.

    As in the paper, a question without a majority, or with *ambiguous* as its majority, counts as answered wrongly: its
    answer is left empty.
    """
    sheets = read_sheets(paths, {f"{item.item_id}.{side}": item for item in items for side in SIDES}, "answer")
    votes: dict[str, Counter[str]] = {}
    for sheet in sheets:
        for question, entry in sheet.entries.items():
            votes.setdefault(question, Counter())[str(entry.get("answer") or "").strip().lower()] += 1
    majorities = {question: _majority(count) for question, count in votes.items()}
    predictions = [
        {"pair_id": pair_id, **{side: majorities.get(_question_id(item, side), "") for side in SIDES}}
        for item in items
        if all(_question_id(item, side) in majorities for side in SIDES)
        for pair_id in item.pair_ids
    ]
    report = {
        "annotators": [sheet.annotator for sheet in sheets],
        "questions": len(votes),
        "pairs": len(predictions),
        "without_majority": sum(not answer for answer in majorities.values()),
        "answers_a_question": sum(map(Counter.total, votes.values())) / len(votes) if votes else 0.0,
        f"with_fewer_than_{_VOTES}_answers": sum(count.total() < _VOTES for count in votes.values()),
        "human_baseline": _baseline(predictions, items),
    }
    return predictions, report


def _baseline(predictions: Sequence[Mapping[str, str]], items: Sequence[ReviewItem]) -> dict[str, float]:
    """How often people are right on either side and on both, over the pairs they answered."""
    pair_ids = {line["pair_id"] for line in predictions}
    rows = [{**item.row, "pair_id": pair_id} for item in items for pair_id in item.pair_ids if pair_id in pair_ids]
    if not rows:
        return {}
    values = score_pairs(predictions, rows, Options(bootstrap=0), by=()).values()
    return {name: values[name] for name in ("accuracy_original", "accuracy_perturbed", "accuracy_both")}


def _question_id(item: ReviewItem, side: str) -> str:
    return f"{item.item_id}.{side if _is_asked(item, side) else 'perturbed'}"


def _majority(votes: Counter[str]) -> str:
    answer, count = min(votes.items(), key=lambda vote: (-vote[1], vote[0]))
    return "" if 2 * count <= votes.total() or answer == "ambiguous" else answer
