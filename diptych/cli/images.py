"""`diptych images`: the pictures that a dataset needs, which of them are there, and where the others come from."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from diptych.cli._options import AsJson, Built, Config, echo_table, json_text
from diptych.errors import BadInputError
from diptych.files import format_bytes

_MOST_LINES = 5


def images(
    out: Built,
    folder: Annotated[Path, Option("--images", help="The folder of images: plain, or the official folders and .zips.")],
    config: Config = None,
    split: Annotated[str | None, Option(help="Only this split.")] = None,
    download: Annotated[
        bool, Option("--download", help="Download missing pictures one by one, where possible.")
    ] = False,
    archives: Annotated[bool, Option("--archives", help="With --download: download whole official archives.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show which pictures a dataset needs, which are missing, and where to get them.

    Checks all configs, or one. Exits with code 1 if any picture is still missing.
    """
    from diptych import open_folder
    from diptych.folder import needed_pictures
    from diptych.images import open_images

    if archives and not download:
        raise BadInputError("--archives needs --download")
    needed = needed_pictures(open_folder(out), config, split)
    if download:
        folder.mkdir(parents=True, exist_ok=True)
    failures: dict[str, str] = {}
    missing = _missing(needed, open_images(folder))
    if download and missing:
        failures = _download(missing, folder, archives)
        missing = _missing(needed, open_images(folder))
    report = {"needed": len(needed), "missing": len(missing), "archives": _archives(missing)}
    if as_json:
        typer.echo(json_text({**report, "missing_names": missing, "failures": failures}))
    else:
        _show(report, missing, failures, folder)
    if missing:
        raise typer.Exit(1)


def _missing(needed: list[tuple[str, ...]], store: Any) -> list[str]:
    return [names[0] for names in needed if store.find(store.present_name(names)) is None]


def _download(missing: list[str], folder: Path, archives: bool) -> dict[str, str]:
    """Why pictures could not be fetched, by name; none where whole archives are."""
    from diptych.images import fetch_images
    from diptych.sources import fetch, image_archives

    if not archives:
        return fetch_images(missing, folder)
    entries = {(source.key, file.name): source for name in missing for source, file in image_archives(name)}
    for (_, file_name), source in entries.items():
        fetch(source, [file_name], folder)
    return {}


def _archives(missing: list[str]) -> list[dict[str, Any]]:
    """The archives that missing pictures are in, with how many each may have."""
    from diptych.sources import image_archives

    counts: Counter[Any] = Counter(entry for name in missing for entry in image_archives(name))
    return [
        {"archive": f"{source.folder}/{file.name}", "pictures": count, "size": file.size, "url": file.url}
        for (source, file), count in counts.items()
    ]


def _show(report: dict[str, Any], missing: list[str], failures: dict[str, str], folder: Path) -> None:
    typer.echo(f"{report['needed']:,} pictures are needed, {report['missing']:,} of them are missing in {folder}")
    if report["archives"]:
        rows = [
            (
                entry["archive"],
                f"{entry['pictures']:,}",
                format_bytes(entry["size"]) if entry["size"] else "",
                entry["url"],
            )
            for entry in report["archives"]
        ]
        echo_table(("archive", "missing pictures", "size", "address"), rows)
    for name in missing[:_MOST_LINES]:
        typer.echo(f"missing: {name}{f' ({failures[name]})' if name in failures else ''}")
    if len(missing) > _MOST_LINES:
        typer.echo(f"… and {len(missing) - _MOST_LINES:,} more; --json lists all")
