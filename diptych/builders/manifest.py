"""The manifest: what a build made, from what, how often, and the hashes by which two builds are compared."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from diptych import __version__
from diptych.errors import BadInputError
from diptych.pairs import content_hash
from diptych.sources import catalog

if TYPE_CHECKING:
    from diptych.builders.base import PairBuilder

_EXAMPLES = 3
_TOP = 10


def config_entry(folder: Path, made: "PairBuilder") -> dict[str, Any]:
    """What the manifest says of one config that has files of its own."""
    config = made.config
    return {
        "description": config.description,
        "source": config.parameters.get("source", config.source),
        "tests": list(config.tests),
        "features": made.info._to_yaml_dict()["features"],
        "splits": {
            str(split): {"bytes": info.num_bytes, **_split_entry(folder, config.name, str(split))}
            for split, info in made.info.splits.items()
            if info.num_examples
        },
        "ledger": {split: ledger.as_json() for split, ledger in made.ledgers.items()},
        **({"notes": made.notes} if made.notes else {}),
        "recipe": made.recipes[config.name].as_json(),
    }


def _split_entry(folder: Path, config: str, split: str) -> dict[str, Any]:
    files = sorted((folder / "data" / config).glob(f"{split}-*.parquet"))
    columns = [name for name in pq.read_schema(files[0]).names if not name.endswith("_image")]
    table = pa.concat_tables([pq.read_table(file, columns=columns) for file in files])
    return {
        "rows": table.num_rows,
        "images": sum(_images(file) for file in files),
        "files": {str(file.relative_to(folder)): _file_entry(file) for file in files},
        "content_hash": content_hash(_batches(files)),
        "statistics": statistics(table),
        "examples": _examples(table),
    }


def _images(file: Path) -> int:
    """How many images a file carries, by the counts in its footer: the images themselves may be gigabytes."""
    told = pq.ParquetFile(file).metadata
    chunks = (
        told.row_group(group).column(at) for group in range(told.num_row_groups) for at in range(told.num_columns)
    )
    held = (chunk for chunk in chunks if chunk.path_in_schema.endswith("_image.bytes") and chunk.is_stats_set)
    return sum(chunk.num_values - (chunk.statistics.null_count or 0) for chunk in held)


def _batches(files: list[Path]) -> Iterator[pa.Table]:
    """The rows a few at a time: with images in them a split can be larger than memory."""
    for file in files:
        for batch in pq.ParquetFile(file).iter_batches(batch_size=1024):
            yield pa.Table.from_batches([batch])


def _file_entry(file: Path) -> dict[str, Any]:
    return {"bytes": file.stat().st_size, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}


def statistics(table: pa.Table) -> dict[str, Any]:
    """By test: pairs, images, the share of each perturbed answer, and the template used; nothing of other rows."""
    by_test: dict[str, Any] = {}
    if "pair_id" not in table.column_names:
        return by_test
    for test in sorted(set(table["test"].to_pylist())):
        of_test = table.filter(pa.compute.equal(table["test"], test))
        answers = Counter(of_test["perturbed_answer"].to_pylist())
        by_test[test] = {
            "pairs": of_test.num_rows,
            "images": len(set(of_test["original_image_id"].to_pylist())),
            "perturbed_answers": _most_common(answers),
            "original_answers": _most_common(Counter(of_test["original_answer"].to_pylist())),
            "templates": _most_common(Counter(of_test["template_id"].to_pylist())),
        }
    return by_test


def _most_common(counts: Counter[str]) -> dict[str, int]:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return dict(ordered[:_TOP])


def _examples(table: pa.Table) -> list[dict[str, str]]:
    """A few pairs to show, a test after the other, chosen by their ids; none of rows that are no pairs."""
    if "pair_id" not in table.column_names:
        return []
    columns = ["pair_id", "test", "original_question", "original_answer", "perturbed_question", "perturbed_answer"]
    rows = sorted(table.select(columns).to_pylist(), key=lambda row: row["pair_id"])
    seen: Counter[str] = Counter()
    chosen = []
    for row in rows:
        seen[row["test"]] += 1
        if seen[row["test"]] <= _EXAMPLES:
            chosen.append(row)
    return sorted(chosen, key=lambda row: (row["test"], row["pair_id"]))


def dataset_entry(builder: type["PairBuilder"], built: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """The whole manifest: versions, recipes, sources, and every config."""
    unions = {
        config.name: {
            "description": config.description,
            "unites": [part for part in config.unites if part in built],
            **({"splits": list(config.splits)} if config.splits else {}),
        }
        for config in builder.BUILDER_CONFIGS
        if config.unites and any(part in built for part in config.unites)
    }
    sources = sorted({entry["source"] for entry in built.values()})
    return {
        "dataset": builder.DATASET,
        "version": str(builder.VERSION),
        "diptych": __version__,
        "default": _default(str(builder.DEFAULT_CONFIG_NAME), unions, built),
        "sources": {name: _source_entry(name) for name in sources},
        "recipes": {name: entry.pop("recipe") for name, entry in built.items()},
        "unions": unions,
        "configs": dict(built),
    }


def _default(asked: str, unions: Mapping[str, Any], built: Mapping[str, Any]) -> str:
    """The default config, or the first one with pairs where that has none."""
    filled = [name for name, entry in built.items() if entry["splits"]]
    if not filled:
        raise BadInputError("no input made a pair; look at the source files")
    parts = unions[asked]["unites"] if asked in unions else [asked]
    return asked if set(parts) & set(filled) else filled[0]


def _source_entry(name: str) -> dict[str, Any]:
    source = catalog().get(_CATALOGUED.get(name, name))
    if source is None:
        return {"title": name}
    return {
        "title": source.title,
        "homepage": source.homepage,
        "licence": source.license,
        "licence_url": source.license_url,
        "citation": source.citation,
    }


# Where a config's source has another name than its entry in the catalogue.
_CATALOGUED = {"convqa_cs": "convqa", "convqa_l": "convqa", "back_translations": "vqa_v2"}
