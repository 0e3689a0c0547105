"""Paired datasets for visual question answering: build them, publish them, score models on them."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diptych.builders.carets.visual import render
    from diptych.cards.loading import load_pairs

__version__ = "0.1.0"
__all__ = ["__version__", "load_pairs", "render"]


def __getattr__(name: str) -> Any:
    # `import diptych` stays quick: `datasets` is imported only where it is used.
    if name == "load_pairs":
        from diptych.cards.loading import load_pairs

        return load_pairs
    if name == "render":
        from diptych.builders.carets.visual import render

        return render
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
