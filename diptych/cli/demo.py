"""`diptych demo`: the miniature world."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from diptych.demo import make_world

demo_app = typer.Typer(help="A miniature world in the official file formats.")


@demo_app.callback(invoke_without_command=True)
def _demo(context: typer.Context) -> None:
    """A miniature world in the official file formats."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@demo_app.command()
def sources(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to put the files: a new or empty folder.")],
    images: int = typer.Option(200, "--images", help="How many images the world has."),
    seed: int = typer.Option(0, "--seed", help="Which world: the same seed gives the same bytes."),
    pictures: bool = typer.Option(True, "--pictures/--no-pictures", help="Draw the images, or write only the JSON."),
    force: bool = typer.Option(False, "--force", help="Replace the folder if it is not empty."),
) -> None:
    """Write the files of all sources about a made-up world, in the layout that --data expects."""
    with _progress(images) as advance:
        made = make_world(folder, images, seed, pictures, advance, force)
    typer.echo(
        f"{made.images} images, {made.val_questions + made.train_questions} questions, {made.dialogs} dialogs, "
        f"{made.fact_questions} fact questions in {folder}"
    )


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None] | None]:
    """A progress bar on a terminal, nothing in a log."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("images", total=total)
        # Moving the bar for every image would cost more than making it.
        every = max(1, total // 200)
        yield lambda done: None if done % every else bar.update(task, completed=done)
