"""Every command and every piece of Python in the README and the documentation runs, or says why it is not run."""

import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.examples.documents import PAGES, ROOT, Block, blocks
from tests.examples.stage import Shelf, Stage, open_client
from tests.hub import LoopbackHub, WarmClient
from tests.models.endpoint import LoopbackEndpoint

SNIPPETS = [page for page in PAGES if any(block.is_shell or block.is_python for block in blocks(page))]
SNIPPETS.remove(ROOT / "CONTRIBUTING.md")  # its commands run these tests
REASONS = {
    "an outline of the code": "a class whose functions have no body",
    "needs a Ray cluster": "a cluster, of this machine or of several; tests/builders/test_engines.py starts its own",
    "installs the harnesses": "gigabytes of other people's packages",
    "changes the shell": "the start-up file of whoever runs the tests",
    "needs a model on disk": "torch and a translation model",
    "typed by hand": "a text that a person copies from a page",
}
"""The reasons for not running a block, each with what it needs."""

_INDENTED = re.compile(r"^\n {4}(?:diptych|python|pip|make) ", re.MULTILINE)


@pytest.fixture(scope="session")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LoopbackHub, WarmClient, LoopbackEndpoint]]:
    """A Hub, a client of it that has the example dataset installed, and an endpoint."""
    folder = tmp_path_factory.mktemp("client")
    shutil.copytree(ROOT / "examples" / "choice_order", folder / "source")
    options = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", str(folder / "packages"))
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(folder / "source")], check=True)
    with open_client(folder / "packages") as parts:
        yield parts


@pytest.fixture(scope="session")
def shelf(clients: tuple[LoopbackHub, WarmClient, LoopbackEndpoint], tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """What all pages share, and all processes of this run."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "popen" in base.name else base) / "documentation"
    folder.mkdir(exist_ok=True)
    return Shelf(folder, clients[1])


@pytest.mark.slow
@pytest.mark.parametrize("page", SNIPPETS, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_runs(
    page: Path, shelf: Shelf, clients: tuple[LoopbackHub, WarmClient, LoopbackEndpoint], tmp_path: Path
) -> None:
    hub, client, endpoint = clients
    hub.reset()
    stage = Stage(tmp_path, shelf, client, hub, endpoint)
    imports = ""
    for block in blocks(page):
        if block.reason:
            continue
        if block.is_python:
            stage.run_python(block, imports)
            imports += "".join(re.findall(r"^(?:import|from) .*\n", block.text, flags=re.MULTILINE))
        elif block.is_shell:
            run_commands(stage, block)
        else:
            stage.write(block)


def run_commands(stage: Stage, block: Block) -> None:
    for command in block.commands():
        printed = stage.run(command).splitlines()
        missing = [line for line in command.output if line not in printed]
        assert not missing, f"{block}: {command.text}\n" + "\n".join(printed)


def test_what_is_not_run_has_a_reason_of_the_list() -> None:
    skipped = [block for page in PAGES for block in blocks(page) if block.reason]
    counts = Counter(block.reason for block in skipped)
    assert counts.keys() == REASONS.keys(), "\n".join(f"{block}: {block.reason}" for block in skipped)
    assert counts.total() <= 12, counts


def test_commands_are_fenced() -> None:
    assert [page for page in PAGES if _INDENTED.search(page.read_text(encoding="utf-8"))] == []
