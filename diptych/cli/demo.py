"""`diptych demo`: the miniature world, and everything that can be built from it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

import diptych
from diptych.cli.build import show_build
from diptych.errors import MissingExtraError
from diptych.progress import progress
from diptych.templates import load_templates

# Parameters that keep the build of every dataset under a minute.
_SMALL_BUILDS = {"carets": ("pairs=1000", "images=recipe"), "bqd": ("limit=200",)}

_SAMPLE = 1500  # pairs of a dataset that models are asked about
_LEARNERS = {"seeing": ("seeing", "full"), "blind": ("blind", "full"), "seeing-no-image": ("seeing", "no-image")}
_DEGENERATE = ("always-yes", "always-no", "majority", "first-choice", "copy-original")
_DEMO_RUNS = {**_LEARNERS, **{name: (name, "full") for name in _DEGENERATE}}
"""The models that are asked, with and without pictures, by the names of their files."""

Images = Annotated[int, Option("--images", help="How many images the world has.")]
Seed = Annotated[int, Option("--seed", help="The seed of the world; the same seed gives the same files.")]
demo_app = typer.Typer(help="A miniature world: build every dataset from it, or write its source files.")


@demo_app.callback(invoke_without_command=True)
def demo(
    context: typer.Context,
    out: Annotated[Path, Option(help="The folder to write; an earlier demo in it is replaced.")] = Path("demo-out"),
    images: Images = 400,
    seed: Seed = 0,
    num_proc: Annotated[int, Option("--num-proc", min=1, help="Worker processes.")] = 2,
) -> None:
    """Build every dataset from a miniature world, and score baselines and two trained models."""
    if context.invoked_subcommand is not None:
        return
    from diptych.builders import dataset_names, get_dataset
    from diptych.metrics import baseline_table, score_baselines
    from diptych.models import predict_blind

    for line in _tour():
        typer.echo(line)
    typer.echo(f"\nA world of {images} images")
    sources(out / "sources", images, seed, pictures=True, force=True)
    built = []
    for name in dataset_names():
        typer.echo(f"\n{name}")
        parameters = get_dataset(name).spec.parse_parameters(_SMALL_BUILDS.get(name, ()))
        try:
            options: dict[str, Any] = {"num_proc": num_proc, "parameters": parameters}
            folder = diptych.build(name, out / "sources", out / name, overwrite=True, **options)
        except MissingExtraError as error:
            typer.echo(f"left out: {error}")
            continue
        built.append(name)
        show_build(folder.manifest, out / name)
        selection = folder.select()
        pairs, place = folder.pairs(selection), f"{selection.config}/{selection.split}"
        typer.echo(f"\nbaselines that do not see the image, on {place}, {pairs.num_rows:,} pairs (percent)\n")
        typer.echo(
            baseline_table(score_baselines(pairs, folder.manifest.score_family, {"blind": predict_blind(pairs)}))
        )
    files = []
    for name in built:
        files += _ask_models(out, name)
    places: dict[str, Any] = {"images": out / "sources", "data": out / "sources"}
    report = diptych.write_report(
        [out / name for name in built], files, out / "report", overwrite=True, num_proc=num_proc, **places
    )
    typer.echo("\n" + "\n".join(report.lines()))
    typer.echo(f'\nNow try: python -c "from datasets import load_dataset; print(load_dataset({str(out / name)!r}))"')
    typer.echo(f"and open {report.page} in a browser: scores, charts and every pair")


def _ask_models(out: Path, name: str) -> list[Path]:
    """Ask the built-in models, score them, and show them on the card; returns the predictions of those that learn."""
    from diptych.cards import show_results
    from diptych.metrics import contrast_table

    sources = out / "sources"
    options: dict[str, Any] = {"images": sources, "sample": _SAMPLE, "overwrite": True}
    files = {run: out / "predictions" / f"{name}-{run}.jsonl" for run in _DEMO_RUNS}
    for run, (model, arm) in _DEMO_RUNS.items():
        prediction = diptych.predict(out / name, model, files[run], settings={"data": sources}, arm=arm, **options)
    header, contrasts = prediction.header, show_results(diptych.open_folder(out / name), list(files.values()))
    pairs = f"{header['pairs']:,} pairs of {header['config']}/{header['split']}"
    typer.echo(f"\n{name}: trained models, and baselines that do not see the image, on {pairs} (percent)\n")
    typer.echo(contrast_table(contrasts))
    return [files[run] for run in _LEARNERS]


def _tour() -> Iterator[str]:
    """One line for each of the tools that the builders use."""
    from diptych.kg import wordnet
    from diptych.language import QuestionParser

    question = "How many rings is the man wearing?"
    yield f"tagger     {' '.join(f'{token.text}/{token.tag}' for token in QuestionParser()(question))}"
    path = wordnet().synset("cat.n.01").hypernym_paths()[0]
    yield f"WordNet    {' < '.join(synset.name for synset in reversed(path[-6:]))}"
    template = load_templates("rad-cads")["how_many.object"]
    text = template.render(aux="is", subject="the man", verb="wearing", count=2, noun="rings", rest="")
    yield f"template   {template.text}  ->  {text}"


@demo_app.command()
def sources(
    folder: Annotated[Path, Argument(metavar="DIR", help="The folder for the files: new or empty.")],
    images: Images = 400,
    seed: Seed = 0,
    pictures: Annotated[bool, Option(help="Draw the images, or write only the JSON.")] = True,
    force: Annotated[bool, Option("--force", help="Replace the folder if it is not empty.")] = False,
) -> None:
    """Write the source files of a miniature world, in the layout that --data expects."""
    from diptych.demo import make_world

    with progress("images", images) as advance:
        summary = make_world(folder, images, seed, pictures, lambda _: advance(1), force)
    questions = f"{summary.val_questions + summary.train_questions} questions, {summary.dialogs} dialogs"
    typer.echo(f"{summary.images} images, {questions}, {summary.fact_questions} fact questions in {folder}")
