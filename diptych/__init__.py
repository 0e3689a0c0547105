"""Paired datasets for visual question answering: build them, publish them, score models on them.

>>> import diptych
>>> folder = diptych.build("rad-cads", data="data", out="out", num_proc=2)  # doctest: +SKIP
>>> pairs = diptych.load_pairs("out")  # doctest: +SKIP
>>> report = diptych.score("out", "predictions.jsonl")  # doctest: +SKIP
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diptych._api import (
        build,
        build_shards,
        check,
        compare,
        explain,
        predict,
        push,
        push_report,
        push_results,
        rebuild,
        render,
        score,
        write_report,
    )
    from diptych.folder import BuiltFolder, open_folder, training_examples
    from diptych.publishing import load_pairs

__version__ = "0.2.0"
__all__ = ["BuiltFolder", "__version__", "build", "build_shards", "check", "compare", "explain", "load_pairs"]
__all__ += ["open_folder", "predict", "push", "push_report", "push_results", "rebuild", "render", "score"]
__all__ += ["training_examples", "write_report"]

_HOMES = dict.fromkeys(("BuiltFolder", "open_folder", "training_examples"), "diptych.folder")
_HOMES["load_pairs"] = "diptych.publishing"


def __getattr__(name: str) -> Any:
    # `import diptych` stays cheap: what a function needs is imported when it is first used.
    if name in __all__:
        return getattr(import_module(_HOMES.get(name, "diptych._api")), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
