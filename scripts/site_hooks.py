"""What the documentation site takes from the code when it is built, so that no page can fall behind it.

MkDocs calls `on_page_markdown`. In a page, `<!-- facts: DATASET -->` becomes what the specification of a dataset says,
`<!-- printed: DATASET -->` the tables of its paper, `<!-- commands -->` the help of every command, `<!-- notebook:
FILE -->` the cells of a notebook and `<!-- results -->` the results of the benchmarks, to which links then lead.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from typer.main import get_command

from diptych.builders import Config, DatasetSpec, PrintedTable, get_dataset
from diptych.cli._app import app
from diptych.sources import catalog

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 88  # characters of a line of help

_MARKER = re.compile(r"<!-- (?P<name>facts|printed|commands|notebook|results)(?:: (?P<argument>\S+))? -->")
_NOT_RUN = re.compile(r"^(?P<indent> *)<!-- not run: (?P<reason>[^>]+?) -->$", re.MULTILINE)
_THREE_SPACES = re.compile(r"^ {3}(?=\S)", re.MULTILINE)  # Markdown on GitHub indents a list by three, MkDocs by four


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fill in what a page takes from the code."""
    markdown = _MARKER.sub(lambda match: _PARTS[match["name"]](match["argument"] or ""), markdown)
    markdown = markdown.replace("../benchmarks/RESULTS.md", "results.md")
    markdown = _NOT_RUN.sub(r"\g<indent><small>Not run by the tests: \g<reason>.</small>\n", markdown)
    return _THREE_SPACES.sub("    ", markdown)


def dataset_facts(names: str) -> str:
    """The facts of a data sheet, `DATASET` or `DATASET+SOURCE…` where it reads more than its configs name."""
    name, *others = names.split("+")
    spec = get_dataset(name).spec
    sections = {
        "Configs": _configs(spec),
        "Sources and licenses": _sources(spec, others),
        "Parameters": _parameters(spec),
        "Scoring": _scoring(spec),
    }
    return "\n".join(f"### {title}\n\n{text}\n" for title, text in sections.items())


def printed_tables(name: str) -> str:
    """The tables that the paper of a dataset prints for models, folded."""
    return "\n".join(map(_printed, get_dataset(name).spec.printed))


def command_reference(_: str = "") -> str:
    """The help of every command."""
    command: Any = get_command(app)
    context = click.Context(command, info_name="diptych", terminal_width=WIDTH, max_content_width=WIDTH)
    return "\n".join(_help(command, context))


def notebook_cells(name: str) -> str:
    """The cells of a notebook, without what they put out."""
    cells = json.loads((ROOT / name).read_text(encoding="utf-8"))["cells"]
    return "\n\n".join(_cell(cell["cell_type"], "".join(cell["source"])) for cell in cells)


def benchmark_results(_: str = "") -> str:
    """The page of results without its plots, which are files beside it."""
    _, _, text = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8").partition("\n")
    text = text.replace("](../docs/", "](").replace("](../README.md", "](README.md")
    return re.sub(r"^!\[[^\]]*\]\((plots/[^)]+)\)$", r"Plot: `benchmarks/\1`", text, flags=re.MULTILINE)


_PARTS: dict[str, Callable[[str], str]] = {
    "facts": dataset_facts,
    "printed": printed_tables,
    "commands": command_reference,
    "notebook": notebook_cells,
    "results": benchmark_results,
}


def _cell(kind: str, text: str) -> str:
    return re.sub(r"^#", "##", text, flags=re.MULTILINE) if kind == "markdown" else f"```python\n{text}\n```"


def _table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [headers, ["---"] * len(headers), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def _configs(spec: DatasetSpec) -> str:
    rows = ((f"`{config.name}`", config.description, _contents(config)) for config in spec.configs)
    default = f"The default config is `{spec.default_config}`; the version of the dataset is {spec.version}."
    return f"{default}\n\n{_table(('config', 'what it is', 'tests'), rows)}"


def _contents(config: Config) -> str:
    if config.unites:
        return "all of " + ", ".join(f"`{name}`" for name in config.unites)
    tests = ", ".join(f"`{test}`" for test in config.tests) or "rows that are not pairs"
    return f"{tests} (on request)" if config.on_request else tests


def _sources(spec: DatasetSpec, others: Sequence[str]) -> str:
    names = (*(config.source for config in spec.configs), *others)
    sources = {key: catalog()[key] for name in names for key in (name, name.partition("_")[0]) if key in catalog()}
    rows = (
        (f"[{source.title}]({source.homepage})", f"[{source.license}]({source.license_url})", source.note)
        for source in sources.values()
    )
    return _table(("source", "license", "note"), rows)


def _parameters(spec: DatasetSpec) -> str:
    rows = (
        (f"`{name}`", f"`{parameter.default}`" if parameter.default != "" else "", parameter.help)
        for name, parameter in spec.all_parameters.items()
    )
    return _table(("`--set`", "default", "what it decides"), rows)


def _scoring(spec: DatasetSpec) -> str:
    splits = ", ".join(f"`{split}`" for split in spec.judged_splits)
    text = f"Scored by the family `{spec.score_family}`, on the first split of {splits} that a config has."
    oracle = "An oracle answers every question again from the sources (`diptych check --oracle`)."
    return f"{text} {oracle}" if spec.oracle else text


def _printed(table: PrintedTable) -> str:
    headers = ("model", *(column.header for column in table.columns))
    rows = ((model, *(cell.replace("±", " ± ") for cell in row.split())) for model, row in table.rows.items())
    note = f"\n\n{table.note}" if table.note else ""
    body = f"{_table(headers, rows)}{note}".replace("\n", "\n    ")
    return f'??? quote "{table.citation}, {table.name}: {table.title}"\n\n    {body}\n'


def _help(command: Any, context: click.Context) -> Iterator[str]:
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        inner = click.Context(child, info_name=name, parent=context, terminal_width=WIDTH, max_content_width=WIDTH)
        if hasattr(child, "list_commands"):
            yield from _help(child, inner)
        if not hasattr(child, "list_commands") or child.invoke_without_command:
            yield f"## {inner.command_path}\n\n```text\n{child.get_help(inner)}\n```\n"
