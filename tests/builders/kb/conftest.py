"""What the tests of kb-counterfactuals share: a question as `read` reads it, and the outcome of one test for it."""

from pathlib import Path
from typing import Any

from diptych.builders import BuildOptions, build_into
from diptych.builders.kb import KbCounterfactuals
from diptych.builders.kb._colors import OtherColors
from diptych.builders.kb._reading import read_question
from diptych.builders.kb._sentence import KbCandidate
from diptych.builders.kb._stand_ins import StandIns
from diptych.builders.kb._tables import load_tables
from diptych.builders.kb._tests import KbFacts, make_outcome
from diptych.folder import BuiltFolder
from diptych.pairs import Pair, Skip
from tests.builders.conftest import vqa_row

TOOLS = KbCounterfactuals().tools(None)


def make_facts(palette: str = "css4", metric: str = "ciede2000", **options: Any) -> KbFacts:
    """What `make` knows: the tables of the package or others, and the colors of a palette."""
    return KbFacts(options.pop("tables", load_tables()), OtherColors(palette, metric), **options)


FACTS = make_facts()
PAPER = make_facts(wordnet=StandIns())


def read(question: str, answer: str = "yes", question_id: str = "1") -> KbCandidate:
    """What `read` finds in a question."""
    return read_question(vqa_row(question, answer, question_id=question_id), TOOLS)


def outcome(
    test: str, question: str, colors: str = "", answer: str = "yes", facts: KbFacts = FACTS, question_id: str = "1"
) -> Pair | Skip:
    """What one test makes of a question."""
    return make_outcome(read(question, answer, question_id), f"kb.{test}", colors, facts)


def make_pair(test: str, question: str, *args: Any, **options: Any) -> Pair:
    """The pair that one test makes of a question."""
    pair = outcome(test, question, *args, **options)
    assert isinstance(pair, Pair), pair
    return pair


def reworded(test: str, question: str, colors: str = "", answer: str = "yes", facts: KbFacts = FACTS) -> str:
    """The perturbed question, or the reason why there is none."""
    result = outcome(test, question, colors, answer, facts)
    return result.reason if isinstance(result, Skip) else result.perturbed.question


def build_kb(data: Path, folder: Path, *configs: str, **options: Any) -> BuiltFolder:
    """Some configs of kb-counterfactuals, built without card and audit."""
    out = folder / "out"
    manifest = build_into(out, KbCounterfactuals(), BuildOptions(data, configs, **options), str(folder / "work"))
    return BuiltFolder(out, manifest)
