"""`diptych build`: from official files to a complete dataset folder, or once more from a stored recipe."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option
from typer.core import TyperCommand

import diptych
from diptych.cli._options import Data
from diptych.errors import BadInputError

if TYPE_CHECKING:
    from diptych.builders import DatasetSpec, Parameter
    from diptych.folder import Manifest


class BuildCommand(TyperCommand):
    """The command, with the parameters of a dataset in its help: `diptych build DATASET --help`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Remember the dataset that help is asked about."""
        if "--help" in args:
            ctx.meta["dataset"] = next((arg for arg in args if not arg.startswith("-")), "")
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """List the configs and parameters of the dataset."""
        from diptych.builders import dataset_names, get_dataset

        name = ctx.meta.get("dataset", "")
        if name in dataset_names():
            spec = get_dataset(name).spec
            configs = [(config.name, config.description) for config in spec.configs]
            parameters = [(f"--set {key}=", _parameter_help(value)) for key, value in spec.all_parameters.items()]
            for title, rows in (("Configs", configs), ("Parameters", parameters)):
                if rows:
                    with formatter.section(f"{title} of {name}"):
                        formatter.write_dl(rows)


def _parameter_help(parameter: "Parameter") -> str:
    choices = f" One of {', '.join(map(str, parameter.choices))}." if parameter.choices else ""
    default = f" Default: {parameter.default}." if parameter.default != "" else ""
    return f"{parameter.help}{choices}{default}"


def _complete_dataset(incomplete: str) -> list[str]:
    from diptych.builders import dataset_names

    return [name for name in dataset_names() if name.startswith(incomplete)]


def _complete_config(context: typer.Context, incomplete: str) -> list[str]:
    from diptych.builders import dataset_names, get_dataset

    # An option that still lacks its value keeps the arguments before it from being parsed.
    words = {context.params.get("dataset"), *context.args}
    datasets = [get_dataset(name) for name in dataset_names() if name in words]
    configs = [config.name for dataset in datasets for config in dataset.spec.configs]
    return [name for name in configs if name.startswith(incomplete)]


_NAME = "A dataset from `diptych ls`, or a built folder or hf://datasets/org/name@revision to rebuild."
_ONLY_CONFIG = "Only this config (repeatable)."

_VERSION = "The version of the build; by default the dataset's own."
_AFTER = "The next version by the rule, after the newest one of this repository on the Hub, which is compared."


def build(
    dataset: Annotated[str, Argument(help=_NAME, autocompletion=_complete_dataset)],
    data: Data,
    out: Annotated[Path | None, Option(help="The folder to create.")] = None,
    config: Annotated[list[str] | None, Option(help=_ONLY_CONFIG, autocompletion=_complete_config)] = None,
    seed: Annotated[int | None, Option(help="The seed of every random choice; 0 by default.")] = None,
    num_proc: Annotated[int, Option(min=1, help="Number of worker processes; the output does not depend on it.")] = 1,
    templates: Annotated[Path | None, Option(help="A folder with your own templates.")] = None,
    tables: Annotated[
        Path | None, Option(help="A folder with your own word tables, for datasets that use tables.")
    ] = None,
    tagger: Annotated[str | None, Option(help="An installed spaCy model to use as the tagger.")] = None,
    export: Annotated[list[str] | None, Option(help="Also write another format: vqa.")] = None,
    download: Annotated[bool, Option("--download", help="Download and verify what is missing under --data.")] = False,
    settings: Annotated[list[str] | None, Option("--set", metavar="KEY=VALUE", help="A parameter; repeatable.")] = None,
    verdicts: Annotated[Path | None, Option(help="Verdicts from `review merge`: leave out rejected pairs.")] = None,
    unreviewed: Annotated[str, Option(help="Pairs without a verdict: keep, or drop where others have one.")] = "keep",
    reject: Annotated[Path | None, Option(help="A file of facts to avoid: head|relation|tail, one per line.")] = None,
    images: Annotated[Path | None, Option(help="Folder with the images; by default those under --data.")] = None,
    no_pictures: Annotated[bool, Option("--no-pictures", help="Put no pictures on the card.")] = False,
    work: Annotated[
        str, Option(help="Folder or URL that keeps finished shards for reuse; by default beside --out.")
    ] = "",
    engine: Annotated[str, Option(help="Where tasks run: local (processes) or ray.")] = "local",
    ray_address: Annotated[str, Option(help="The address of a Ray cluster; by default a local one is started.")] = "",
    shards: Annotated[
        str, Option(metavar="K/N", help="Make only this slice of the shards, such as 3/16, in --work.")
    ] = "",
    finish: Annotated[bool, Option("--finish", help="Assemble the shards that slices made in --work.")] = False,
    version: Annotated[str | None, Option(metavar="X.Y.Z", help=_VERSION)] = None,
    after: Annotated[str | None, Option(metavar="REPO", help=_AFTER)] = None,
    overwrite: Annotated[bool, Option("--overwrite", help="Replace an earlier build.")] = False,
) -> None:
    """Build a dataset into a folder that `load_dataset` opens and `diptych push` publishes.

    Given a built folder or a published dataset instead of a name, rebuild it from its recipe and compare.
    `diptych build DATASET --help` lists the configs and parameters of a dataset.
    """
    from diptych.builders import dataset_names, get_dataset

    if dataset not in dataset_names() and (Path(dataset).is_dir() or "/" in dataset):
        fixed: dict[str, Any] = {"config": config, "seed": seed, "templates": templates, "tables": tables}
        fixed |= {"verdicts": verdicts, "reject": reject, "shards": shards or None, "finish": finish or None}
        fixed |= {"unreviewed": unreviewed if unreviewed != "keep" else None, "version": version, "after": after}
        refused = [f"--{name}" for name, value in fixed.items() if value not in (None, [])]
        if refused:
            raise BadInputError(f"{dataset}: is rebuilt by its own recipe; leave out {', '.join(refused)}")
        choices: dict[str, Any] = {"export": export or (), "num_proc": num_proc, "tagger": tagger, "images": images}
        choices |= {"settings": settings or (), "pictures": not no_pictures, "overwrite": overwrite}
        return _rebuild(dataset, data, out, **choices)
    spec = get_dataset(dataset).spec
    _check_kind(spec, templates, tables)
    options: dict[str, Any] = {"num_proc": num_proc, "tagger": tagger, "templates": templates or tables, "work": work}
    options |= {"parameters": spec.parse_parameters(tuple(settings or ())), "unreviewed": unreviewed, "finish": finish}
    options |= {"download": download, "verdicts": verdicts, "rejects": reject, "images": images, "engine": engine}
    options |= {"configs": tuple(config or ()), "seed": seed or 0, "ray_address": ray_address}
    if shards:
        return _build_shards(dataset, data, shards, options)
    options |= {"export": export or (), "pictures": not no_pictures, "version": version, "after": after}
    return _build_folder(dataset, data, out, {**options, "overwrite": overwrite})


def _build_folder(dataset: str, data: Path, out: Path | None, options: dict[str, Any]) -> None:
    from diptych.builders import UnfinishedBuildError

    if out is None:
        raise BadInputError("pass the folder to create: --out OUT")
    try:
        show_build(diptych.build(dataset, data, out, **options).manifest, out)
    except UnfinishedBuildError as unfinished:
        for step in unfinished.steps:
            typer.echo(step)
        typer.echo("not finished: run every slice (--shards) again")
        raise typer.Exit(1) from None


def _build_shards(dataset: str, data: Path, shards: str, options: dict[str, Any]) -> None:
    if options["finish"]:
        raise BadInputError("--shards makes shards and --finish assembles them; pass one of the two")
    result = diptych.build_shards(dataset, data, shards, **options)
    typer.echo(f"slice {shards}: made {result.made:,} shards")
    for step in result.missing:
        typer.echo(f"left for other slices: {step}")
    typer.echo(
        "run every slice again"
        if result.missing
        else "all shards are complete: run with --finish to assemble the build"
    )


def _check_kind(spec: "DatasetSpec", templates: Path | None, tables: Path | None) -> None:
    """Refuse templates for a dataset that is made by tables, and the other way around."""
    has_tables = spec.templates == "tables"
    if templates and has_tables:
        raise BadInputError(f"{spec.name} uses tables instead of templates; pass --tables {templates}")
    if tables and not has_tables:
        raise BadInputError(f"{spec.name} does not use word tables; leave out --tables")


def _rebuild(location: str, data: Path, out: Path | None, **options: Any) -> None:
    result = diptych.rebuild(location, data, out, **options)
    if out is not None:
        show_build(result.manifest, out)
    for line in result.differences:
        typer.echo(line)
    if result.differences:
        typer.echo(f"{location}: not bit-identical")
        raise typer.Exit(1)
    files = sum(len(entry.files) for _, _, entry in result.manifest.own_splits())
    typer.echo(f"{location}: bit-identical ({len(result.manifest.configs)} configs, {files:,} files)")


def show_build(manifest: "Manifest", out: Path) -> None:
    """Print the pairs, or other rows, of each config and split, and what the audit found."""
    for name, config in manifest.configs.items():
        noun = "pairs" if config.tests else "rows"
        for split, entry in config.splits.items():
            seen = max((counts.seen for counts in config.ledger[split].values()), default=0)
            typer.echo(f"{name} {split}: {entry.rows:,} {noun} from {seen:,} inputs")
    typer.echo(f"version {manifest.version}")
    for line in manifest.warnings:
        typer.echo(f"warning: {line}", err=True)
    verdicts = manifest.verdicts
    if verdicts:
        fate = "kept" if verdicts.unreviewed == "keep" else "dropped where others were reviewed"
        typer.echo(f"verdicts: {verdicts.used:,} used; pairs without one are {fate}")
    if verdicts and verdicts.unknown:
        unknown = f"{verdicts.unknown:,} of {verdicts.given:,} are for pairs that were not built"
        typer.echo(f"verdicts: {unknown}: {', '.join(verdicts.first_unknown[:3])}")
    audit = manifest.audit
    if audit is not None:
        typer.echo(f"audit: {audit.errors} errors, {audit.warnings} warnings; run `diptych check {out}` for details")
    typer.echo(f"wrote {out}")
