"""`diptych ls` and `diptych sources`: what can be built, and the official files that it is built from."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from typer import Option

from diptych.cli._options import echo_json
from diptych.errors import BadInputError, MissingFileError
from diptych.files import format_bytes
from diptych.sources import Download, Source, catalog, find_file

if TYPE_CHECKING:
    from diptych.builders import DatasetSpec

_LOG_WIDTH = 200


def ls(as_json: Annotated[bool, Option("--json", help="Print JSON.")] = False) -> None:
    """List the datasets that can be built, with their configs."""
    from diptych.builders import dataset_names, get_dataset

    specs = [get_dataset(name).spec for name in dataset_names()]
    if as_json:
        echo_json([_describe_dataset(spec) for spec in specs])
        return
    for spec in specs:
        typer.echo(f"{spec.name} {spec.version}")
        for config in spec.configs:
            mark = " (default)" if config.name == spec.default_config else ""
            typer.echo(f"  {config.name + mark:28} {config.description}")


def _describe_dataset(spec: "DatasetSpec") -> dict[str, Any]:
    configs = {
        config.name: {"description": config.description, "tests": config.tests, "source": config.source}
        for config in spec.configs
    }
    return {
        "dataset": spec.name,
        "version": spec.version,
        "default": spec.default_config,
        "configs": configs,
        "parameters": {parameter.name: parameter.default for parameter in spec.parameters},
    }


def sources(
    data: Annotated[Path | None, Option(help="The folder of official files; without it, list sources.")] = None,
    as_json: Annotated[bool, Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Show which official files exist, which are missing, and where to get them."""
    if data is not None and not data.is_dir():
        raise MissingFileError(f"--data {data}: there is no such folder")
    report = [_describe_source(source, data) for source in catalog().values()]
    if as_json:
        echo_json(report)
    else:
        # A log has no width of its own: give it room, so that addresses stay whole.
        console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else _LOG_WIDTH, highlight=False)
        console.print(_source_table(report) if data is None else _file_table(report))


def _describe_source(source: Source, data: Path | None) -> dict[str, Any]:
    names = ("title", "folder", "homepage", "license", "license_url", "citation", "note")
    files = [_describe_file(source, download, name, data) for download, name in source.official_files()]
    return {"source": source.key, **{name: getattr(source, name) for name in names}, "files": files}


def _describe_file(source: Source, download: Download, name: str, data: Path | None) -> dict[str, Any]:
    description: dict[str, Any] = {
        "name": name,
        "download": download.name,
        "url": download.url,
        "download_size": download.size,
        "download_sha256": download.sha256,
    }
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


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _source_table(report: list[dict[str, Any]]) -> Table:
    table = _table("source", "title", "folder", "license", "address")
    for source in report:
        urls = list(dict.fromkeys(file["url"] for file in source["files"]))
        table.add_row(source["source"], source["title"], f"{source['folder']}/", source["license"], source["homepage"])
        for line in [*urls, *filter(None, [source["note"]])]:
            table.add_row("", "", "", "", f"  {line}")
    return table


def _file_table(report: list[dict[str, Any]]) -> Table:
    table = _table("source", "file", "state", "size", "path or address")
    for source in report:
        for file in source["files"]:
            if file["state"] == "there":
                cells = (file["format"], format_bytes(file["size"]), file["path"])
            elif file["state"] == "damaged":
                cells = ("damaged", "", file["problem"])
            else:
                size = file["download_size"]
                cells = ("missing", format_bytes(size) if size else "", file["url"])
            table.add_row(source["source"], f"{source['folder']}/{file['name']}", *cells)
    return table
