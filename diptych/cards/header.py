"""The YAML at the head of a card, as the Hub reads it: configs, features and sizes, licences, tags."""

from collections.abc import Mapping
from typing import Any

from diptych.cards.releases import releases_of

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_HUB_LICENCES = frozenset({"cc-by-4.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "mit", "apache-2.0", "cc0-1.0"})


def card_header(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The YAML the Hub reads, in the order in which a person reads it."""
    rows = sum(split["rows"] for config in manifest["configs"].values() for split in config["splits"].values())
    return {
        "pretty_name": releases_of(manifest["dataset"]).title,
        "language": ["en"],
        **licence_fields(manifest),
        "annotations_creators": ["machine-generated"],
        "language_creators": ["crowdsourced", "machine-generated"],
        "multilinguality": ["monolingual"],
        "task_categories": ["visual-question-answering"],
        "size_categories": [next((name for limit, name in _SIZES if rows < limit), "1M<n<10M")],
        "source_datasets": _source_datasets(manifest),
        "tags": ["paired", "robustness", "counterfactual", "diptych", manifest["dataset"]],
        "configs": _configs(manifest),
        **_infos(manifest),
    }


def licence_fields(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The sources' licences; where one has no name on the Hub, LICENSE.md says what holds."""
    licences = sorted({_hub_licence(source) for source in manifest["sources"].values()})
    if "other" in licences or not licences:
        return {"license": "other", "license_name": "licences-of-the-sources", "license_link": "LICENSE.md"}
    return {"license": licences[0] if len(licences) == 1 else licences}


def _hub_licence(source: Mapping[str, str]) -> str:
    name = source.get("licence", "").lower()
    return name if name in _HUB_LICENCES else "other"


def _source_datasets(manifest: Mapping[str, Any]) -> list[str]:
    """In the Hub's form: what was extended, and that it is no repository there."""
    titles = {source["title"] for source in manifest["sources"].values()}
    return [f"extended|other-{title.lower().replace(' ', '-')}" for title in sorted(titles)]


def all_configs(manifest: Mapping[str, Any]) -> dict[str, list[str]]:
    """Every config with the configs whose files it reads: itself, or those it unites; uniting ones first.

    A config without pairs is left out: it would keep `load_dataset` from opening any other.
    """
    filled = {name: [name] for name, config in manifest["configs"].items() if config["splits"]}
    united = {name: [part for part in union["unites"] if part in filled] for name, union in manifest["unions"].items()}
    return {name: parts for name, parts in united.items() if parts} | filled


def splits_of(manifest: Mapping[str, Any], config: str, part: str) -> list[str]:
    """The splits of a part that a config takes: all, unless a uniting config names some."""
    taken = manifest["unions"].get(config, {}).get("splits")
    return [split for split in manifest["configs"][part]["splits"] if not taken or split in taken]


def _configs(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    listed = []
    for name, parts in all_configs(manifest).items():
        files: dict[str, list[str]] = {}
        for part in parts:
            for split in splits_of(manifest, name, part):
                files.setdefault(split, []).append(f"data/{part}/{split}-*.parquet")
        entry: dict[str, Any] = {"config_name": name}
        entry["data_files"] = [{"split": split, "path": paths} for split, paths in files.items()]
        listed.append(entry | ({"default": True} if name == manifest["default"] else {}))
    return listed


def _infos(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Features and sizes of every config, as `datasets` writes and checks them."""
    if not all("features" in config for config in manifest["configs"].values()):
        return {}
    return {"dataset_info": [_info(manifest, name, parts) for name, parts in all_configs(manifest).items()]}


def _info(manifest: Mapping[str, Any], name: str, parts: list[str]) -> dict[str, Any]:
    splits: dict[str, dict[str, Any]] = {}
    download = 0
    for part in parts:
        for split in splits_of(manifest, name, part):
            told = manifest["configs"][part]["splits"][split]
            entry = splits.setdefault(split, {"name": split, "num_bytes": 0, "num_examples": 0})
            entry["num_bytes"] += told["bytes"]
            entry["num_examples"] += told["rows"]
            download += sum(file["bytes"] for file in told["files"].values())
    return {
        "config_name": name,
        "features": manifest["configs"][parts[0]]["features"],
        "splits": list(splits.values()),
        "download_size": download,
        "dataset_size": sum(entry["num_bytes"] for entry in splits.values()),
    }
