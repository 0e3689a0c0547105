"""`diptych ls` and `diptych sources`: what can be built, and the official files that it is built from."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from diptych.cli._options import AsJson, echo_table, json_text
from diptych.errors import BadInputError, MissingFileError
from diptych.files import format_bytes
from diptych.sources import Download, Source, catalog, find_file

if TYPE_CHECKING:
    from diptych.builders import DatasetSpec


def ls(as_json: AsJson = False) -> None:
    """List the datasets that can be built, with their configs."""
    from diptych.builders import dataset_names, get_dataset

    specs = [get_dataset(name).spec for name in dataset_names()]
    if as_json:
        return typer.echo(json_text([_describe_dataset(spec) for spec in specs]))
    for spec in specs:
        typer.echo(f"{spec.name} {spec.version}")
        for config in spec.configs:
            mark = " (default)" if config.name == spec.default_config else " (on request)" if config.on_request else ""
            typer.echo(f"  {config.name + mark:28} {config.description}")
    return None


def _describe_dataset(spec: "DatasetSpec") -> dict[str, Any]:
    facts = ("description", "tests", "source")
    configs = {config.name: {fact: getattr(config, fact) for fact in facts} for config in spec.configs}
    parameters = {name: parameter.default for name, parameter in spec.all_parameters.items()}
    names = {"dataset": spec.name, "version": spec.version, "default": spec.default_config}
    return {**names, "configs": configs, "parameters": parameters}


def sources(
    data: Annotated[Path | None, Option(help="The folder of official files; without it, list sources.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show which official files exist, which are missing, and where to get them."""
    if data is not None and not data.is_dir():
        raise MissingFileError(f"--data {data}: no such folder")
    report = [_describe_source(source, data) for source in catalog().values()]
    if as_json:
        typer.echo(json_text(report))
    elif data is None:
        echo_table(("source", "title", "folder", "license", "address"), _source_rows(report))
    else:
        echo_table(("source", "file", "state", "size", "path or address"), _file_rows(report))


def _describe_source(source: Source, data: Path | None) -> dict[str, Any]:
    names = ("title", "folder", "homepage", "license", "license_url", "citation", "note")
    files = [_describe_file(source, download, name, data) for download, name in source.official_files()]
    return {"source": source.key, **{name: getattr(source, name) for name in names}, "files": files}


def _describe_file(source: Source, download: Download, name: str, data: Path | None) -> dict[str, Any]:
    description: dict[str, Any] = {"name": name, "download": download.name, "url": download.url}
    description |= {"download_size": download.size, "download_sha256": download.sha256}
    if data is None:
        return description
    absent = {"path": "", "format": "", "size": None}
    try:
        file = find_file(data, source.folder, name)
    except BadInputError as error:
        return description | {"state": "damaged", **absent, "problem": str(error)}
    if file is None:
        return description | {"state": "missing", **absent}
    return description | {"state": "there", "path": file.where, "format": file.format, "size": file.size}


def _source_rows(report: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for source in report:
        yield source["source"], source["title"], f"{source['folder']}/", source["license"], source["homepage"]
        urls = dict.fromkeys(file["url"] for file in source["files"])
        yield from (("", "", "", "", f"  {line}") for line in (*urls, source["note"]) if line)


def _file_rows(report: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for source in report:
        for file in source["files"]:
            if file["state"] == "there":
                cells = (file["format"], format_bytes(file["size"]), file["path"])
            elif file["state"] == "damaged":
                cells = ("damaged", "", file["problem"])
            else:
                size = file["download_size"]
                cells = ("missing", format_bytes(size) if size else "", file["url"])
            yield source["source"], f"{source['folder']}/{file['name']}", *cells
