"""`diptych baseline`: the predictions of a model that looks at nothing."""

from pathlib import Path
from typing import Annotated

import typer

from diptych.cli.score import mendable
from diptych.metrics.built import read_built
from diptych.metrics.paired_vqa.baselines import BASELINES, baseline
from diptych.metrics.paired_vqa.coding import Coded
from diptych.metrics.paired_vqa.references import encode_references
from diptych.metrics.predictions import write_predictions


def write_baseline(
    dataset: Annotated[str, typer.Argument(metavar="OUT", help="A built folder, or org/name@revision on the Hub.")],
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(BASELINES)}.")],
    out: Annotated[Path, typer.Option(help="The file to write: .jsonl, .csv or .parquet.")],
    config: Annotated[str | None, typer.Option(help="The dataset's config; by default its default one.")] = None,
    split: Annotated[str | None, typer.Option(help="The split; by default test, then validation.")] = None,
    seed: Annotated[int, typer.Option(help="The seed of the random baseline.")] = 0,
) -> None:
    """Write the predictions of a degenerate model, to see what they score."""
    with mendable():
        known = encode_references(read_built(dataset, config, split).table)
        original, perturbed = baseline(known, name, seed)
        rows = {"pair_id": known.ids.to_pylist(), "original": _listed(original), "perturbed": _listed(perturbed)}
        write_predictions(out, rows)
    typer.echo(f"{len(known):,} predictions of {name} in {out}")


def _listed(said: Coded) -> list[str]:
    return [said.values[code] for code in said.codes]
