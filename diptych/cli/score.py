"""`diptych score` and `diptych baseline`: the scores of a model, and the predictions of a degenerate one."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

import diptych
from diptych.cli._options import AsJson, Built, Config, Split, json_text
from diptych.errors import BadInputError

_MODELS = "always-yes, always-no, majority, first-choice, copy-original, random; or oracle, where the dataset has one"
_PREDICTIONS = (
    "pair_id, original, perturbed as JSON, CSV or Parquet, or the logs of another tool (see docs/predictions.md); "
    "several files are models to compare."
)
_BY = "A column, bindings.KEY or choices to group by (repeatable); A,B groups by both together."
_TABLE = "Only this table (repeatable): scores, one of the paper's, folds, regression, coverage or pair-coverage."
_AVERAGING = "VQA accuracy over ten annotators: leave-one-out, as on leaderboards (default), or eq2."
_REPEAT = "The predictions of --arm repeat, for the noise floor; repeatable with many models, matched by the header."
_FAMILIES = "rad, carets, bqd, kb, fvqa2, grouped or all; by default the dataset's"


def score(
    out: Built,
    predictions: Annotated[list[str], Argument(metavar="[NAME=]FILE", help=_PREDICTIONS)],
    config: Config = None,
    split: Split = None,
    against: Annotated[Path | None, Option(help="Another model's predictions to compare with.")] = None,
    repeat: Annotated[list[Path] | None, Option(help=_REPEAT)] = None,
    by: Annotated[list[str] | None, Option(help=_BY)] = None,
    form: Annotated[str, Option("--format", help="table, markdown, latex, csv or json.")] = "table",
    table: Annotated[list[str] | None, Option(help=_TABLE)] = None,
    family: Annotated[str | None, Option(help=f"The family of scores: {_FAMILIES}.")] = None,
    right: Annotated[str, Option(help="What counts as right: vqa, vqa-full, any or shown.")] = "vqa",
    normalizer: Annotated[str, Option(help="How answers are compared: vqa, vqa-official or exact.")] = "vqa",
    averaging: Annotated[str | None, Option(help=_AVERAGING)] = None,
    reader: Annotated[
        str | None, Option(help="How replies are parsed: standard, or strict to take them literally.")
    ] = None,
    nodes: Annotated[Path | None, Option(help="Knowledge-graph node names, one per line, for FVQA's rule.")] = None,
    bootstrap: Annotated[int, Option(min=0, help="Bootstrap rounds, resampling images; 0 for none.")] = 1000,
    seed: Annotated[int, Option(help="The seed of the bootstrap.")] = 0,
    groups: Annotated[str, Option(help="Report group scores by this column, such as group_id.")] = "",
    prior: Annotated[str, Option(help="The column of prior answers, to count errors that equal them.")] = "",
    explain: Annotated[int, Option(min=0, help="Show this many pairs of each kind: right to wrong, kept, …")] = 0,
    without_errata: Annotated[bool, Option("--without-errata", help="Leave out pairs listed as wrong.")] = False,
    allow_missing: Annotated[bool, Option("--allow-missing", help="Score only the pairs that are answered.")] = False,
    as_json: AsJson = False,
) -> None:
    """Score the predictions of one model, or compare several, on a built dataset."""
    form = "json" if as_json else form
    rows: dict[str, Any] = {"config": config, "split": split, "by": by or (), "without_errata": without_errata}
    rules: dict[str, Any] = {"family": family, "right": right, "normalizer": normalizer, "averaging": averaging}
    rules |= {"nodes": nodes or (), "bootstrap": bootstrap, "seed": seed, "allow_missing": allow_missing}
    rules |= {"groups": groups, "prior": prior, "reader": reader}
    models = _named_files(predictions)
    if len(models) == 1 and form in ("table", "json") and not table:
        (file,), again = models.values(), repeat[0] if repeat else None
        if repeat and len(repeat) > 1:
            raise BadInputError(f"--repeat {repeat[1]}: one model has one file of repeated predictions")
        report = diptych.score(out, file, **rows, **rules, against=against, repeat=again, explain=explain)
        typer.echo(json_text(report.as_dict()) if form == "json" else report.as_text())
        return
    if against is not None or explain:
        raise BadInputError(
            "--against and --explain are for a single model; leave out --table, --format and further files"
        )
    comparison = diptych.compare(out, models, **rows, **rules, tables=table or (), repeat=repeat or ())
    typer.echo(json_text(comparison.as_dict()) if form == "json" else comparison.render(form))


def _named_files(arguments: list[str]) -> dict[str, Path]:
    """Files of predictions by the names of their models: `NAME=FILE`, or the name in its header, or its own."""
    from diptych.metrics import model_name

    models: dict[str, Path] = {}
    for argument in arguments:
        name, equals, file = argument.partition("=")
        if not equals or Path(argument).exists():
            name, file = model_name(argument), argument
        if name in models:
            raise BadInputError(f"{file}: another model is also named {name!r}; write NAME=FILE")
        models[name] = Path(file)
    return models


def write_baseline(
    dataset: Built,
    name: Annotated[str, Argument(help=f"One of {_MODELS}.")],
    out: Annotated[Path, Option(help="The file to write: .jsonl, .csv or .parquet.")],
    config: Config = None,
    split: Split = None,
    seed: Annotated[int, Option(help="The seed of the random baseline.")] = 0,
    data: Annotated[Path | None, Option(help="The source files, for the oracle.")] = None,
) -> None:
    """Write the predictions of a baseline, or of the oracle."""
    from diptych.metrics import predict_baseline, write_predictions

    predictions = predict_baseline(diptych.open_folder(dataset), name, config, split, seed, data)
    write_predictions(out, predictions)
    typer.echo(f"{len(predictions['pair_id']):,} predictions of {name} in {out}")
