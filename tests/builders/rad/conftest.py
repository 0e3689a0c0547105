"""What the tests of rad-cads share: the tools that read, the facts that make, and the reading of one question."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from diptych.builders import BuildOptions, Tools, build_into
from diptych.builders.rad import Rad
from diptych.builders.rad._pairs import RadFacts
from diptych.builders.rad._readings import RadCandidate, Reading, read_back, read_question
from diptych.folder import BuiltFolder
from diptych.pairs import Skip
from diptych.sources import VqaRow
from diptych.templates import load_templates


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads questions as a build does, with zero allowed."""

    tools: Tools
    facts: RadFacts

    def candidate(self, row: VqaRow, test: str) -> RadCandidate | Skip:
        """What `read` keeps of a question for one test."""
        (candidate,) = [outcome for outcome in read_question(row, self.tools) if outcome.test == test]
        return Skip(candidate.reason) if isinstance(candidate, Skip) else candidate

    def read(self, row: VqaRow, test: str, facts: RadFacts | None = None) -> Reading | Skip:
        """What one test understands of a question."""
        candidate = self.candidate(row, test)
        return candidate if isinstance(candidate, Skip) else read_back(candidate, (facts or self.facts).zero)


@pytest.fixture(scope="session")
def reader() -> Reader:
    return Reader(Rad().tools(None), RadFacts(load_templates("rad-cads"), zero=True))


def build_rad(data: Path, folder: Path, *configs: str, **options: Any) -> BuiltFolder:
    """Some configs of rad-cads, built without card and audit."""
    out = folder / "out"
    manifest = build_into(out, Rad(), BuildOptions(data, configs, **options), str(folder / "work"))
    return BuiltFolder(out, manifest)
