"""`diptych score`: the scores of a model, with n, intervals and the scores of degenerate models."""

from pathlib import Path
from typing import Annotated

import orjson
import typer


def score(
    out: Annotated[str, typer.Argument(help="A built folder, or org/name@revision on the Hub.")],
    predictions: Annotated[Path, typer.Argument(help="JSON lines, CSV or Parquet: pair_id, original, perturbed.")],
    config: Annotated[str | None, typer.Option(help="The dataset's config; by default its default one.")] = None,
    split: Annotated[str | None, typer.Option(help="The split; by default the one that models are judged on.")] = None,
    against: Annotated[Path | None, typer.Option(help="Another model's predictions to compare with.")] = None,
    by: Annotated[
        list[str] | None, typer.Option(help="A column, bindings.KEY or choices to group by (repeatable).")
    ] = None,
    family: Annotated[
        str | None,
        typer.Option(help="The family of scores: rad, carets, bqd, kb, fvqa2 or all; by default the dataset's."),
    ] = None,
    right: Annotated[str, typer.Option(help="What counts as right: vqa, vqa-full, any or shown.")] = "vqa",
    normalizer: Annotated[str, typer.Option(help="How answers are compared: vqa, vqa-official or exact.")] = "vqa",
    nodes: Annotated[
        Path | None, typer.Option(help="Knowledge-graph node names, one per line, for FVQA's rule.")
    ] = None,
    bootstrap: Annotated[int, typer.Option(min=0, help="Rounds of the bootstrap over images; 0 for none.")] = 1000,
    seed: Annotated[int, typer.Option(help="The seed of the bootstrap.")] = 0,
    explain: Annotated[int, typer.Option(min=0, help="Show this many pairs whose answer changed, side by side.")] = 0,
    without_errata: Annotated[bool, typer.Option("--without-errata", help="Leave out pairs listed as wrong.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Score a model's predictions on a built dataset."""
    from diptych import _api

    report = _api.score(
        out,
        predictions,
        config=config,
        split=split,
        family=family,
        by=by or (),
        right=right,
        normalizer=normalizer,
        nodes=nodes or (),
        bootstrap=bootstrap,
        seed=seed,
        explain=explain,
        against=against,
        without_errata=without_errata,
    )
    typer.echo(orjson.dumps(report.as_dict(), option=orjson.OPT_INDENT_2).decode() if as_json else report.as_text())
