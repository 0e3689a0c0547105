"""`diptych build`: from official files to a complete dataset folder."""

from pathlib import Path
from typing import Annotated, Any

import typer


def build(
    dataset: Annotated[str, typer.Argument(help="The dataset, as `diptych ls` names it.")],
    data: Annotated[Path, typer.Option("--data", help="Folder with the official source files.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to make.")],
    config: Annotated[list[str] | None, typer.Option("--config", help="Only this config (repeatable).")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Decides every coin and draw.")] = 0,
    num_proc: Annotated[int, typer.Option("--num-proc", min=1, help="Worker processes; no byte depends on it.")] = 1,
    templates: Annotated[Path | None, typer.Option("--templates", help="Your own templates.")] = None,
    tagger: Annotated[str | None, typer.Option("--tagger", help="An installed spaCy model to use instead.")] = None,
    export: Annotated[list[str] | None, typer.Option("--export", help="Also write another format: vqa.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A parameter of the dataset (repeatable).")
    ] = None,
    download: Annotated[
        bool, typer.Option("--download", help="Fetch what is missing under --data from its publisher, and check it.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an earlier build.")] = False,
) -> None:
    """Build a dataset into a folder that `load_dataset` opens and `diptych push` publishes."""
    from diptych.builders import get_builder
    from diptych.builders.export import export_folder
    from diptych.builders.folder import BuildOptions, build_into, output_folder
    from diptych.builders.parameters import read_parameters
    from diptych.cards import write_card

    builder = get_builder(dataset)
    parameters = read_parameters(builder, settings or ())
    options = BuildOptions(data, tuple(config or ()), seed, num_proc, tagger, templates, parameters, download)
    with output_folder(out, overwrite) as folder:
        manifest = build_into(folder, builder, options)
        for form in export or ():
            export_folder(folder, manifest, form)
        write_card(folder, manifest)
    for line in summary(manifest):
        typer.echo(line)
    typer.echo(f"wrote {out}")


def summary(manifest: dict[str, Any]) -> list[str]:
    """One line a config and split: pairs made of inputs seen."""
    lines = []
    for name, config in manifest["configs"].items():
        for split, entry in config["splits"].items():
            seen = max((counts["seen"] for counts in config["ledger"][split].values()), default=0)
            lines.append(f"{name} {split}: {entry['rows']:,} pairs from {seen:,} inputs")
    return lines
