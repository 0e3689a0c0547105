"""The oracle's predictions, as tests compare them with the answers of a build."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from diptych.builders.carets._oracle import answer_rows

SIDES = ("original", "perturbed")


def oracle_answers(rows: Sequence[Mapping[str, Any]], split: str, data: Path) -> dict[str, list[str | None]]:
    """The answers of the scene graphs to both questions of every row, by side."""
    answers = dict(answer_rows(rows, split, data))
    return {side: [answers[index][place] for index in range(len(rows))] for place, side in enumerate(SIDES)}
