"""Asking models: queries made from the pairs of a built folder, and replies kept in a file of predictions."""

from pathlib import Path
from typing import Any

from diptych.models._endpoint import EndpointError, EndpointModel, EndpointSettings
from diptych.models._keys import Secrets
from diptych.models._learning import Learner, predict_blind
from diptych.models._model import ANSWER_TYPES, CHOICE, NUMBER, OPEN, YES_OR_NO, Model, Query, Reply
from diptych.models._pictures import EmbeddedImages
from diptych.models._prompts import load_prompts
from diptych.models._queries import ARMS
from diptych.models._run import ESTIMATE_RULE, DegenerateModel, PredictionRun, PredictOptions, predict
from diptych.models._transformers import LOCAL, LocalModel
from diptych.models._translation import back_translate

__all__ = ["ANSWER_TYPES", "ARMS", "CHOICE", "NUMBER", "OPEN", "YES_OR_NO", "Model", "Query", "Reply"]
__all__ += ["ESTIMATE_RULE", "DegenerateModel", "EndpointError", "EndpointModel", "EndpointSettings"]
__all__ += ["Learner", "LocalModel", "PredictOptions", "PredictionRun", "Secrets", "open_model", "predict"]
__all__ += ["EmbeddedImages", "back_translate", "load_prompts", "predict_blind"]


def open_model(name: str, *, data: Path | None = None, **settings: Any) -> Model | DegenerateModel | Learner:
    """A model by its name: one that is built in, or one behind an endpoint with the settings of `EndpointSettings`.

    `transformers:ID` is a model of the Hub, or of a folder, that runs on this machine with the same settings.
    """
    if name in DegenerateModel.NAMES:
        return DegenerateModel(name, settings.get("seed") or 0, data)
    if name in Learner.NAMES:
        return Learner(name, data)
    if name.startswith(LOCAL):
        return LocalModel(name.removeprefix(LOCAL), EndpointSettings(**settings))
    return EndpointModel(name, EndpointSettings(**settings))
