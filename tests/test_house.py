"""The house rules that a machine can check: who may import whom, what may be named where, and how long things get."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from diptych.builders import _OWN

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "diptych"

LARGEST_PACKAGE, LONGEST_MODULE, LONGEST_FUNCTION = 51_500, 400, 60  # it grows with what users get, and no further

# Data flows down this list: a room imports only from its own row and the rows above it.
ROOMS: tuple[tuple[str, ...], ...] = (
    ("errors", "reading", "pairs", "files", "progress", "downloads"),
    ("images",),
    ("sources",),
    ("language",),
    ("kg",),
    ("scenegraphs",),
    ("ranking",),
    ("templates",),
    ("folder",),
    ("builders",),
    ("metrics",),
    ("models",),
    ("audit",),
    ("cards",),
    ("publishing",),
    ("report",),
    ("demo",),
    ("_api",),
    ("cli", "__main__"),
)
LEVELS = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}

DATASETS = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, _OWN))})(?![\w-])")
MAY_NAME_DATASETS = {
    "builders/__init__.py": "the registry",
    "cli/demo.py": "the demo builds some of our datasets",
    "cli/score.py": "the help lists the families of scores",
    "cli/templates.py": "`templates extract` is about the sources of one dataset",
    "metrics/paired_vqa/families.py": "the families of scores, which have the names of the papers",
    "metrics/paired_vqa/paired_vqa.py": "the documentation of the `evaluate` module lists the families",
    "sources/_carets_release.py": "a source of that name",
}
MAY_IMPORT_DATASETS = {
    "cli/conceptnet.py": "`conceptnet nodes` lists the nodes of one dataset's graph",
    "cli/rank.py": "`rank` asks for one ranking as the dataset makes it",
    "cli/templates.py": "`templates extract` is about the sources of one dataset",
}


def relative(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


PATHS = sorted(PACKAGE.rglob("*.py"))
MODULES = {module_name(path): path for path in PATHS}

every_module = pytest.mark.parametrize("path", PATHS, ids=relative)


# Imports.


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and module of everything of ours that a module imports, at any time, except for its type checker."""
    tree = parse(path)
    ignored = {id(node) for block in ast.walk(tree) if is_type_checking(block) for node in ast.walk(block)}
    for node in ast.walk(tree):
        if id(node) not in ignored:
            yield from ((node.lineno, name) for name in imported_modules(node, path))  # type: ignore[attr-defined]


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imported_modules(node: ast.AST, path: Path) -> Iterator[str]:
    """The modules of ours that a statement imports; a name that is no module stands for the module it is in."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in MODULES)
    elif isinstance(node, ast.ImportFrom):
        package = path.relative_to(ROOT).parent.parts
        parents = package[: len(package) - node.level + 1] if node.level else ()
        origin = ".".join([*parents, *([node.module] if node.module else [])])
        for alias in node.names:
            name = f"{origin}.{alias.name}"
            yield from (name,) if name in MODULES else (origin,) if origin in MODULES else ()


def room(module: str) -> str:
    """The room that a module is in; the package itself has none."""
    return module.split(".")[1] if "." in module else ""


@every_module
def test_no_room_imports_from_a_room_below(path: Path) -> None:
    own_room = room(module_name(path))
    for line, module in imports(path):
        if own_room and room(module):
            assert LEVELS[room(module)] <= LEVELS[own_room], f"{path}:{line}: {own_room} imports from {module}"


def test_every_room_has_its_place() -> None:
    assert {room(module) for module in MODULES} - {""} <= set(LEVELS)


def test_there_is_no_cycle_between_modules() -> None:
    graph = {name: {module for _, module in imports(path)} - {"diptych"} for name, path in MODULES.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"modules import each other: {' <- '.join(error.args[1])}")


def test_a_late_import_counts_as_an_import(tmp_path: Path) -> None:
    """The rule sees what it should see."""
    path = PACKAGE / "pairs.py"
    node = ast.parse("def late():\n    from diptych.cli import main").body[0].body[0]  # type: ignore[attr-defined]
    assert list(imported_modules(node, path)) == ["diptych.cli"]


# Names of datasets.


def is_of_a_dataset(path: Path) -> bool:
    """Whether a module belongs to one dataset, or to the demo, which makes the sources of all of them."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] == "demo" or (parts[0] == "builders" and len(parts) > 2)


def named_datasets(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of every string that names a dataset of ours; docstrings may."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
        if is_text and DATASETS.search(node.value):  # type: ignore[attr-defined]
            yield node.lineno, node.value  # type: ignore[attr-defined]


@every_module
def test_no_room_names_a_dataset(path: Path) -> None:
    if not is_of_a_dataset(path) and relative(path) not in MAY_NAME_DATASETS:
        for line, text in named_datasets(parse(path)):
            pytest.fail(f"{path}:{line}: names a dataset: {text[:80]!r}; let its spec say what is special about it")


@every_module
def test_no_room_imports_a_dataset(path: Path) -> None:
    if not is_of_a_dataset(path) and relative(path) not in MAY_IMPORT_DATASETS:
        for line, module in imports(path):
            assert not re.match(r"diptych\.builders\.[a-z]", module), f"{path}:{line}: imports {module}"


@every_module
def test_no_dataset_imports_another(path: Path) -> None:
    parts = path.relative_to(PACKAGE).parts
    if parts[0] == "builders" and len(parts) > 2:
        for line, module in imports(path):
            match = re.match(r"diptych\.builders\.([a-z]\w*)", module)
            assert match is None or match[1] == parts[1], f"{path}:{line}: {parts[1]} imports {module}"


@pytest.mark.parametrize("code", ['if name == "carets": pass', 'names = {"fvqa2"}', 'f"{folder}/rad-cads"', 'g("bqd")'])
def test_a_named_dataset_is_seen(code: str) -> None:
    assert list(named_datasets(ast.parse(f"x = 1\n{code if '=' in code or '(' in code else f'y = {code}'}")))


@pytest.mark.parametrize("code", ['"""As carets does."""', 'x = "caretsian"', 'x = "rad-cads-two"'])
def test_prose_and_other_words_are_no_names_of_datasets(code: str) -> None:
    assert not list(named_datasets(ast.parse(code)))


@pytest.mark.parametrize("place", [*MAY_NAME_DATASETS, *MAY_IMPORT_DATASETS])
def test_every_exception_is_about_a_module_that_exists(place: str) -> None:
    assert (PACKAGE / place).is_file()


# Size.


@every_module
def test_a_module_has_one_subject(path: Path) -> None:
    assert path.read_text(encoding="utf-8").count("\n") <= LONGEST_MODULE


@every_module
def test_a_function_does_one_thing(path: Path) -> None:
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or 0) - node.lineno + 1
            assert lines <= LONGEST_FUNCTION, f"{path}:{node.lineno}: {node.name} has {lines} lines"


def test_the_package_stays_small() -> None:
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in PATHS)
    assert lines <= LARGEST_PACKAGE


# Docstrings.


def public_definitions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Every public class, function and method, by its name; what is inside a function is its own affair."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not child.name.startswith("_"):
            yield f"{prefix}{child.name}", child
            if isinstance(child, ast.ClassDef):
                yield from public_definitions(child, f"{child.name}.")


@every_module
def test_every_public_name_has_a_docstring(path: Path) -> None:
    tree = parse(path)
    assert ast.get_docstring(tree), f"{path}: no docstring"
    missing = [
        name
        for name, node in public_definitions(tree)
        if not ast.get_docstring(node)  # type: ignore[arg-type]
    ]
    assert missing == [], f"{path}: without a docstring: {', '.join(missing)}"


# What is loaded.

LOADED = "import sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
HEAVY = {"spacy", "datasets", "pandas", "pyarrow", "torch", "huggingface_hub", "pydantic", "sklearn"}


def loaded_packages(code: str) -> set[str]:
    """The top-level packages that some code loads in a new process, beyond those that Python itself starts with."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    packages = []
    for program in (LOADED, f"{code}\n{LOADED}"):
        command = [sys.executable, "-c", program]
        process = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        packages.append(set(process.stdout.splitlines()[-1].split()))
    return packages[1] - packages[0]


def test_importing_the_package_loads_no_third_party_module() -> None:
    assert loaded_packages("import diptych") - set(sys.stdlib_module_names) == {"diptych"}


def test_the_version_is_told_without_loading_anything_heavy() -> None:
    packages = loaded_packages("from diptych.cli import main; main(['--version'])")
    assert packages & (HEAVY | {"typer", "numpy"}) == set()


def test_help_is_shown_without_loading_anything_heavy() -> None:
    code = "from diptych.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert loaded_packages(code) & HEAVY == set()


# The suite.


def test_the_tests_of_a_room_are_in_a_folder_of_its_name() -> None:
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and path.name != "__pycache__"}
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders - {"hub", "robustness", "examples"} <= rooms
    assert rooms <= folders
