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
    seen = graph.seen
    typer.echo(f"{graph.file.path}: {len(graph):,} edges, {graph.nodes():,} nodes of {seen.lines:,} lines")
    if seen.malformed:
        typer.echo(f"left out as malformed: {seen.malformed:,} lines")
        for line in seen.named:
            typer.echo(f"  {line}")
        if seen.malformed > len(seen.named):
            typer.echo(f"  and {seen.malformed - len(seen.named):,} more")
