"""Small built folders, made by hand, so that a test can put exactly one fault into one."""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from diptych.folder import BuiltFolder, Manifest, open_folder
from diptych.pairs import Expectation, Pair, Side, content_hash, pairs_table

THINGS = ("cat", "car", "hat", "umbrella", "kite", "chair", "bus", "apple")
COLORS = ("red", "blue", "green", "white")
CONFIG, SPLIT = "yn_from_color", "validation"
SOURCE = {
    "title": "VQA v2",
    "homepage": "https://visualqa.org",
    "license": "CC-BY-4.0",
    "license_url": "https://creativecommons.org/licenses/by/4.0/",
    "citation": "@inproceedings{goyal2017making}",
}


def make_pair(number: int, value: str | None = None, **changes: Any) -> Pair:
    """Every thing in every color is asked of, as often truly as falsely: the words tell nothing."""
    thing, color = THINGS[number % 8], COLORS[number // 8 % 4]
    truth = color if number // 32 % 2 else COLORS[(COLORS.index(color) + 1 + number // 64 % 3) % 4]
    color = value or color
    pair = Pair(
        test="rad.yn_from_color",
        expectation=Expectation.GIVEN,
        original=Side(str(number), f"What color is the {thing}?", truth, (truth,) * 10),
        perturbed=Side(str(number), f"Is the color of the {thing} {color}?", "yes" if color == truth else "no"),
        answer_type="other",
        question_type="what color is the",
        source="vqa_v2",
        source_id=f"{number}000",
        template_id="color.of",
        template_hash="0123456789abcdef",
        bindings={"subject": f"the {thing}", "value": color},
    )
    return replace(pair, **changes)


def some_pairs(count: int = 384) -> list[Pair]:
    return [make_pair(number) for number in range(count)]


def reworded(pair: Pair, question: str, answer: str | None = None) -> Pair:
    return replace(pair, perturbed=replace(pair.perturbed, question=question, answer=answer or pair.perturbed.answer))


def make_folder(
    path: Path, pairs: Sequence[Pair] | pa.Table, config: str = CONFIG, dataset: str = "rad-cads", **options: Any
) -> BuiltFolder:
    """A folder with one config and split of these pairs, and the card."""
    from diptych.cards import write_card

    table = pairs if isinstance(pairs, pa.Table) else pairs_table(pairs)
    file = path / "data" / config / f"{SPLIT}-00000-of-00001.parquet"
    file.parent.mkdir(parents=True)
    pq.write_table(table, file, **{"write_page_index": True, **options})
    Manifest.model_validate(manifest_content(path, config, table, dataset)).write(path)
    folder = open_folder(path)
    write_card(folder)
    return folder


def with_column(table: pa.Table, name: str, values: pa.Array) -> pa.Table:
    """The table with other values in a column."""
    return table.set_column(table.schema.get_field_index(name), name, values)


def data_file(folder: BuiltFolder) -> Path:
    """The only data file of a folder."""
    (file,) = folder.path.glob("data/*/*.parquet")
    return file


def manifest_content(path: Path, config: str, table: pa.Table, dataset: str = "rad-cads") -> dict[str, Any]:
    """The manifest of a folder with one config and one split, as JSON has it."""
    tests = sorted(set(table["test"].to_pylist()))
    entry = {
        "description": "Colors.",
        "source": "vqa_v2",
        "tests": tests,
        "features": _features(table),
        "splits": {SPLIT: split_content(path, table)},
        "ledger": {SPLIT: {test: {"seen": 10, "paired": 9, "skipped": {"no | color": 1}} for test in tests}},
    }
    return {
        "maker": "diptych",
        "dataset": dataset,
        "version": "1.0.0",
        "diptych": "0.1.0",
        "default": config,
        "judged_splits": ["test", "validation", "train"],
        "score_family": "rad",
        "sources": {"vqa_v2": SOURCE},
        "recipes": {config: recipe_content(config, dataset)},
        "unions": {},
        "configs": {config: entry},
    }


def recipe_content(config: str, dataset: str = "rad-cads") -> dict[str, Any]:
    return {
        "dataset": dataset,
        "version": "1.0.0",
        "config": config,
        "seed": 0,
        "templates": "0123456789abcdef",
        "tagger": None,
        "parameters": {},
        "sources": {"questions.json": "ab" * 32},
    }


def split_content(path: Path, table: pa.Table) -> dict[str, Any]:
    """What the manifest tells of the rows of a table, which lie in all data files of a folder."""
    plain = table.select([field.name for field in table.schema if not pa.types.is_struct(field.type)])
    rows = plain.to_pylist()
    return {
        "rows": table.num_rows,
        "bytes": table.nbytes,
        "images": 0,
        "files": {file.relative_to(path).as_posix(): _file(file) for file in sorted(path.glob("data/*/*.parquet"))},
        "content_hash": content_hash([table]),
        "statistics": {
            test: _statistics([row for row in rows if row["test"] == test]) for test in {r["test"] for r in rows}
        },
        "examples": [{key: str(value) for key, value in row.items()} for row in rows[:3]],
    }


def _statistics(rows: list[dict[str, Any]]) -> dict[str, Any]:
    names = {"perturbed_answers": "perturbed_answer", "original_answers": "original_answer", "templates": "template_id"}
    counts = {name: dict(Counter(str(row.get(column)) for row in rows)) for name, column in names.items()}
    return {"pairs": len(rows), "images": len({row.get("original_image_id") for row in rows}), **counts}


def _features(table: pa.Table) -> list[dict[str, Any]]:
    import datasets

    features: list[dict[str, Any]] = datasets.Features.from_arrow_schema(table.schema)._to_yaml_list()
    return features


def fold_manifest(path: Path) -> dict[str, Any]:
    """A build like that of fvqa2: two folds, and a union of their adversarial splits."""
    table = pairs_table(some_pairs(4))
    content = manifest_content(path, "fold_0", table, "folded")
    splits = {
        name: {**split_content(path, table), "files": {}}
        for name in ("train", "test", "adversarial", "adversarial_train")
    }
    for fold in ("fold_0", "fold_1"):
        files = {
            split: {f"data/{fold}/{split}-00000-of-00001.parquet": {"bytes": 1, "sha256": "0" * 64}} for split in splits
        }
        entry = {**content["configs"]["fold_0"], "description": f"{fold}.", "tests": ["toy.a", f"toy.{fold}"]}
        content["configs"][fold] = {
            **entry,
            "splits": {split: {**values, "files": files[split]} for split, values in splits.items()},
        }
        content["recipes"][fold] = content["recipes"]["fold_0"]
    union = {"description": "Every fold.", "unites": ["fold_0", "fold_1"], "splits": ["adversarial"]}
    preferred = ["adversarial", "test", "validation", "train"]
    return {**content, "default": "default", "unions": {"default": union}, "judged_splits": preferred}


def change_manifest(folder: BuiltFolder, change: Callable[[dict[str, Any]], object]) -> BuiltFolder:
    """The folder after a change of its manifest's JSON."""
    file = folder.path / "manifest.json"
    content = orjson.loads(file.read_bytes())
    change(content)
    file.write_bytes(orjson.dumps(content))
    return open_folder(folder.path)


def _file(file: Path) -> dict[str, Any]:
    return {"bytes": file.stat().st_size, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
