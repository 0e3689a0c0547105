"""The datasets by name; a builder is imported only when it is asked for."""

from importlib import import_module

from diptych.builders.base import PairBuilder, PairConfig
from diptych.errors import UnknownNameError

DATASETS: dict[str, str] = {
    "bqd": "diptych.builders.bqd:Bqd",
    "carets": "diptych.builders.carets:Carets",
    "rad-cads": "diptych.builders.rad:RadCads",
    "kb-counterfactuals": "diptych.builders.kb:KbCounterfactuals",
    "fvqa2": "diptych.builders.fvqa2:Fvqa2",
}
"""Dataset name to the class that builds it."""


def get_builder(name: str) -> type[PairBuilder]:
    """The builder of a dataset; an unknown name lists the known ones.

    >>> get_builder("rad-cads").DEFAULT_CONFIG_NAME
    'vqa_v2'
    """
    if name not in DATASETS:
        raise UnknownNameError.among("dataset", name, DATASETS)
    module, _, attribute = DATASETS[name].partition(":")
    builder: type[PairBuilder] = getattr(import_module(module), attribute)
    return builder


__all__ = ["DATASETS", "PairBuilder", "PairConfig", "get_builder"]
