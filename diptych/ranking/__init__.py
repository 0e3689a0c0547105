"""Sentence encoders, the LASSO ranker and the direct similarities: the tools that rank basic questions.

The ranker and the similarities need the extra `ranking`; they are imported at first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diptych.ranking._batch import Tuning
    from diptych.ranking._lasso import Ranking, rank
    from diptych.ranking._similarities import SIMILARITIES, most_similar

from diptych.ranking._encoders import ENCODERS, Encoder, encode_texts, get_encoder
from diptych.ranking._equal_vectors import find_equal_vectors, merge_equal_vectors

_LAZY_MODULES = {
    "Ranking": "_lasso",
    "SIMILARITIES": "_similarities",
    "Tuning": "_batch",
    "most_similar": "_similarities",
    "rank": "_lasso",
}

__all__ = [
    "ENCODERS",
    "SIMILARITIES",
    "Encoder",
    "Ranking",
    "Tuning",
    "encode_texts",
    "find_equal_vectors",
    "get_encoder",
    "merge_equal_vectors",
    "most_similar",
    "rank",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY_MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY_MODULES[name]}"), name)
