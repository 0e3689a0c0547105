"""`diptych baseline`: the predictions of a degenerate model, or of an oracle."""

from pathlib import Path
from typing import Annotated

import typer

_NAMES = "always-yes, always-no, majority, first-choice, copy-original, random; or oracle, where the dataset has one"


def write_baseline(
    dataset: Annotated[str, typer.Argument(metavar="OUT", help="A built folder, or org/name@revision on the Hub.")],
    name: Annotated[str, typer.Argument(help=f"One of {_NAMES}.")],
    out: Annotated[Path, typer.Option(help="The file to write: .jsonl, .csv or .parquet.")],
    config: Annotated[str | None, typer.Option(help="The dataset's config; by default its default one.")] = None,
    split: Annotated[str | None, typer.Option(help="The split; by default the one that models are judged on.")] = None,
    seed: Annotated[int, typer.Option(help="The seed of the random baseline.")] = 0,
    data: Annotated[Path | None, typer.Option(help="The source files, for the oracle.")] = None,
) -> None:
    """Write the predictions of a degenerate model, or of an oracle, to see how they score."""
    from diptych.folder import open_folder
    from diptych.metrics import predict_baseline, write_predictions

    predictions = predict_baseline(open_folder(dataset), name, config, split, seed, data)
    write_predictions(out, predictions)
    typer.echo(f"{len(predictions['pair_id']):,} predictions of {name} in {out}")
