"""`diptych explain`: why a pair is so."""

from pathlib import Path
from typing import Annotated

import typer


def explain(
    out: Annotated[str, typer.Argument(help="A built folder, or org/name@revision on the Hub.")],
    pair_id: Annotated[str, typer.Argument(help="The pair to explain.")],
    data: Annotated[Path | None, typer.Option("--data", help="The source files: shows the scene graph too.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the row and its graph as JSON.")] = False,
) -> None:
    """Show a pair and the knowledge behind it: the path in WordNet, the facts, or the scene graph."""
    import orjson

    from diptych import _api

    explanation = _api.explain(out, pair_id, data)
    if as_json:
        typer.echo(orjson.dumps(explanation.as_json(), option=orjson.OPT_INDENT_2).decode())
    else:
        typer.echo("\n".join(explanation.lines()))
