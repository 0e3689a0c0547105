"""How far reviewers agree: the numbers of scikit-learn and statsmodels."""

from math import isnan
from pathlib import Path
from random import Random

import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa, to_table
from statsmodels.stats.proportion import proportion_confint

from diptych.report.review import ReviewItem, merge_files
from diptych.report.review import _agreement as agreement
from diptych.report.review._agreement import measure_agreement, measure_share
from tests.report.review.conftest import write_sheet


def draw(reviewers: int, items: int = 200) -> list[list[str]]:
    """Labels of reviewers who agree more often than not."""
    rng = Random(reviewers)
    truths = [rng.choice("ny") for _ in range(items)]
    return [[truth if rng.random() < 0.8 else rng.choice("ny") for _ in range(reviewers)] for truth in truths]


def test_two_reviewers_have_cohens_kappa() -> None:
    labels = draw(2)
    result = measure_agreement(labels)
    assert (result["name"], result["items"]) == ("Cohen's kappa", 200)
    assert result["value"] == cohen_kappa_score(*zip(*labels, strict=True))


def test_cohens_kappa_has_the_interval_of_statsmodels() -> None:
    table = cohens_kappa(to_table([[int(label == "y") for label in labels] for labels in draw(2)], 2)[0])
    result = measure_agreement(draw(2))
    assert (result["low"], result["high"]) == pytest.approx((table.kappa_low, table.kappa_upp))


@pytest.mark.parametrize("reviewers", [3, 5])
def test_more_reviewers_have_fleiss_kappa(reviewers: int) -> None:
    labels = draw(reviewers)
    result = measure_agreement(labels)
    assert (result["name"], result["value"]) == ("Fleiss' kappa", fleiss_kappa(aggregate_raters(labels)[0]))


def test_fleiss_kappa_is_that_of_the_textbook() -> None:
    # Fleiss' table of 1971 in its usual small form.
    table = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    labels = [[str(kind) for kind, count in enumerate(row) for _ in range(count)] for row in table]
    assert measure_agreement(labels)["value"] == pytest.approx(0.210, abs=5e-4)


def test_without_statsmodels_fleiss_kappa_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "find_spec", lambda _: None)
    result = measure_agreement(draw(3))
    assert isnan(result["value"])
    assert 'pip install "diptych[review]"' in result["reason"]
    assert measure_agreement(draw(2))["value"] == cohen_kappa_score(*zip(*draw(2), strict=True))


@pytest.mark.parametrize("labels", [[], [["y"]], [["y", "y"]] * 5])
def test_kappa_that_is_undefined_has_a_reason(labels: list[list[str]]) -> None:
    result = measure_agreement(labels)
    assert isnan(result["value"])
    assert result["reason"]


@pytest.mark.parametrize(("count", "total"), [(0, 10), (7, 10), (10, 10), (199, 500)])
def test_a_share_has_wilsons_interval(count: int, total: int) -> None:
    share = measure_share(count, total)
    assert (share["low"], share["high"]) == pytest.approx(proportion_confint(count, total, method="wilson"))


def test_agreement_is_measured_over_the_items_that_everybody_judged(tmp_path: Path, items: list[ReviewItem]) -> None:
    verdicts = ["accepted", "rejected", "accepted", "accepted", "rejected"]
    columns = [dict(zip((item.item_id for item in items), verdicts, strict=False)) for _ in range(2)]
    columns[1][items[2].item_id] = "rejected"
    columns[1][items[11].item_id] = "accepted"
    sheets = [write_sheet(tmp_path / f"{number}.json", str(number), column) for number, column in enumerate(columns)]
    report = merge_files(sheets, items)[1]
    first, second = list("ynyyn"), list("ynnyn")
    assert report["agreement"]["items"] == 5
    assert report["agreement"]["value"] == cohen_kappa_score(first, second)
    assert report["agreement"]["same"]["value"] == 0.8
    (test,) = report["tests"].values()
    assert test["agreement"] == report["agreement"]
    assert test["passed"] == measure_share(2, 5)
