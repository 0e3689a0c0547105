"""fvqa2's templates: borrowed questions, people's own words, and facts that the two sides of a fold share or not."""

from typing import Any

import pytest

from diptych.builders.fvqa2._drafts import FIX_A, FIX_Q
from diptych.builders.fvqa2._folds import HELD_OUT, TRAIN_TEMPLATE, FoldRules
from diptych.builders.fvqa2._knowledge import Triple
from diptych.builders.fvqa2._records import read_candidate
from diptych.builders.fvqa2._rewordings import use_templates
from diptych.errors import BadTemplateError
from diptych.templates import Template, TemplateSet, find_schema
from tests.builders.fvqa2.small_world import fold_pairs, pairs_only, question, templates_of

FLY = question("Which object can fly?", "bird", "bird", "CapableOf", "fly")
NEST = [Triple("bird", "CapableOf", tail) for tail in ("fly", "build a nest", "lay eggs")]
NEST += [Triple("kite", "CapableOf", "fly")]
THINGS = {"a.jpg": {"bird"}, "b.jpg": {"kite"}}


def own(text: str, **fields: Any) -> TemplateSet:
    values = {"relation": "CapableOf", "slot": "tail", "form": "base", **fields}
    return TemplateSet("fvqa2", (Template("mine", "fvqa2.mine", text, values),))


def test_a_new_template_words_both_sides_and_the_question_of_fvqa_is_kept() -> None:
    templates = own("What here is able to {{ entity | base }}?")
    (fix_q,) = pairs_only(fold_pairs([FLY], THINGS, NEST, FIX_Q, templates=templates))
    assert fix_q.original.question == fix_q.perturbed.question == "What here is able to fly?"
    assert (fix_q.template_id, fix_q.bindings["asked"]) == ("mine", "Which object can fly?")
    (fix_a,) = pairs_only(fold_pairs([FLY], THINGS, NEST, FIX_A, templates=templates))
    assert fix_a.perturbed.question in {"What here is able to build a nest?", "What here is able to lay eggs?"}


def test_a_new_template_asks_for_the_kind_in_its_words() -> None:
    templates = own("Which animal is able to {{ entity | base }}?")
    assert not pairs_only(fold_pairs([FLY], THINGS, NEST, FIX_Q, templates=templates))


def test_a_new_template_in_the_words_of_a_train_question_makes_no_adversarial_pair() -> None:
    train = question("Which object can swim?", "fish", "fish", "CapableOf", "swim", id="2", image="t.jpg")
    templates = own("Which object can {{ entity | base }}?")
    outcomes = fold_pairs([FLY], THINGS, NEST, FIX_Q, train=[train], templates=templates)
    assert not pairs_only(outcomes)
    assert TRAIN_TEMPLATE.of(FIX_Q) in outcomes


def test_an_edited_template_rewords_its_questions() -> None:
    (template,) = templates_of([read_candidate(FLY)]).values()
    fields = dict(template.fields)
    edited = Template(template.id, template.test, "What here can {{ entity | base }}?", fields)
    (pair,) = pairs_only(fold_pairs([FLY], THINGS, NEST, FIX_Q, templates=TemplateSet("fvqa2", (edited,))))
    assert pair.perturbed.question == "What here can fly?"


def test_a_template_as_it_was_read_off_changes_nothing() -> None:
    extracted = templates_of([read_candidate(FLY)])
    wordings = use_templates(extracted, TemplateSet("fvqa2", tuple(extracted.values())))
    assert (wordings.edited, wordings.new, wordings.templates) == (frozenset(), frozenset(), extracted)


def test_a_template_of_another_dataset_is_named() -> None:
    template = Template("color.of", "rad.yn_from_color", "Is the color of {{ subject }} red?")
    with pytest.raises(BadTemplateError, match=r"'color\.of': not a template of fvqa2"):
        use_templates({}, TemplateSet("fvqa2", (template,)))


def test_a_template_borrows_questions_up_to_five_pairs() -> None:
    # One question has the template, the others share theirs with a train question.
    tails = ["sing", "hunt mice", "lay eggs", "build a nest", "catch fish", "dive", "climb trees"]
    questions = [question("What here is able to fly?", "bird", "bird", "CapableOf", "fly", id="1")]
    names = ["owl", "parrot", "eagle", "swan", "duck", "crow", "hawk"]
    for number, (name, tail) in enumerate(zip(names, tails, strict=True), start=2):
        questions.append(question(f"Which object can {tail}?", name, name, "CapableOf", tail, id=str(number)))
    train = question("Which object can swim?", "fish", "fish", "CapableOf", "swim", id="99", image="t.jpg")
    triples = [Triple(name, "CapableOf", tail) for name in names for tail in tails]
    things = {"a.jpg": set(names), "b.jpg": {"bird"}}
    pairs = pairs_only(fold_pairs(questions, things, triples, FIX_A, train=[train]))
    assert len(pairs) == 5
    assert len({pair.original.answer for pair in pairs}) == 5
    assert all(pair.perturbed.question.startswith("What object here is able to ") for pair in pairs)


def test_facts_of_adversarial_pairs_can_be_held_out_of_the_augmentation() -> None:
    train = question("Which object might sing?", "bird", "bird", "CapableOf", "sing", id="2", image="t.jpg")
    triples = [Triple("bird", "CapableOf", tail) for tail in ("fly", "sing", "build a nest")]
    options: dict[str, Any] = {"train": [train], "split": "augmentation", "train_things": {"t.jpg": {"bird"}}}
    things = {"a.jpg": {"bird"}}
    shared = pairs_only(fold_pairs([FLY], things, triples, FIX_A, **options))
    assert "Which object might build a nest?" in {pair.perturbed.question for pair in shared}
    rules = FoldRules(keeps_facts_apart=True)
    outcomes = fold_pairs([FLY], things, triples, FIX_A, rules=rules, **options)
    assert "Which object might build a nest?" not in {pair.perturbed.question for pair in pairs_only(outcomes)}
    triples.remove(Triple("bird", "CapableOf", "fly"))
    assert HELD_OUT.of(FIX_A) in fold_pairs([FLY], things, triples, FIX_A, rules=rules, **options)


def test_the_schema_knows_the_relations_that_are_asked_about() -> None:
    from diptych.builders.fvqa2._knowledge import RELATIONS

    schema = find_schema("fvqa2")
    assert schema is not None
    assert set(schema.relations) >= RELATIONS


def test_templates_that_differ_in_the_preposition_of_a_place_are_one() -> None:
    # Each place takes its own preposition, so that both could ask the same questions.
    zoo = question("Which object is found in a zoo?", "dog", "dog", "AtLocation", "a zoo")
    corner = question("Which object is found on a street corner?", "dog", "dog", "AtLocation", "street corner")
    first, second = (read_candidate(asked).template_id for asked in (zoo, corner))
    assert first == second != ""
