"""Build every dataset with several interpreters and compare the files byte by byte.

    python scripts/compare_pythons.py .venv312/bin/python .venv313/bin/python

Each interpreter needs an environment with this package. The world is made once, by the interpreter that runs this,
and the first build of each dataset is its own.
"""

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from diptych.builders import dataset_names
from diptych.demo import make_world

IMAGES = 60
BUILD = "import sys; from diptych.cli import main; main(sys.argv[1:])"


def build(python: str, dataset: str, data: Path, out: Path) -> dict[str, str]:
    """The SHA-256 of every file of a build, by name."""
    command = [python, "-c", BUILD, "build", dataset, "--data", str(data), "--out", str(out)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{python}: {done.stderr}")
    return {
        path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


def main() -> int:
    """Compare, and exit with 1 where a file differs."""
    versions = {python: subprocess.check_output([python, "-V"], text=True).strip() for python in sys.argv[1:]}
    differences = 0
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        make_world(scratch / "data", IMAGES)
        for dataset in dataset_names():
            expected = build(sys.executable, dataset, scratch / "data", scratch / dataset)
            for number, (python, version) in enumerate(versions.items()):
                files = build(python, dataset, scratch / "data", scratch / f"{dataset}-{number}")
                different = sorted(name for name in {**files, **expected} if files.get(name) != expected.get(name))
                differences += len(different)
                print(f"{dataset}, {version}: {', '.join(different) or f'all {len(files)} files are the same'}")
    return min(1, differences)


if __name__ == "__main__":
    sys.exit(main())
