"""Score families: every name in the registry means something."""

import pytest

from diptych.metrics import FAMILIES, Options, ScoringError, higher_is_better, score_names, score_pairs
from diptych.metrics.paired_vqa.families import DERIVED, LOWER_IS_BETTER, NEITHER_IS_BETTER, RATES, ScoreFamily
from diptych.metrics.paired_vqa.paired_vqa import PairedVqa
from tests.metrics.rows import pair, prediction


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_a_family_names_known_scores_and_keeps_the_columns_it_groups_by(family: ScoreFamily) -> None:
    assert FAMILIES[family.name] is family
    assert set(score_names(family.name)) <= {*RATES, *DERIVED}
    assert len(set(score_names(family.name))) == len(score_names(family.name))
    assert set(family.groups) <= set(PairedVqa(family.name).features["references"])


def test_the_family_all_has_every_score_group_and_column() -> None:
    everything = FAMILIES["all"]
    assert set(score_names("all")) == {*RATES, *DERIVED}
    assert {group for family in FAMILIES.values() for group in family.groups} == set(everything.groups)
    assert {column for family in FAMILIES.values() for column in family.columns} == set(everything.columns)


def test_an_unknown_family_is_named() -> None:
    with pytest.raises(ScoringError, match=r"unknown score family 'bleu'; known: rad, .*, fvqa2, grouped, all"):
        score_names("bleu")


def test_every_score_that_is_not_better_when_higher_exists() -> None:
    scores = {*RATES, *DERIVED}
    assert scores >= LOWER_IS_BETTER | NEITHER_IS_BETTER
    assert not LOWER_IS_BETTER & NEITHER_IS_BETTER


def test_rates_of_yes_and_no_are_neither_good_nor_bad() -> None:
    assert [higher_is_better(name) for name in score_names("kb")] == [True, True, False, False, None, None, None, False]


def test_groups_are_in_the_order_of_their_numbers() -> None:
    classes = ["50+", "0", "10-49", "a0", "3-9", "a", "1-2", "a00"]
    rows = [pair(name, "red", "no", answer_in_train=name) for name in classes]
    predictions = [prediction(name, "red", "no") for name in classes]
    model = score_pairs(predictions, rows, Options("fvqa2", bootstrap=0), by=("answer_in_train",))
    assert list(model.groups["answer_in_train"]) == ["0", "1-2", "3-9", "10-49", "50+", "a", "a0", "a00"]
