"""`diptych diff`: what changed between two builds, by test, with examples."""

from pathlib import Path
from typing import Annotated

import typer


def diff(
    old: Annotated[str, typer.Argument(help="A built folder, or org/name@revision on the Hub.")],
    new: Annotated[str, typer.Argument(help="Another, to compare with the first.")],
    predictions: Annotated[Path | None, typer.Option(help="A model's predictions: how do its scores move?")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print every changed pair as JSON.")] = False,
) -> None:
    """Say which pairs were added, removed, reworded and relabeled, and which version number comes next."""
    import orjson

    from diptych.publishing import compare_builds, difference_data, difference_lines

    difference, scores = compare_builds(old, new, predictions)
    if as_json:
        typer.echo(orjson.dumps(difference_data(difference, scores), option=orjson.OPT_INDENT_2).decode())
    else:
        typer.echo("\n".join(difference_lines(difference, scores)))
    if difference.level is not None:
        raise typer.Exit(1)
