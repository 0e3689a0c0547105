"""Score families: every name in the registry means something."""

import pytest

from diptych.metrics import FAMILIES, ScoringError, score_names
from diptych.metrics.paired_vqa.families import DERIVED, RATES, ScoreFamily
from diptych.metrics.paired_vqa.paired_vqa import PairedVqa


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
