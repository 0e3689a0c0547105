"""fvqa2: readings of questions, FixQ and FixA pairs, and folds whose sides stay apart."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from datasets import load_dataset

from diptych.builders.fvqa2._assignments import ImageUses
from diptych.builders.fvqa2._drafts import FIX_A, FIX_Q, plain
from diptych.builders.fvqa2._entities import entity_key
from diptych.builders.fvqa2._folds import NOT_UNIQUE, TRAIN_TEMPLATE
from diptych.builders.fvqa2._knowledge import Triple
from diptych.builders.fvqa2._readings import ANOTHER_RELATION, NO_FACT, Reading, read_question
from diptych.builders.fvqa2._records import read_candidate
from diptych.builders.fvqa2._rewordings import use_templates
from diptych.builders.fvqa2._slots import fill, inflect
from diptych.errors import BadInputError
from diptych.kg.screen import Screen, read_rejects
from diptych.pairs import Expectation, Skip
from diptych.sources import read_folds
from diptych.templates import Template, TemplateSet, check_templates
from tests.builders.conftest import run
from tests.builders.fvqa2.small_world import fold_pairs, pairs_only, question, templates_of


def reading(text: str, answer: str, head: str, relation: str, tail: str, **options: str) -> Reading:
    result = read_question(question(text, answer, head, relation, tail, **options))
    assert isinstance(result, Reading), result
    return result


@pytest.mark.parametrize(
    ("asked", "fact", "skeleton", "form"),
    [
        (
            "Which object is used for holding water?",
            ("UsedFor", "hold water"),
            "Which object is used for <slot>",
            "gerund",
        ),
        (
            "Which object is used to hold the water?",
            ("UsedFor", "holding water"),
            "Which object is used to <slot>",
            "base",
        ),
        ("Which object holds water?", ("CapableOf", "hold water"), "Which object <slot>", "third_person"),
        ("Which object is found in a jazz club?", ("AtLocation", "jazz club"), "Which object is found in <slot>", "a"),
        ("Which object has wheels here?", ("HasA", "a wheel"), "Which object has <slot> here", "plural"),
        ("What animal is in this image?", ("IsA", "animals"), "What <slot> is in this image", "singular"),
        ("Which object is yellow?", ("HasProperty", "yellow"), "Which object is <slot>", "bare"),
    ],
)
def test_the_entity_becomes_a_slot_in_its_form(asked: str, fact: tuple[str, str], skeleton: str, form: str) -> None:
    found = reading(asked, "cups", "a cup", *fact)
    assert (found.skeleton, found.form, found.answer_side) == (skeleton, form, 0)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ("Which object on the left is used for drinking?", "says where in the image"),
        ("Which object held by the man is used for drinking?", "speaks of a person in the image"),
        ("Which red object is used for drinking?", "describes a thing as this image shows it"),
        ("How many objects are used for drinking?", "says something particular to its image"),
        ("Which two objects are used for drinking?", "asks for a count"),
        ("Which object Barbara has is used for drinking?", "says something particular to its image"),
        ("Which object is not good at anything?", "the question does not say the fact's other entity"),
        ("Which object is related to drinking?", ANOTHER_RELATION.reason),
    ],
)
def test_a_question_that_fits_its_own_image_alone_is_refused(asked: str, reason: str) -> None:
    assert read_question(question(asked, "cup", "cup", "UsedFor", "drinking")) == Skip(reason)


def test_a_fact_with_one_entity_makes_no_template() -> None:
    assert read_question(question("Which object is used for drinking?", "cup", "cup", "UsedFor", "")) == NO_FACT


def test_a_question_about_the_place_makes_no_template() -> None:
    asked = question("Which object is used for drinking?", "cup", "cup", "UsedFor", "drinking", concept="scn")
    assert read_question(asked) == Skip("asks about the place or the action shown")


@pytest.mark.parametrize(
    ("entity", "form", "relation", "said"),
    [
        ("drive car", "gerund", "UsedFor", "driving a car"),
        ("carry person", "base", "CapableOf", "carry people"),
        ("make from wood", "participle", "ReceivesAction", "made from wood"),
        ("protect eye from sun", "gerund", "UsedFor", "protecting eyes from the sun"),
        ("zoo", "a", "AtLocation", "a zoo"),
        ("wheel", "plural", "HasA", "wheels"),
        ("expensive", "bare", "HasProperty", "expensive"),
    ],
)
def test_new_entities_are_said_in_good_english(entity: str, form: str, relation: str, said: str) -> None:
    filled = fill(entity, form, relation)
    assert filled is not None
    assert inflect(filled, form) == said


@pytest.mark.parametrize(
    ("entity", "form", "relation"),
    [
        ("city", "gerund", "UsedFor"),
        ("something you find downstairs", "a", "IsA"),
        ("fourtue cookie", "a", "IsA"),
        ("at a party", "a", "AtLocation"),
        ("run on coal", "bare", "HasProperty"),
    ],
)
def test_what_cannot_be_said_in_a_form_is_not(entity: str, form: str, relation: str) -> None:
    assert fill(entity, form, relation) is None


def test_near_duplicates_share_a_template() -> None:
    texts = [
        ("Which object in this image is used for drinking?", "cup", "drinking"),
        ("what thing in the picture is used for sitting", "chair", "sitting"),
        ("Which object here is used for sitting?", "chair", "sitting"),
    ]
    candidates = [read_candidate(question(text, thing, thing, "UsedFor", use)) for text, thing, use in texts]
    first, second, third = (candidate.template_id for candidate in candidates)
    assert first == second != third
    assert templates_of(candidates)[first].text == "Which object in this image is used for {{ entity | gerund }}?"


def test_a_template_that_people_did_not_accept_is_gone() -> None:
    candidate = read_candidate(question("Which object is used for drinking?", "cup", "cup", "UsedFor", "drinking"))
    (template,) = templates_of([candidate]).values()
    refused = Template(template.id, template.test, template.text, {**template.fields, "accepted": False})
    assert not use_templates({template.id: template}, TemplateSet("fvqa2", (refused,))).templates


FLY = question("Which object can fly?", "bird", "bird", "CapableOf", "fly")
FLYING = [Triple(thing, "CapableOf", "fly") for thing in ("bird", "kite", "airplane", "bat")]


def test_fix_q_asks_the_same_question_of_another_image() -> None:
    things = {"a.jpg": {"bird"}, "b.jpg": {"kite", "tree"}, "c.jpg": {"kite", "bird"}}
    (pair,) = pairs_only(fold_pairs([FLY], things, FLYING[:2], FIX_Q))
    assert pair.perturbed.question == pair.original.question
    # c.jpg shows a bird as well, so that the first answer would still be right there.
    assert (pair.perturbed.image_id, pair.perturbed.answer) == ("b.jpg", "kite")
    assert pair.expectation is Expectation.DIFFERENT


def test_fix_q_accepts_every_thing_that_the_graph_supports() -> None:
    things = {"a.jpg": {"bird"}, "b.jpg": {"kite", "airplane", "tree"}}
    (pair, *_) = pairs_only(fold_pairs([FLY], things, FLYING[:3], FIX_Q))
    assert set(pair.perturbed.answers) == {"airplane", "kite"}
    assert pair.perturbed.answers[0] == pair.perturbed.answer


def test_a_thing_of_a_kind_answers_what_its_kind_answers() -> None:
    # The graph knows it of musical instruments, and an image shows a drum beside the piano.
    music = question("Which object makes music?", "violin", "violin", "CapableOf", "make music")
    triples = [Triple(thing, "CapableOf", "make music") for thing in ("violin", "piano", "musical instrument")]
    things = {"a.jpg": {"violin"}, "b.jpg": {"piano", "drum", "tree"}}
    (pair, *_) = pairs_only(fold_pairs([music], things, triples, FIX_Q))
    assert set(pair.perturbed.answers) == {"piano", "drum"}


def test_a_thing_noted_under_two_names_is_accepted_under_both() -> None:
    bigger = question("Which object is bigger than a goat?", "horse", "horse", "big#f", "goat")
    triples = [Triple(thing, "big#f", "goat", 10.0, "webchild") for thing in ("horse", "cow")]
    things = {"a.jpg": {"horse"}, "b.jpg": {"cow", "cattle", "tree"}}
    (pair, *_) = pairs_only(fold_pairs([bigger], things, triples, FIX_Q))
    assert pair.perturbed.answers == ("cow", "cattle")


RESTING = question("Which object is used for resting?", "bed", "bed", "UsedFor", "resting")


def test_other_names_of_the_answer_are_accepted() -> None:
    triples = [Triple(thing, "UsedFor", "resting") for thing in ("sofa", "bed")]
    things = {"a.jpg": {"bed"}, "b.jpg": {"sofa"}}
    (pair,) = pairs_only(fold_pairs([RESTING], things, triples, FIX_Q, other_names=("couch",)))
    assert pair.perturbed.answers == ("sofa", "couch")


def test_an_image_with_another_possible_answer_is_not_used() -> None:
    # That balloons fly is a fact too light to rest a pair on: whether the answer is unique is not known.
    things = {"a.jpg": {"bird"}, "b.jpg": {"kite", "balloon"}}
    doubtful = [Triple("balloon", "CapableOf", "fly", 1.0)]
    assert fold_pairs([FLY], things, FLYING[:2], FIX_Q, doubtful=doubtful) == [NOT_UNIQUE.of(FIX_Q)]


def test_what_has_a_part_is_what_the_part_is_part_of() -> None:
    wheel = question("Which object has a wheel?", "bicycle", "bicycle", "HasA", "wheel")
    triples = [Triple(thing, "HasA", "wheel") for thing in ("bicycle", "car")]
    triples += [Triple("wheel", "PartOf", "motorcycle")]
    things = {"a.jpg": {"bicycle"}, "b.jpg": {"car", "motorcycle"}}
    (pair, *_) = pairs_only(fold_pairs([wheel], things, triples, FIX_Q))
    assert set(pair.perturbed.answers) == {"car", "motorcycle"}


def test_fix_q_keeps_to_the_kind_that_is_asked_for() -> None:
    animal = question("Which animal can fly?", "bird", "bird", "CapableOf", "fly")
    pairs = pairs_only(fold_pairs([animal], {"a.jpg": {"bird"}, "b.jpg": {"kite", "bat"}}, FLYING, FIX_Q))
    assert [pair.perturbed.answers for pair in pairs] == [("bat",)]


def test_a_sofa_is_no_other_answer_than_a_couch() -> None:
    resting = question("Which object is used for resting?", "sofa", "sofa", "UsedFor", "resting")
    triples = [Triple(thing, "UsedFor", "resting") for thing in ("sofa", "couch")]
    assert not pairs_only(fold_pairs([resting], {"a.jpg": {"sofa"}, "b.jpg": {"couch"}}, triples, FIX_Q))


def test_fix_a_asks_for_the_same_answer_by_another_fact() -> None:
    triples = [Triple("bird", "CapableOf", tail) for tail in ("fly", "build nest", "see a bird")]
    pairs = pairs_only(fold_pairs([FLY], {"a.jpg": {"bird"}}, triples, FIX_A))
    # The third fact would give the answer away.
    assert [pair.perturbed.question for pair in pairs] == ["Which object can build a nest?"]
    assert (pairs[0].perturbed.answer, pairs[0].expectation) == ("bird", Expectation.SAME)


def test_a_template_makes_at_most_five_pairs_of_a_kind() -> None:
    tails = ["fly", "sing", "swim", "walk", "eat worms", "build a nest", "lay eggs", "sleep"]
    triples = [Triple("bird", "CapableOf", tail) for tail in tails]
    assert len(pairs_only(fold_pairs([FLY], {"a.jpg": {"bird"}}, triples, FIX_A))) == 5


def test_a_question_of_the_other_side_is_never_asked() -> None:
    triples = [Triple("bird", "CapableOf", tail) for tail in ("fly", "sing")]
    train = question("which object can SING", "bird", "bird", "CapableOf", "sing", id="2", image="t.jpg", concept="scn")
    assert pairs_only(fold_pairs([FLY], {"a.jpg": {"bird"}}, triples, FIX_A))
    assert not pairs_only(fold_pairs([FLY], {"a.jpg": {"bird"}}, triples, FIX_A, train=[train]))


def test_a_shared_template_is_left_to_the_train_side() -> None:
    train = question("Which object can swim?", "fish", "fish", "CapableOf", "swim", id="2", image="t.jpg")
    assert fold_pairs([FLY], {"a.jpg": {"bird"}}, FLYING, FIX_Q, train=[train]) == [TRAIN_TEMPLATE.of(FIX_Q)]


def test_the_least_used_image_is_taken_first() -> None:
    uses = ImageUses()
    taken = []
    for number in range(4):
        taken.append(uses.least_used(0b11))
        uses.add(f"question {number}", taken[-1])
    assert taken == [0, 1, 0, 1]


def test_offensive_facts_are_blocked_and_a_user_can_reject_more(tmp_path: Path) -> None:
    path = tmp_path / "reject.txt"
    path.write_text("# mine\na cat|/r/Desires|to chase mice\n*|IsA|noun\n")
    screen = Screen(entity_key, read_rejects(path, entity_key))
    assert screen.stops("a dog", "CapableOf", "killing people") == "blocked"
    assert not screen.stops("a dog", "CapableOf", "hanging around")
    assert screen.stops("cats", "Desires", "chase mice") == "rejected"
    assert screen.stops("tree", "IsA", "a noun") == "rejected"
    assert not screen.stops("cat", "IsA", "animal")
    path.write_text("cat, Desires, mice\n")
    with pytest.raises(BadInputError, match=r"reject\.txt:1: .* is not head\|relation\|tail"):
        read_rejects(path, entity_key)


@pytest.fixture(scope="module")
def out(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fvqa2") / "out"
    assert run("build", "fvqa2", "--data", str(data), "--out", str(folder)) == 0
    return folder


def test_the_default_config_is_the_adversarial_and_the_standard_test_of_all_folds(out: Path) -> None:
    splits = load_dataset(str(out))
    assert set(splits) == {"adversarial", "test"}
    rows = splits["adversarial"]
    assert {"fvqa2.fix_q", "fvqa2.fix_a"} == set(rows["test"])
    assert len(set(rows["pair_id"])) == len(rows)
    assert set(splits["test"]["test"]) == {"fvqa2.standard"}
    assert set(splits["test"]["fold"]) == {f"fold_{number}" for number in range(5)}
    assert not set(splits["test"]["pair_id"]) & set(rows["pair_id"])


def test_originating_questions_are_those_of_the_adversarial_pairs(out: Path) -> None:
    folds = load_dataset(str(out), "fold_0")
    assert set(folds["originating"]["source_id"]) == set(folds["adversarial"]["source_id"])
    assert set(folds["originating"]["source_id"]) <= set(folds["test"]["source_id"])


def assert_sides_stay_apart(data: Path, out: Path, number: int) -> int:
    """Check that nothing of one side of a built fold reaches the other; returns the number of adversarial pairs."""
    fold, folder = read_folds(data)[number], out / "data" / f"fold_{number}"
    splits = {path.name.split("-")[0]: pq.read_table(path).to_pylist() for path in sorted(folder.glob("*.parquet"))}
    test, train = splits.get("adversarial", []), splits.get("augmentation", [])
    sides = ("original_image_id", "perturbed_image_id")
    assert {row[side] for row in test for side in sides} <= fold.test
    assert {row[side] for row in train for side in sides} <= fold.train
    assert not {row["template_id"] for row in test} & {row["template_id"] for row in train}
    new_test, new_train = ({plain(row["perturbed_question"]) for row in rows} for rows in (test, train))
    old_test, old_train = ({plain(row["original_question"]) for row in splits[name]} for name in ("test", "train"))
    assert not new_test & (old_train | new_train)
    assert not new_train & old_test
    return len(test)


def test_nothing_of_one_side_reaches_the_other(data: Path, out: Path) -> None:
    assert sum(assert_sides_stay_apart(data, out, number) for number in range(5)) > 0


def test_one_worker_or_two_make_the_same_bytes(data: Path, out: Path, tmp_path: Path) -> None:
    other = tmp_path / "two"
    assert run("build", "fvqa2", "--data", str(data), "--out", str(other), "--num-proc", "2") == 0
    for path in sorted(out.rglob("*.parquet")):
        assert (other / path.relative_to(out)).read_bytes() == path.read_bytes()


def test_scores_of_a_built_folder_are_told_over_folds(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = load_dataset(str(out))["adversarial"].to_list()
    said = [{"pair_id": row["pair_id"], "original": row["original_answer"], "perturbed": "nothing"} for row in rows]
    path, nodes = tmp_path / "said.jsonl", tmp_path / "nodes.txt"
    path.write_text("".join(json.dumps(line) + "\n" for line in said))
    nodes.write_text("".join(f"{name}\n" for name in sorted({row["original_answer"] for row in rows})))
    capsys.readouterr()
    assert run("score", str(out), str(path), "--nodes", str(nodes), "--bootstrap", "0") == 0
    told = capsys.readouterr().out
    assert "originating 100.00 ± 0.00, adversarial 0.00 ± 0.00, gap 100.00 ± 0.00" in told
    assert all(text in told for text in ("fvqa2.fix_q", "fvqa2.fix_a", "fold_4", "answer_in_train", "mean ± sd over 5"))


def test_the_standard_set_is_scored_over_folds_beside_the_adversarial_one(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    splits = load_dataset(str(out))
    rows = [row for name in ("adversarial", "test") for row in splits[name].to_list()]
    answers = [
        {"pair_id": row["pair_id"], **dict.fromkeys(("original", "perturbed"), row["original_answer"])} for row in rows
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in answers))
    capsys.readouterr()
    assert run("score", str(out), str(path), "--split", "adversarial+test", "--table", "folds", "--format", "csv") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("folds,answers,,Standard Test Set,accuracy_original,1.0,,,0.0,")


def test_extracted_templates_are_sound_and_can_be_edited(data: Path, out: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    assert run("templates", "extract", str(folder), "--data", str(data)) == 0
    assert not [problem for problem in check_templates(folder).problems if problem.is_error]
    for path in (folder / "fvqa2").glob("*.toml"):
        path.write_text(path.read_text().replace("accepted = true", "accepted = false"))
    built = tmp_path / "built"
    code = run("build", "fvqa2", "--data", str(data), "--out", str(built), "--templates", str(folder))
    assert code == 0
    manifest = json.loads((built / "manifest.json").read_text())
    assert manifest["configs"]["fold_0"]["ledger"]["adversarial"]["fvqa2.fix_a"]["paired"] == 0
    skipped = manifest["configs"]["fold_0"]["ledger"]["adversarial"]["fvqa2.fix_a"]["skipped"]
    assert skipped["the template was not accepted"] > 0


def test_a_wrong_parameter_is_refused(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    args = ("build", "fvqa2", "--data", str(data), "--out", str(tmp_path / "x"))
    assert run(*args, "--set", "graf=none") == 2
    assert "did you mean 'graph'?" in capsys.readouterr().err
    assert run(*args, "--set", "graph=big") == 2
    assert "known: dump, lite, none" in capsys.readouterr().err
    assert run(*args, "--set", "least_weight=much") == 2
    assert "is not a number" in capsys.readouterr().err
