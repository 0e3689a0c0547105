"""Croissant: the dataset's files and fields as JSON-LD that search engines and loaders read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from diptych.cards.export.tasks import Exported
from diptych.cards.releases import releases_of

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


def write_croissant(built: Exported, out: Path) -> list[Path]:
    """`croissant.json`; without a repository its paths are relative to the built folder."""
    path = out / "croissant.json"
    path.write_bytes(orjson.dumps(croissant(built), option=orjson.OPT_INDENT_2))
    return [path]


def croissant(built: Exported) -> dict[str, Any]:
    """The dataset as Croissant 1.0 metadata."""
    m = built.manifest
    urls = {source.get("licence_url") for source in m["sources"].values()} - {None, ""}
    home = f"https://huggingface.co/datasets/{built.repo}" if built.repo else "https://huggingface.co/datasets"
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": m["dataset"],
        "description": f"{releases_of(m['dataset']).title}: pairs of visual questions whose answers are tied.",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "license": sorted(urls),
        "url": home,
        "version": m["version"],
        "citeAs": "\n".join(sorted({source.get("citation", "") for source in m["sources"].values()} - {""})),
        "distribution": [_file(built, *file) for file in _files(m)] + _file_sets(m),
        "recordSet": [
            _records(config, split, entry)
            for config, entry in m["configs"].items()
            for split in entry["splits"]
            if "features" in entry
        ],
    }


def _files(manifest: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return [
        (name, told)
        for config in manifest["configs"].values()
        for split in config["splits"].values()
        for name, told in split["files"].items()
    ]


def _file(built: Exported, name: str, told: Mapping[str, Any]) -> dict[str, Any]:
    base = f"https://huggingface.co/datasets/{built.repo}/resolve/{built.revision}/" if built.repo else ""
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": base + name,
        "contentSize": f"{told['bytes']} B",
        "encodingFormat": "application/x-parquet",
        "sha256": told["sha256"],
    }


def _file_sets(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The splits that have several files, each a set."""
    return [
        {
            "@type": "cr:FileSet",
            "@id": f"{config}/{split}-files",
            "name": f"{config}/{split}-files",
            "containedIn": [{"@id": name} for name in told["files"]],
            "encodingFormat": "application/x-parquet",
            "includes": f"data/{config}/{split}-*.parquet",
        }
        for config, entry in manifest["configs"].items()
        for split, told in entry["splits"].items()
        if len(told["files"]) > 1
    ]


def _records(config: str, split: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    own, files = f"{config}/{split}", list(entry["splits"][split]["files"])
    source = {"fileObject": {"@id": files[0]}} if len(files) == 1 else {"fileSet": {"@id": f"{own}-files"}}
    return {
        "@type": "cr:RecordSet",
        "@id": own,
        "name": own,
        "description": entry["description"],
        "key": {"@id": f"{own}/{entry['features'][0]['name']}"},
        "field": [_field(own, feature, source) for feature in entry["features"]],
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


def _data_type(kind: object) -> str:
    told = kind if isinstance(kind, str) else ""
    if told.startswith(("int", "uint")):
        return "sc:Integer"
    return "sc:Float" if told.startswith("float") else _TYPES.get(told, "sc:Text")
