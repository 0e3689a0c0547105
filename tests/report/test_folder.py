"""A report is a folder that appears whole, replaces only its own kind, and is a Space."""

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

import diptych
from diptych.errors import BadInputError, DiptychError
from diptych.pairs import pairs_table
from tests.commands import run
from tests.folders import make_folder, some_pairs
from tests.report.test_parts import write


@pytest.fixture
def arguments(tmp_path: Path) -> tuple[Path, list[Path], Path]:
    folder = make_folder(tmp_path / "built", some_pairs(64))
    return folder.path, [write(tmp_path / "large.jsonl")], tmp_path / "report"


def test_the_same_inputs_give_the_same_bytes(arguments: tuple[Path, list[Path], Path], tmp_path: Path) -> None:
    folder, files, out = arguments
    pages = [diptych.write_report(folder, files, place).page for place in (out, tmp_path / "again")]
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_a_report_replaces_only_a_report(arguments: tuple[Path, list[Path], Path]) -> None:
    folder, files, out = arguments
    diptych.write_report(folder, files, out)
    with pytest.raises(BadInputError, match="pass --overwrite"):
        diptych.write_report(folder, files, out)
    diptych.write_report(folder, files, out, overwrite=True)
    with pytest.raises(BadInputError, match="is not a report"):
        diptych.write_report(folder, files, folder, overwrite=True)
    assert (folder / "manifest.json").is_file()


def test_a_report_that_fails_leaves_nothing(arguments: tuple[Path, list[Path], Path], tmp_path: Path) -> None:
    folder, files, out = arguments
    before = sorted(tmp_path.iterdir())
    with pytest.raises(DiptychError):
        diptych.write_report(folder, files, out, images=tmp_path / "nowhere")
    assert sorted(tmp_path.iterdir()) == before


def test_it_is_a_space_as_it_is(report: Path) -> None:
    text = (report.parent / "README.md").read_text(encoding="utf-8")
    header = yaml.safe_load(text.split("---\n")[1])
    assert (header["sdk"], header["app_file"]) == ("static", "index.html")
    assert "`carets`" in text


def test_everything_is_in_the_page(report: Path) -> None:
    page = report.read_text(encoding="utf-8")
    assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)=[\"'](?!data:)", page)
    assert "innerHTML" not in page
    assert page.rindex('id="data"') > page.rindex("</main>")


def test_the_policy_names_the_scripts_by_their_hashes(report: Path) -> None:
    page = report.read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy
    for block in re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", page, re.DOTALL):
        digest = base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy[1]
    assert "unsafe" not in policy[1]
    assert "require-trusted-types-for 'script'" in policy[1]


def test_programs_read_the_headline_scores(report: Path, predictions: list[Path], datasets: dict[str, Path]) -> None:
    facts = json.loads((report.parent / "report.json").read_text(encoding="utf-8"))
    part = next(part for part in facts["parts"] if part["dataset"] == "carets")
    score = diptych.score(datasets["carets"], predictions[3]).scores["comprehensive_accuracy"]
    assert part["models"]["large"] == json.loads(json.dumps(score.as_dict()))


def test_errata_are_left_out(arguments: tuple[Path, list[Path], Path]) -> None:
    folder, files, out = arguments
    erratum = {"pair_id": some_pairs(1)[0].pair_id, "reason": "wrong", "since": "1.0.0"}
    (folder / "errata.jsonl").write_text(json.dumps(erratum) + "\n", encoding="utf-8")
    assert diptych.write_report(folder, files, out, without_errata=True).pairs == 63


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"out": "built"}, "is not a report"),
        ({"images": "nowhere"}, "no such folder of images"),
        ({"file": "absent.jsonl"}, "absent.jsonl"),
    ],
)
def test_bad_input_is_one_line(
    arguments: tuple[Path, list[Path], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, str],
    message: str,
) -> None:
    folder, files, out = arguments
    options: list[Any] = ["--out", tmp_path / changes["out"] if "out" in changes else out]
    options += ["--images", tmp_path / changes["images"]] if "images" in changes else []
    file = tmp_path / changes["file"] if "file" in changes else files[0]
    assert run("report", file, folder, *options) == 2
    error = capsys.readouterr().err.strip()
    assert message in error
    assert "\n" not in error


def test_the_command_says_where_the_report_is(
    arguments: tuple[Path, list[Path], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, files, out = arguments
    assert run("report", folder, f"a model={files[0]}", "--out", out) == 0
    output = capsys.readouterr().out
    assert str(out / "index.html") in output
    assert "64 pairs" in output
    assert "pictures were not found" in output


def test_rows_that_lack_a_column_are_refused(tmp_path: Path) -> None:
    table = pairs_table(some_pairs(64)).drop_columns(["template_id"])
    folder = make_folder(tmp_path / "built", table)
    with pytest.raises(BadInputError, match="template_id"):
        diptych.write_report(folder.path, [write(tmp_path / "a.jsonl")], tmp_path / "report")


def test_columns_of_any_type_are_shown(tmp_path: Path) -> None:
    table = pairs_table(some_pairs(64))
    values: dict[str, list[Any]] = {
        "boxes": [["a", "b"]] * 64,
        "operation": ["mask"] * 64,
        "score": [float("nan")] * 64,
        "content": [b"\xff"] * 64,
        "nested": [{"content": b"\xff", "list": [1, None]}] * 64,
        "synset_from": ["dog.n.01"] * 64,
        "synset_to": ["no.n.99"] * 64,
        "relation": [7] * 64,
    }
    for name, column in values.items():
        table = table.append_column(name, pa.array(column))
    folder = make_folder(tmp_path / "built", table)
    written = diptych.write_report(folder.path, [write(tmp_path / "a.jsonl")], tmp_path / "report", images=tmp_path)
    assert (written.pairs, written.pictures) == (64, 0)


def test_figures_and_tables_are_beside_the_page(arguments: tuple[Path, list[Path], Path]) -> None:
    folder, files, out = arguments
    diptych.write_report(folder, files, out, figures="svg")
    assert list((out / "figures").glob("*.svg"))
    assert {path.suffix for path in (out / "tables").iterdir()} == {".tex", ".md"}
    with pytest.raises(DiptychError, match="gif"):
        diptych.write_report(folder, files, out.with_name("other"), figures="gif")
