"""No template and no file of templates can reach outside, hang or fill the memory: each is refused in one line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.templates.attacks import FILES, TEXTS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What is said of each attack, in a process that is killed if it does not end."""
    folder = tmp_path_factory.mktemp("attacks")
    run = subprocess.run(
        [sys.executable, "-m", "tests.templates.attacks", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return {verdict["name"]: verdict["said"] for verdict in map(json.loads, run.stdout.splitlines())}


@pytest.mark.parametrize("name", TEXTS)
def test_a_malicious_template_is_refused_with_file_line_and_id(name: str, verdicts: dict[str, list[str]]) -> None:
    (said,) = verdicts[name]
    assert "yn_from_color.toml:7: template 'bad': " in said
    assert "\n" not in said
    assert len(said) < 500


@pytest.mark.parametrize("name", FILES)
def test_a_malicious_file_is_refused_with_its_line(name: str, verdicts: dict[str, list[str]]) -> None:
    assert verdicts[name], "nothing was found wanting"
    for said in verdicts[name]:
        assert "yn_from_color.toml:" in said
        assert "\n" not in said
        assert len(said) < 500
