"""Croissant: the dataset's files and fields as JSON-LD that search engines and loaders read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diptych.cards import dataset_title
from diptych.files import write_json
from diptych.folder import ConfigEntry, FileEntry, Manifest
from diptych.publishing.export._tasks import ExportedFolder

_TYPES = {"string": "sc:Text", "bool": "sc:Boolean", "image": "sc:ImageObject"}
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def write_croissant(exported: ExportedFolder, out: Path) -> list[Path]:
    """`croissant.json`; without a repository its paths are relative to the built folder."""
    path = out / "croissant.json"
    write_json(path, croissant(exported))
    return [path]


def croissant(exported: ExportedFolder) -> dict[str, Any]:
    """The dataset as Croissant 1.0 metadata."""
    manifest, sources = exported.manifest, exported.manifest.sources.values()
    repo = exported.repo
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": manifest.dataset,
        "description": f"{dataset_title(manifest.dataset)}: pairs of visual questions whose answers are tied.",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "license": sorted({source.license_url for source in sources} - {""}),
        "url": f"https://huggingface.co/datasets/{repo}" if repo else "https://huggingface.co/datasets",
        "version": manifest.version,
        "citeAs": "\n".join(sorted({source.citation for source in sources} - {""})),
        "distribution": [
            _file(exported, name, entry) for _, _, split in manifest.own_splits() for name, entry in split.files.items()
        ]
        + _file_sets(manifest),
        "recordSet": [
            _records(config, split, entry) for config, entry in manifest.configs.items() for split in entry.splits
        ],
    }


def _file(exported: ExportedFolder, name: str, entry: FileEntry) -> dict[str, Any]:
    repo, revision = exported.repo, exported.revision
    base = f"https://huggingface.co/datasets/{repo}/resolve/{revision}/" if repo else ""
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
    name = feature["name"]
    return {
        "@type": "cr:Field",
        "@id": f"{records}/{name}",
        "name": name,
        "dataType": _data_type(feature.get("dtype") or feature.get("list")),
        **({"repeated": True} if "list" in feature else {}),
        "source": {**source, "extract": {"column": name}},
    }


def _data_type(dtype: object) -> str:
    name = dtype if isinstance(dtype, str) else ""
    if name.startswith(("int", "uint")):
        return "sc:Integer"
    return "sc:Float" if name.startswith("float") else _TYPES.get(name, "sc:Text")
