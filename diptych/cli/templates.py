"""`diptych templates`: list the templates, export them to be edited, check a folder of them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from diptych.cli._options import echo_json

if TYPE_CHECKING:
    from diptych.templates import Template

Dataset = Annotated[str, Argument(help="Only this dataset.", show_default=False)]
templates_app = typer.Typer(help="List, export and check the templates of questions.", no_args_is_help=True)


@templates_app.command("ls")
def list_templates(
    dataset: Dataset = "",
    as_json: Annotated[bool, Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the templates, each with an example of what it asks."""
    from diptych.templates import load_templates, template_datasets

    sets = [load_templates(name) for name in ([dataset] if dataset else template_datasets())]
    if as_json:
        echo_json([_facts(found.dataset, template) for found in sets for template in found])
        return
    for found in sets:
        typer.echo(f"{found.dataset}  ({len(found)} templates, hash {found.hash})")
        for test in found.tests:
            typer.echo(f"  {test}")
            width = max(len(template.id) for template in found.for_test(test))
            for template in found.for_test(test):
                typer.echo(f"    {template.id:{width}}  {template.example()}")


@templates_app.command("export")
def export(
    folder: Annotated[Path, Argument(metavar="DIR", help="Where to write; a folder a dataset is made in it.")],
    dataset: Dataset = "",
    force: Annotated[bool, Option("--force", help="Overwrite the files of a folder that is not empty.")] = False,
) -> None:
    """Copy the templates to a folder, to be edited and given to `build --templates`."""
    from diptych.templates import export_templates

    for target in export_templates(folder, [dataset] if dataset else (), force=force):
        typer.echo(f"wrote {target}")


@templates_app.command("check")
def check(folder: Annotated[Path, Argument(metavar="DIR", help="A folder that export wrote.")]) -> None:
    """Check a folder of templates and print every problem with its file, line and id."""
    from diptych.templates import check_templates

    checked = check_templates(folder)
    errors = sum(problem.is_error for problem in checked.problems)
    for problem in checked.problems:
        typer.echo(str(problem), err=problem.is_error)
    if errors:
        typer.echo(f"{_number(errors, 'mistake')} in {_number(len(checked.files), 'file')}", err=True)
        raise typer.Exit(2)
    verb = "is" if len(checked.templates) == 1 else "are"
    files = _number(len(checked.files), "file")
    typer.echo(f"{_number(len(checked.templates), 'template')} in {files} {verb} sound")


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _facts(dataset: str, template: "Template") -> dict[str, Any]:
    """What a program may want to know of a template."""
    names = ("test", "id", "hash", "text")
    return {
        "dataset": dataset,
        **{name: getattr(template, name) for name in names},
        "fields": dict(template.fields),
        "slots": list(template.slots),
        "example": template.example(),
        "file": f"{dataset}/{template.file.name}",
        "line": template.line,
    }


@templates_app.command("extract")
def extract(
    folder: Annotated[Path, Argument(metavar="DIR", help="Where to write; fvqa2/ is made in it.")],
    data: Annotated[Path, Option("--data", help="Folder with FVQA's files.")],
) -> None:
    """Read templates off FVQA's questions, to be edited and given to `build fvqa2 --templates DIR`."""
    from diptych.builders.fvqa2 import extract_templates
    from diptych.errors import BadInputError

    target = folder / "fvqa2"
    if target.exists() and any(target.iterdir()):
        raise BadInputError(f"{target} is not empty; name another folder")
    files = extract_templates(data)
    target.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (target / name).write_text(text, encoding="utf-8")
    count = sum(text.count("[[template]]") for text in files.values())
    typer.echo(f"wrote {count} templates into {target}")
