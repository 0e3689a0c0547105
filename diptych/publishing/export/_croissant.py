"""Croissant: the dataset's files and fields as JSON-LD that search engines and loaders read."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from diptych.cards import dataset_title
from diptych.files import write_json
from diptych.folder import ConfigEntry, FileEntry, Manifest
from diptych.publishing.export._tasks import ExportedFolder

# By how the type of a column begins; every other type is text.
_TYPES = {
    "int": "sc:Integer",
    "uint": "sc:Integer",
    "float": "sc:Float",
    "bool": "sc:Boolean",
    "image": "sc:ImageObject",
}


def write_croissant(exported: ExportedFolder, out: Path) -> list[Path]:
    """`croissant.json`, Croissant 1.0; without a repository its paths are relative to the built folder."""
    manifest, sources = exported.manifest, exported.manifest.sources.values()
    file_objects = [_file(exported, *item) for _, _, split in manifest.own_splits() for item in split.files.items()]
    content = {
        "@context": tomllib.loads((files(__package__) / "croissant.toml").read_text(encoding="utf-8")),
        "@type": "sc:Dataset",
        "name": manifest.dataset,
        "description": f"{dataset_title(manifest.dataset)}: pairs of visual questions whose answers are tied.",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "license": sorted({source.license_url for source in sources} - {""}),
        "url": "/".join(filter(None, ("https://huggingface.co/datasets", exported.repo))),
        "version": manifest.version,
        "citeAs": "\n".join(sorted({source.citation for source in sources} - {""})),
        "distribution": file_objects + _file_sets(manifest),
        "recordSet": [
            _records(config, split, entry) for config, entry in manifest.configs.items() for split in entry.splits
        ],
    }
    write_json(out / "croissant.json", content)
    return [out / "croissant.json"]


def _file(exported: ExportedFolder, name: str, entry: FileEntry) -> dict[str, Any]:
    base = f"https://huggingface.co/datasets/{exported.repo}/resolve/{exported.revision}/" if exported.repo else ""
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": base + name,
        "contentSize": f"{entry.bytes} B",
        "encodingFormat": "application/x-parquet",
        "sha256": entry.sha256,
    }


def _file_sets(manifest: Manifest) -> list[dict[str, Any]]:
    """The splits that have several files, each a set."""
    return [
        {
            "@type": "cr:FileSet",
            "@id": f"{config}/{split}-files",
            "name": f"{config}/{split}-files",
            "containedIn": [{"@id": name} for name in entry.files],
            "encodingFormat": "application/x-parquet",
            "includes": f"data/{config}/{split}-*.parquet",
        }
        for config, split, entry in manifest.own_splits()
        if len(entry.files) > 1
    ]


def _records(config: str, split: str, entry: ConfigEntry) -> dict[str, Any]:
    name, files = f"{config}/{split}", list(entry.splits[split].files)
    source = {"fileObject": {"@id": files[0]}} if len(files) == 1 else {"fileSet": {"@id": f"{name}-files"}}
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": entry.description,
        "key": {"@id": f"{name}/{entry.features[0]['name']}"},
        "field": [_field(name, feature, source) for feature in entry.features],
    }


def _field(records: str, feature: Mapping[str, Any], source: Mapping[str, Any]) -> dict[str, Any]:
    """One column; a list of values is a repeated field."""
    name, dtype = feature["name"], feature.get("dtype") or feature.get("list")
    kinds = (kind for prefix, kind in _TYPES.items() if isinstance(dtype, str) and dtype.startswith(prefix))
    return {
        "@type": "cr:Field",
        "@id": f"{records}/{name}",
        "name": name,
        "dataType": next(kinds, "sc:Text"),
        **({"repeated": True} if "list" in feature else {}),
        "source": {**source, "extract": {"column": name}},
    }
