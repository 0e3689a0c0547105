"""`diptych conceptnet`: the nodes of the knowledge graph, for FVQA's rule of scoring."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from diptych.cli._options import Data
from diptych.errors import look_up
from diptych.files import write_text

conceptnet_app = typer.Typer(help="Prepare ConceptNet for scoring.", no_args_is_help=True)


@conceptnet_app.callback()
def _root() -> None:
    """Prepare ConceptNet for scoring."""


@conceptnet_app.command("nodes")
def nodes(
    data: Data,
    out: Annotated[Path, Option(help="The file to write, one name per line.")],
    graph: Annotated[str, Option(help="Where ConceptNet is read from: dump, lite or none.")] = "dump",
    languages: Annotated[str, Option(help="The languages of its terms, separated by commas.")] = "en",
    relations: Annotated[str, Option(help="Only these relations, separated by commas.")] = "",
) -> None:
    """Write the names of the nodes of FVQA's facts and ConceptNet's edges, for `diptych score --nodes`."""
    from diptych.builders.fvqa2 import check_languages, check_relations, node_names

    look_up("graph", graph, dict.fromkeys(("dump", "lite", "none")))
    check_languages(languages)
    check_relations(relations)
    names = node_names(data, graph, languages, relations)
    write_text(out, "".join(f"{name}\n" for name in names))
    typer.echo(f"wrote {len(names):,} names to {out}")
