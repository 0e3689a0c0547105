"""What `--set KEY=VALUE` says about a build, checked against what the dataset lets one say."""

from collections.abc import Iterable
from typing import Any

from diptych.builders.base import PairBuilder
from diptych.errors import BadInputError, UnknownNameError


def read_parameters(builder: type[PairBuilder], settings: Iterable[str]) -> dict[str, Any]:
    """The parameters that were said, each of the type of its default."""
    read: dict[str, Any] = {}
    for setting in settings:
        key, found, value = setting.partition("=")
        if not found:
            raise BadInputError(f"--set {setting}: write KEY=VALUE")
        if key not in builder.PARAMETERS:
            raise UnknownNameError.among(f"parameter of {builder.DATASET}", key, builder.PARAMETERS)
        read[key] = _value(f"--set {setting}", value, builder.PARAMETERS[key])
    return read


def _value(where: str, text: str, allowed: tuple[Any, ...]) -> Any:
    kind = type(allowed[0])
    try:
        value = text.lower() in {"1", "true", "yes"} if kind is bool else kind(text)
    except ValueError:
        raise BadInputError(f"{where}: {text!r} is not {kind.__name__}") from None
    if len(allowed) > 1 and value not in allowed:
        raise BadInputError(f"{where}: say one of {', '.join(map(str, allowed))}")
    return value
