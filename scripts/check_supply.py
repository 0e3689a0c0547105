"""Check the supply chain: bounds of dependencies, interpreters, distributions, extras, known vulnerabilities.

    python scripts/check_supply.py                            # every step: an hour on two cores
    python scripts/check_supply.py distributions extras       # some of them
    python scripts/check_supply.py pythons --python 3.13      # with some interpreters

Every environment is new, in a scratch folder that is removed in the end. Packages come from the index that pip and uv
are set up for; nothing else is needed but git and Python. Interpreters are those that uv finds on the PATH (with pyenv,
those that PYENV_VERSION names) or can fetch; what cannot be had is said and left out.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.extras import PROBES, TESTS, install_line  # noqa: E402 - found by the line above

TOOLS = ("build", "cffconvert", "pip-audit", "twine", "uv")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
QUICK_TESTS = ("-m", "not slow", "tests")
CPU_TORCH = "torch==2.13.0"  # a build of it without CUDA is taken where pip and uv are set up to find one

USE = "--help | ls | demo sources data --images 60 | build rad-cads --data data --out out | check out"
USE += " | baseline out majority --out answers.jsonl | score out answers.jsonl"
METRIC = """
import sys
from pathlib import Path
import diptych, evaluate, pyarrow.parquet as pq
from diptych.metrics import path
assert diptych.__file__.startswith(sys.prefix), f"{diptych.__file__} is not the installed package"
rows = pq.read_table(Path("out/data/yn_from_color/validation-00000-of-00001.parquet")).to_pylist()
sides = ("original", "perturbed")
answers = [{"pair_id": row["pair_id"], **{side: row[f"{side}_answer"] for side in sides}} for row in rows]
assert evaluate.load(str(path()), "rad").compute(predictions=answers, references=rows)["rad_forward"] == 1.0
"""


class CheckError(Exception):
    """Something that a release must not have."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment."""

    folder: Path

    @property
    def python(self) -> str:
        """Its interpreter."""
        return str(self.folder / "bin" / "python")

    def packages(self) -> dict[str, str]:
        """The versions of what is installed, by normalized name."""
        code = "import importlib.metadata as m, json; "
        code += "print(json.dumps({d.name.lower().replace('_', '-'): d.version for d in m.distributions()}))"
        return dict(json.loads(run(self.python, "-c", code)))


@dataclass(frozen=True)
class Workshop:
    """The scratch folder, and what is made in it."""

    scratch: Path
    pythons: Sequence[str]
    tests: Sequence[str]

    @property
    def tools(self) -> Path:
        """The programs that the checks use, in an environment of their own."""
        folder = self.scratch / "tools"
        if not folder.exists():
            run(sys.executable, "-m", "venv", folder)
            run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", *TOOLS)
        return folder / "bin"

    @property
    def tree(self) -> Path:
        """A copy of the files that git knows: nothing in it changes, and no cache or build is in it."""
        return self.copy_tree("tree")

    def copy_tree(self, name: str) -> Path:
        """A copy of the files that git knows, under a name."""
        folder = self.scratch / name
        if not folder.exists():
            for file in tracked_files():
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / file, folder / file)
        return folder

    def uv(self, *arguments: str | Path) -> str:
        """Run uv; what it keeps stays in the scratch folder."""
        kept = {"UV_CACHE_DIR": str(self.scratch / "uv"), "UV_PYTHON_INSTALL_DIR": str(self.scratch / "pythons")}
        return run(self.tools / "uv", *arguments, env=kept)

    def environment(
        self, name: str, *requirements: str | Path, python: str = sys.executable, pip: bool = False
    ) -> Environment:
        """A new environment with some packages, installed by uv or by pip, that fit together."""
        environment = Environment(self.scratch / "environments" / name)
        shutil.rmtree(environment.folder, ignore_errors=True)
        if pip:
            run(python, "-m", "venv", environment.folder)
            run(environment.python, "-m", "pip", "install", "--quiet", *requirements)
            run(environment.python, "-m", "pip", "check")
        else:
            self.uv("venv", "--quiet", "--python", python, environment.folder)
            self.uv("pip", "install", "--quiet", "--python", environment.python, *requirements)
            self.uv("pip", "check", "--python", environment.python)
        return environment

    def find_python(self, version: str) -> str | None:
        """The path of an interpreter, which uv fetches where it can."""
        find = ("find", "--system")  # no environment that is by chance active or near
        for command in (find, ("install", "--quiet"), find):
            try:
                path = self.uv("python", *command, version).strip()
            except CheckError:
                continue
            if path:
                return path
        return None

    def distributions(self) -> tuple[Path, Path]:
        """The wheel and the source distribution."""
        folder = self.scratch / "dist"
        if not folder.exists():
            build(self, folder)
        (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
        return wheel, source

    def run_tests(self, environment: Environment, *tests: str) -> str:
        """Run tests of the copied tree; returns their last line."""
        command = (environment.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
        return run(*command, cwd=self.tree).strip().splitlines()[-1]


def run(*command: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """What a command prints; one that fails is an error with the end of what it printed."""
    words = [str(word) for word in command]
    variables = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    done = subprocess.run(words, cwd=cwd, env=variables | (env or {}), capture_output=True, text=True, check=False)
    if done.returncode:
        ending = "\n".join((done.stdout + done.stderr).strip().splitlines()[-60:])
        raise CheckError(f"{' '.join(words)[:200]}\nexit code {done.returncode}\n{ending}")
    return done.stdout


def tracked_files(folder: str = ".") -> list[str]:
    """The files that git knows."""
    return [name for name in run("git", "ls-files", folder, cwd=ROOT).splitlines() if (ROOT / name).is_file()]


def requirements() -> dict[str, list[str]]:
    """The requirements of pyproject.toml by extra; those of the package itself are under the empty name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {"": project["dependencies"], **project["optional-dependencies"]}


# Bounds.


def check_bounds(workshop: Workshop) -> Iterator[str]:
    """Install the lowest versions that pyproject.toml allows, and run the quick tests with them."""
    lowest = ("--resolution", "lowest-direct")
    for extra in requirements():
        yield from compare_bounds(workshop, extra)
    alone = workshop.environment("lowest", *lowest, workshop.distributions()[0])
    yield f"without an extra: {use(alone, workshop.scratch / 'outside-lowest')}"
    contributor = workshop.environment("lowest-dev", *lowest, "--editable", f"{workshop.tree}[dev]")
    yield f"with the extra dev: {workshop.run_tests(contributor, '-n', 'auto', *workshop.tests)}"


def compare_bounds(workshop: Workshop, extra: str) -> Iterator[str]:
    """Refuse bounds below what other packages allow at all: nobody can have tried those."""
    options = (
        "--quiet",
        "--no-annotate",
        "--no-header",
        "--resolution",
        "lowest-direct",
        "--python-version",
        PYTHONS[0],
    )
    chosen = ("--extra", extra) if extra else ()
    lines = workshop.uv("pip", "compile", *options, *chosen, workshop.tree / "pyproject.toml").splitlines()
    lowest = dict(line.split("==") for line in lines if "==" in line)
    wrong = []
    for line in requirements()[extra]:
        name, _, bound = line.partition(">=")
        name, bound = name.partition("[")[0].lower().replace("_", "-"), bound.partition(",")[0]
        if bound and not same_version(lowest[name], bound):
            wrong.append(f"{line} cannot be had: the lowest version that fits the others is {lowest[name]}")
    if wrong:
        raise CheckError("\n".join(wrong))
    yield f"{extra or 'without an extra'}: {len(requirements()[extra])} bounds are versions that can be had"


def same_version(first: str, second: str) -> bool:
    """Whether two versions are equal but for zeros at their ends."""
    parts = [version.split(".") for version in (first, second)]
    length = max(map(len, parts))
    padded = [part + ["0"] * (length - len(part)) for part in parts]
    return padded[0] == padded[1]


# Interpreters.


def check_pythons(workshop: Workshop) -> Iterator[str]:
    """Run the quick tests with every interpreter, and compare the bytes of their builds."""
    pythons = []
    for version in workshop.pythons:
        python = workshop.find_python(version)
        if python is None:
            yield f"Python {version}: there is none here, and none can be fetched: NOT TRIED"
            continue
        name = f"python-{version}"
        environment = workshop.environment(name, "--editable", f"{workshop.tree}[dev]", python=python)
        pythons.append(environment.python)
        yield f"Python {version}: {workshop.run_tests(environment, '-n', 'auto', *workshop.tests)}"
    if len(pythons) > 1:
        yield from run(pythons[0], "scripts/compare_pythons.py", *pythons[1:], cwd=workshop.tree).splitlines()


# Distributions.


def build(workshop: Workshop, folder: Path) -> None:
    """Build the source distribution, and the wheel from it."""
    tree = workshop.copy_tree(f"tree-of-{folder.name}")
    moment = run("git", "log", "-1", "--format=%ct", cwd=ROOT).strip()
    run(workshop.tools / "python", "-m", "build", "--outdir", folder, tree, env={"SOURCE_DATE_EPOCH": moment})


def check_distributions(workshop: Workshop) -> Iterator[str]:
    """Build wheel and source distribution, look into them, install each with pip and with uv, and use it."""
    run(workshop.tools / "cffconvert", "--validate", "--infile", ROOT / "CITATION.cff")
    wheel, source = workshop.distributions()
    run(workshop.tools / "twine", "check", "--strict", wheel, source)
    files = compare_contents(wheel, source)
    yield f"{wheel.name} ({wheel.stat().st_size:,} bytes), {source.name}: {files} files of the package in each"
    build(workshop, workshop.scratch / "again")
    digests = {sha256(path.read_bytes()).hexdigest() for path in workshop.scratch.glob(f"*/{wheel.name}")}
    if len(digests) != 1:
        raise CheckError(f"{wheel.name}: a second build has other bytes")
    yield f"a second build makes the same wheel, byte by byte: {digests.pop()}"
    for path in (wheel, source):
        for installer in ("pip", "uv"):
            name = f"{path.suffix[1:]}-{installer}"
            environment = workshop.environment(name, path, pip=installer == "pip")
            yield f"{path.name} by {installer}: {use(environment, workshop.scratch / f'outside-{name}')}"
            shutil.rmtree(environment.folder)


def compare_contents(wheel: Path, source: Path) -> int:
    """Compare what is in the distributions with the package; returns the number of its files."""
    package = set(tracked_files("diptych"))
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    with tarfile.open(source) as sources:
        unpacked = {member.name.partition("/")[2] for member in sources if member.isfile()}
    problems = [f"{wheel.name} lacks {name}" for name in sorted(package - packed)]
    problems += [f"{wheel.name} has {name}, which is no part of the package" for name in sorted(packed - package)]
    problems += [f"{source.name} lacks {name}" for name in sorted(package - unpacked)]
    problems += [f"{source.name} has {name}" for name in sorted(unpacked) if name.startswith(("tests/", "build/"))]
    if problems:
        raise CheckError("\n".join(problems))
    return len(package)


def use(environment: Environment, folder: Path) -> str:
    """Use an installed package in a folder outside the tree, as its first user would."""
    folder.mkdir(parents=True)
    own = {"HF_HOME": str(folder / "hf"), "XDG_CACHE_HOME": str(folder / "cache"), "HF_HUB_OFFLINE": "1"}
    for command in USE.split(" | "):
        run(environment.folder / "bin" / "diptych", *command.split(), cwd=folder, env=own)
    run(environment.python, "-c", METRIC, cwd=folder, env=own)
    return f"builds, checks, scores and is an `evaluate` module; {len(environment.packages())} packages"


# Extras.


def check_extras(workshop: Workshop) -> Iterator[str]:
    """Install every extra alone, by uv and by pip, and use it; without it, the same use says how to install it."""
    wheel, _ = workshop.distributions()
    for extra in requirements():
        torch = [CPU_TORCH] if extra in ("models", "sentence-transformers") else []
        for installer in ("uv", "pip"):
            requirement = f"diptych[{extra}] @ {wheel.as_uri()}" if extra else wheel
            started = time.monotonic()
            environment = workshop.environment("extra", requirement, *torch, pip=installer == "pip")
            seconds = time.monotonic() - started
            for probe in PROBES:
                if extra in ("", probe.extra):
                    try_probe(
                        environment, workshop.scratch / "outside-extra", probe.code, probe.extra if not extra else ""
                    )
            tests = ""
            if extra in TESTS and installer == "uv":
                workshop.uv("pip", "install", "--quiet", "--python", environment.python, "pytest", "hypothesis")
                tests = f"; {workshop.run_tests(environment, *TESTS[extra])}"
            packages = len(environment.packages())
            yield f"{extra or 'no extra'} by {installer}: {packages} packages in {seconds:.0f} s{tests}"
            shutil.rmtree(environment.folder)


def try_probe(environment: Environment, folder: Path, code: str, missing: str) -> None:
    """Run the use of an extra in an empty folder; where the extra is missing, it must end with its install line."""
    folder.mkdir()
    try:
        run(environment.python, "-c", code, cwd=folder)
    except CheckError as error:
        if not missing or not str(error).endswith(install_line(missing)):
            raise
    else:
        if missing:
            raise CheckError(f"{missing}: works without being installed")
    finally:
        shutil.rmtree(folder)


# Vulnerabilities.


def check_vulnerabilities(workshop: Workshop) -> Iterator[str]:
    """Ask the index for known vulnerabilities of everything that the package and its extras install."""
    chosen = [extra for extra in requirements() if extra not in ("models", "sentence-transformers", "")]
    wheel, _ = workshop.distributions()
    environment = workshop.environment("audit", f"diptych[{','.join(chosen)}] @ {wheel.as_uri()}")
    site = run(environment.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    command = (str(workshop.tools / "pip-audit"), "--path", site, "--format", "json", "--progress-spinner", "off")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout.startswith("{"):
        yield f"the service cannot be reached: NOT AUDITED ({(done.stderr.strip().splitlines() or [''])[-1]})"
        return
    packages = json.loads(done.stdout)["dependencies"]
    audited = [package for package in packages if "vulns" in package]
    known = [
        f"{package['name']} {package['version']}: {flaw['id']}" for package in audited for flaw in package["vulns"]
    ]
    if known:
        raise CheckError("\n".join(known))
    if len(audited) < len(packages) / 2:
        reason = next(package["skip_reason"] for package in packages if "skip_reason" in package)
        yield f"the service answers about {len(audited)} of {len(packages)} packages: NOT AUDITED ({reason})"
    else:
        yield f"{len(audited)} of {len(packages)} packages are known, and no vulnerability of them"


STEPS: dict[str, Callable[[Workshop], Iterator[str]]] = {
    "distributions": check_distributions,
    "extras": check_extras,
    "vulnerabilities": check_vulnerabilities,
    "bounds": check_bounds,
    "pythons": check_pythons,
}


def run_step(name: str, workshop: Workshop) -> bool:
    """Run a step and print what it finds; returns whether all is well."""
    started, problem = time.monotonic(), ""
    print(f"== {name}: {STEPS[name].__doc__}", flush=True)
    try:
        for line in STEPS[name](workshop):
            print(f"   {time.monotonic() - started:5.0f} s  {line}", flush=True)
    except CheckError as error:
        problem = str(error)
        print(problem, flush=True)
    print(f"== {name}: {'FAILED' if problem else 'ok'} after {time.monotonic() - started:.0f} s\n", flush=True)
    return not problem


def main() -> int:
    """Run the steps, and exit with 1 where one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"{', '.join(STEPS)}; by default all")
    parser.add_argument("--python", action="append", metavar="VERSION", help=f"by default {', '.join(PYTHONS)}")
    parser.add_argument("--tests", nargs="+", metavar="ARGUMENT", help="for pytest, instead of the quick tests")
    parser.add_argument("--scratch", type=Path, help="keep what is made in this folder")
    options = parser.parse_args()
    if unknown := set(options.steps) - set(STEPS):
        parser.error(f"no such step: {', '.join(sorted(unknown))}; there are {', '.join(STEPS)}")
    with tempfile.TemporaryDirectory(prefix="diptych-supply-") as folder:
        scratch = (options.scratch or Path(folder)).resolve()
        workshop = Workshop(scratch, options.python or PYTHONS, options.tests or QUICK_TESTS)
        results = [run_step(name, workshop) for name in options.steps or STEPS]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
