"""Arrays from files that somebody else wrote: NumPy archives and tables, checked before they are used."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from diptych.errors import BadInputError
from diptych.files import reading

Vectors = npt.NDArray[np.float32]

LARGEST_ARCHIVE = 8_000_000_000
"""Bytes that the arrays of a file may unpack to."""

LARGEST_COMPONENT = 1e9
"""The largest number in a vector: the squares of larger ones leave 32-bit numbers."""


def load_arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """The arrays of an `.npz` file by name; pickled objects are refused."""
    with reading(path, "it must be an .npz file of NumPy arrays"), np.load(path, allow_pickle=False) as archive:
        if not isinstance(archive, np.lib.npyio.NpzFile):
            raise BadInputError(f"{path}: not an .npz file but a single array")
        sizes = [int(member.file_size) for member in archive.zip.infolist()]  # type: ignore[union-attr]
        if sum(sizes) > LARGEST_ARCHIVE:
            raise BadInputError(f"{path}: its arrays unpack to {sum(sizes):,} bytes, more than {LARGEST_ARCHIVE:,}")
        arrays = dict(archive)
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):
            raise BadInputError(f"{path}: {name} is not a NumPy array")
    return arrays


def load_table(path: Path) -> Vectors:
    """The vectors of an `.npy` file, mapped into memory."""
    with reading(path, "it must be an .npy file of vectors"):
        return as_vectors(np.load(path, mmap_mode="r", allow_pickle=False), path)


def as_vectors(array: npt.NDArray[Any], path: Path, name: str = "vectors", dimensions: int = 2) -> Vectors:
    """An array as 32-bit numbers, of so many dimensions."""
    if array.dtype.kind not in "fiu" or array.ndim != dimensions or 0 in array.shape:
        raise BadInputError(f"{path}: {name} of type {array.dtype} and shape {array.shape} are no vectors")
    with np.errstate(over="ignore"):
        return array.astype(np.float32, copy=False)


def require_finite(vectors: Vectors, path: Path) -> Vectors:
    """The vectors, if every number in them can be computed with."""
    if not (np.abs(vectors) <= LARGEST_COMPONENT).all():
        raise BadInputError(f"{path}: a vector holds a number that is not finite, or more than {LARGEST_COMPONENT:g}")
    return vectors
