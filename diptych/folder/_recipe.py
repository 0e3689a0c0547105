"""The recipe of a build: the choices and files that make the same dataset again. One from elsewhere is untrusted."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints, ValidationError

from diptych.errors import BadInputError, MissingFileError
from diptych.files import read_json, write_json
from diptych.folder._manifest import Entry, Name, first_problem

RECIPE = "recipe"
_FILE = "recipe.json"

PlainName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][\w.\-]*$", max_length=128)]
Seed = Annotated[int, Field(ge=-(2**63), lt=2**63)]


class Recipe(Entry):
    """How a folder was built."""

    dataset: Name
    configs: Annotated[tuple[Name, ...], Field(min_length=1, max_length=256)]
    seed: Seed
    tagger: str | None = None
    parameters: dict[Name, str | bool | int | float] = {}
    verdicts: PlainName | None = None
    """The name of a file beside the recipe."""
    rejects: PlainName | None = None

    def write(self, folder: Path) -> None:
        """Write the recipe into a built folder."""
        write_json(folder / RECIPE / _FILE, self.model_dump())


def read_recipe(folder: Path) -> Recipe:
    """The recipe of a built folder."""
    path = folder / RECIPE / _FILE
    if not path.is_file():
        raise MissingFileError(f"{path}: not found; {folder} cannot be built again without its recipe")
    try:
        return Recipe.model_validate(read_json(path))
    except ValidationError as error:
        raise BadInputError(f"{path}: not a recipe of a build: {first_problem(error)}") from None


def recipe_file(folder: Path, name: str | None) -> Path | None:
    """A file of the recipe, which must lie inside the recipe's own folder."""
    if name is None:
        return None
    path, inside = folder / RECIPE / name, (folder / RECIPE).resolve()
    if not path.is_file():
        raise MissingFileError(f"{path}: not found; the recipe names it")
    if path.is_symlink() or path.resolve().parent != inside:
        raise BadInputError(f"{path}: leads out of the recipe's folder; a recipe may name only its own files")
    return path


def recipe_templates(folder: Path) -> Path | None:
    """The templates of a recipe; None for a dataset that is made without."""
    path = folder / RECIPE / "templates"
    if path.is_symlink():
        raise BadInputError(f"{path}: leads out of the recipe's folder; a recipe may name only its own files")
    return path if path.is_dir() else None
