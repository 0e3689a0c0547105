"""Croissant: the dataset's files and fields as JSON-LD that search engines and loaders read."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from diptych.cards import dataset_title
from diptych.files import read_package_toml, write_json
from diptych.folder import BuiltFolder, ConfigEntry, Manifest
from diptych.publishing.export._responsible_ai import responsible_ai
from diptych.publishing.export._tasks import revision

# By how the type of a column begins; every other type is text.
_TYPES = {"int": "Integer", "uint": "Integer", "float": "Float", "bool": "Boolean", "image": "ImageObject"}
_PARQUET = "application/x-parquet"


def write_croissant(folder: BuiltFolder, out: Path, repo: str | None) -> list[Path]:
    """`croissant.json`, Croissant 1.1; without a repository its paths are relative to the built folder."""
    manifest, sources = folder.manifest, folder.manifest.sources.values()
    base = f"https://huggingface.co/datasets/{repo}/resolve/{revision(folder, repo)}/" if repo else ""
    content = {
        "@context": read_package_toml(__package__, "croissant.toml"),
        "@type": "sc:Dataset",
        "name": manifest.dataset,
        "description": f"{dataset_title(manifest.dataset)}: pairs of visual questions whose answers are tied.",
        "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        "license": sorted({source.license_url for source in sources} - {""}),
        "url": "/".join(filter(None, ("https://huggingface.co/datasets", repo))),
        "version": manifest.version,
        "citeAs": "\n".join(sorted({source.citation for source in sources} - {""})),
        "inLanguage": "en",
        **responsible_ai(manifest),
        "distribution": [*_files(manifest, base), *_file_sets(manifest)],
        "recordSet": [_records(config, split, manifest.configs[config]) for config, split, _ in manifest.own_splits()],
    }
    write_json(out / "croissant.json", content)
    return [out / "croissant.json"]


def _node(kind: str, identifier: str, **facts: Any) -> dict[str, Any]:
    return {"@type": f"cr:{kind}", "@id": identifier, "name": identifier, **facts}


def _files(manifest: Manifest, base: str) -> Iterator[dict[str, Any]]:
    for _, _, split in manifest.own_splits():
        for name, entry in split.files.items():
            place = {"contentUrl": base + name, "contentSize": f"{entry.bytes} B"}
            yield _node("FileObject", name, **place, encodingFormat=_PARQUET, sha256=entry.sha256)


def _file_sets(manifest: Manifest) -> Iterator[dict[str, Any]]:
    """The splits that have several files, each a set."""
    for config, split, entry in manifest.own_splits():
        if len(entry.files) > 1:
            files = {"containedIn": [{"@id": name} for name in entry.files], "encodingFormat": _PARQUET}
            yield _node("FileSet", f"{config}/{split}-files", **files, includes=f"data/{config}/{split}-*.parquet")


def _records(config: str, split: str, entry: ConfigEntry) -> dict[str, Any]:
    name, files = f"{config}/{split}", list(entry.splits[split].files)
    source = {"fileObject": {"@id": files[0]}} if len(files) == 1 else {"fileSet": {"@id": f"{name}-files"}}
    key = {"@id": f"{name}/{entry.features[0]['name']}"}
    # A column of structs other than images has no type of Croissant's, and is left to the Parquet files.
    fields = [_field(name, feature, source) for feature in entry.features if isinstance(_value_type(feature), str)]
    return _node("RecordSet", name, description=entry.description, key=key, field=fields)


def _field(records: str, feature: Mapping[str, Any], source: Mapping[str, Any]) -> dict[str, Any]:
    """One column; lists of values, and lists of lists, are arrays."""
    name, dtype = feature["name"], _value_type(feature)
    kinds = (kind for prefix, kind in _TYPES.items() if isinstance(dtype, str) and dtype.startswith(prefix))
    field = _node("Field", f"{records}/{name}", dataType=f"sc:{next(kinds, 'Text')}") | {"name": name}
    repeated = {"isArray": True, "arrayShape": ",".join(["-1"] * _depth(feature))} if "list" in feature else {}
    content = {"transform": {"jsonPath": "bytes"}} if dtype == "image" else {}  # of its struct of bytes and path
    return {**field, **repeated, "source": {**source, "extract": {"column": name}, **content}}


def _value_type(feature: Any) -> Any:
    """The type of the values of a column, or of those in its lists."""
    while isinstance(feature, Mapping) and ("list" in feature or "dtype" in feature):
        feature = feature.get("dtype") or feature["list"]
    return feature


def _depth(feature: Any) -> int:
    return 1 + _depth(feature["list"]) if isinstance(feature, Mapping) and "list" in feature else 0
