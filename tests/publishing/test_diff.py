"""`diptych diff` on folders: exactly the pairs that changed, and the version that follows."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diptych.cli import main
from tests.publishing.conftest import make_build

Capture = pytest.CaptureFixture[str]


def run(*args: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(["diff", *map(str, args)])
    return int(stopped.value.code or 0)


def rows(folder: Path) -> dict[str, dict[str, Any]]:
    return {row["pair_id"]: row for file in sorted(folder.glob("data/*/*")) for row in pq.read_table(file).to_pylist()}


def edit(folder: Path, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
    """Change the rows of the visdial config in place."""
    file = next((folder / "data" / "visdial").iterdir())
    table = pq.read_table(file)
    pq.write_table(pa.Table.from_pylist(change(table.to_pylist()), schema=table.schema), file)


def told(capsys: Capture, *args: object) -> dict[str, Any]:
    run(*args, "--json")
    found: dict[str, Any] = orjson.loads(capsys.readouterr().out)
    return found


def test_a_build_does_not_differ_from_itself(small: Path, mine: Path, capsys: Capture) -> None:
    assert run(small, mine) == 0
    assert capsys.readouterr().out == "no difference\n"


def test_editing_one_template_names_exactly_the_pairs_it_made(
    world: Path, small: Path, tmp_path: Path, capsys: Capture
) -> None:
    shutil.copytree(small / "recipe" / "templates", tmp_path / "templates")
    file = tmp_path / "templates" / "rad-cads" / "yn_from_color.toml"
    old, new = "Is the color of {{ subject }} {{ value }}?", "Does {{ subject }} have the color {{ value }}?"
    file.write_text(file.read_text().replace(old, new))
    other = make_build(world, tmp_path / "other", "visdial", "convqa_cs", templates=tmp_path / "templates")
    found = told(capsys, small, other)
    made = {pair_id for pair_id, row in rows(small).items() if row["template_id"] == "color.of"}
    assert made
    assert {change["before"]["pair_id"] for change in found["changes"]} == made
    assert {change["kind"] for change in found["changes"]} == {"reworded"}
    for change in found["changes"]:
        assert change["before"]["source_id"] == change["after"]["source_id"]
        assert change["after"]["perturbed_question"].startswith("Does ")
    assert found["next_version"] == "v2.0.0"


def test_added_and_removed_pairs(small: Path, mine: Path, capsys: Capture) -> None:
    edit(mine, lambda before: before[2:])
    gone = told(capsys, small, mine)
    assert gone["counts"] == {"added": 0, "removed": 2, "reworded": 0, "relabelled": 0, "retouched": 0}
    assert gone["next_version"] == "v2.0.0"
    assert told(capsys, mine, small)["counts"]["added"] == 2
    assert told(capsys, mine, small)["next_version"] == "v1.1.0"


def test_a_changed_answer_is_relabelled_whether_or_not_it_changes_the_id(
    small: Path, mine: Path, capsys: Capture
) -> None:
    def change(before: list[dict[str, Any]]) -> list[dict[str, Any]]:
        before[0] |= {"original_answers": ["something", "else"]}
        before[1] |= {"perturbed_answer": "maybe", "perturbed_answers": ["maybe"], "pair_id": "0" * 24}
        return before

    edit(mine, change)
    assert run(small, mine) == 1
    text = capsys.readouterr().out
    assert "2 relabelled" in text
    assert "next version: v2.0.0 (major" in text


def test_another_column_is_a_minor_change(small: Path, mine: Path, capsys: Capture) -> None:
    edit(mine, lambda before: [before[0] | {"question_type": "other"}, *before[1:]])
    found = told(capsys, small, mine)
    assert (found["counts"]["retouched"], found["next_version"]) == (1, "v1.1.0")


def test_another_card_alone_is_a_patch(small: Path, mine: Path, capsys: Capture) -> None:
    (mine / "README.md").write_text("# Another\n")
    assert run(small, mine) == 1
    assert "next version: v1.0.1 (patch" in capsys.readouterr().out


@pytest.mark.slow
def test_pairs_that_several_configs_hold_are_counted_once(built: Path, tmp_path: Path, capsys: Capture) -> None:
    less = Path(shutil.copytree(built, tmp_path / "less"))
    removed, places = set(), 0
    for file in sorted(less.glob("data/*/*")):
        table = pq.read_table(file)
        kept = [test != "rad.yn_from_how_many" for test in table["test"].to_pylist()]
        removed |= {pair_id for pair_id, keep in zip(table["pair_id"].to_pylist(), kept, strict=True) if not keep}
        places += kept.count(False)
        pq.write_table(table.filter(pa.array(kept)), file)
    found = told(capsys, built, less)
    assert len(found["changes"]) == places
    assert found["counts"]["removed"] == len(removed) < places


def test_scores_move_with_the_answers(small: Path, mine: Path, tmp_path: Path, capsys: Capture) -> None:
    said = tmp_path / "said.jsonl"
    visdial = pq.read_table(next((small / "data" / "visdial").iterdir())).to_pylist()
    right = [
        {"pair_id": row["pair_id"], "original": row["original_answer"], "perturbed": row["perturbed_answer"]}
        for row in visdial
    ]
    said.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in right))
    edit(mine, lambda before: [before[0] | {"perturbed_answers": ["neither"]}, *before[1:]])
    found = told(capsys, small, mine, "--predictions", said)["scores"]
    move = next(each for each in found["moves"] if (each["test"], each["score"]) == ("all", "accuracy_perturbed"))
    n = len(visdial)
    assert (move["before"], move["before_n"], move["after_n"]) == (1.0, n, n)
    assert move["after"] == pytest.approx((n - 1) / n)
    assert found["before_unpredicted"] == len(rows(small)) - n


def test_what_is_no_build_is_one_line(small: Path, tmp_path: Path, capsys: Capture) -> None:
    assert run(small, tmp_path) == 2
    assert "not a built folder" in capsys.readouterr().err
