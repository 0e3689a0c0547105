"""The sound files that mutations start from: a miniature world, small built folders, and what people send back."""

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from diptych.demo import make_world
from diptych.folder import Recipe, open_folder
from diptych.metrics.paired_vqa.columns import SIDES
from diptych.publishing import add_erratum
from diptych.report.review import choose_items
from diptych.templates import export_templates
from tests.folders import make_folder, make_pair, some_pairs
from tests.metrics.logs import WRITERS
from tests.sources.official import annotation, framed, question

IMAGES = 12
PAIRS = 48

Prepare = Callable[[Path], None]


def world(*parts: str, pictures: bool = False) -> Prepare:
    """Some of the source folders of a miniature world."""

    def prepare(folder: Path) -> None:
        whole = folder.parent / f".world-{pictures}"
        if not whole.exists():
            make_world(whole, IMAGES, pictures=pictures)
        for part in parts or sorted(path.name for path in whole.iterdir()):
            _copy(whole / part, folder / "data" / part)

    return prepare


def _copy(source: Path, target: Path) -> None:
    for path in sorted(source.rglob("*")):
        if path.is_file():
            _write(target / path.relative_to(source), path.read_bytes())


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def zipped_vqa(folder: Path) -> None:
    """VQA's files inside their official archives."""
    world("vqa")(folder)
    for path in sorted((folder / "data" / "vqa").glob("*.json")):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(path.name, path.read_bytes())
        _write(path.with_suffix(".zip"), out.getvalue())
        path.unlink()


def gzipped_vqa(folder: Path) -> None:
    """VQA's files, each as `.gz`."""
    world("vqa")(folder)
    for path in sorted((folder / "data" / "vqa").glob("*.json")):
        _write(path.with_name(f"{path.name}.gz"), gzip.compress(path.read_bytes()))
        path.unlink()


def rephrasings(folder: Path) -> None:
    """A release of VQA-Rephrasings."""
    numbers = range(1000, 9000, 1000)
    records = [question(number) for number in numbers]
    records += [question(number * 10 + 1, image_id=number // 1000, rephrasing_of=number) for number in numbers]
    annotations = [annotation(record["question_id"], image_id=record["image_id"]) for record in records]
    place = folder / "data" / "rephrasings"
    _write(place / "v2_OpenEnded_mscoco_valrep2014_humans_og_questions.json", framed("questions", records))
    _write(place / "v2_mscoco_valrep2014_humans_og_annotations.json", framed("annotations", annotations))


def backtranslations(suffix: str) -> Prepare:
    """A table of back-translations."""

    def prepare(folder: Path) -> None:
        world("vqa")(folder)
        rows = [{"question_id": str(262144000 + number), "text": f"What thing is {number}?"} for number in range(20)]
        _write(folder / "data" / "backtranslations" / f"table{suffix}", table_bytes(rows, suffix))

    return prepare


def table_bytes(rows: list[dict[str, str]], suffix: str) -> bytes:
    """Rows as CSV, TSV, JSON lines or Parquet."""
    if suffix == ".parquet":
        out = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(rows), out)
        return out.getvalue()
    if suffix == ".jsonl":
        return b"".join(orjson.dumps(row) + b"\n" for row in rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), delimiter="\t" if suffix == ".tsv" else ",")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def carets_release(folder: Path) -> None:
    """CARETS as its authors released it."""
    records = [
        {"question_id": f"1-{number}-0{part}", "img_id": str(number), "sent": "Is it?", "label": {"yes": 1.0, "no": 0}}
        for number in range(8)
        for part in ("", "-1")
    ]
    place = folder / "data" / "carets"
    _write(place / "default.yml", b"tests:\n  negation:\n    files: [n.json]\n  rephrasing:\n    files: [r.json]\n")
    _write(place / "n.json", orjson.dumps(records))
    _write(place / "r.json", orjson.dumps(records[:4]))


def templates(folder: Path) -> None:
    """The templates of two datasets, exported."""
    export_templates(folder / "templates")


def built(folder: Path) -> None:
    """A built folder with its card, recipe and errata."""
    out = folder / "out"
    pairs = [make_pair(number, bindings=_bindings(number)) for number in range(PAIRS)]
    built_folder = make_folder(out, pairs)
    recipe = {"dataset": "rad-cads", "configs": ("yn_from_color",), "seed": 0, "parameters": {"zero": True}}
    Recipe.model_validate(recipe).write(out)
    export_templates(out / "recipe" / "templates", ["rad-cads"])
    add_erratum(built_folder, pairs[0].pair_id, "it is wrong")


def _bindings(number: int) -> dict[str, object]:
    question_ids = {f"{side}_questions": [f"{number}.{side}"] for side in ("original", "perturbed")}
    return {"choices": ["red", "blue"], "fact": ["cat", "IsA", "pet"], **question_ids}


def predictions(suffix: str, shape: str = "pair") -> Prepare:
    """A built folder and a model's predictions, by pair, side or question."""

    def prepare(folder: Path) -> None:
        built(folder)
        table = open_folder(folder / "out").table("yn_from_color", "validation")
        rows: list[dict[str, str]] = []
        for number, pair_id in enumerate(table["pair_id"].to_pylist()):
            answers = {"original": "red", "perturbed": Random(number).choice(("yes", "no"))}
            if shape == "pair":
                rows.append({"pair_id": pair_id, **answers})
            elif shape == "side":
                rows += [{"pair_id": pair_id, "side": side, "answer": answer} for side, answer in answers.items()]
            else:
                rows += [{"question_id": f"{number}.{side}", "answer": answer} for side, answer in answers.items()]
        _write(folder / f"predictions{suffix}", table_bytes(rows, suffix))

    return prepare


def log(name: str) -> Prepare:
    """A built folder and a model's predictions in the format of another tool."""

    def prepare(folder: Path) -> None:
        built(folder)
        pair_ids = open_folder(folder / "out").table("yn_from_color", "validation")["pair_id"].to_pylist()
        answers = {
            (pair_id, side): Random(f"{pair_id}{side}").choice(("yes", "no")) for pair_id in pair_ids for side in SIDES
        }
        _write(folder / f"predictions.{name}", WRITERS[name](answers))

    return prepare


def sheets(mode: str) -> Prepare:
    """A built folder and the files of two annotators."""

    def prepare(folder: Path) -> None:
        built(folder)
        items = choose_items(open_folder(folder / "out").table("yn_from_color", "validation").to_pylist())
        for annotator in ("ann", "bob"):
            if mode == "judge":
                fix = {"question": "Is it?", "answers": ["yes"], "reasons": ["bad grammar"]}
                verdicts = ("accepted", "rejected", "fixed")
                entries = [{"item": item.item_id, "verdict": verdicts[n % 3], **fix} for n, item in enumerate(items)]
            else:
                sides = ("original", "perturbed")
                entries = [{"item": f"{item.item_id}.{side}", "answer": "yes"} for item in items for side in sides]
            content = {"diptych_review": 2, "mode": mode, "annotator": annotator, "page": "p", "verdicts": entries}
            if mode == "judge":
                causes = [{"kind": "template", "value": items[0].row["template_id"], "at": 1, "undone": False}]
                content["causes"] = causes
            _write(folder / f"{annotator}.json", orjson.dumps(content))

    return prepare


def verdicts(folder: Path) -> None:
    """What a merge of reviews wrote."""
    rows = [
        {"pair_id": pair.pair_id, "item": "a", "verdict": ("accepted", "fixed")[number % 2], "question": "Is it?"}
        | {"answers": ["yes"]}
        for number, pair in enumerate(some_pairs(10))
    ]
    _write(folder / "verdicts.jsonl", b"".join(orjson.dumps(row) + b"\n" for row in rows))


def rejects(folder: Path) -> None:
    """Facts that no pair may rest on."""
    _write(folder / "rejects.txt", b"# facts\ncat|IsA|pet\ndog|*|animal\n*\tUsedFor\thunting\n")


def ranked_table(folder: Path) -> None:
    """A table of ranked questions."""
    rows = [{"main": f"What is {n}?", "basic": ["Is it?", f"Why {n}?"], "scores": [0.5, 0.25]} for n in range(10)]
    _write(folder / "table.jsonl", b"".join(orjson.dumps(row) + b"\n" for row in rows))


def vectors(folder: Path) -> None:
    """Vectors of some texts."""
    rng = np.random.default_rng(0)
    out = io.BytesIO()
    np.savez(out, texts=np.array(TEXTS), vectors=rng.normal(size=(len(TEXTS), 4)).astype(np.float32))
    _write(folder / "vectors.npz", out.getvalue())


TEXTS = ["What is it?", "Is it red?", "Why?"]


def skip_thought(folder: Path) -> None:
    """Tiny weights in skip-thought's layout."""
    rng, size, state = np.random.default_rng(0), 3, 2
    words = ["UNK", "What", "is", "it", "?"]
    place = folder / "skip"
    place.mkdir()
    shapes = {"W": (size, 2 * state), "Wx": (size, state), "U": (state, 2 * state), "Ux": (state, state)}
    shapes |= {"b": (2 * state,), "bx": (state,)}
    for name, prefixes in (("uni_skip", ("encoder",)), ("bi_skip", ("encoder", "encoder_r"))):
        weights = {f"{prefix}_{part}": rng.normal(size=shape) for prefix in prefixes for part, shape in shapes.items()}
        np.savez(place / f"{name}.npz", **{key: value.astype(np.float32) for key, value in weights.items()})
    for name in ("utable", "btable"):
        np.save(place / f"{name}.npy", rng.normal(size=(len(words), size)).astype(np.float32))
    _write(place / "dictionary.txt", "\n".join(words).encode())


def nodes(folder: Path) -> None:
    """A built folder, predictions, and names of nodes of a knowledge graph."""
    predictions(".jsonl")(folder)
    _write(folder / "nodes.txt", b"red\nblue\ngreen apple\n")


def pictures(folder: Path) -> None:
    """A built folder and a folder with images of its rows."""
    built(folder)
    world(pictures=True)(folder)
    source = sorted((folder / "data" / "images").rglob("*.jpg"))
    for number in range(4):
        _write(folder / "images" / f"{number}.jpg", source[number].read_bytes())


def value(text: str) -> Prepare:
    """One value of the command line."""
    return lambda folder: _write(folder / "text.value", text.encode())


def dumps(content: object) -> bytes:
    """JSON as Python writes it, with everything that others refuse."""
    return json.dumps(content).encode()
