"""Asking models: queries made from the pairs of a built folder, and replies kept in a file of predictions."""

from diptych.models._model import ANSWER_TYPES, CHOICE, NUMBER, OPEN, YES_OR_NO, Model, Query, Reply

__all__ = ["ANSWER_TYPES", "CHOICE", "NUMBER", "OPEN", "YES_OR_NO", "Model", "Query", "Reply"]
