"""Sentence encoders, the LASSO ranker and the direct similarities: the tools that rank basic questions.

The LASSO ranker is compiled and needs the extra `ranking`; it is imported at first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from diptych.ranking._encoders import ENCODERS, Encoder, check_encoder_name, get_encoder
from diptych.ranking._equal_vectors import find_equal_vectors, merge_equal_vectors
from diptych.ranking._similarities import SIMILARITIES, most_similar

if TYPE_CHECKING:
    from diptych.ranking._batch import Tuning
    from diptych.ranking._certificate import Certificate, Ranking, verify
    from diptych.ranking._lasso import rank

__all__ = ["ENCODERS", "Encoder", "check_encoder_name", "find_equal_vectors", "get_encoder", "merge_equal_vectors"]
__all__ += ["SIMILARITIES", "Certificate", "Ranking", "Tuning", "most_similar", "rank", "verify"]

_MODULES = {"Tuning": "_batch", "rank": "_lasso"} | dict.fromkeys(("Certificate", "Ranking", "verify"), "_certificate")


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"diptych.ranking.{_MODULES[name]}"), name)
