"""Two builds compared: exactly the pairs that changed, and the version that follows."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diptych.errors import BadInputError, MissingFileError
from diptych.folder import open_folder
from diptych.publishing import Difference, compare_builds, difference_lines, next_version
from tests.builders.toys import ToyRanks, build_toy, write_things
from tests.publishing.conftest import make_build

Rows = list[dict[str, Any]]


def read_rows(folder: Path) -> dict[str, dict[str, Any]]:
    return {row["pair_id"]: row for file in sorted(folder.glob("data/*/*")) for row in pq.read_table(file).to_pylist()}


def edit_rows(folder: Path, change: Callable[[Rows], Rows]) -> None:
    """Change the rows of the visdial config in place."""
    file = next((folder / "data" / "visdial").iterdir())
    table = pq.read_table(file)
    pq.write_table(pa.Table.from_pylist(change(table.to_pylist()), schema=table.schema), file)


def compare(old_path: Path, new_path: Path) -> Difference:
    return compare_builds(str(old_path), str(new_path))


def next_number(difference: Difference) -> str:
    return next_version(difference.version, difference.level)


def test_a_build_does_not_differ_from_itself(small_build: Path, edited_build: Path) -> None:
    assert list(difference_lines(compare(small_build, edited_build))) == ["no difference"]


@pytest.fixture(scope="module")
def rewording(world: Path, small_build: Path, tmp_path_factory: pytest.TempPathFactory) -> Difference:
    """The difference that one edited template makes."""
    folder = tmp_path_factory.mktemp("reworded")
    shutil.copytree(small_build / "recipe" / "templates", folder / "templates")
    file = folder / "templates" / "rad-cads" / "yn_from_color.toml"
    old_path, new_path = "Is the color of {{ subject }} {{ value }}?", "Does {{ subject }} have the color {{ value }}?"
    file.write_text(file.read_text().replace(old_path, new_path))
    return compare(
        small_build, make_build(world, folder / "out", "visdial", "convqa_cs", templates=folder / "templates")
    )


def test_editing_one_template_names_exactly_the_pairs_it_made(rewording: Difference, small_build: Path) -> None:
    pair_ids = {pair_id for pair_id, row in read_rows(small_build).items() if row["template_id"] == "color.of"}
    assert pair_ids
    assert {change.pair_ids[0] for change in rewording.changes} == pair_ids


def test_reworded_pairs_are_of_the_same_record(rewording: Difference) -> None:
    for change in rewording.changes:
        assert change.before is not None
        assert change.after is not None
        assert change.kind == "reworded"
        assert change.before["source_id"] == change.after["source_id"]
        assert change.after["perturbed_question"].startswith("Does ")


def test_reworded_pairs_are_a_major_version(rewording: Difference) -> None:
    assert next_number(rewording) == "v2.0.0"


def test_removed_pairs_are_a_major_version(small_build: Path, edited_build: Path) -> None:
    edit_rows(edited_build, lambda rows: rows[2:])
    difference = compare(small_build, edited_build)
    assert difference.counts() == {"added": 0, "removed": 2, "reworded": 0, "relabeled": 0, "retouched": 0}
    assert next_number(difference) == "v2.0.0"


def test_added_pairs_are_a_minor_version(small_build: Path, edited_build: Path) -> None:
    edit_rows(edited_build, lambda rows: rows[2:])
    difference = compare(edited_build, small_build)
    assert (difference.counts()["added"], next_number(difference)) == (2, "v1.1.0")


@pytest.mark.parametrize(
    "changes",
    [
        {"original_answers": ["something", "else"]},
        {"perturbed_answer": "maybe", "perturbed_answers": ["maybe"], "pair_id": "0" * 24},
    ],
    ids=["the id stays", "the id changes"],
)
def test_a_pair_with_another_answer_is_relabeled(
    changes: dict[str, Any], small_build: Path, edited_build: Path
) -> None:
    edit_rows(edited_build, lambda rows: [rows[0] | changes, *rows[1:]])
    difference = compare(small_build, edited_build)
    assert difference.counts()["relabeled"] == len(difference.changes) == 1
    assert next_number(difference) == "v2.0.0"


def test_another_value_beside_questions_and_answers_is_a_minor_version(small_build: Path, edited_build: Path) -> None:
    edit_rows(edited_build, lambda rows: [rows[0] | {"question_type": "other"}, *rows[1:]])
    difference = compare(small_build, edited_build)
    assert (difference.counts()["retouched"], next_number(difference)) == (1, "v1.1.0")


def test_another_card_alone_is_a_patch(small_build: Path, edited_build: Path) -> None:
    (edited_build / "README.md").write_text("# Another\n")
    difference = compare(small_build, edited_build)
    assert (difference.files, next_number(difference)) == (("README.md",), "v1.0.1")


def test_the_lines_show_an_example_and_the_next_version(small_build: Path, edited_build: Path) -> None:
    edit_rows(edited_build, lambda rows: [rows[0] | {"original_answers": ["something"]}, *rows[1:]])
    lines = list(difference_lines(compare(small_build, edited_build)))
    assert lines[0].startswith("visdial/validation rad.")
    assert lines[0].endswith(": 1 relabeled")
    assert lines[1].startswith("  relabeled ")
    assert lines[-1].startswith("next version: v2.0.0 (major: ")


@pytest.mark.slow
def test_pairs_that_several_configs_hold_are_counted_once(full_build: Path, tmp_path: Path) -> None:
    smaller_build = Path(shutil.copytree(full_build, tmp_path / "smaller"))
    removed_ids: set[str] = set()
    places = 0
    for file in sorted(smaller_build.glob("data/*/*")):
        table = pq.read_table(file)
        is_kept = [test != "rad.yn_from_how_many" for test in table["test"].to_pylist()]
        removed_ids |= {
            pair_id for pair_id, stays in zip(table["pair_id"].to_pylist(), is_kept, strict=True) if not stays
        }
        places += is_kept.count(False)
        pq.write_table(table.filter(pa.array(is_kept)), file)
    difference = compare(full_build, smaller_build)
    assert len(difference.changes) == places
    assert difference.counts()["removed"] == len(removed_ids) < places


def test_rows_that_are_not_pairs_are_compared_by_their_ids(tmp_path: Path) -> None:
    folder = build_toy(ToyRanks(), write_things(tmp_path / "data"), tmp_path, "ranks")
    smaller_build = Path(shutil.copytree(folder.path, tmp_path / "smaller"))
    (file,) = (smaller_build / "data" / "ranks").iterdir()
    pq.write_table(pq.read_table(file).slice(1), file)
    (change,) = compare(folder.path, smaller_build).changes
    assert (change.kind, change.test) == ("removed", "rows")


def test_scores_change_with_the_answers(small_build: Path, edited_build: Path, tmp_path: Path) -> None:
    rows = open_folder(small_build).table("visdial", "validation").to_pylist()
    predictions = tmp_path / "predictions.jsonl"
    sides = ("original", "perturbed")
    lines = [{"pair_id": row["pair_id"]} | {side: row[f"{side}_answer"] for side in sides} for row in rows]
    predictions.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    edit_rows(edited_build, lambda table: [table[0] | {"perturbed_answers": ["neither"]}, *table[1:]])
    scores = compare_builds(str(small_build), str(edited_build), predictions).scores
    assert scores is not None
    (change,) = [row for row in scores.changes if (row.test, row.score) == ("all", "accuracy_perturbed")]
    assert (change.before, change.before_n, change.after_n) == (1.0, len(rows), len(rows))
    assert change.after == pytest.approx((len(rows) - 1) / len(rows))
    assert scores.before_unpredicted == len(read_rows(small_build)) - len(rows)


def test_a_folder_that_is_no_build_is_refused(small_build: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="not a built folder"):
        compare(small_build, tmp_path)


def test_a_build_without_a_file_of_its_manifest_is_refused(small_build: Path, edited_build: Path) -> None:
    next((edited_build / "data" / "visdial").iterdir()).unlink()
    with pytest.raises(MissingFileError, match="the manifest lists it"):
        compare(small_build, edited_build)


def test_a_version_of_another_form_has_no_next_one() -> None:
    with pytest.raises(BadInputError, match="a version is three numbers"):
        next_version("1.0", "major")
