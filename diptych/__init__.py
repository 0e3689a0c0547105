"""Paired datasets for visual question answering: build them, publish them, score models on them."""

__version__ = "0.1.0"
