"""The YAML at the head of a card, as the Hub reads it: configs, features and sizes, licenses, tags."""

from typing import Any

from diptych.cards._releases import read_releases
from diptych.folder import BuiltFolder, Manifest, SourceEntry

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_HUB_LICENSES = frozenset("cc-by-4.0 cc-by-sa-4.0 cc-by-nc-4.0 mit apache-2.0 cc0-1.0".split())


def card_header(folder: BuiltFolder) -> dict[str, Any]:
    """The YAML the Hub reads, in the order in which a person reads it."""
    manifest = folder.manifest
    rows = sum(split.rows for _, _, split in manifest.own_splits())
    return {
        "pretty_name": read_releases(manifest.dataset).title,
        "language": ["en"],
        **license_fields(manifest),
        "annotations_creators": ["machine-generated"],
        "language_creators": ["crowdsourced", "machine-generated"],
        "multilinguality": ["monolingual"],
        "task_categories": ["visual-question-answering"],
        "size_categories": [next((name for limit, name in _SIZES if rows < limit), "1M<n<10M")],
        "source_datasets": _source_datasets(manifest),
        "tags": ["paired", "robustness", "counterfactual", "diptych", manifest.dataset],
        "configs": [_config(folder, name) for name in folder.configs],
        "dataset_info": [_info(folder, name) for name in folder.configs],
    }


def license_fields(manifest: Manifest) -> dict[str, Any]:
    """The licenses of the sources; where one has no name on the Hub, LICENSE.md says what holds."""
    licenses = sorted({_hub_license(source) for source in manifest.sources.values()})
    if "other" in licenses or not licenses:
        return {"license": "other", "license_name": "licenses-of-the-sources", "license_link": "LICENSE.md"}
    return {"license": licenses[0] if len(licenses) == 1 else licenses}


def _hub_license(source: SourceEntry) -> str:
    name = source.license.lower()
    return name if name in _HUB_LICENSES else "other"


def _source_datasets(manifest: Manifest) -> list[str]:
    """In the Hub's form: what was extended, and that it is no repository there."""
    titles = {source.title for source in manifest.sources.values()}
    return [f"extended|other-{title.lower().replace(' ', '-')}" for title in sorted(titles)]


def _config(folder: BuiltFolder, name: str) -> dict[str, Any]:
    files = [{"split": split, "path": list(paths)} for split, paths in folder.patterns(name).items()]
    entry: dict[str, Any] = {"config_name": name, "data_files": files}
    return entry | ({"default": True} if name == folder.manifest.default else {})


def _info(folder: BuiltFolder, name: str) -> dict[str, Any]:
    """Features and sizes of a config, as `datasets` writes and checks them."""
    splits: dict[str, dict[str, Any]] = {}
    download_size = 0
    for part in folder.parts(name):
        for split in folder.splits(name):
            if split in part.splits:
                entry = part.splits[split]
                info = splits.setdefault(split, {"name": split, "num_bytes": 0, "num_examples": 0})
                info["num_bytes"] += entry.bytes
                info["num_examples"] += entry.rows
                download_size += sum(file.bytes for file in entry.files.values())
    return {
        "config_name": name,
        "features": list(folder.features(name)),
        "splits": list(splits.values()),
        "download_size": download_size,
        "dataset_size": sum(info["num_bytes"] for info in splits.values()),
    }
