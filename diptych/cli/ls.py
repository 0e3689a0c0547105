"""`diptych ls`: the datasets and their configs."""

from typing import Annotated

import orjson
import typer


def ls(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the datasets that can be built, with their configs."""
    from diptych.builders import dataset_names, get_dataset

    specs = [get_dataset(name).spec for name in dataset_names()]
    if as_json:
        listed = [
            {
                "dataset": spec.name,
                "version": spec.version,
                "default": spec.default_config,
                "configs": {
                    config.name: {"description": config.description, "tests": config.tests, "source": config.source}
                    for config in spec.configs
                },
                "parameters": {parameter.name: parameter.default for parameter in spec.parameters},
            }
            for spec in specs
        ]
        typer.echo(orjson.dumps(listed, option=orjson.OPT_INDENT_2).decode())
        return
    for spec in specs:
        typer.echo(f"{spec.name} {spec.version}")
        for config in spec.configs:
            mark = " (default)" if config.name == spec.default_config else ""
            typer.echo(f"  {config.name + mark:28} {config.description}")
