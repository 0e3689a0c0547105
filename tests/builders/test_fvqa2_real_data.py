"""fvqa2 on FVQA itself: how much it makes, that it refills, and that the official folds stay apart."""

from collections import Counter
from pathlib import Path

import pytest
from diptych.builders.fvqa2.extraction import Reading, read_question
from diptych.builders.fvqa2.planning import gather, plan_fold, read_sources
from diptych.builders.fvqa2.templating import refills

from diptych.builders.fvqa2 import open_graph
from diptych.pairs import Pair
from tests.builders.test_fvqa2 import assert_nothing_leaks
from tests.builders.test_fvqa2_balancing import assert_even

pytestmark = [pytest.mark.slow, pytest.mark.real_data]


def test_hundreds_of_templates_are_found_and_nine_in_ten_slots_refill(real_data: Path) -> None:
    sources = read_sources(real_data)
    readings = [found for found in map(read_question, sources.questions) if isinstance(found, Reading)]
    assert len(sources.extracted.templates) >= 400
    assert sum(map(refills, readings)) >= 0.9 * len(readings)


def test_the_official_folds_make_thousands_of_pairs_and_stay_apart(real_data: Path) -> None:
    sources = read_sources(real_data)
    graph, _ = open_graph(real_data, "dump", sources.gallery.names.values())
    knowledge, kept_out = gather(sources, real_data, graph, 2.3)
    plans = [plan_fold(number, sources, sources.extracted, knowledge) for number in range(5)]
    made = [assert_nothing_leaks(real_data, plan.splits, number) for number, plan in enumerate(plans)]
    assert sum(made) >= 2500
    assert kept_out["blocked"] > 0
    for plan in plans:
        for choices in plan.choices.values():
            assert_even(choices)
    for plan in plans:
        per_template = Counter(
            (test, pair.template_id) for test, pair in plan.splits["adversarial"] if isinstance(pair, Pair)
        )
        assert max(per_template.values()) <= 5
