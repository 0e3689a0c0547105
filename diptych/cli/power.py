"""`diptych power`: how many pairs show a difference."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

import diptych
from diptych.cli._options import AsJson, Built, Config, Split, json_text

_SAMPLE = "Also what a sample of so many pairs will show, as `diptych predict --sample` draws it."
_PREDICTIONS = "The predictions of a pilot (repeatable: of two models or more is best), on some pairs or on all."


def power(
    out: Built,
    detect: Annotated[float, Option(help="The difference of two models that is to be seen, in points.")] = 2.0,
    sample: Annotated[int | None, Option(min=1, help=_SAMPLE)] = None,
    predictions: Annotated[list[Path] | None, Option(help=_PREDICTIONS)] = None,
    config: Config = None,
    split: Split = None,
    family: Annotated[str | None, Option(help="The family of scores; by default the dataset's.")] = None,
    as_json: AsJson = False,
) -> None:
    """Say how many pairs are needed to see a difference between two models, and what this dataset can show."""
    from diptych.metrics import plan_power

    folder = diptych.open_folder(out)
    plan = plan_power(folder, detect / 100, sample, predictions or (), config, split, family)
    typer.echo(json_text(plan.as_dict()) if as_json else plan.as_text())
