"""`diptych score` and `diptych baseline`: the scores of a model, and the predictions of a degenerate one."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

import diptych
from diptych.cli._options import AsJson, Built, Config, Split, json_text

_MODELS = "always-yes, always-no, majority, first-choice, copy-original, random; or oracle, where the dataset has one"
_FAMILIES = "rad, carets, bqd, kb, fvqa2 or all; by default the dataset's"


def score(
    out: Built,
    predictions: Annotated[Path, Argument(help="JSON lines, CSV or Parquet: pair_id, original, perturbed.")],
    config: Config = None,
    split: Split = None,
    against: Annotated[Path | None, Option(help="Another model's predictions to compare with.")] = None,
    by: Annotated[list[str] | None, Option(help="A column, bindings.KEY or choices to group by (repeatable).")] = None,
    family: Annotated[str | None, Option(help=f"The family of scores: {_FAMILIES}.")] = None,
    right: Annotated[str, Option(help="What counts as right: vqa, vqa-full, any or shown.")] = "vqa",
    normalizer: Annotated[str, Option(help="How answers are compared: vqa, vqa-official or exact.")] = "vqa",
    reader: Annotated[
        str | None, Option(help="How replies are read: standard, or strict for them as they stand.")
    ] = None,
    nodes: Annotated[Path | None, Option(help="Knowledge-graph node names, one per line, for FVQA's rule.")] = None,
    bootstrap: Annotated[int, Option(min=0, help="Rounds of the bootstrap over images; 0 for none.")] = 1000,
    seed: Annotated[int, Option(help="The seed of the bootstrap.")] = 0,
    explain: Annotated[int, Option(min=0, help="Show this many pairs whose answer changed, side by side.")] = 0,
    without_errata: Annotated[bool, Option("--without-errata", help="Leave out pairs listed as wrong.")] = False,
    as_json: AsJson = False,
) -> None:
    """Score a model's predictions on a built dataset."""
    rows: dict[str, Any] = {"config": config, "split": split, "by": by or (), "without_errata": without_errata}
    rules: dict[str, Any] = {"family": family, "right": right, "normalizer": normalizer, "nodes": nodes or ()}
    rules["reader"] = reader
    options: dict[str, Any] = {"against": against, "bootstrap": bootstrap, "seed": seed, "explain": explain}
    report = diptych.score(out, predictions, **rows, **rules, **options)
    typer.echo(json_text(report.as_dict()) if as_json else report.as_text())


def write_baseline(
    dataset: Built,
    name: Annotated[str, Argument(help=f"One of {_MODELS}.")],
    out: Annotated[Path, Option(help="The file to write: .jsonl, .csv or .parquet.")],
    config: Config = None,
    split: Split = None,
    seed: Annotated[int, Option(help="The seed of the random baseline.")] = 0,
    data: Annotated[Path | None, Option(help="The source files, for the oracle.")] = None,
) -> None:
    """Write the predictions of a degenerate model, or of an oracle, to see how they score."""
    from diptych.metrics import predict_baseline, write_predictions

    predictions = predict_baseline(diptych.open_folder(dataset), name, config, split, seed, data)
    write_predictions(out, predictions)
    typer.echo(f"{len(predictions['pair_id']):,} predictions of {name} in {out}")
