"""The templates of the documentation, each in a folder of its own, make their rows."""

import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from diptych.templates import template_datasets
from tests.builders.conftest import run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "new-templates.md"
BLOCK = re.compile(r"^```toml\n# mine/([\w-]+)/(\w+)\.toml\n(.*?)^```", re.MULTILINE | re.DOTALL)
TEMPLATES = {match[1]: (match[2], match[3]) for match in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))}


def rows_of(folder: Path) -> list[dict[str, str]]:
    files = sorted(folder.rglob("*.parquet"))
    return [row for path in files for row in pq.read_table(path).to_pylist() if row["template_id"]]


def build(dataset: str, data: Path, tmp_path: Path, text: str) -> list[dict[str, str]]:
    folder = tmp_path / "mine" / dataset
    folder.mkdir(parents=True)
    (folder / f"{TEMPLATES[dataset][0]}.toml").write_text(text)
    assert run("templates", "check", str(tmp_path / "mine")) == 0
    out = tmp_path / "out"
    args = ("build", dataset, "--data", str(data), "--out", str(out), "--templates", str(tmp_path / "mine"))
    assert run(*args) == 0
    return rows_of(out)


def test_every_dataset_with_templates_has_an_example() -> None:
    assert set(TEMPLATES) == {*template_datasets(), "fvqa2"}


@pytest.mark.parametrize("dataset", TEMPLATES)
def test_one_template_makes_its_rows_and_no_others(dataset: str, data: Path, tmp_path: Path) -> None:
    _, text = TEMPLATES[dataset]
    rows = build(dataset, data, tmp_path, text)
    own = [row for row in rows if row["template_id"].startswith("mine.")]
    assert own
    assert all(row["template_id"].startswith("mine.") for row in rows if row["test"].split(".")[0] in text)
    words = {
        "rad-cads": "Would you call ",
        "carets": " to be seen?",
        "fvqa2": "What in this picture would you use for ",
    }
    assert all(words[dataset] in row["perturbed_question"] for row in own)


def test_a_new_template_of_facts_serves_the_test_side_alone(data: Path, tmp_path: Path) -> None:
    rows = build("fvqa2", data, tmp_path, TEMPLATES["fvqa2"][1])
    assert {row["test"] for row in rows} <= {"fvqa2.fix_q", "fvqa2.fix_a"}
    assert list((tmp_path / "out").rglob("adversarial-*.parquet"))
    assert not list((tmp_path / "out").rglob("augmentation-*.parquet"))


def test_a_new_template_of_facts_can_serve_the_augmentation_instead(data: Path, tmp_path: Path) -> None:
    build("fvqa2", data, tmp_path, TEMPLATES["fvqa2"][1] + 'split = "augmentation"\n')
    assert list((tmp_path / "out").rglob("augmentation-*.parquet"))
    assert not list((tmp_path / "out").rglob("adversarial-*.parquet"))


def test_a_template_that_fits_no_question_is_told(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = TEMPLATES["fvqa2"][1].replace("UsedFor", "CreatedBy").replace('"gerund"', '"bare"')
    build("fvqa2", data, tmp_path, text.replace("{{ entity | gerund }}", "{{ entity }}"))
    assert "warning: template 'mine.use' made no pairs in a fold" in capsys.readouterr().err
    assert "template 'mine.use' made no pairs" in (tmp_path / "out" / "README.md").read_text()
