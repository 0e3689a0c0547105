"""`diptych sources`: the official files that exist, those that are missing, and their addresses."""

import sys
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.table import Table

from diptych.errors import BadInputError, MissingFileError
from diptych.sources import Download, Source, catalog, find_file

_LOG_WIDTH = 200
_UNITS = ("B", "kB", "MB", "GB")


def sources(
    data: Annotated[Path | None, typer.Option(help="The folder of official files; without it, list sources.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Show which official files exist, which are missing, and where to get them."""
    if data is not None and not data.is_dir():
        raise MissingFileError(f"--data {data}: there is no such folder")
    report = [_describe_source(source, data) for source in catalog().values()]
    if as_json:
        typer.echo(orjson.dumps(report, option=orjson.OPT_INDENT_2).decode())
    else:
        # A log has no width of its own: give it room, so that addresses stay whole.
        console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else _LOG_WIDTH, highlight=False)
        console.print(_source_table(report) if data is None else _file_table(report))


def _describe_source(source: Source, data: Path | None) -> dict[str, Any]:
    return {
        "source": source.key,
        "title": source.title,
        "folder": source.folder,
        "homepage": source.homepage,
        "license": source.license,
        "license_url": source.license_url,
        "citation": source.citation,
        "note": source.note,
        "files": [_describe_file(source, download, name, data) for download, name in source.official_files()],
    }


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
    try:
        file = find_file(data, source.folder, name)
    except BadInputError as error:
        return description | {"state": "damaged", "path": "", "format": "", "size": None, "problem": str(error)}
    if file is None:
        return description | {"state": "missing", "path": "", "format": "", "size": None}
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
            table.add_row(source["source"], f"{source['folder']}/{file['name']}", *_state_cells(file))
    return table


def _state_cells(file: dict[str, Any]) -> tuple[str, str, str]:
    if file["state"] == "there":
        return file["format"], size_in_words(file["size"]), file["path"]
    if file["state"] == "damaged":
        return "damaged", "", file["problem"]
    size = file["download_size"]
    return "missing", size_in_words(size) if size else "", file["url"]


def size_in_words(size: int) -> str:
    """Format a number of bytes for people.

    >>> size_in_words(999), size_in_words(10518930)
    ('999 B', '10.5 MB')
    """
    amount = float(size)
    for unit in _UNITS[:-1]:
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} {_UNITS[-1]}"
