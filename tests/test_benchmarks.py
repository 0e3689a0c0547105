"""The page of benchmark results: rendered from what is recorded, and what documents refer to is on it."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
BENCHMARKS = ROOT / "benchmarks"
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
REFERENCE = re.compile(r"benchmarks/RESULTS\.md#([\w.-]+)")
ANCHOR = re.compile(r'<a id="([^"]+)"></a>')


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[ModuleType, ModuleType]]:
    monkeypatch.syspath_prepend(BENCHMARKS)
    import render
    import results

    yield results, render
    for name in ("results", "render", "scale"):
        sys.modules.pop(name)


@pytest.fixture
def page() -> str:
    return (BENCHMARKS / "RESULTS.md").read_text(encoding="utf-8")


def test_the_page_is_what_the_records_render(modules: tuple[ModuleType, ModuleType], page: str) -> None:
    _, render = modules
    assert page == render.render_page(render.load_results(), render.load_full_size()), "run benchmarks/run.py --render"


def test_the_tables_about_scale_are_computed_from_the_records(modules: tuple[ModuleType, ModuleType]) -> None:
    _, render = modules
    page = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    assert page == render.render_scale(page, render.load_results()), "run benchmarks/run.py --render"
    assert page.count("<!-- computed:") == 2


def test_what_documents_refer_to_is_on_the_page(page: str) -> None:
    anchors = ANCHOR.findall(page)
    references = {
        (path.name, name) for path in DOCUMENTS for name in REFERENCE.findall(path.read_text(encoding="utf-8"))
    }
    assert len(references) > 20
    assert not {(path, name) for path, name in references if name not in anchors}
    assert len(anchors) == len(set(anchors)), "two claims have the same name"


def test_claims_name_documents_that_exist(modules: tuple[ModuleType, ModuleType]) -> None:
    _, render = modules
    claims = [claim for part in render.load_results().values() for claim in part.claims]
    assert all((ROOT / claim.document).is_file() for claim in claims if claim.document)


def test_every_benchmark_is_on_the_page(page: str) -> None:
    names = {path.stem.removeprefix("bench_") for path in BENCHMARKS.glob("bench_*.py")} - {"full_size"}
    assert names <= set(ANCHOR.findall(page))


def test_every_plot_on_the_page_is_a_file(page: str) -> None:
    plots = re.findall(r"\((plots/[\w.-]+)\)", page)
    assert plots
    assert all((BENCHMARKS / plot).read_text(encoding="utf-8").startswith("<?xml") for plot in plots)


def test_a_run_replaces_only_its_own_rows(modules: tuple[ModuleType, ModuleType], tmp_path: Path) -> None:
    results, _ = modules
    path, old = tmp_path / "results.jsonl", results.Claim("a", "first", 1.0, "s", at_most=2.0)
    results.write_records(path, [("one", old), ("two", results.Claim("b", "second"))])
    new = results.Claim("a", "first", 3.0, "s", 6.0, "theirs", 2.0, at_most=1.5)
    results.replace_records(path, "one", [new])
    assert [*results.read_records(path)] == [("one", new), ("two", results.Claim("b", "second"))]
    assert (old.is_met, new.is_met) == (True, False)


def test_a_claim_is_recorded_only_where_a_file_is_named(
    modules: tuple[ModuleType, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results, _ = modules
    monkeypatch.delenv(results.VARIABLE, raising=False)
    results.record(results.Claim("a", "nothing"))
    monkeypatch.setenv(results.VARIABLE, str(tmp_path / "records.jsonl"))
    results.record(results.not_run("b", "something", "it is not installed"))
    (entry,) = results.read_records(tmp_path / "records.jsonl")
    assert entry == ("", results.Claim("b", "something", note="not run: it is not installed"))


def test_the_same_points_draw_the_same_plot(modules: tuple[ModuleType, ModuleType], tmp_path: Path) -> None:
    results, render = modules
    points = [results.Point("lasso", "one", 10.0, 1.0), results.Point("lasso", "one", 100.0, 2.0)]
    for name in ("first", "second"):
        render.draw_plot("lasso", points, tmp_path / f"{name}.svg")
    assert (tmp_path / "first.svg").read_bytes() == (tmp_path / "second.svg").read_bytes()


def test_an_unknown_benchmark_is_one_line() -> None:
    command = [sys.executable, str(BENCHMARKS / "run.py"), "nonsense"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "no such benchmark: nonsense" in run.stderr
