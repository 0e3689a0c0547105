"""Datasets and the engine that builds any of them: read, plan, make.

A dataset is found by its name: ours, and those of installed packages that name a `Dataset` under the entry point group
`diptych.datasets`. A class is imported only when it is asked for.
"""

from importlib import import_module
from importlib.metadata import entry_points

from diptych.builders._build import SliceResult, UnfinishedBuildError, build_into, build_slice, choose_configs
from diptych.builders._dataset import BuildOptions, Candidates, Dataset, Input, Part, Plan, Rows, Stage, Tools
from diptych.builders._engine import Engine, LocalEngine, WorkerLostError
from diptych.builders._ledger import EVERY_TEST, Ledger, Problem
from diptych.builders._pictures import IMAGE, UNREADABLE_IMAGE, read_picture
from diptych.builders._printed import PrintedColumn, PrintedNumber, PrintedTable
from diptych.builders._rebuild import build_differences, recipe_options, source_differences
from diptych.builders._rows import Item
from diptych.builders._slices import Slice
from diptych.builders._spec import AuditRules, Config, DatasetSpec, LeakRule, Parameter, ParameterValue
from diptych.builders._transaction import output_folder
from diptych.builders._verdicts import ACCEPTED, DISPUTED, FIXED, REJECTED, VERDICTS, read_verdicts
from diptych.errors import BadInputError, UnknownNameError

ENTRY_POINTS = "diptych.datasets"  # the group under which other packages name their datasets

_OWN = {
    "bqd": "diptych.builders.bqd:Bqd",
    "carets": "diptych.builders.carets:Carets",
    "rad-cads": "diptych.builders.rad:Rad",
    "kb-counterfactuals": "diptych.builders.kb:KbCounterfactuals",
    "fvqa2": "diptych.builders.fvqa2:Fvqa2",
    "paired-benchmarks": "diptych.builders.benchmarks:PairedBenchmarks",
}


def dataset_names() -> tuple[str, ...]:
    """The names of all datasets, ours first."""
    return tuple(dict.fromkeys((*_OWN, *sorted(entry_points(group=ENTRY_POINTS).names))))


def get_dataset(name: str) -> Dataset:
    """A dataset by name; an unknown name lists the known ones.

    >>> get_dataset("rad-cads").spec.default_config
    'vqa_v2'
    """
    if name in _OWN:
        module, _, attribute = _OWN[name].partition(":")
        dataset: type[Dataset] = getattr(import_module(module), attribute)
        return dataset()
    plugins = entry_points(group=ENTRY_POINTS)
    if name not in plugins.names:
        raise UnknownNameError.among("dataset", name, dataset_names())
    try:
        loaded = plugins[name].load()
    except Exception as error:  # whatever the module of another package may raise
        raise BadInputError(f"{plugins[name].value}: cannot be loaded: {error}") from error
    if not (isinstance(loaded, type) and issubclass(loaded, Dataset)) or loaded.spec.name != name:
        raise BadInputError(f"{plugins[name].value}: not a Dataset named {name!r}; check its entry point")
    return loaded()


__all__ = ["ACCEPTED", "DISPUTED", "ENTRY_POINTS", "EVERY_TEST", "FIXED", "REJECTED", "VERDICTS", "AuditRules"]
__all__ += ["BuildOptions", "Candidates", "Config", "Dataset", "DatasetSpec", "Engine", "Input", "Item", "LeakRule"]
__all__ += ["Ledger", "LocalEngine", "Parameter", "ParameterValue", "Part", "Plan", "Problem", "Rows", "Stage"]
__all__ += ["Slice", "SliceResult", "Tools", "UnfinishedBuildError", "WorkerLostError", "build_differences"]
__all__ += ["build_into", "build_slice", "choose_configs", "dataset_names"]
__all__ += ["IMAGE", "UNREADABLE_IMAGE", "get_dataset", "output_folder", "read_picture"]
__all__ += ["PrintedColumn", "PrintedNumber", "PrintedTable", "read_verdicts", "recipe_options", "source_differences"]
