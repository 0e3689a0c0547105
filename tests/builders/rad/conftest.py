"""What the tests of rad-cads share: the tools that read, the facts that make, and the reading of one question."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from diptych.builders import BuildOptions, Tools, build_into
from diptych.builders.rad import Rad
from diptych.builders.rad._pairs import RadFacts, pair_about
from diptych.builders.rad._readings import RadCandidate, RadRules, Reading, read_back, read_question
from diptych.folder import BuiltFolder
from diptych.pairs import Pair, Skip
from diptych.sources import VqaRow
from diptych.templates import load_templates

PAPER_RULES = RadRules.from_parameters(Rad.spec.config("paper").parameters)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads questions as a build of the config `paper` does."""

    tools: Tools
    facts: RadFacts

    def candidate(self, row: VqaRow, test: str) -> RadCandidate | Skip:
        """What `read` keeps of a question for one test."""
        (candidate,) = [outcome for outcome in read_question(row, self.tools) if outcome.test == test]
        return Skip(candidate.reason) if isinstance(candidate, Skip) else candidate

    def pair(self, row: VqaRow, test: str, value: str, label: str) -> Pair:
        """The pair that asks about one value."""
        candidate = self.candidate(row, test)
        assert isinstance(candidate, RadCandidate), candidate
        reading = read_back(candidate, self.facts.rules)
        assert isinstance(reading, Reading), reading
        pair = pair_about(candidate, reading, label, value, self.facts.templates)
        assert isinstance(pair, Pair), pair
        return pair

    def read(self, row: VqaRow, test: str, facts: RadFacts | None = None) -> Reading | Skip:
        """What one test understands of a question."""
        candidate = self.candidate(row, test)
        return candidate if isinstance(candidate, Skip) else read_back(candidate, (facts or self.facts).rules)


@pytest.fixture(scope="session")
def reader() -> Reader:
    return Reader(Rad().tools(None), RadFacts(load_templates("rad-cads"), rules=PAPER_RULES))


def build_rad(data: Path, folder: Path, *configs: str, **options: Any) -> BuiltFolder:
    """Some configs of rad-cads, built without card and audit."""
    out = folder / "out"
    manifest = build_into(out, Rad(), BuildOptions(data, configs, **options), str(folder / "work"))
    return BuiltFolder(out, manifest)
