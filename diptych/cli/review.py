"""`diptych review`: pages on which people judge pairs, and what becomes of their judgements."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

import diptych
from diptych.cli._options import AsJson, Built, Config, Split, json_text
from diptych.errors import BadInputError
from diptych.files import write_json_lines

if TYPE_CHECKING:
    from diptych.report.review import ReviewItem

review_app = typer.Typer(help="Let people verify pairs: export pages, merge what they send back.", no_args_is_help=True)


@review_app.command()
def export(
    out: Built,
    to: Annotated[Path, Option(help="The page to write; with --hits a folder of pages.")],
    config: Config = None,
    split: Split = None,
    sample: Annotated[int, Option(min=0, help="So many pairs, drawn by the seed; 0 for all.")] = 0,
    seed: Annotated[int, Option(help="Decides the sample.")] = 0,
    images: Annotated[Path | None, Option(help="Folder with the images, to be put into the page.")] = None,
    hits: Annotated[bool, Option("--hits", help="People answer: tasks of 24 questions, 4 of them gold.")] = False,
    gold: Annotated[Path | None, Option(help="With --hits: a data folder with VQA v2.")] = None,
) -> None:
    """Write a page that works from a file, with no server, for each annotator to open."""
    from diptych.images import open_images
    from diptych.report.review import export_tasks, gold_questions, missing_images, write_page

    items, title = _items(out, config, split, sample, seed)
    folder = open_images(images) if images is not None else None
    if not hits:
        entries = [item.as_json(folder) for item in items]
        write_page(to, title, "judge", entries)
        typer.echo(f"wrote {to}: {len(items)} items, {missing_images(entries)} sides without their image")
    elif gold is not None:
        pages = export_tasks(to, title, items, gold_questions(gold, folder), folder, seed)
        typer.echo(f"wrote {len(pages)} tasks into {to}")
    else:
        raise BadInputError("--hits needs --gold DIR: gold questions are taken from the VQA v2 files in it")


@review_app.command()
def merge(
    out: Built,
    files: Annotated[list[Path], Argument(help="The JSON files that annotators sent back.")],
    to: Annotated[Path, Option(help="Where to write verdicts.jsonl, or with --hits the predictions.")],
    config: Config = None,
    split: Split = None,
    agree: Annotated[int, Option(min=1, help="How many annotators must agree.")] = 2,
    hits: Annotated[bool, Option("--hits", help="The files answer questions: write the human baseline.")] = False,
    as_json: AsJson = False,
) -> None:
    """Apply the consensus rule, say how far annotators agree, and write what `build --verdicts` reads."""
    from diptych.report.review import merge_files, merge_tasks

    items, _ = _items(out, config, split, 0, 0)
    rows, report = merge_tasks(files, items) if hits else merge_files(files, items, agree)
    write_json_lines(to, rows)
    lines = (f"{key}: {_text(value)}" for key, value in report.items())
    typer.echo(json_text(report) if as_json else "\n".join(lines))


def _items(out: str, config: str | None, split: str | None, sample: int, seed: int) -> "tuple[list[ReviewItem], str]":
    from diptych.report.review import choose_items

    folder = diptych.open_folder(out)
    selection = folder.select(config, split)
    title = f"{Path(out).name or out} {selection.config}/{selection.split}"
    return choose_items(folder.pairs(selection, complete=True).to_pylist(), sample, seed), title


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(part)}" for key, part in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:.3f}" if isinstance(value, float) else str(value)
