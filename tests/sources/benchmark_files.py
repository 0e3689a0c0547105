"""Small files in the formats in which five benchmarks are published, written by the tests themselves."""

import csv
import io
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from tests.sources.official import write_plain

PIXEL = {"bytes": b"\xff\xd8\xff", "path": None}  # an image column, as `datasets` writes it


def hallusion(figure: int, question: int, answer: int, text: str = "Is it so?", **changed: Any) -> dict[str, Any]:
    """A question of HallusionBench."""
    record = {
        "category": "VD",
        "subcategory": "figure",
        "visual_input": "1" if figure == 0 else "2",
        "set_id": "0",
        "figure_id": str(figure),
        "sample_note": "map",
        "question_id": str(question),
        "question": text,
        "gt_answer_details": "It is so.",
        "gt_answer": str(answer),
        "filename": f"./VD/figure/0_{figure}.png",
    }
    return record | changed


def without_figure(question: int, answer: int, text: str) -> dict[str, Any]:
    """A question of HallusionBench that is asked without an image."""
    changed = {"category": "VS", "subcategory": "chart", "visual_input": "0", "filename": None}
    return hallusion(0, question, answer, text, **changed)


def write_hallusionbench(data: Path, records: list[Any]) -> Path:
    return write_plain(data / "hallusionbench", "HallusionBench.json", orjson.dumps(records))


def write_mmvp(data: Path, rows: list[tuple[object, ...]]) -> Path:
    """`Questions.csv`, whose first column is spelled with an l."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([("lndex", "Question", "Options", "Correct Answer"), *rows])
    return write_plain(data / "mmvp", "Questions.csv", text.getvalue().encode())


def natural(index: int, questions: tuple[str, str], answers: str, kind: str = "yes_no") -> dict[str, Any]:
    """A row of NaturalBench; the answers are those of (image 0, question 0), (1, 0), (0, 1), (1, 1)."""
    names = {"y": "Yes", "n": "No", "A": "A", "B": "B"}
    places = ("Image_0_Question_0", "Image_1_Question_0", "Image_0_Question_1", "Image_1_Question_1")
    row = {"Index": index, "Image_0": PIXEL, "Image_1": PIXEL, "Question_0": questions[0], "Question_1": questions[1]}
    row |= {place: names[letter] for place, letter in zip(places, answers, strict=True)}
    return row | {"Question_Type": kind, "Source": "Flickr30K"}


def write_naturalbench(data: Path, rows: list[dict[str, Any]], name: str = "train-00000-of-00001.parquet") -> Path:
    (data / "naturalbench").mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), data / "naturalbench" / name)
    return data / "naturalbench" / name


def pope(number: int, thing: str, label: str, image: str = "COCO_val2014_000000000042.jpg") -> dict[str, Any]:
    """A question of POPE."""
    return {"question_id": number, "image": image, "text": f"Is there a {thing} in the image?", "label": label}


def write_pope(data: Path, records: list[Any], setting: str = "random") -> Path:
    """One object per line, in a file whose name ends in .json."""
    lines = b"\n".join(map(orjson.dumps, records)) + b"\n"
    return write_plain(data / "pope", f"coco_pope_{setting}.json", lines)


def mme_lines(first: str, second: str) -> bytes:
    """Two questions of MME with their answers."""
    texts = (f"Is there {thing} in this image? Please answer yes or no." for thing in (first, second))
    return "\n".join(f"{text}\t{answer}" for text, answer in zip(texts, ("Yes", "No"), strict=True)).encode()


def write_all(data: Path) -> None:
    """A little of each."""
    figures = [hallusion(figure, question, (figure + question) % 2) for question in (0, 1) for figure in (0, 1, 2)]
    alone = [hallusion(0, 2, 1, "Is it alone?")]
    plain = [without_figure(0, 1, "Was it so?")]
    plain += [hallusion(1, 0, 0, "According to it, was it so?", category="VS", subcategory="chart")]
    write_hallusionbench(data, [*figures, *alone, *plain])
    rows = [
        (1, "Are the wings open?", "(a) Open (b) Closed", "(a)"),
        (2, "Are the wings open?", "(a) Open (b) Closed", "(b)"),
    ]
    write_mmvp(data, rows)
    options = ("What is it? Option: A:a dog; B:a cat;", "Where is it? Option: A:on it; B:under it;")
    write_naturalbench(
        data, [natural(0, ("Is it?", "Was it?"), "ynny"), natural(1, options, "ABBA", "multiple_choice")]
    )
    things = [("dog", "yes"), ("cat", "no"), ("car", "yes"), ("hat", "no"), ("cup", "yes")]
    write_pope(data, [pope(number, *thing) for number, thing in enumerate(things, start=1)])
    write_plain(data / "mme" / "existence", "0001.txt", mme_lines("a dog", "a cat"))
    write_plain(data / "mme" / "artwork" / "questions_answers_YN", "7.txt", mme_lines("a king", "a queen"))
