"""`diptych baseline`: the predictions of a model that looks at nothing."""

from pathlib import Path
from typing import Annotated

import typer

from diptych.cli.score import mendable
from diptych.errors import BadInputError
from diptych.metrics.built import read_built
from diptych.metrics.paired_vqa.baselines import BASELINES, baseline
from diptych.metrics.paired_vqa.coding import Coded
from diptych.metrics.paired_vqa.references import encode_references
from diptych.metrics.predictions import write_predictions


def write_baseline(
    dataset: Annotated[str, typer.Argument(metavar="OUT", help="A built folder, or org/name@revision on the Hub.")],
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(BASELINES)}, or oracle (carets).")],
    out: Annotated[Path, typer.Option(help="The file to write: .jsonl, .csv or .parquet.")],
    config: Annotated[str | None, typer.Option(help="The dataset's config; by default its default one.")] = None,
    split: Annotated[str | None, typer.Option(help="The split; by default test, then validation.")] = None,
    seed: Annotated[int, typer.Option(help="The seed of the random baseline.")] = 0,
    data: Annotated[Path | None, typer.Option(help="The source files, for the oracle.")] = None,
) -> None:
    """Write the predictions of a degenerate model, or of an oracle, to see what they score."""
    with mendable():
        if name == "oracle":
            answers = _oracle(dataset, config, split, data)
            write_predictions(out, answers)
            typer.echo(f"{len(answers['pair_id']):,} predictions of {name} in {out}")
            return
        known = encode_references(read_built(dataset, config, split).table)
        original, perturbed = baseline(known, name, seed)
        rows = {"pair_id": known.ids.to_pylist(), "original": _listed(original), "perturbed": _listed(perturbed)}
        write_predictions(out, rows)
    typer.echo(f"{len(known):,} predictions of {name} in {out}")


def _oracle(dataset: str, config: str | None, split: str | None, data: Path | None) -> dict[str, list[str]]:
    """What the scene graphs answer to the questions, whatever the rows say."""
    from diptych.builders.carets.graphs import GQA, VG
    from diptych.builders.carets.oracle import oracle_answers
    from diptych.builders.rebuild import RECIPE_FILES
    from diptych.cards.hub import fetch

    if data is None:
        raise BadInputError("the oracle reads the scene graphs: say where the source files are (--data DIR)")
    built = read_built(dataset, config, split)
    rows = built.table.to_pylist()
    strange = sorted({row["source"] for row in rows} - {GQA, VG})
    if strange:
        raise BadInputError(f"{dataset}: the oracle answers from scene graphs, and {built.config} is of {strange[0]}")
    templates = fetch(dataset, RECIPE_FILES) / "recipe" / "templates"
    return oracle_answers(rows, built.split, data, templates if templates.is_dir() else None)


def _listed(said: Coded) -> list[str]:
    return [said.values[code] for code in said.codes]
