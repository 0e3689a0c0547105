"""Sentence encoders, the LASSO ranker and the direct similarities: what basic questions are ranked with.

The ranker is compiled and lives in the extra `ranking`; nothing here needs it until it is asked for.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diptych.ranking.blocks import Tuning
    from diptych.ranking.lasso import Ranking, rank, same_vectors

from diptych.ranking.encoders import ENCODERS, Encoder, encoded, get_encoder

_LATE = {"rank": "lasso", "same_vectors": "lasso", "Ranking": "lasso", "Tuning": "blocks"}

__all__ = ["ENCODERS", "Encoder", "Ranking", "Tuning", "encoded", "get_encoder", "rank", "same_vectors"]


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
