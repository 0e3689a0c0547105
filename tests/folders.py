"""Small built folders, made by hand, so that a test can put exactly one fault into one."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from diptych.builders.manifest import statistics
from diptych.cards import write_card
from diptych.pairs import Expectation, Pair, Side, content_hash, pairs_table

THINGS = ("cat", "car", "hat", "umbrella", "kite", "chair", "bus", "apple")
COLOURS = ("red", "blue", "green", "white")
SOURCE = {
    "title": "VQA v2",
    "homepage": "https://visualqa.org",
    "licence": "CC-BY-4.0",
    "licence_url": "https://creativecommons.org/licenses/by/4.0/",
    "citation": "@inproceedings{goyal2017making}",
}


def make_pair(number: int, value: str | None = None, **changes: Any) -> Pair:
    """Every thing in every colour is asked of, as often truly as falsely: the words tell nothing."""
    thing, asked = THINGS[number % 8], COLOURS[number // 8 % 4]
    truth = asked if number // 32 % 2 else COLOURS[(COLOURS.index(asked) + 1 + number // 64 % 3) % 4]
    asked = value or asked
    pair = Pair(
        test="rad.yn_from_color",
        expectation=Expectation.GIVEN,
        original=Side(str(number), f"What color is the {thing}?", truth, (truth,) * 10),
        perturbed=Side(str(number), f"Is the color of the {thing} {asked}?", "yes" if asked == truth else "no"),
        answer_type="other",
        question_type="what color is the",
        source="vqa_v2",
        source_id=f"{number}000",
        template_id="color.of",
        template_hash="0123456789abcdef",
        bindings={"subject": f"the {thing}", "value": asked},
    )
    return replace(pair, **changes)


def some_pairs(count: int = 384) -> list[Pair]:
    return [make_pair(number) for number in range(count)]


def reworded(pair: Pair, question: str, answer: str | None = None) -> Pair:
    return replace(pair, perturbed=replace(pair.perturbed, question=question, answer=answer or pair.perturbed.answer))


def make_folder(folder: Path, pairs: Sequence[Pair] | pa.Table, config: str = "yn_from_color", **options: Any) -> Path:
    """A folder with one config and split of these pairs, and the card."""
    table = pairs if isinstance(pairs, pa.Table) else pairs_table(pairs)
    file = folder / "data" / config / "validation-00000-of-00001.parquet"
    file.parent.mkdir(parents=True)
    pq.write_table(table, file, **{"write_page_index": True, **options})
    manifest = make_manifest(folder, config, table)
    write_manifest(folder, manifest)
    write_card(folder, manifest)
    return folder


def make_manifest(folder: Path, config: str, table: pa.Table) -> dict[str, Any]:
    tests = sorted(set(table["test"].to_pylist()))
    shown = table.select([name for name in table.column_names if not pa.types.is_struct(table.schema.field(name).type)])
    info = datasets.DatasetInfo(features=datasets.Features.from_arrow_schema(table.schema))
    split = {
        "bytes": table.nbytes,
        "rows": table.num_rows,
        "files": {str(file.relative_to(folder)): _file(file) for file in sorted(folder.glob("data/*/*.parquet"))},
        "content_hash": content_hash([table]),
        "statistics": statistics(table),
        "examples": shown.slice(0, 3).to_pylist(),
    }
    entry = {
        "description": "Colours.",
        "source": "vqa_v2",
        "tests": tests,
        "features": info._to_yaml_dict()["features"],
        "splits": {"validation": split},
        "ledger": {"validation": {test: {"seen": 9, "paired": 9, "skipped": {"no | colour": 1}} for test in tests}},
    }
    recipe = {"seed": 0, "tagger": None, "parameters": {}, "sources": {"questions.json": "ab" * 32}}
    return {
        "dataset": "rad-cads",
        "version": "1.0.0",
        "diptych": "0.1.0",
        "default": config,
        "sources": {"vqa_v2": SOURCE},
        "recipes": {config: recipe},
        "unions": {},
        "configs": {config: entry},
    }


def read_manifest(folder: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = orjson.loads((folder / "manifest.json").read_bytes())
    return manifest


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    (folder / "manifest.json").write_bytes(orjson.dumps(manifest))


def _file(file: Path) -> dict[str, Any]:
    return {"bytes": file.stat().st_size, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
