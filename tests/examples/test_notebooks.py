"""The notebooks run from the first cell to the last, and are stored without what they put out."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.examples.documents import ROOT
from tests.examples.stage import IMAGES
from tests.hub import LoopbackHub, client_env, run_client

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
EXECUTE = """
import sys, nbformat, nbclient
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": sys.argv[2]}}).execute()
nbformat.write(notebook, sys.argv[2] + "/done.ipynb")
"""
PUBLISH = f"""
import sys, diptych
from diptych.demo import make_world
make_world(sys.argv[1] + "/data", {IMAGES}, pictures=False)
diptych.build("rad-cads", sys.argv[1] + "/data", sys.argv[1] + "/out")
diptych.push(sys.argv[1] + "/out", "org/rad-cads", tag="v1.0.0")
"""

each = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)


@each
def test_a_notebook_is_stored_without_output(notebook: Path) -> None:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    assert cells[0]["cell_type"] == "markdown"
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert not [cell for cell in code if cell["outputs"] or cell["execution_count"]]
    assert notebook.stat().st_size < 10_000


@pytest.mark.slow
@pytest.mark.skipif(find_spec("nbclient") is None, reason='notebooks need pip install "diptych[docs]"')
@each
def test_a_notebook_runs(notebook: Path, tmp_path: Path, hub: LoopbackHub) -> None:
    if "org/" in notebook.read_text(encoding="utf-8"):
        run_client(["-c", PUBLISH, str(tmp_path)], hub)
    command = [sys.executable, "-c", EXECUTE, str(notebook), str(tmp_path)]
    env = client_env(hub, token=None)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    cells = json.loads((tmp_path / "done.ipynb").read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert "image/png" in {kind for output in outputs for kind in output.get("data", {})}
