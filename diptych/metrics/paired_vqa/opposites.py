"""What the bindings of a pair tell about its words: which side implies the other, and which opposites it asks for."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .references import References

_GRAIN = 2.0**26  # weights are rounded to this part of a unit: sums are then exact, and no order of rows changes them


def implies_original(references: References) -> NDArray[np.bool_]:
    """Where the perturbed answer implies the original one: no animal, no dog."""
    return _mentions(references, r'"implied": *"original"')


def opposite_weights(references: References) -> NDArray[np.float64]:
    """A weight for every pair that names opposites, so that all pairs of opposites count alike; 0 for the others."""
    rows = np.flatnonzero(_mentions(references, r'"opposite": *"'))
    weights = np.zeros(len(references))
    if len(rows):
        bindings = [json.loads(text) for text in _bindings(references).take(pa.array(rows)).to_pylist()]
        names = [
            "/".join((str(entry.get("class", "")), *sorted((str(entry.get("attribute", "")), str(entry["opposite"])))))
            for entry in bindings
        ]
        _, codes, counts = np.unique(np.array(names), return_inverse=True, return_counts=True)
        weights[rows] = np.round(_GRAIN / counts[codes]) / _GRAIN
    return weights


def _mentions(references: References, pattern: str) -> NDArray[np.bool_]:
    if not references.has_column("bindings") or not len(references):
        return np.zeros(len(references), np.bool_)
    matches = pc.fill_null(pc.match_substring_regex(_bindings(references), pattern), False)
    return np.asarray(matches.to_numpy(zero_copy_only=False), np.bool_)


def _bindings(references: References) -> pa.Array:
    column = references.table.column("bindings").cast(pa.string())
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
