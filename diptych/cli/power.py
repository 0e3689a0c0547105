"""`diptych power`: how many pairs show a difference."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

import diptych
from diptych.cli._options import AsJson, Built, Config, Split, json_text

_SAMPLE = "Also plan for a sample of N pairs, as drawn by `diptych predict --sample N`."
_PREDICTIONS = "The predictions of a pilot, on all pairs or some (repeatable; two or more models are best)."


def power(
    out: Built,
    detect: Annotated[float, Option(help="The difference of two models to detect, in percentage points.")] = 2.0,
    sample: Annotated[int | None, Option(min=1, help=_SAMPLE)] = None,
    predictions: Annotated[list[Path] | None, Option(help=_PREDICTIONS)] = None,
    config: Config = None,
    split: Split = None,
    family: Annotated[str | None, Option(help="The family of scores; by default the dataset's.")] = None,
    as_json: AsJson = False,
) -> None:
    """Estimate how many pairs are needed to detect a difference between two models."""
    from diptych.metrics import plan_power

    folder = diptych.open_folder(out)
    plan = plan_power(folder, detect / 100, sample, predictions or (), config, split, family)
    typer.echo(json_text(plan.as_dict()) if as_json else plan.as_text())
