"""Rows of pairs and predictions for tests."""

from typing import Any


def pair(pair_id: str, original: str, perturbed: str, **columns: Any) -> dict[str, Any]:
    """A pair with one right answer on each side."""
    row = {"test": "rad.t", "expectation": "given", "original_image_id": pair_id}
    return row | {"pair_id": pair_id, "original_answers": [original], "perturbed_answers": [perturbed]} | columns


def prediction(pair_id: str, original: str, perturbed: str) -> dict[str, str]:
    """The answers of a model to both sides of a pair."""
    return {"pair_id": pair_id, "original": original, "perturbed": perturbed}
