"""The parts of a report: datasets, the files of predictions that are about each, and their scores side by side."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diptych.builders import PrintedTable, get_dataset
from diptych.errors import BadInputError, DiptychError
from diptych.folder import BuiltFolder, Selection, check_pairs, open_folder
from diptych.metrics import (
    BASELINES,
    ORACLE,
    ModelComparison,
    ScoringError,
    compare_models,
    get_family,
    model_name,
    predictions_header,
)
from diptych.metrics.paired_vqa.families import Headline
from diptych.metrics.paired_vqa.references import References

ROLES = MODEL, CONTROL, BASELINE = "model", "control", "baseline"
"""Roles: a model; one that never looks, or was kept from it; one whose answers need no question at all."""

_UNSEEING = ("blind",)  # built-in models that never look
_FULL, _REPEAT = "full", "repeat"

FindErrata = Callable[[BuiltFolder], Collection[str]]


@dataclass(frozen=True, slots=True)
class Predictions:
    """A file of predictions, the name of its model and what its header says."""

    path: Path
    name: str
    header: Mapping[str, Any]

    @property
    def arm(self) -> str:
        """How the model was asked, such as `full`, `no-image` or `repeat`."""
        return str(self.header.get("arm") or _FULL)

    @property
    def role(self) -> str:
        """Whether it is a model, a control or a degenerate baseline."""
        own_name = self.header.get("model", self.name)
        if own_name in BASELINES or own_name == ORACLE:
            return BASELINE
        return CONTROL if own_name in _UNSEEING or self.arm != _FULL else MODEL


@dataclass(frozen=True, slots=True)
class ReportPart:
    """The pairs of one dataset, config and split, and the models that answered them."""

    name: str  # unique in its report
    folder: BuiltFolder
    selection: Selection
    files: Mapping[str, Predictions]  # of the models, by name
    comparison: ModelComparison

    @property
    def references(self) -> References:
        """The pairs that were scored."""
        return self.comparison.pairs.references

    @property
    def printed(self) -> tuple[PrintedTable, ...]:
        """The tables of its paper that ask the same of the same source; none where the dataset is not installed."""
        with suppress(DiptychError):
            tables = get_dataset(self.folder.manifest.dataset).spec.printed
            return tuple(table for table in tables if table.fits(self.selection.config))
        return ()

    @property
    def headline(self) -> Headline:
        """The score by which models are first compared here."""
        return get_family(self.folder.manifest.score_family).headline


def sort_arguments(arguments: Iterable[str]) -> tuple[list[str], list[str]]:
    """The datasets among some arguments, and the files of predictions; what is neither is a dataset on the Hub.

    >>> sort_arguments(["org/name@v1", "large=predictions.jsonl"])
    (['org/name@v1'], ['large=predictions.jsonl'])
    """
    datasets: list[str] = []
    files: list[str] = []
    for argument in arguments:
        is_file = Path(argument).is_file() or "=" in argument or Path(argument).suffix in (".jsonl", ".json", ".csv")
        (files if is_file and not Path(argument).is_dir() else datasets).append(argument)
    return datasets, files


def read_named_file(argument: str | Path) -> Predictions:
    """A file of predictions, as `FILE` or `NAME=FILE`."""
    name, equals, file = str(argument).partition("=")
    if not equals or Path(argument).exists():
        name, file = "", str(argument)
    path = Path(file)
    return Predictions(path, name or model_name(path), predictions_header(path))


def compare_parts(
    datasets: Sequence[str | Path],
    predictions: Iterable[str | Path],
    find_errata: FindErrata = lambda folder: (),
    **options: Any,
) -> list[ReportPart]:
    """Score files of predictions on the datasets that they are about, those of one config and split together.

    A file is about the dataset that its header names, or about the only one. Files of the arm `repeat` measure the
    noise floor of the model that they repeat. `options` are those of `diptych.metrics.compare_models`.
    """
    folders = [open_folder(location) for location in datasets]
    if not folders:
        raise BadInputError("no dataset to report on: pass a built folder, or org/name on the Hub")
    files = [read_named_file(argument) for argument in predictions]
    if not files:
        raise BadInputError("no predictions to report on: pass the files written by `diptych predict`")
    groups: dict[tuple[int, str, str], list[Predictions]] = {}
    for file in files:
        place = _find_dataset(file, folders)
        selection = folders[place].select(file.header.get("config"), file.header.get("split"))
        groups.setdefault((place, selection.config, selection.split), []).append(file)
    counts = [folders[place].manifest.dataset for place, *_ in groups]
    parts: list[ReportPart] = []
    for (place, config, split), group in sorted(groups.items(), key=lambda entry: entry[0]):
        dataset = folders[place].manifest.dataset
        name = dataset if counts.count(dataset) == 1 else f"{dataset} {config}/{split}"
        while name in {part.name for part in parts}:
            name += "′"  # another folder with the same dataset
        errata = find_errata(folders[place])
        parts.append(_compare_part(name, folders[place], Selection(config, split), group, errata=errata, **options))
    return parts


def _find_dataset(file: Predictions, folders: Sequence[BuiltFolder]) -> int:
    """The place of the dataset that a file is about."""
    name, config, split = (file.header.get(key) for key in ("dataset", "config", "split"))
    if len(folders) == 1:
        return 0
    if not name:
        raise BadInputError(f"{file.path}: no header names its dataset; report on one dataset at a time")
    places = [place for place, folder in enumerate(folders) if folder.manifest.dataset == name]
    for place in places:
        folder = folders[place]
        is_there = config in folder.configs and split in folder.splits(str(config))
        if is_there and folder.content_digest(Selection(str(config), str(split))) == file.header.get("content_hash"):
            return place
    if len(places) == 1:
        return places[0]
    known = ", ".join(folder.manifest.dataset for folder in folders)
    raise BadInputError(f"{file.path}: is about {name} {file.header.get('dataset_version')}; named are {known}")


def _compare_part(
    name: str, folder: BuiltFolder, selection: Selection, group: Sequence[Predictions], **options: Any
) -> ReportPart:
    files: dict[str, Predictions] = {}
    for file in group:
        if file.arm == _REPEAT:
            continue
        if file.name in files:
            raise BadInputError(f"{file.path}: another model is also named {file.name!r}; write NAME=FILE")
        files[file.name] = file
    repeats = [file.path for file in group if file.arm == _REPEAT]
    if not files:
        raise BadInputError(f"{repeats[0]}: repeats a model whose own predictions were not passed; pass them too")
    files = dict(sorted(files.items(), key=lambda entry: ROLES.index(entry[1].role)))
    models = {model: file.path for model, file in files.items()}
    is_sample = any(file.header.get("sample") or file.header.get("limit") for file in group)
    options["allow_missing"] = options.get("allow_missing") or is_sample
    try:
        comparison = compare_models(folder, models, selection.config, selection.split, repeat=repeats, **options)
    except ScoringError as error:
        raise BadInputError(f"{folder.location}: {error}") from None
    check_pairs(comparison.pairs.references.table, folder.path / "data" / selection.config, complete=True)
    return ReportPart(name, folder, selection, files, comparison)
