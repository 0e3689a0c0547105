"""Paired datasets for visual question answering: build them, publish them, score models on them."""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """`diptych.render`, loaded when it is asked for."""
    if name == "render":
        from diptych.builders.carets.visual import render

        return render
    raise AttributeError(f"module 'diptych' has no attribute {name!r}")
