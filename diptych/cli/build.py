"""`diptych build`: from official files to a complete dataset folder, or once more from a stored recipe."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from diptych.errors import BadInputError

if TYPE_CHECKING:
    from diptych.builders.folder import BuildOptions


def build(
    dataset: Annotated[
        str,
        typer.Argument(help="A dataset that `diptych ls` names; or a built folder or hf://datasets/org/name@revision."),
    ],
    data: Annotated[Path, typer.Option("--data", help="Folder with the official source files.")],
    out: Annotated[Path | None, typer.Option("--out", help="The folder to make.")] = None,
    config: Annotated[list[str] | None, typer.Option("--config", help="Only this config (repeatable).")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Decides every coin and draw; 0 if not given.")] = None,
    num_proc: Annotated[int, typer.Option("--num-proc", min=1, help="Worker processes; no byte depends on it.")] = 1,
    templates: Annotated[Path | None, typer.Option("--templates", help="Your own templates.")] = None,
    tagger: Annotated[str | None, typer.Option("--tagger", help="An installed spaCy model to use instead.")] = None,
    export: Annotated[list[str] | None, typer.Option("--export", help="Also write another format: vqa.")] = None,
    download: Annotated[
        bool, typer.Option("--download", help="Fetch what is missing under --data from its publisher, and check it.")
    ] = False,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A parameter of the dataset (repeatable).")
    ] = None,
    verdicts: Annotated[
        Path | None, typer.Option("--verdicts", help="Keep only pairs that people passed: from `diptych review merge`.")
    ] = None,
    reject: Annotated[
        Path | None, typer.Option("--reject", help="Facts no pair may rest on: head|relation|tail, one a line.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an earlier build.")] = False,
) -> None:
    """Build a dataset into a folder that `load_dataset` opens and `diptych push` publishes.

    Given a built folder or a published dataset instead of a name, build it again from its recipe and compare.
    """
    from diptych.builders import DATASETS, get_builder
    from diptych.builders.folder import BuildOptions
    from diptych.builders.parameters import read_parameters

    if dataset not in DATASETS and (Path(dataset).is_dir() or "/" in dataset):
        given = {"--config": config, "--seed": seed, "--templates": templates, "--tagger": tagger, "--set": settings}
        given |= {"--verdicts": verdicts, "--reject": reject}
        refused = [name for name, value in given.items() if value is not None]
        if refused:
            raise BadInputError(f"{dataset}: is built again by its own recipe; leave out {', '.join(refused)}")
        _rebuild(dataset, data, out, num_proc, export or [], overwrite)
        return
    if out is None:
        raise BadInputError("say which folder to make: --out OUT")
    said = read_parameters(get_builder(dataset), settings or ())
    named = tuple(config or ())
    options = BuildOptions(data, named, seed or 0, num_proc, tagger, templates, said, download, verdicts, reject)
    _build(dataset, options, out, export or [], overwrite)


def _build(dataset: str, options: "BuildOptions", out: Path, export: list[str], overwrite: bool) -> dict[str, Any]:
    from diptych.builders import get_builder
    from diptych.builders.export import export_folder
    from diptych.builders.folder import build_into, output_folder
    from diptych.cards import add_audit, write_card

    builder = get_builder(dataset)
    with output_folder(out, overwrite) as folder:
        manifest = build_into(folder, builder, options)
        for form in export:
            export_folder(folder, manifest, form)
        manifest = add_audit(folder)
        write_card(folder, manifest)
    for line in summary(manifest):
        typer.echo(line)
    audit = manifest["audit"]
    typer.echo(f"audit: {audit['wanting']} wanting, {audit['notes']} notes; `diptych check {out}` tells all")
    typer.echo(f"wrote {out}")
    return manifest


def _rebuild(where: str, data: Path, out: Path | None, num_proc: int, export: list[str], overwrite: bool) -> None:
    from diptych.builders import get_builder
    from diptych.builders.folder import build_into
    from diptych.builders.manifest_file import read_manifest
    from diptych.builders.rebuild import RECIPE_FILES, differences, read_recipe, source_differences
    from diptych.cards.hub import fetch

    folder = fetch(where, RECIPE_FILES)
    before, recipe = read_manifest(folder), read_recipe(folder)
    changed = source_differences(before, data)
    for line in changed:
        typer.echo(line)
    options = recipe.options(data, num_proc)
    if out is not None:
        after = _build(recipe.dataset, options, out, export, overwrite)
    else:
        with TemporaryDirectory(prefix="diptych-rebuild-") as scratch:
            after = build_into(Path(scratch), get_builder(recipe.dataset), options)
    found = differences(before, after)
    for line in found:
        typer.echo(line)
    if found or changed:
        typer.echo(f"{where}: not bit-identical")
        raise typer.Exit(1)
    typer.echo(f"{where}: bit-identical ({len(options.configs)} configs, {_files(after):,} files)")


def _files(manifest: dict[str, Any]) -> int:
    return sum(len(split["files"]) for config in manifest["configs"].values() for split in config["splits"].values())


def summary(manifest: dict[str, Any]) -> list[str]:
    """One line a config and split: pairs, or other rows, made of inputs seen."""
    lines = []
    for name, config in manifest["configs"].items():
        what = "pairs" if config["tests"] else "rows"
        for split, entry in config["splits"].items():
            seen = max((counts["seen"] for counts in config["ledger"][split].values()), default=0)
            lines.append(f"{name} {split}: {entry['rows']:,} {what} from {seen:,} inputs")
    given = manifest.get("verdicts", {})
    if given.get("unknown"):
        some = ", ".join(given["named"][:3])
        lines.append(f"verdicts: {given['unknown']:,} of {given['given']:,} name pairs that were not made: {some}")
    return lines
