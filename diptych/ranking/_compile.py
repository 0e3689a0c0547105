"""How the inner loops are compiled, and where the compiled code is stored: once for all environments of a user.

Numba stores compiled code beside the source, and uses it as long as that file has not changed, although it contains
code of other files too. So the sources are copied to a folder of the user's cache that is named for all of them, and
numba is told that the functions come from there: no environment compiles what another has, and none uses what is stale.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

from diptych.errors import MissingExtraError
from diptych.files import cache_folder

try:
    import numba
    from numba.extending import intrinsic
except ImportError:
    raise MissingExtraError.for_extra("numba, which the LASSO ranker is compiled with,", "ranking") from None

Compiled = TypeVar("Compiled", bound=Callable[..., Any])

_MARKS = (b"\n@fast\n", b"\n@exact\n", b"\n@generated\n", b"numba.njit(")


def _store() -> Path | None:
    """The folder of the compiled code with copies of the sources, or None where it cannot be written."""
    contents = {path.name: path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))}
    contents = {name: content for name, content in contents.items() if any(mark in content for mark in _MARKS)}
    # Code with checks of bounds is another code, and numba does not tell them apart.
    versions = f"{sys.version_info} {numba.__version__} {numba.config.BOUNDSCHECK}"
    digest = blake2b(repr((versions, sorted(contents.items()))).encode(), digest_size=8)
    folder = cache_folder() / "kernels" / digest.hexdigest()
    try:
        (folder / "__pycache__").mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            path = folder / name
            if not path.exists():
                temporary = path.with_suffix(f".{os.getpid()}")
                temporary.write_bytes(content)
                temporary.replace(path)
    except OSError:
        return None
    return folder


_STORE = _store()


def _compile_with(**options: Any) -> Callable[[Compiled], Compiled]:
    def compile_function(function: Compiled) -> Compiled:
        assert isinstance(function, FunctionType)
        path = _STORE and _STORE / Path(function.__code__.co_filename).name
        if path and path.exists():
            function.__code__ = function.__code__.replace(co_filename=str(path))
        # A division by zero is an infinity, which the loops look for; it must not end the questions beside it.
        compiled: Compiled = numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
        return compiled

    return compile_function


# Compiled by `fast`, sums may be reordered, which lets them use the vector units; `exact` keeps the order of operations
# and the meaning of infinities.
fast = _compile_with(fastmath={"reassoc", "contract", "nsz", "arcp"})
exact = _compile_with()


def generated(function: Callable[..., Any]) -> Callable[..., Any]:
    """An operation for compiled functions to use, given as what generates its code."""
    operation: Callable[..., Any] = intrinsic(function)
    return operation


def compile_once(run_everything: Callable[[], object]) -> None:
    """Where the compiled code is not stored yet, say so on stderr and run what compiles it all."""
    marker = _STORE and _STORE / "compiled"
    if marker is None or marker.exists():
        return
    sys.stderr.write("diptych: compiling the ranker; this happens once and takes a minute\n")
    run_everything()
    with suppress(OSError):
        marker.touch()
