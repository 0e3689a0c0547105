"""Figures for papers: the same bytes each time, with fonts in them and no dates; and the tables beside them."""

import subprocess
import sys
from pathlib import Path

import pytest

from diptych.errors import MissingExtraError, UnknownNameError
from diptych.report import write_figures, write_tables
from diptych.report._figures import FORMS
from tests.report.scored import Scored, pairs, predictions, score

pytest.importorskip("matplotlib")

_AGAIN = """
from pathlib import Path
from diptych.report import write_figures
from tests.report.scored import score
charts = [chart for family in ("carets", "bqd") for chart in score(Path({0!r}), family).charts.values()]
write_figures(charts, Path({1!r}), {2!r})
"""


@pytest.fixture(scope="module")
def carets(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    return score(tmp_path_factory.mktemp("carets"), "carets")


@pytest.mark.parametrize("form", FORMS)
def test_the_bytes_of_figures_repeat(carets: Scored, tmp_path: Path, form: str) -> None:
    first, second = (write_figures(carets.charts.values(), tmp_path / name, form) for name in "ab")
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_the_bytes_of_figures_repeat_in_another_process(tmp_path: Path, form: str) -> None:
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        code = _AGAIN.format(str(folder / "data"), str(folder / "figures"), form)
        subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
    files = [sorted((folder / "figures").iterdir()) for folder in folders]
    assert [file.name for file in files[0]] == [f"tiny-default-{name}.{form}" for name in ("coverage", "gap", "noise")]
    assert [file.read_bytes() for file in files[0]] == [file.read_bytes() for file in files[1]]


def test_a_pdf_has_its_fonts_and_no_date(carets: Scored, tmp_path: Path) -> None:
    content = write_figures(carets.charts.values(), tmp_path, "pdf")[0].read_bytes()
    assert b"/FontFile2" in content
    assert b"/Type3" not in content
    assert b"CreationDate" not in content
    assert b"Matplotlib" not in content


def test_an_svg_has_no_date_and_needs_no_font(carets: Scored, tmp_path: Path) -> None:
    content = write_figures(carets.charts.values(), tmp_path, "svg")[0].read_text(encoding="utf-8")
    assert "<dc:date>" not in content
    assert "<text" not in content


def test_a_figure_is_as_wide_as_a_column_or_a_page(carets: Scored, tmp_path: Path) -> None:
    from PIL import Image

    noise = score(tmp_path, "bqd")
    for chart, inches in ((noise["noise"], 3.4), (carets["gap"], 6.9)):
        (file,) = write_figures([chart], tmp_path, "png")
        with Image.open(file) as image:
            assert image.width / 300 == pytest.approx(inches, abs=0.1)


def test_names_of_models_are_no_formulas_and_no_paths(tmp_path: Path) -> None:
    rows = pairs("carets")
    name = "../../a$\\frac{1$ <b>\u202e \u4e2d\u6587"
    charts = score(tmp_path, "carets", {name: predictions(rows, 3)}, rows, dataset="tiny").charts
    files = write_figures(charts.values(), tmp_path / "figures", "png")
    assert [file.parent for file in files] == [tmp_path / "figures"]


def test_two_charts_of_one_key_have_two_files(carets: Scored, tmp_path: Path) -> None:
    files = write_figures([carets["gap"], carets["gap"]], tmp_path, "svg")
    assert [file.name for file in files] == ["tiny-default-gap.svg", "tiny-default-gap-2.svg"]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_an_unknown_form_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="known: pdf, png, svg"):
        write_figures([], tmp_path, "jpg")


def test_without_matplotlib_the_error_says_what_to_install(
    carets: Scored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r'pip install "diptych\[report\]"'):
        write_figures(carets.charts.values(), tmp_path / "figures", "pdf")
    assert not (tmp_path / "figures").exists()


def test_charts_do_not_load_matplotlib() -> None:
    code = "import sys, diptych.report; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_tables_are_those_of_the_scores(carets: Scored, tmp_path: Path) -> None:
    files = write_tables({"my/set": carets.comparison}, tmp_path / "tables")
    assert [file.name for file in files] == ["my-set.tex", "my-set.md"]
    assert files[0].read_text(encoding="utf-8") == carets.comparison.render("latex") + "\n"
    assert files[1].read_text(encoding="utf-8") == carets.comparison.render("markdown") + "\n"
