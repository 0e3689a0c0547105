"""`diptych sources`: what official files are there, what is missing, and where it is had."""

import sys
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.table import Table

from diptych.errors import BadInputError, MissingFileError
from diptych.sources.catalogue import Source, catalogue
from diptych.sources.files import find_file

_LOG_WIDTH = 200
_UNITS = ("B", "kB", "MB", "GB")


def sources(
    data: Annotated[Path | None, typer.Option(help="The folder of official files; without it, list sources.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Show which official files are there, which are missing, and where they are had."""
    if data is not None and not data.is_dir():
        raise MissingFileError(f"--data {data}: there is no such folder")
    report = [_described(source, data) for source in catalogue().values()]
    if as_json:
        typer.echo(orjson.dumps(report, option=orjson.OPT_INDENT_2).decode())
    else:
        _console().print(_all_sources(report) if data is None else _found_files(report))


def _described(source: Source, data: Path | None) -> dict[str, Any]:
    return {
        "source": source.key,
        "title": source.title,
        "folder": source.folder,
        "homepage": source.homepage,
        "licence": source.licence,
        "licence_url": source.licence_url,
        "citation": source.citation,
        "note": source.note,
        "files": [_file(source, name, data) for _, name in source.official_files()],
    }


def _file(source: Source, name: str, data: Path | None) -> dict[str, Any]:
    download = next(each for each, held in source.official_files() if held == name)
    entry: dict[str, Any] = {
        "name": name,
        "download": download.name,
        "url": download.url,
        "download_size": download.size,
        "download_sha256": download.sha256,
    }
    return entry if data is None else entry | _state(source, name, data)


def _state(source: Source, name: str, data: Path) -> dict[str, Any]:
    try:
        found = find_file(data, source.folder, name)
    except BadInputError as error:
        return {"state": "damaged", "path": "", "format": "", "size": None, "problem": str(error)}
    if found is None:
        return {"state": "missing", "path": "", "format": "", "size": None}
    return {"state": "there", "path": found.where, "format": found.format, "size": found.size}


def _console() -> Console:
    # A log has no width of its own: give it room, so that addresses stay whole.
    return Console(file=sys.stdout, width=None if sys.stdout.isatty() else _LOG_WIDTH, highlight=False)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _all_sources(report: list[dict[str, Any]]) -> Table:
    table = _table("source", "title", "folder", "licence", "where it is had")
    for source in report:
        urls = list(dict.fromkeys(file["url"] for file in source["files"]))
        table.add_row(source["source"], source["title"], f"{source['folder']}/", source["licence"], source["homepage"])
        for line in [*urls, *filter(None, [source["note"]])]:
            table.add_row("", "", "", "", f"  {line}")
    return table


def _found_files(report: list[dict[str, Any]]) -> Table:
    table = _table("source", "file", "state", "size", "where")
    for source in report:
        for file in source["files"]:
            name = f"{source['folder']}/{file['name']}"
            table.add_row(source["source"], name, *_cells(file))
    return table


def _cells(file: dict[str, Any]) -> tuple[str, str, str]:
    if file["state"] == "there":
        return file["format"], size_in_words(file["size"]), file["path"]
    if file["state"] == "damaged":
        return "damaged", "", file["problem"]
    size = file["download_size"]
    return "missing", size_in_words(size) if size else "", file["url"]


def size_in_words(size: int) -> str:
    """A number of bytes for people.

    >>> size_in_words(999), size_in_words(10518930)
    ('999 B', '10.5 MB')
    """
    amount = float(size)
    for unit in _UNITS[:-1]:
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} {_UNITS[-1]}"
