"""A use of every optional package: it works where its extra is installed, and elsewhere says how to install it."""

from typing import NamedTuple


class Probe(NamedTuple):
    """Code that needs a module of an extra."""

    extra: str
    module: str
    code: str


PROBES = (
    Probe(
        "ranking",
        "numba",
        """
import numpy as np
from diptych.ranking import rank
assert rank(np.eye(4), np.eye(4)[:1], 1e-2, k=1).indices.tolist() == [[0]]
""",
    ),
    Probe(
        "ranking",
        "wordllama",
        """
from diptych.ranking import get_encoder
assert get_encoder("wordllama").encode(["What is it?"]).shape == (1, 256)
""",
    ),
    Probe(
        "ranking",
        "nltk",
        """
from diptych.ranking import most_similar
best = most_similar("meteor", ("Is it a dog?", "What is on the mat?"), ["What is on it?"], k=1)
assert best["indices"].tolist() == [[1]]
""",
    ),
    Probe(
        "sentence-transformers",
        "sentence_transformers",
        """
from diptych.errors import MissingFileError
from diptych.ranking import get_encoder
try:
    get_encoder("sentence-transformers:no-such-model")
except MissingFileError as error:
    assert "is not on this machine" in str(error)
""",
    ),
    Probe(
        "report",
        "matplotlib",
        """
from pathlib import Path
from diptych.report import write_figures
assert write_figures([], Path("figures"), "svg") == []
""",
    ),
    Probe(
        "ray",
        "ray",
        """
from pathlib import Path
import diptych
from diptych.demo import make_world
make_world(Path("data"), 10, pictures=False)
diptych.build("rad-cads", "data", "out", configs=("yn_from_color",), engine="ray")
""",
    ),
    Probe(
        "review",
        "statsmodels",
        """
from math import isfinite
from diptych.report.review._agreement import measure_agreement
agreement = measure_agreement([["yes", "no", "yes"], ["no", "no", "no"], ["yes", "yes", "yes"]])
assert isfinite(agreement["value"]), agreement["reason"]
""",
    ),
    Probe(
        "conceptnet-lite",
        "conceptnet_lite",
        """
from pathlib import Path
from diptych.errors import MissingFileError
from diptych.kg import LiteGraph
try:
    LiteGraph(Path("no.db"))
except MissingFileError as error:
    assert "no such conceptnet-lite database" in str(error)
""",
    ),
    Probe(
        "models",
        "transformers",
        """
from diptych.errors import BadInputError
from diptych.models import open_model
try:
    open_model("transformers:./no-such-model")
except BadInputError as error:
    assert "cannot be loaded" in str(error)
""",
    ),
)

TESTS = {  # of extras that are no part of `dev`, so that other runs skip these tests
    "conceptnet-lite": ("tests/kg/test_conceptnet.py",),
    "models": ("tests/models/test_transformers.py", "tests/models/test_translation.py"),
    "sentence-transformers": ("tests/ranking/test_encoders.py",),
}


def install_line(extra: str) -> str:
    """What the error without an extra must say."""
    return f'pip install "diptych[{extra}]"'
