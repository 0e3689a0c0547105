"""No template and no template file can escape, hang or fill the memory: each is refused in one line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.templates.attacks import FILES, TEXTS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The errors of each attack, found in a process that is killed if it does not end."""
    folder = tmp_path_factory.mktemp("attacks")
    process = subprocess.run(
        [sys.executable, "-m", "tests.templates.attacks", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return {result["name"]: result["errors"] for result in map(json.loads, process.stdout.splitlines())}


@pytest.mark.parametrize("name", TEXTS)
def test_a_malicious_template_is_refused_with_file_line_and_id(name: str, errors: dict[str, list[str]]) -> None:
    (error,) = errors[name]
    assert "yn_from_color.toml:7: template 'bad': " in error
    assert "\n" not in error
    assert len(error) < 500


@pytest.mark.parametrize("name", FILES)
def test_a_malicious_file_is_refused_with_its_line(name: str, errors: dict[str, list[str]]) -> None:
    assert errors[name], "the attack was not refused"
    for error in errors[name]:
        assert "yn_from_color.toml:" in error
        assert "\n" not in error
        assert len(error) < 500
