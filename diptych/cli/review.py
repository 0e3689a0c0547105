"""`diptych review`: pages on which people judge pairs, and what becomes of their judgements."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

if TYPE_CHECKING:
    from diptych.report.review import ReviewItem

review_app = typer.Typer(help="Let people verify pairs: export pages, merge what they send back.", no_args_is_help=True)

Out = Annotated[str, typer.Argument(help="A built folder, or org/name@revision on the Hub.")]
Config = Annotated[str | None, typer.Option(help="The dataset's config; by default its default one.")]
Split = Annotated[str | None, typer.Option(help="The split.")]
Sample = Annotated[int, typer.Option(min=0, help="So many pairs, drawn by the seed; 0 for all.")]
Seed = Annotated[int, typer.Option(help="Decides the sample.")]


@review_app.command()
def export(
    out: Out,
    to: Annotated[Path, typer.Option(help="The page to write; with --hits a folder of pages.")],
    config: Config = None,
    split: Split = None,
    sample: Sample = 0,
    seed: Seed = 0,
    images: Annotated[Path | None, typer.Option(help="Folder with the images, to be put into the page.")] = None,
    hits: Annotated[bool, typer.Option("--hits", help="People answer: tasks of 24 questions, 4 of them gold.")] = False,
    gold: Annotated[Path | None, typer.Option(help="With --hits: a data folder with VQA v2.")] = None,
) -> None:
    """Write a page that works from a file, with no server, for each annotator to open."""
    from diptych.errors import BadInputError
    from diptych.report.review import check_images, export_tasks, gold_questions, missing_images, write_page

    items, title = _items(out, config, split, sample, seed)
    folder = check_images(images)
    if hits:
        if gold is None:
            raise BadInputError("--hits needs --gold DIR: gold questions are taken from the VQA v2 files in it")
        pages = export_tasks(to, title, items, gold_questions(gold, folder), folder, seed)
        typer.echo(f"wrote {len(pages)} tasks into {to}")
        return
    entries = [item.as_json(folder) for item in items]
    write_page(to, title, "judge", entries)
    typer.echo(f"wrote {to}: {len(items)} items, {missing_images(entries)} sides without their image")


@review_app.command()
def merge(
    out: Out,
    files: Annotated[list[Path], typer.Argument(help="The JSON files that annotators sent back.")],
    to: Annotated[Path, typer.Option(help="Where to write verdicts.jsonl, or with --hits the predictions.")],
    config: Config = None,
    split: Split = None,
    agree: Annotated[int, typer.Option(min=1, help="How many annotators must agree.")] = 2,
    hits: Annotated[bool, typer.Option("--hits", help="The files answer questions: write the human baseline.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Apply the consensus rule, say how far annotators agree, and write what `build --verdicts` reads."""
    from diptych.files import write_json_lines
    from diptych.report.review import merge_files, merge_tasks, write_verdicts

    items, _ = _items(out, config, split, 0, 0)
    if hits:
        predictions, report = merge_tasks(files, items)
        write_json_lines(to, predictions)
        typer.echo(orjson.dumps(report).decode() if as_json else _lines(report))
        return
    consensus = merge_files(files, items, agree)
    write_verdicts(to, consensus)
    report = consensus.as_json()
    typer.echo(orjson.dumps(report).decode() if as_json else _lines(report))


def _items(out: str, config: str | None, split: str | None, sample: int, seed: int) -> "tuple[list[ReviewItem], str]":
    from diptych.folder import open_folder
    from diptych.report.review import choose_items

    folder = open_folder(out)
    selection = folder.select(config, split)
    title = f"{Path(out).name or out} {selection.config}/{selection.split}"
    return choose_items(folder.pairs(selection, complete=True).to_pylist(), sample, seed), title


def _lines(report: dict[str, Any]) -> str:
    return "\n".join(f"{key}: {_text(value)}" for key, value in report.items())


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(part)}" for key, part in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:.3f}" if isinstance(value, float) else str(value)
