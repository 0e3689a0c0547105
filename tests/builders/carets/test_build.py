"""CARETS on the miniature world: true labels, balance, English, bytes and images."""

from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow.parquet as pq
import pytest
from datasets import load_dataset
from PIL import Image

import diptych
from diptych.builders.carets._questions import CHOICE_TYPES, ORDER, REPHRASE, TABLE_6, VISUAL, question_quotas
from diptych.demo import make_world
from diptych.scenegraphs.image_operations import OPERATIONS
from tests.builders.carets.oracle import oracle_answers
from tests.builders.conftest import run

TESTS = ("rephrase", "ontological", "order", "visual", "negation", "antonym")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world") / "data"
    make_world(folder, 80)
    return folder


@pytest.fixture(scope="module")
def carets(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "carets"
    assert run("build", "carets", "--data", str(world), "--out", str(out), "--set", "pairs=300") == 0
    return out


def rows(folder: Path, config: str, split: str = "validation") -> list[dict[str, Any]]:
    files = sorted((folder / "data" / config).glob(f"{split}-*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


@pytest.mark.parametrize("config", TESTS)
def test_the_oracle_is_right_on_both_sides_of_every_pair(carets: Path, world: Path, config: str) -> None:
    of = rows(carets, config)
    assert of or config == "antonym"  # the miniature world has few opposites
    answers = oracle_answers(of, "validation", world)
    assert answers["original"] == [row["original_answer"] for row in of]
    assert answers["perturbed"] == [row["perturbed_answer"] for row in of]


@pytest.mark.parametrize("config", TESTS)
def test_yes_and_no_are_equally_many(carets: Path, config: str) -> None:
    for kind in {row["question_type"] for row in rows(carets, config)} - {"kind", "choice", "action"}:
        answers = Counter(r["original_answer"] for r in rows(carets, config) if r["question_type"] == kind)
        # Objects with and without a relation are evened out apart; in the visual test a question is there five times.
        most = (2 if kind == "object" else 1) * (5 if config == "visual" else 1)
        assert abs(answers["yes"] - answers["no"]) <= most, (kind, answers)


@pytest.mark.parametrize("config", TESTS)
def test_the_expectation_ties_the_answers(carets: Path, config: str) -> None:
    for row in rows(carets, config):
        same = row["original_answer"] == row["perturbed_answer"]
        assert same is (row["expectation"] == "same")
        assert (row["expectation"] == "same") is (config not in ("negation", "antonym"))


@pytest.mark.parametrize("config", [test for test in TESTS if test != "visual"])
def test_the_partner_is_always_worded_otherwise(carets: Path, config: str) -> None:
    assert all(row["original_question"] != row["perturbed_question"] for row in rows(carets, config))


def test_a_choice_question_names_its_answer_among_choices_of_one_class(carets: Path) -> None:
    asked = [row for row in rows(carets, "order") if row["question_type"] in ("kind", "choice", "action")]
    assert asked
    for row in asked:
        choices = orjson.loads(row["bindings"])["choices"]
        assert row["original_answer"] in choices
        assert len(set(choices)) == len(choices) in (2, 3)


def test_opposites_are_asked_both_ways_of_things_named_alike(tmp_path: Path) -> None:
    sizes = ["large", "small"] * 10
    pairs, skipped = build_from_things(tmp_path, "antonym", [("cup", size) for size in sizes])
    assert len(pairs) + sum(skipped.values()) == 5000
    assert Counter(row["original_answer"] for row in pairs)["yes"] * 2 == len(pairs) > 8
    for row in pairs:
        bindings = orjson.loads(row["bindings"])
        assert {bindings["attribute"], bindings["opposite"]} == {"large", "small"}
        assert (bindings["attribute"] == sizes[int(row["original_image_id"])]) is (row["original_answer"] == "yes")


def test_what_two_tests_ask_alike_has_one_answer_about_one_image(carets: Path) -> None:
    answers: dict[str, set[tuple[str, str]]] = {}
    for config in ("rephrase", "order", "negation"):
        for row in rows(carets, config):
            if row["question_type"] in ("conjunction", "disjunction"):
                things = "/".join(sorted(orjson.loads(row["bindings"])["things"]))
                answers.setdefault(f"{row['original_image_id']}/{things}", set()).add(
                    (row["original_image_id"], row["original_answer"])
                )
    assert answers
    assert all(len(each) == 1 for each in answers.values())


def test_without_reuse_no_two_tests_ask_the_same(world: Path, tmp_path: Path) -> None:
    settings = ("--set", "reuse=false", "--config", "rephrase", "--config", "order")
    assert run("build", "carets", "--data", str(world), "--out", str(tmp_path / "o"), *settings) == 0
    asked = [
        {
            (row["original_image_id"], "/".join(sorted(orjson.loads(row["bindings"])["things"])))
            for row in rows(tmp_path / "o", name)
            if row["question_type"] in ("conjunction", "disjunction")
        }
        for name in ("rephrase", "order")
    ]
    assert all(asked)
    assert asked[0].isdisjoint(asked[1])


def test_both_sides_of_an_ontological_pair_may_name_the_kind_whatever_the_answer(carets: Path) -> None:
    sides = Counter((r["original_answer"], orjson.loads(r["bindings"])["implied"]) for r in rows(carets, "ontological"))
    assert len(sides) == 4, sides


def test_five_operations_a_question_with_both_images(carets: Path) -> None:
    of = rows(carets, "visual")
    assert Counter(row["operation"] for row in of) == dict.fromkeys(OPERATIONS, len(of) // 5)
    assert len({row["pair_id"] for row in of}) == len(of)


def test_the_images_load_as_images_and_a_text_test_has_none(carets: Path) -> None:
    united = load_dataset(str(carets), split="validation")
    assert set(united.unique("test")) >= {f"carets.{test}" for test in TESTS[:-1]}
    visual = next(row for row in united if row["test"] == "carets.visual" and row["operation"] == "mask")
    assert visual["original_image"].size == visual["perturbed_image"].size
    assert all(row["original_image"] is None for row in united if row["test"] == "carets.negation")


def test_the_card_says_which_config_carries_images(carets: Path) -> None:
    card = " ".join((carets / "README.md").read_text().split())
    assert "the images in `visual`" in card
    assert "images are not part of this dataset" not in card


def test_a_recipe_renders_to_the_pixels_that_a_build_embeds(carets: Path, world: Path, tmp_path: Path) -> None:
    args = ("--data", str(world), "--out", str(tmp_path / "recipe"), "--config", "visual", "--set", "pairs=300")
    assert run("build", "carets", *args, "--set", "images=recipe") == 0
    assert "images are not part of this dataset" in (tmp_path / "recipe" / "README.md").read_text()
    embedded = {row["pair_id"]: row for row in rows(carets, "visual")}
    for row in rows(tmp_path / "recipe", "visual")[:10]:
        assert row["perturbed_image"] is None
        image = (world / "images" / f"{row['original_image_id']}.jpg").read_bytes()
        made = np.asarray(Image.open(BytesIO(diptych.render(row, image))))
        kept = np.asarray(Image.open(BytesIO(embedded[row["pair_id"]]["perturbed_image"]["bytes"])))
        assert (made == kept).all()


@pytest.mark.slow
def test_the_same_bytes_with_two_workers(carets: Path, world: Path, tmp_path: Path) -> None:
    out = tmp_path / "again"
    args = ("--data", str(world), "--out", str(out), "--set", "pairs=300", "--num-proc", "2")
    assert run("build", "carets", *args) == 0
    for file in sorted(carets.glob("data/*/*.parquet")):
        assert (out / file.relative_to(carets)).read_bytes() == file.read_bytes(), file


def test_missing_and_broken_images_are_counted_and_nothing_crashes(world: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "gqa").mkdir(parents=True)
    (data / "images").mkdir()
    for file in (world / "gqa").glob("val_sceneGraphs*"):
        (data / "gqa" / file.name).write_bytes(file.read_bytes())
    (data / "images" / "1.jpg").write_bytes(b"no image")
    (data / "images" / "5.jpg").write_bytes((world / "images" / "5.jpg").read_bytes())
    args = ("--data", str(data), "--out", str(tmp_path / "o"), "--config", "visual", "--set", "pairs=3000")
    assert run("build", "carets", *args) == 0
    manifest = orjson.loads((tmp_path / "o" / "manifest.json").read_bytes())
    ledger = manifest["configs"]["visual"]["ledger"]["validation"]["carets.visual"]
    assert {"the image is missing", "the image cannot be read"} <= set(ledger["skipped"])
    assert ledger["first"]["the image cannot be read"] == ["image 1"]
    assert "image 1" not in ledger["first"]["the image is missing"]
    assert "the image cannot be read: " in (tmp_path / "o" / "README.md").read_text()
    assert {row["original_image_id"] for row in rows(tmp_path / "o", "visual")} == {"5"}


@pytest.mark.parametrize(
    "setting",
    ["absences=none", "pairs=many", "color=red", "pairs", "counts=object", "counts=verb:3", "counts=antonym.kind:3"],
)
def test_a_wrong_setting_is_refused(world: Path, tmp_path: Path, setting: str) -> None:
    assert run("build", "carets", "--data", str(world), "--out", str(tmp_path / "o"), "--set", setting) == 2


@pytest.fixture(scope="module")
def as_in_the_paper(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("paper") / "carets"
    args = ("--data", str(world), "--out", str(out), "--set", "pairs=200", "--set", "images=recipe")
    assert run("build", "carets", *args, "--set", "absences=paper") == 0
    return out


@pytest.mark.parametrize("config", TESTS)
def test_the_papers_absences_have_true_labels_too(as_in_the_paper: Path, world: Path, config: str) -> None:
    of = rows(as_in_the_paper, config)
    answers = oracle_answers(of, "validation", world)
    assert answers["original"] == [row["original_answer"] for row in of]
    assert answers["perturbed"] == [row["perturbed_answer"] for row in of]


@pytest.mark.parametrize("config", [test for test in TESTS if test != "antonym"])
def test_the_papers_absences_are_drawn_for_every_type(as_in_the_paper: Path, config: str) -> None:
    asked = {row["question_type"] for row in rows(as_in_the_paper, config)}
    # Nobody does anything in the miniature world; a question with a relation is of the type `object`.
    assert asked == set(TABLE_6[f"carets.{config}"]) - {"action", "relation"}


def test_counts_are_kept_and_what_lacks_is_in_the_ledger(world: Path, tmp_path: Path) -> None:
    args = ("--data", str(world), "--out", str(tmp_path / "o"), "--config", "negation")
    counts = "object:20,relation:0,negation.conjunction:0,negation.disjunction:99999,antonym.attribute:7"
    assert run("build", "carets", *args, "--set", f"counts={counts}") == 0
    found = Counter(row["question_type"] for row in rows(tmp_path / "o", "negation"))
    assert set(found) == {"object", "disjunction"}
    assert found["object"] == 20
    manifest = orjson.loads((tmp_path / "o" / "manifest.json").read_bytes())
    ledger = manifest["configs"]["negation"]["ledger"]["validation"]["carets.negation"]
    missing = 99999 - found["disjunction"]
    assert sum(ledger["skipped"].values()) == missing
    assert all(reason.startswith("too few questions of the type disjunction: ") for reason in ledger["skipped"])
    assert "too few questions of the type disjunction: the scene graphs have no more" in ledger["skipped"]


def test_the_split_by_type_is_that_of_the_authors_files() -> None:
    assert question_quotas(REPHRASE, {}) == {
        "object": 2500,
        "relation": 2500,
        "conjunction": 2500,
        "disjunction": 2500,
        "kind": 5000,
        "choice": 3914,
        "action": 498,
    }


def test_by_default_every_test_asks_as_much_as_the_papers_table_6() -> None:
    sums = {test.partition(".")[2]: sum(question_quotas(test, {}).values()) for test in TABLE_6}
    assert sums == {
        "rephrase": 19412,
        "ontological": 13952,
        "order": 14412,
        "visual": 26272,
        "negation": 10000,
        "antonym": 5000,
    }
    choices = {test: sum(n for type_, n in of.items() if type_ in CHOICE_TYPES) for test, of in TABLE_6.items()}
    assert (choices[REPHRASE], choices[ORDER], choices[VISUAL]) == (9412, 9412, 8272)


@pytest.mark.parametrize("share", [0.25, 0.5])
def test_no_pair_of_opposites_has_more_than_its_share_and_the_ledger_says_so(tmp_path: Path, share: float) -> None:
    opposites = [("large", "small"), ("old", "young"), ("wet", "dry"), ("clean", "dirty"), ("sitting", "standing")]
    things = [("cup", size) for size in opposites[0] * 200]
    for name, (first, second) in zip(("man", "dog", "plate", "woman"), opposites[1:], strict=True):
        things += [(name, value) for value in (first, second) * 4]
    pairs, skipped = build_from_things(tmp_path, "antonym", things, f"largest_share={share}")
    counts = Counter(frozenset((orjson.loads(row["bindings"])[k]) for k in ("attribute", "opposite")) for row in pairs)
    assert len(counts) == 5
    assert counts[frozenset(("large", "small"))] <= share * len(pairs) < len(things[:400]) // 2
    (capped,) = (count for reason, count in skipped.items() if "largest share" in reason)
    assert capped == 200 - counts[frozenset(("large", "small"))]


def test_a_thing_set_aside_for_one_question_is_in_no_other(tmp_path: Path) -> None:
    colors = ["red", "blue", "green", "white"] * 6
    pairs, _ = build_from_things(tmp_path, "order", [("cup", color) for color in colors], "counts=choice:99")
    shown = [row["original_image_id"] for row in pairs if row["question_type"] == "choice"]
    assert len(shown) > 4
    assert len(shown) == len(set(shown))


@pytest.mark.parametrize("absences", ["matched", "paper"])
def test_what_people_do_is_asked_with_choices_of_one_class(tmp_path: Path, absences: str) -> None:
    poses = ["standing", "sitting"] * 6
    settings = ("counts=kind:0,choice:0", f"absences={absences}")
    pairs, _ = build_from_things(tmp_path, "order", [("man", pose) for pose in poses], *settings)
    actions = [row for row in pairs if row["question_type"] == "action"]
    assert len(actions) >= 6
    assert all(set(orjson.loads(row["bindings"])["choices"]) == {"standing", "sitting"} for row in actions)
    assert all(row["original_answer"] == poses[int(row["original_image_id"])] for row in actions)


def build_from_things(
    folder: Path, config: str, things: list[tuple[str, str]], *settings: str
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """The pairs of a config and what was skipped, from images that show one thing with one attribute each."""
    box = {"x": 0, "y": 0, "w": 9, "h": 9}
    graphs = {
        str(number): {
            "width": 99,
            "height": 99,
            "objects": {"1": {"name": name, **box, "attributes": [attribute], "relations": []}},
        }
        for number, (name, attribute) in enumerate(things)
    }
    (folder / "data" / "gqa").mkdir(parents=True)
    (folder / "data" / "gqa" / "val_sceneGraphs.json").write_bytes(orjson.dumps(graphs))
    options = [part for setting in settings for part in ("--set", setting)]
    arguments = ("--data", str(folder / "data"), "--out", str(folder / "out"), "--config", config, *options)
    assert run("build", "carets", *arguments) == 0
    manifest = orjson.loads((folder / "out" / "manifest.json").read_bytes())
    ledger = manifest["configs"][config]["ledger"]["validation"][f"carets.{config}"]
    return rows(folder / "out", config), ledger["skipped"]
