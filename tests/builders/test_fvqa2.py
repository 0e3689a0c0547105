"""fvqa2: slots, forms, the two kinds of pairs, and the wall between a fold's sides."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from datasets import load_dataset
from diptych.builders.fvqa2.entities import key_of
from diptych.builders.fvqa2.extraction import ANOTHER_RELATION, NO_FACT, Reading, read_question
from diptych.builders.fvqa2.filling import fill
from diptych.builders.fvqa2.forms import say
from diptych.builders.fvqa2.gallery import Gallery, Uses, synonyms
from diptych.builders.fvqa2.knowledge import Knowledge, Triple
from diptych.builders.fvqa2.planning import LEARNED, SPLITS, plan_fold, read_sources
from diptych.builders.fvqa2.templating import extract, merged
from diptych.builders.fvqa2.variants import FIX_A, FIX_Q, NOT_UNIQUE, Draft, Studio, as_pair, plain, vary

from diptych.errors import BadInputError
from diptych.kg.screen import Screen, read_rejects
from diptych.pairs import Expectation, Pair, Skip
from diptych.sources import FvqaFact, FvqaQuestion
from diptych.templates import Template, TemplateSet, check_templates
from tests.builders.conftest import run


def question(text: str, answer: str, head: str, relation: str, tail: str, **more: str) -> FvqaQuestion:
    fact = FvqaFact("f", "conceptnet", head, relation, tail, head, tail)
    return FvqaQuestion(
        more.get("id", "1"), more.get("image", "a.jpg"), text, answer, "image", more.get("concept", "obj"), fact
    )


def reading(text: str, answer: str, head: str, relation: str, tail: str, **more: str) -> Reading:
    found = read_question(question(text, answer, head, relation, tail, **more))
    assert isinstance(found, Reading), found
    return found


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
    assert say(filled, form) == said


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
    extracted = extract(
        [
            question("Which object in this image is used for drinking?", "cup", "cup", "UsedFor", "drinking", id="1"),
            question("what thing in the picture is used for sitting", "chair", "chair", "UsedFor", "sitting", id="2"),
            question("Which object here is used for sitting?", "chair", "chair", "UsedFor", "sitting", id="3"),
        ]
    )
    ids = [extracted.readings[number][1] for number in "123"]
    assert ids[0] == ids[1] != ids[2]
    assert extracted.templates[ids[0]].text == "Which object in this image is used for {{ entity | gerund }}?"


def test_a_template_that_people_did_not_accept_is_gone() -> None:
    asked = question("Which object is used for drinking?", "cup", "cup", "UsedFor", "drinking")
    extracted = extract([asked])
    (template,) = extracted.templates.values()
    refused = Template(template.id, template.test, template.text, {**template.fields, "accepted": False})
    left = merged(extracted, TemplateSet("fvqa2", (refused,)))
    assert not left.templates
    assert left.skips["1"] == Skip("the template was not accepted")


def studio(things: dict[str, set[str]], facts: list[Triple], banned: tuple[str, ...] = ()) -> Studio:
    knowledge = Knowledge()
    for fact in facts:
        knowledge.add(fact)
    gallery = Gallery(
        {image: frozenset((name,) for name in names) for image, names in things.items()},
        {(name,): name for names in things.values() for name in names},
    )
    return Studio("fold_0", gallery, knowledge, gallery.showing(things), Counter(), frozenset(map(plain, banned)))


def pairs_of(asked: FvqaQuestion, place: Studio, test: str) -> list[Pair]:
    extracted = extract([asked])
    (template,) = extracted.templates.values()
    made = vary([extracted.readings[asked.question_id][0]], template, place)
    return [
        as_pair(draft, draft.choice.image, place) for name, draft in made if name == test and isinstance(draft, Draft)
    ]


FLY = question("Which object can fly?", "bird", "bird", "CapableOf", "fly")


def test_fix_q_asks_the_same_question_of_another_image() -> None:
    place = studio(
        {"a.jpg": {"bird"}, "b.jpg": {"kite", "tree"}, "c.jpg": {"kite", "bird"}},
        [Triple("bird", "CapableOf", "fly"), Triple("kite", "CapableOf", "fly")],
    )
    (pair,) = pairs_of(FLY, place, FIX_Q)
    assert pair.perturbed.question == pair.original.question
    # c.jpg shows a bird as well, so that the first answer would still be right there.
    assert (pair.perturbed.image_id, pair.perturbed.answer) == ("b.jpg", "kite")
    assert pair.expectation is Expectation.DIFFERENT


def test_fix_q_accepts_every_thing_that_the_graph_supports() -> None:
    facts = [Triple(thing, "CapableOf", "fly") for thing in ("bird", "kite", "airplane")]
    (pair, *_) = pairs_of(FLY, studio({"a.jpg": {"bird"}, "b.jpg": {"kite", "airplane", "tree"}}, facts), FIX_Q)
    assert set(pair.perturbed.answers) == {"airplane", "kite"}
    assert pair.perturbed.answers[0] == pair.perturbed.answer


def test_a_thing_of_a_kind_answers_what_its_kind_answers() -> None:
    # The graph knows it of musical instruments, and an image shows a drum beside the piano.
    asked = question("Which object makes music?", "violin", "violin", "CapableOf", "make music")
    facts = [Triple(thing, "CapableOf", "make music") for thing in ("violin", "piano", "musical instrument")]
    (pair, *_) = pairs_of(asked, studio({"a.jpg": {"violin"}, "b.jpg": {"piano", "drum", "tree"}}, facts), FIX_Q)
    assert set(pair.perturbed.answers) == {"piano", "drum"}


def test_a_thing_noted_under_two_names_is_accepted_under_both() -> None:
    asked = question("Which object is bigger than an ant?", "dog", "dog", "big#f", "ant")
    facts = [Triple(thing, "big#f", "ant", 10.0, "webchild") for thing in ("dog", "cow")]
    (pair, *_) = pairs_of(asked, studio({"a.jpg": {"dog"}, "b.jpg": {"cow", "cattle", "tree"}}, facts), FIX_Q)
    assert pair.perturbed.answers == ("cow", "cattle")


def test_other_names_of_the_answer_are_accepted() -> None:
    names = {("sofa",): "sofa", ("couch",): "couch", ("bed",): "bed"}
    facts = [Triple(thing, "UsedFor", "resting") for thing in ("sofa", "bed")]
    place = studio({"a.jpg": {"bed"}, "b.jpg": {"sofa"}}, facts)
    place.gallery = Gallery(place.gallery.things, names, synonyms(names))
    asked = question("Which object is used for resting?", "bed", "bed", "UsedFor", "resting")
    (pair,) = pairs_of(asked, place, FIX_Q)
    assert pair.perturbed.answers == ("sofa", "couch")


def test_an_image_with_another_possible_answer_is_not_used() -> None:
    facts = [Triple("bird", "CapableOf", "fly"), Triple("kite", "CapableOf", "fly")]
    place = studio({"a.jpg": {"bird"}, "b.jpg": {"kite", "balloon"}}, facts)
    # That balloons fly is a fact too light to rest a pair on: whether the answer is unique is not known.
    place.knowledge.doubt(Triple("balloon", "CapableOf", "fly", 1.0))
    extracted = extract([FLY])
    (template,) = extracted.templates.values()
    outcomes = list(vary([extracted.readings["1"][0]], template, place))
    assert (FIX_Q, NOT_UNIQUE) in outcomes


def test_what_has_a_part_is_what_the_part_is_part_of() -> None:
    asked = question("Which object has a wheel?", "bicycle", "bicycle", "HasA", "wheel")
    facts = [Triple(thing, "HasA", "wheel") for thing in ("bicycle", "car")] + [Triple("wheel", "PartOf", "motorcycle")]
    (pair, *_) = pairs_of(asked, studio({"a.jpg": {"bicycle"}, "b.jpg": {"car", "motorcycle"}}, facts), FIX_Q)
    assert set(pair.perturbed.answers) == {"car", "motorcycle"}


def test_fix_q_keeps_to_the_kind_that_is_asked_for() -> None:
    asked = question("Which animal can fly?", "bird", "bird", "CapableOf", "fly")
    facts = [Triple(thing, "CapableOf", "fly") for thing in ("bird", "kite", "bat")]
    found = pairs_of(asked, studio({"a.jpg": {"bird"}, "b.jpg": {"kite", "bat"}}, facts), FIX_Q)
    assert [pair.perturbed.answers for pair in found] == [("bat",)]


def test_a_sofa_is_no_other_answer_than_a_couch() -> None:
    asked = question("Which object is used for resting?", "sofa", "sofa", "UsedFor", "resting")
    facts = [Triple(thing, "UsedFor", "resting") for thing in ("sofa", "couch")]
    assert not pairs_of(asked, studio({"a.jpg": {"sofa"}, "b.jpg": {"couch"}}, facts), FIX_Q)


def test_fix_a_asks_for_the_same_answer_by_another_fact() -> None:
    facts = [Triple("bird", "CapableOf", tail) for tail in ("fly", "build nest", "see a bird")]
    found = pairs_of(FLY, studio({"a.jpg": {"bird"}}, facts), FIX_A)
    # The third fact would give the answer away.
    assert [pair.perturbed.question for pair in found] == ["Which object can build a nest?"]
    assert (found[0].perturbed.answer, found[0].expectation) == ("bird", Expectation.SAME)


def test_a_template_makes_at_most_five_pairs_of_a_kind() -> None:
    tails = ["fly", "sing", "swim", "walk", "eat worms", "build a nest", "lay eggs", "sleep"]
    facts = [Triple("bird", "CapableOf", tail) for tail in tails]
    assert len(pairs_of(FLY, studio({"a.jpg": {"bird"}}, facts), FIX_A)) == 5


def test_a_question_of_the_other_side_is_never_asked() -> None:
    facts = [Triple("bird", "CapableOf", tail) for tail in ("fly", "sing")]
    assert not pairs_of(FLY, studio({"a.jpg": {"bird"}}, facts, ("which object can SING",)), FIX_A)


def test_the_least_used_image_is_taken_first() -> None:
    uses = Uses()
    assert [uses.take(["b", "a"]) for _ in range(4)] == ["a", "b", "a", "b"]


def test_offensive_facts_are_blocked_and_a_user_can_reject_more(tmp_path: Path) -> None:
    path = tmp_path / "reject.txt"
    path.write_text("# mine\na cat|/r/Desires|to chase mice\n*|IsA|noun\n")
    screen = Screen(key_of, read_rejects(path, key_of))
    assert screen.stops("a dog", "CapableOf", "killing people") == "blocked"
    assert not screen.stops("a dog", "CapableOf", "hanging around")
    assert screen.stops("cats", "Desires", "chase mice") == "rejected"
    assert screen.stops("tree", "IsA", "a noun") == "rejected"
    assert not screen.stops("cat", "IsA", "animal")
    path.write_text("cat, Desires, mice\n")
    with pytest.raises(BadInputError, match=r"reject\.txt:1: .* is not head\|relation\|tail"):
        read_rejects(path, key_of)


@pytest.fixture(scope="module")
def out(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fvqa2") / "out"
    assert run("build", "fvqa2", "--data", str(data), "--out", str(folder)) == 0
    return folder


def test_the_default_config_is_the_adversarial_test_of_all_folds(out: Path) -> None:
    found = load_dataset(str(out))
    assert list(found) == ["adversarial"]
    rows = found["adversarial"]
    assert {"fvqa2.fix_q", "fvqa2.fix_a"} == set(rows["test"])
    assert len(set(rows["pair_id"])) == len(rows)


def test_shards_without_pairs_leave_no_empty_row_groups(data: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    from diptych.builders import engine

    old = engine.SHARD_ROWS
    try:
        engine.SHARD_ROWS = 3  # small enough that some shards hold nothing but skips
        assert run("build", "fvqa2", "--data", str(data), "--out", str(tmp_path / "o"), "--config", "fold_0") == 0
    finally:
        engine.SHARD_ROWS = old
    for path in (tmp_path / "o").rglob("*.parquet"):
        groups = pq.ParquetFile(path).metadata
        assert all(groups.row_group(index).num_rows for index in range(groups.num_row_groups))


def test_originating_questions_are_those_of_the_adversarial_pairs(out: Path) -> None:
    folds = load_dataset(str(out), "fold_0")
    assert set(folds["originating"]["source_id"]) == set(folds["adversarial"]["source_id"])
    assert set(folds["originating"]["source_id"]) <= set(folds["test"]["source_id"])


def assert_nothing_leaks(data: Path, splits: dict[str, list[tuple[str, Pair | Skip]]], number: int) -> int:
    fold = read_sources(data).folds[number]
    made = {split: [pair for _, pair in splits[split] if isinstance(pair, Pair)] for split in SPLITS}
    test, train = made["adversarial"], made["augmentation"]
    of_train, of_test = ({plain(pair.original.question) for pair in made[side]} for side in ("train", "test"))
    assert {side.image_id for pair in test for side in (pair.original, pair.perturbed)} <= fold.test
    assert {side.image_id for pair in train for side in (pair.original, pair.perturbed)} <= fold.train
    assert not {pair.template_id for pair in test} & {pair.template_id for pair in train}
    asked, taught = ({plain(pair.perturbed.question) for pair in side} for side in (test, train))
    assert not asked & of_train
    assert not taught & of_test
    assert not asked & taught
    readings = read_sources(data).extracted.readings
    learned = {readings[pair.source_id.partition("/")[2]][1] for pair in made["train"] if _has(readings, pair)}
    assert not {pair.template_id for pair in test} & learned
    return len(test)


def _has(readings: Any, pair: Pair) -> bool:
    return pair.source_id.partition("/")[2] in readings


def test_nothing_of_one_side_reaches_the_other(data: Path) -> None:
    from diptych.builders.fvqa2.planning import gather

    sources = read_sources(data)
    knowledge, _ = gather(sources, data, None, 2.3)
    for number in range(5):
        assert_nothing_leaks(data, plan_fold(number, sources, sources.extracted, knowledge).splits, number)


def test_a_shared_template_is_left_to_the_train_side(data: Path) -> None:
    manifest = read_sources(data)
    plan = plan_fold(0, manifest, manifest.extracted, Knowledge())
    assert (FIX_Q, LEARNED) in plan.splits["adversarial"]


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
    assert "is not float" in capsys.readouterr().err
