"""The dataset card: YAML the Hub reads, and what a person wants to know before using the data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))

_environment = Environment(
    loader=PackageLoader("diptych.cards"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    autoescape=False,
)


def write_card(folder: Path, manifest: Mapping[str, Any]) -> Path:
    """Write the card of a built folder as its README.md."""
    path = folder / "README.md"
    path.write_text(render_card(manifest), encoding="utf-8")
    return path


def render_card(manifest: Mapping[str, Any]) -> str:
    """The card of a build, from its manifest and nothing else."""
    template = _environment.get_template(f"{manifest['dataset']}.md.jinja")
    header = yaml.safe_dump(card_header(manifest), sort_keys=False, allow_unicode=True, width=1000)
    return template.render(
        header=header, m=manifest, ledger=ledger_rows(manifest), pairs=pair_rows(manifest), examples=_examples(manifest)
    )


def card_header(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The YAML the Hub reads: configs and their files, licences, size, tags."""
    rows = sum(split["rows"] for config in manifest["configs"].values() for split in config["splits"].values())
    licences = sorted({_hub_licence(source) for source in manifest["sources"].values()})
    return {
        "pretty_name": manifest["dataset"],
        "language": ["en"],
        "license": licences[0] if len(licences) == 1 else licences,
        "task_categories": ["visual-question-answering"],
        "tags": ["paired", "robustness", "counterfactual", "diptych"],
        "size_categories": [next((name for limit, name in _SIZES if rows < limit), "n>1M")],
        "source_datasets": ["extended"],
        "configs": _configs(manifest),
    }


def _hub_licence(source: Mapping[str, str]) -> str:
    name = source.get("licence", "").lower()
    return name if name in {"cc-by-4.0", "cc-by-sa-4.0", "mit", "apache-2.0", "cc0-1.0"} else "other"


def _configs(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every config with the files of its splits; a config that unites others points at theirs."""
    files = {name: _files(name, config["splits"]) for name, config in manifest["configs"].items()}
    for name, union in manifest["unions"].items():
        united: dict[str, list[str]] = {}
        for part in union["unites"]:
            for split, paths in files[part].items():
                if split not in union.get("splits", [split]):
                    continue
                united.setdefault(split, []).extend(paths)
        files = {name: united} | files
    return [
        {
            "config_name": name,
            "data_files": [{"split": split, "path": paths} for split, paths in splits.items()],
            **({"default": True} if name == manifest["default"] else {}),
        }
        for name, splits in files.items()
    ]


def _files(config: str, splits: Mapping[str, Any]) -> dict[str, list[str]]:
    return {split: [f"data/{config}/{split}-*.parquet"] for split in splits}


def ledger_rows(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The ledger as rows of a table: config, split, test, seen, paired, skipped and why."""
    return [
        {"config": name, "split": split, "test": test, **counts}
        for name, config in manifest["configs"].items()
        for split, ledger in config["ledger"].items()
        for test, counts in ledger.items()
    ]


def pair_rows(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Pairs, images and answer balance by config, split and test."""
    return [
        {"config": name, "split": split, "test": test, **numbers}
        for name, config in manifest["configs"].items()
        for split, entry in config["splits"].items()
        for test, numbers in entry["statistics"].items()
    ]


def _examples(manifest: Mapping[str, Any]) -> list[dict[str, str]]:
    """Three pairs of every test, each test once."""
    shown: dict[str, dict[str, str]] = {}
    for config in manifest["configs"].values():
        tests = {row["test"] for entry in config["splits"].values() for row in entry["examples"]}
        fresh = tests - {row["test"] for row in shown.values()}
        for entry in config["splits"].values():
            shown |= {row["pair_id"]: row for row in entry["examples"] if row["test"] in fresh}
    return list(shown.values())
