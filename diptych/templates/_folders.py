"""Folders of templates: those in the package, one per dataset, and copies of them that a user has edited."""

from collections.abc import Sequence
from contextlib import nullcontext
from functools import cache
from itertools import compress
from pathlib import Path

from diptych.errors import BadInputError, BadTemplateError, MissingFileError, UnknownNameError
from diptych.files import atomic_folder, write_text
from diptych.templates._checks import CheckReport, KnownTest, check_files
from diptych.templates._files import TemplateFile, read_file
from diptych.templates._schema import find_schema
from diptych.templates._template import TemplateSet

PACKAGE = Path(__file__).resolve().parent


def template_datasets() -> tuple[str, ...]:
    """The datasets that have templates in the package."""
    return tuple(sorted(folder.name for folder in PACKAGE.iterdir() if _toml_files(folder)))


def _toml_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.toml") if path.is_file())


def load_templates(dataset: str, folder: Path | None = None) -> TemplateSet:
    """Load and check the templates of a dataset, from the package or from a folder.

    The folder is one that `diptych templates export` wrote, or the folder of the dataset inside it.

    >>> load_templates("rad-cads")["color.of"].render(subject="the man's hat", value="red")
    "Is the color of the man's hat red?"
    """
    report = _check_package(dataset) if folder is None else _check(_dataset_folder(dataset, Path(folder)))
    for problem in report.problems:
        if problem.is_error:
            raise BadTemplateError(str(problem))
    # Where templates are read off the sources, the dataset has to know which of them are switched off.
    is_kept = [find_schema(dataset) is not None or t.fields.get("accepted", True) for t in report.templates]
    return TemplateSet(dataset, tuple(compress(report.templates, is_kept)))


def check_templates(folder: Path) -> CheckReport:
    """Check a folder with the templates of one dataset, or with one such folder per dataset."""
    reports = [_check(subfolder) for subfolder in _dataset_folders(Path(folder))]
    return CheckReport(
        tuple(path for report in reports for path in report.files),
        tuple(template for report in reports for template in report.templates),
        tuple(problem for report in reports for problem in report.problems),
    )


def _dataset_folders(folder: Path) -> list[Path]:
    """The folder itself and the folders below it, as far as they hold templates."""
    if not folder.is_dir():
        raise MissingFileError(f"no such folder: {folder}")
    # The schemas of datasets whose templates are read off their sources lie in the package beside the folders.
    folders = [folder] if _toml_files(folder) and folder.resolve() != PACKAGE else []
    folders += sorted(path for path in folder.iterdir() if path.is_dir() and _toml_files(path))
    if not folders:
        raise MissingFileError(f"no templates in {folder}: export some with `diptych templates export DIR`")
    return folders


def export_templates(target: Path, datasets: Sequence[str] = (), *, force: bool = False) -> list[Path]:
    """Copy the templates of the package to `target/<dataset>/` for editing, and return the new folders."""
    names = datasets or template_datasets()
    folders = [target / _require_dataset(name) for name in names]
    for folder in folders:
        if folder.exists() and not folder.is_dir():
            raise BadInputError(f"{folder} is not a folder")
        if not force and folder.is_dir() and any(folder.iterdir()):
            raise BadInputError(f"{folder} is not empty: choose another folder, or overwrite its files with --force")
    for name, folder in zip(names, folders, strict=True):
        # A new folder appears whole or not at all; in one that holds something, each file does.
        is_filled = folder.is_dir() and any(folder.iterdir())
        with nullcontext(folder) if is_filled else atomic_folder(folder) as unfinished:
            for path in _toml_files(PACKAGE / name):
                write_text(unfinished / path.name, path.read_text(encoding="utf-8"))
    return folders


def _require_dataset(name: str) -> str:
    if name not in template_datasets():
        raise UnknownNameError.among("dataset with templates", name, template_datasets())
    return name


def _check(folder: Path) -> CheckReport:
    return check_files(_toml_files(folder), {} if folder.resolve().parent == PACKAGE else _package_tests())


@cache
def _check_package(dataset: str) -> CheckReport:
    return _check(PACKAGE / _require_dataset(dataset))


@cache
def _package_tests() -> dict[str, KnownTest]:
    """The tests by name, with the slots and templates that their files in the package declare."""
    paths = [path for dataset in template_datasets() for path in _toml_files(PACKAGE / dataset)]
    files = (file for path in paths if isinstance(file := read_file(path), TemplateFile))
    return {str(file.values["test"]): KnownTest.of_file(file) for file in files}


def _dataset_folder(dataset: str, folder: Path) -> Path:
    for path in (folder / dataset, folder):
        if _toml_files(path):
            return path
    raise MissingFileError(f"no templates of {dataset} in {folder}: expected {folder / dataset}/*.toml")
