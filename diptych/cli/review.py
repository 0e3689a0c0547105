"""`diptych review`: pages on which people judge pairs, and what becomes of their judgments."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

import diptych
from diptych.cli._options import AsJson, Built, Config, Split, json_text
from diptych.errors import BadInputError
from diptych.files import write_json_lines

review_app = typer.Typer(help="Have people review pairs: export pages, merge their verdicts.", no_args_is_help=True)


@review_app.command()
def sample(
    out: Built,
    to: Annotated[Path, Option(help="The file to write: one pair per line, for `review export --only`.")],
    per_test: Annotated[int, Option(min=1, help="Number of items per test.")] = 100,
    seed: Annotated[int, Option(help="The seed of the sample.")] = 0,
    config: Config = None,
    split: Split = None,
) -> None:
    """Sample pairs of every test: the same for all reviewers, and whole groups where scores are per group."""
    from diptych.report.review import has_whole_groups, review_items, sample_items, sample_rows

    folder = diptych.open_folder(out)
    items = review_items(folder, folder.select(config, split))
    drawn = sample_items(items, per_test, seed, has_whole_groups(folder))
    write_json_lines(to, sample_rows(drawn))
    totals = Counter(item.test for item in items)
    for test, count in sorted(Counter(item.test for item in drawn).items()):
        typer.echo(f"{test}: {count:,} of {totals[test]:,} items")
    typer.echo(f"wrote {to}")


@review_app.command()
def export(
    out: Built,
    to: Annotated[Path, Option(help="The folder to create; NAME.html writes a single page for a few items.")],
    config: Config = None,
    split: Split = None,
    only: Annotated[Path | None, Option(help="Only the pairs of this file: from `review sample`.")] = None,
    images: Annotated[Path | None, Option(help="Folder with the images; copies are put beside the pages.")] = None,
    page_size: Annotated[int, Option(min=1, max=10_000, help="Items per page.")] = 200,
    overwrite: Annotated[bool, Option("--overwrite", help="Replace an earlier export.")] = False,
    hits: Annotated[
        bool, Option("--hits", help="Tasks for a human baseline: 24 questions each, 4 of them gold.")
    ] = False,
    gold: Annotated[Path | None, Option(help="With --hits: a data folder with VQA v2.")] = None,
    seed: Annotated[int, Option(help="With --hits: the seed of the order of questions.")] = 0,
) -> None:
    """Write review pages that each reviewer opens locally, without a server."""
    from diptych.images import open_images
    from diptych.report import review

    folder = diptych.open_folder(out)
    selection = folder.select(config, split)
    population = review.review_items(folder, selection)
    items = review.select_items(population, only) if only else population
    title = f"{Path(out).name or out} {selection.config}/{selection.split}"
    pictures = review.PagePictures(open_images(images) if images is not None else None, folder, selection)
    if hits and gold is None:
        raise BadInputError("--hits needs --gold DIR: gold questions are taken from the VQA v2 files in it")
    if not hits and to.suffix != ".html":
        pages = review.write_folder(to, title, items, pictures, page_size, overwrite, population)
        typer.echo(f"{len(items):,} items on {pages:,} pages, {pictures.missing:,} sides without their image")
        typer.echo(f"wrote {to}: open {to / 'index.html'}")
    elif gold is not None and hits:
        tasks = review.export_tasks(to, title, items, review.gold_questions(gold, pictures), pictures, seed)
        typer.echo(f"wrote {len(tasks)} tasks into {to}")
    else:
        review.write_page(to, title, items, pictures, population)
        typer.echo(f"wrote {to}: {len(items)} items, {pictures.missing} sides without their image")


@review_app.command()
def merge(
    out: Built,
    files: Annotated[list[Path], Argument(help="The JSON files that reviewers sent back.")],
    to: Annotated[Path, Option(help="Where to write verdicts.jsonl, or with --hits the predictions.")],
    config: Config = None,
    split: Split = None,
    agree: Annotated[int, Option(min=1, help="How many reviewers must agree.")] = 2,
    hits: Annotated[bool, Option("--hits", help="The files are answers to tasks: write the human baseline.")] = False,
    as_json: AsJson = False,
) -> None:
    """Merge verdicts by consensus, report how well reviewers agree, and write the file for `build --verdicts`."""
    from diptych.report.review import merge_files, merge_tasks, review_items

    folder = diptych.open_folder(out)
    items = review_items(folder, folder.select(config, split))
    rows, report = merge_tasks(files, items) if hits else merge_files(files, items, agree)
    write_json_lines(to, rows)
    typer.echo(json_text(report) if as_json else "\n".join(_lines(report)))


def _lines(report: dict[str, Any]) -> list[str]:
    tests = report.get("tests", {})
    lines = [f"{key}: {_text(value)}" for key, value in report.items() if key != "tests"]
    return lines + [f"{test}: {_text(value)}" for test, value in tests.items()]


def _text(value: Any) -> str:
    if isinstance(value, dict):
        if "value" in value:
            interval = f"[{_text(value['low'])}, {_text(value['high'])}]" if "low" in value else ""
            rest = {key: part for key, part in value.items() if key not in ("name", "value", "low", "high")}
            return " ".join(filter(None, (value.get("name"), _text(value["value"]), interval, f"({_text(rest)})")))
        return ", ".join(f"{key} {_text(part)}" for key, part in value.items() if part != "") or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:.3f}" if isinstance(value, float) else str(value)
