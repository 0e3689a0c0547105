"""The recipe of a build: the choices and files that make the same dataset again. One from elsewhere is untrusted."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from diptych.errors import BadInputError, MissingFileError
from diptych.files import write_json
from diptych.folder._manifest import KEEP, Entry, Name, read_entry
from diptych.pairs import SEEDS

RECIPE = "recipe"
_FILE = "recipe.json"

_MOST_FILES, _MOST_CONFIGS = 100_000, 256

PlainName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][\w.\-]*$", max_length=128)]
Seed = Annotated[int, Field(ge=SEEDS.start, lt=SEEDS.stop, strict=True)]


class Recipe(Entry):
    """How a folder was built."""

    dataset: Name
    configs: Annotated[tuple[Name, ...], Field(min_length=1, max_length=_MOST_CONFIGS)]
    seed: Seed
    tagger: str | None = None
    parameters: dict[Name, str | bool | int | float] = {}
    verdicts: PlainName | None = None  # the name of a file beside the recipe
    unreviewed: Literal["keep", "drop"] = KEEP  # what becomes of pairs that no verdict is about
    rejects: PlainName | None = None

    def write(self, folder: Path) -> None:
        """Write the recipe into a built folder."""
        write_json(folder / RECIPE / _FILE, self.model_dump())


def read_recipe(folder: Path) -> Recipe:
    """The recipe of a built folder."""
    path = folder / RECIPE / _FILE
    if not path.is_file():
        raise MissingFileError(f"{path}: not found; {folder} cannot be built again without its recipe")
    return read_entry(Recipe, path, "a recipe of a build")


def recipe_file(folder: Path, name: str | None) -> Path | None:
    """A file of the recipe, which must lie inside the recipe's own folder."""
    if name is None:
        return None
    path = folder / RECIPE / name
    if not path.is_file():
        raise MissingFileError(f"{path}: not found, but listed in the recipe")
    _require_inside(path, folder)
    return path


def recipe_templates(folder: Path) -> Path | None:
    """The templates of a recipe; None for a dataset that is made without."""
    templates = folder / RECIPE / "templates"
    for path in (templates, *templates.rglob("*")):
        _require_inside(path, folder)
    return templates if templates.is_dir() else None


def _require_inside(path: Path, folder: Path) -> None:
    """Refuse a link that leads out of the recipe's folder, except into the files of the Hub's cache."""
    if not _is_inside(path, folder, RECIPE):
        raise BadInputError(f"{path}: points outside the recipe's folder; a recipe may only name its own files")


def _is_inside(path: Path, folder: Path, part: str = "") -> bool:
    roots = [folder.resolve() / part]
    if folder.parent.name == "snapshots":  # there, every file of a revision is a link to a blob
        roots.append(folder.parent.parent.resolve() / "blobs")
    try:
        target = path.resolve()
    except (OSError, RuntimeError):  # a link that leads to itself
        return False
    return any(target.is_relative_to(root) for root in roots)


def refuse_links_out(folder: Path) -> None:
    """Refuse a folder that somebody else may have made and that links to files elsewhere."""
    for number, path in enumerate(folder.rglob("*")):
        if number >= _MOST_FILES:
            raise BadInputError(f"{folder}: more than {_MOST_FILES:,} files; this is not a built folder")
        if path.is_symlink() and not _is_inside(path, folder):
            raise BadInputError(f"{path}: a link to a place outside the folder; a dataset may hold only its own files")
        if not path.is_file() and not path.is_dir():
            raise BadInputError(f"{path}: neither a file nor a folder; a dataset may hold nothing else")
