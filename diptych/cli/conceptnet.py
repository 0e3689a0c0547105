"""`diptych conceptnet`: the graph file of ConceptNet's dump, made once and used by every build."""

from pathlib import Path
from typing import Annotated

import typer


def conceptnet(
    data: Annotated[Path, typer.Option("--data", help="Folder with conceptnet/conceptnet-assertions-*.csv.gz.")],
) -> None:
    """Read ConceptNet's dump into a graph file beside it, which builds then open at once."""
    from diptych.builders.fvqa2 import graph_of

    graph = graph_of(data)
    typer.echo(f"{graph.file.path}: {len(graph):,} edges, {graph.nodes():,} nodes")
    for line in graph.malformed:
        typer.echo(f"left out: {line}")
