"""`diptych ls`: the datasets and their configs."""

from typing import Annotated

import orjson
import typer


def ls(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the datasets that can be built, with their configs."""
    from diptych.builders import DATASETS, get_builder

    facts = [
        {
            "dataset": name,
            "version": str(get_builder(name).VERSION),
            "default": get_builder(name).DEFAULT_CONFIG_NAME,
            "configs": {
                config.name: {"description": config.description, "tests": list(config.tests), "source": config.source}
                for config in get_builder(name).BUILDER_CONFIGS
            },
        }
        for name in DATASETS
    ]
    if as_json:
        typer.echo(orjson.dumps(facts, option=orjson.OPT_INDENT_2).decode())
        return
    for fact in facts:
        typer.echo(f"{fact['dataset']} {fact['version']}")
        for name, config in fact["configs"].items():
            mark = " (default)" if name == fact["default"] else ""
            typer.echo(f"  {name + mark:28} {config['description']}")
