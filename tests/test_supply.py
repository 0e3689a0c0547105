"""What the package needs and what it is made of: its dependencies, its extras, and the files of its wheel."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest

from tests.extras import PROBES, Probe, install_line

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
FOR_CONTRIBUTORS = {"dev", "docs"}

THROUGH = {"llvmlite": "numba", "markupsafe": "jinja2", "typeguard": "inflect"}  # used only beside what requires it
NOT_OURS = {"gradio"}  # the Space's page runs where gradio is


def distribution(requirement: str) -> str:
    return re.split(r"[\[<>=~! ;]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def declared(*extras: str) -> set[str]:
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]
    return {distribution(line) for line in lines}


def imported_modules() -> Iterator[tuple[Path, str]]:
    """Every module of another package that the package imports anywhere."""
    for path in sorted((ROOT / "diptych").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for name in (name.partition(".")[0] for name in names):
                if name not in sys.stdlib_module_names and name != "diptych":
                    yield path, name


def test_every_import_is_declared() -> None:
    distributions = packages_distributions()
    known = declared(*EXTRAS) | set(THROUGH) | NOT_OURS
    for path, module in imported_modules():
        names = {name.lower().replace("_", "-") for name in distributions.get(module, [module])} | {
            module.replace("_", "-")
        }
        assert names & known, f"{path} imports {module}, which pyproject.toml does not name"


@pytest.mark.parametrize(("module", "owner"), THROUGH.items())
def test_what_is_imported_through_another_package_is_required_by_it(module: str, owner: str) -> None:
    assert module in {distribution(line) for line in requires(owner) or ()}
    assert owner in declared(*EXTRAS)


def test_every_requirement_has_a_lower_bound() -> None:
    lines = [*PROJECT["dependencies"], *(line for extra in EXTRAS.values() for line in extra)]
    unbounded = [line for line in lines if ">=" not in line and not line.startswith("diptych[")]
    assert unbounded == []


@pytest.mark.parametrize("extra", sorted(set(EXTRAS) - FOR_CONTRIBUTORS))
def test_every_extra_is_used_somewhere(extra: str) -> None:
    assert [probe for probe in PROBES if probe.extra == extra], "tests/extras.py says what an extra is for"


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: f"{probe.extra}-{probe.module}")
def test_without_an_extra_its_install_line_is_said(probe: Probe, tmp_path: Path) -> None:
    code = f"import sys\nsys.modules[{probe.module!r}] = None\n{probe.code}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.strip().endswith(install_line(probe.extra))


@pytest.fixture(scope="module")
def tracked() -> list[str]:
    """The files of the project that git knows."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a checkout: git knows which files belong to the package")
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in names if (ROOT / name).is_file()]


def test_the_wheel_holds_the_whole_package_and_nothing_else(tracked: list[str], tmp_path: Path) -> None:
    for name in tracked:
        if name.startswith(("diptych/", "LICENSE", "README.md", "pyproject.toml", "MANIFEST.in")):
            (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / "tree" / name)
    options = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(tmp_path))
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(tmp_path / "tree")], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert packed == {name for name in tracked if name.startswith("diptych/")}
