"""Cards in a real browser: nothing is wider than its column, and texts from elsewhere are shown and do nothing."""

from pathlib import Path

import orjson
import pytest

from diptych.builders import dataset_names
from diptych.cards import CARD, write_card
from diptych.folder import open_folder
from tests.cards.page import WIDTH, browser, inspect
from tests.commands import run
from tests.folders import CONFIG, SPLIT, make_folder, make_pair, reworded

pytestmark = [pytest.mark.slow, pytest.mark.skipif(browser() is None, reason="no Chromium to look with")]

HOSTILE = (
    "<script>window.owned = true</script>",
    "<img src=x onerror='window.owned = true'>",
    "</td></table><iframe srcdoc='<script>parent.owned = true</script>'>",
    "[a link](javascript:window.owned=true)",
    "![a picture](http://example.org/track.png)",
    '"><b onmouseover="window.owned = true">',
    "a | b | c",
    "`code` ``` fence",
    "\u202eright to left\u202c \u200fmark\u061c",
    "word" * 100,
)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every dataset of a small miniature world, as `make demo` leaves it."""
    out = tmp_path_factory.mktemp("demo") / "out"
    assert run("demo", "--out", out, "--images", 40, "--num-proc", 1) == 0
    return out


def test_nothing_on_a_card_of_the_demo_is_wider_than_its_column(demo: Path, tmp_path: Path) -> None:
    for name in dataset_names():
        report = inspect(demo / name, tmp_path)
        assert report["column"] == WIDTH
        assert report["parts"] > 10, name
        assert report["wide"] == [], name


def test_every_card_of_the_demo_shows_three_pairs(demo: Path, tmp_path: Path) -> None:
    for name in dataset_names():
        report = inspect(demo / name, tmp_path)
        assert report["broken"] == 0, name
        pictures = [source for source in report["sources"] if "pair-" in source]
        assert pictures == [f"assets/pair-{number}.jpg" for number in (1, 2, 3)], name
        assert all(len(text) > 20 for text in report["alternatives"]), name


@pytest.mark.parametrize("model", ["seeing", "blind", "always-yes", "majority"])
def test_every_card_of_the_demo_shows_a_model_with_its_interval(model: str, demo: Path) -> None:
    for name in dataset_names():
        lines = (demo / name / CARD).read_text(encoding="utf-8").split("## Models")[1].splitlines()
        row = next(line for line in lines if line.startswith(f"| {model} |"))
        assert "\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}" in row, name


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_are_shown_as_text(text: str, tmp_path: Path) -> None:
    """In questions and answers, names of tests, templates, models, source files and pictures."""
    path = tmp_path / "out"
    pair = reworded(make_pair(1), text, text)
    make_folder(path, [pair])
    manifest = orjson.loads((path / "manifest.json").read_bytes())
    picture = {"bytes": 1, "sha256": "0" * 64, "width": 1, "height": 1, "names": [text, text], "operation": text}
    example = manifest["configs"][CONFIG]["splits"][SPLIT]["examples"][0]
    manifest["pictures"] = {"assets/pair-1.jpg": {**picture, "pair_id": example["pair_id"]}}
    model = {"model": "".join(filter(str.isprintable, text)), "config": CONFIG, "split": SPLIT, "pairs": 1}
    manifest["results"] = [{**model, "scores": {text: {"value": 0.5, "low": 0.4, "high": 0.6}}}]
    example["test"] = text
    manifest["recipes"][CONFIG]["sources"] = {text.replace("/", "").replace("\\", ""): "ab" * 32}
    (path / "manifest.json").write_bytes(orjson.dumps(manifest))
    write_card(open_folder(path))
    report = inspect(path, tmp_path / "profile")
    assert not report["owned"]
    assert report["scripts"] == 1, "that of the test itself"
    assert report["sources"] == ["assets/pair-1.jpg", "assets/answers.svg"][: len(report["sources"])]
    assert not [link for link in report["links"] if "owned" in link or "track" in link]
    assert report["wide"] == []
    shown = report["text"].replace("\u200b", "")
    assert "".join(filter(str.isprintable, text)).replace("`", "'") in shown.replace("\ufffd", "").replace("`", "'")
