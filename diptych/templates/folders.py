"""Where templates lie: in the package, a folder a dataset, or in a user's folder that was exported from it."""

import os
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from diptych.errors import BadInputError, BadTemplateError, MissingFileError, UnknownNameError
from diptych.templates.check import Checked, Contract, check_files
from diptych.templates.engine import TemplateSet
from diptych.templates.files import Problem, TemplateFile, read_file

PACKAGE = Path(__file__).resolve().parent


def template_datasets() -> tuple[str, ...]:
    """The datasets that have templates in the package."""
    return tuple(sorted(folder.name for folder in PACKAGE.iterdir() if toml_files(folder)))


def toml_files(folder: Path) -> list[Path]:
    """The template files of a dataset's folder, in the order of their names."""
    return sorted(path for path in folder.glob("*.toml") if path.is_file())


def load_templates(dataset: str, folder: Path | None = None) -> TemplateSet:
    """Load and check the templates of a dataset, from the package or from a folder of the user's.

    The folder is one that `diptych templates export` wrote, or the dataset's own folder inside it.

    >>> load_templates("rad-cads")["color.of"].render(subject="the man's hat", value="red")
    "Is the color of the man's hat red?"
    """
    checked = _check_package(dataset) if folder is None else _check(_dataset_folder(dataset, Path(folder)))
    for problem in checked.problems:
        if problem.is_error:
            raise BadTemplateError(str(problem))
    return TemplateSet(dataset, checked.templates)


def check_templates(folder: Path) -> list[Problem]:
    """Every problem in a folder of templates, warnings among them."""
    return list(examine(folder).problems)


def examine(folder: Path) -> Checked:
    """Check a folder of templates, a dataset's or one with several datasets, as the command does."""
    found = [_check(below) for below in dataset_folders(Path(folder))]
    return Checked(
        tuple(path for checked in found for path in checked.files),
        tuple(template for checked in found for template in checked.templates),
        tuple(problem for checked in found for problem in checked.problems),
    )


def dataset_folders(folder: Path) -> list[Path]:
    """The folders of datasets in a folder: itself, or those below it that hold templates."""
    if not folder.is_dir():
        raise MissingFileError(f"there is no folder {folder}")
    found = [folder] if toml_files(folder) else []
    found += sorted(below for below in folder.iterdir() if below.is_dir() and toml_files(below))
    if not found:
        raise MissingFileError(f"there are no templates in {folder}: export some with `diptych templates export DIR`")
    return found


def export_templates(target: Path, datasets: Sequence[str] = (), *, force: bool = False) -> list[Path]:
    """Copy the package's templates to `target/<dataset>/`, to be edited; the new folders are returned."""
    names = datasets or template_datasets()
    folders = [target / _known(name) for name in names]
    for folder in folders:
        _refuse_overwriting(folder, force)
    for name, folder in zip(names, folders, strict=True):
        _export(PACKAGE / name, folder)
    return folders


def _known(dataset: str) -> str:
    if dataset not in template_datasets():
        raise UnknownNameError.among("dataset with templates", dataset, template_datasets())
    return dataset


def _check(folder: Path) -> Checked:
    return check_files(toml_files(folder), {} if folder.resolve().parent == PACKAGE else _contract())


@cache
def _check_package(dataset: str) -> Checked:
    return _check(PACKAGE / _known(dataset))


@cache
def _contract() -> Contract:
    """The slots each test fills: those its file in the package declares."""
    files = [read_file(path) for dataset in template_datasets() for path in toml_files(PACKAGE / dataset)]
    return {
        file.values["test"]: frozenset(file.values.get("slots", {})) for file in files if isinstance(file, TemplateFile)
    }


def _dataset_folder(dataset: str, folder: Path) -> Path:
    for found in (folder / dataset, folder):
        if toml_files(found):
            return found
    raise MissingFileError(f"no templates of {dataset} in {folder}: expected {folder / dataset}/*.toml")


def _refuse_overwriting(folder: Path, force: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise BadInputError(f"{folder} is not a folder")
    if not force and folder.is_dir() and any(folder.iterdir()):
        raise BadInputError(f"{folder} is not empty: choose another folder, or overwrite its files with --force")


def _export(source: Path, target: Path) -> None:
    """Write beside the target and move in place, so that a killed export leaves no half of a folder."""
    partial = target.with_name(f".{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for path in toml_files(source):
        (partial / path.name).write_bytes(path.read_bytes())
    if target.is_dir() and any(target.iterdir()):
        for path in toml_files(partial):
            os.replace(path, target / path.name)
        partial.rmdir()
    else:
        if target.is_dir():
            target.rmdir()
        os.replace(partial, target)
