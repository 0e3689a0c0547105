"""`diptych templates`: list the templates, export them to be edited, check a folder of them."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from diptych.cli._options import AsJson, Data, json_text
from diptych.errors import BadInputError
from diptych.files import atomic_folder, remove_leftovers
from diptych.templates import Template, check_templates, export_templates, load_templates, template_datasets

Dataset = Annotated[str, Argument(help="Only this dataset.", show_default=False)]
templates_app = typer.Typer(help="List, export and check question templates.", no_args_is_help=True)


@templates_app.command("ls")
def list_templates(dataset: Dataset = "", as_json: AsJson = False) -> None:
    """List the templates, each with an example question."""
    sets = [load_templates(name) for name in ([dataset] if dataset else template_datasets())]
    if as_json:
        facts = [_facts(of_dataset.dataset, template) for of_dataset in sets for template in of_dataset]
        return typer.echo(json_text(facts))
    for of_dataset in sets:
        typer.echo(f"{of_dataset.dataset}  ({len(of_dataset)} templates, hash {of_dataset.hash})")
        for test in of_dataset.tests:
            typer.echo(f"  {test}")
            width = max(len(template.id) for template in of_dataset.for_test(test))
            for template in of_dataset.for_test(test):
                typer.echo(f"    {template.id:{width}}  {template.example()}")
    return None


@templates_app.command("export")
def export(
    folder: Annotated[Path, Argument(metavar="DIR", help="The folder to write; it gets one folder per dataset.")],
    dataset: Dataset = "",
    force: Annotated[bool, Option("--force", help="Overwrite the files of a folder that is not empty.")] = False,
) -> None:
    """Copy the templates to a folder, for editing; use them with `build --templates`."""
    for target in export_templates(folder, [dataset] if dataset else (), force=force):
        typer.echo(f"wrote {target}")


@templates_app.command("check")
def check(folder: Annotated[Path, Argument(metavar="DIR", help="A folder that export wrote.")]) -> None:
    """Check a folder of templates and print every problem with its file, line and id."""
    checked = check_templates(folder)
    errors = sum(problem.is_error for problem in checked.problems)
    for problem in checked.problems:
        typer.echo(str(problem), err=problem.is_error)
    if errors:
        typer.echo(f"{_number(errors, 'mistake')} in {_number(len(checked.files), 'file')}", err=True)
        raise typer.Exit(2)
    count, files = len(checked.templates), _number(len(checked.files), "file")
    typer.echo(f"{_number(count, 'template')} in {files} {'is' if count == 1 else 'are'} sound")


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _facts(dataset: str, template: Template) -> dict[str, Any]:
    """What a program may want to know of a template."""
    facts: dict[str, Any] = {name: getattr(template, name) for name in ("test", "id", "hash", "text")}
    facts |= {"fields": dict(template.fields), "slots": list(template.slots), "example": template.example()}
    return {"dataset": dataset, **facts, "file": f"{dataset}/{template.file.name}", "line": template.line}


@templates_app.command("extract")
def extract(
    folder: Annotated[Path, Argument(metavar="DIR", help="The folder to write; it gets a folder fvqa2/.")], data: Data
) -> None:
    """Extract templates from FVQA's questions, for editing; use them with `build fvqa2 --templates DIR`."""
    from diptych.builders.fvqa2 import extract_templates

    target = folder / "fvqa2"
    remove_leftovers(target)
    if target.exists() and any(target.iterdir()):
        raise BadInputError(f"{target} is not empty; choose another folder")
    files = extract_templates(data)
    with atomic_folder(target) as unfinished:
        for name, text in files.items():
            (unfinished / name).write_text(text, encoding="utf-8")
    count = sum(text.count("[[template]]") for text in files.values())
    typer.echo(f"wrote {count} templates into {target}")
