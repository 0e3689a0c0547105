"""The numbers that the papers print: of known scores and tests, and in agreement with each other where they must be."""

import pytest

from diptych.builders import PrintedTable, dataset_names, get_dataset
from diptych.metrics import r_score
from diptych.metrics.paired_vqa.families import DERIVED, RATES

TABLES = [(name, table) for name in dataset_names() for table in get_dataset(name).spec.printed]
every_table = pytest.mark.parametrize(("name", "table"), TABLES, ids=lambda value: getattr(value, "title", value))


def tables(dataset: str, name: str) -> list[PrintedTable]:
    return [table for table in get_dataset(dataset).spec.printed if table.name == name]


def values(table: PrintedTable, model: str) -> dict[str, float]:
    """The numbers of a model by header, with the test before it where a table has several."""
    numbers = [number for number in table.numbers() if number.model == model]
    return {f"{number.column.test} {number.column.header}": number.value for number in numbers}


@every_table
def test_numbers_are_of_scores_and_tests_that_exist(name: str, table: PrintedTable) -> None:
    spec = get_dataset(name).spec
    tests = {test for config in spec.configs for test in config.tests}
    assert table.citation
    assert table.name.startswith("Table ")
    assert set(table.configs) <= {config.name for config in spec.configs}
    for number in table.numbers():
        assert number.column.score in RATES | DERIVED
        assert number.column.test in tests | {""}
        assert 0 <= number.value <= 1


@pytest.mark.parametrize("number", range(8, 13))
def test_accuracy_is_the_mean_of_both_sides_and_no_less_than_comprehensive_accuracy(number: int) -> None:
    (table,) = tables("carets", f"Table {number}")
    for model in table.rows:
        accuracy, original, perturbed, consistency, both = values(table, model).values()
        assert accuracy == pytest.approx((original + perturbed) / 2, abs=1.01e-4)
        if not (model == "Human" and table.note):  # which says that these contradict each other
            assert both <= min(original, perturbed, consistency)


@pytest.mark.parametrize("table", get_dataset("bqd").spec.printed, ids=lambda table: table.name)
def test_r_score_is_that_of_the_first_partition(table: PrintedTable) -> None:
    for model in table.rows:
        accuracies, score = list(values(table, model).values())[:-1], list(values(table, model).values())[-1]
        assert r_score(accuracies[0] - accuracies[1]) == pytest.approx(score, abs=0.0051)
        assert accuracies[0] > max(accuracies[1:])


def test_reductions_are_those_of_the_accuracies_but_for_one_misprint() -> None:
    differing = []
    for table in tables("kb-counterfactuals", "Table 3"):
        numbers = list(values(table, "ViLT").values())
        for place in range(0, len(numbers), 3):
            before, after, reduction = numbers[place : place + 3]
            if reduction != pytest.approx((before - after) / before, abs=0.0016):
                differing.append((table.configs, before, reduction))
    assert differing == [(("vqa_v2",), 0.751, 0.206)]
    assert "24.2" in tables("kb-counterfactuals", "Table 3")[0].note


def test_augmentation_improves_by_what_is_printed() -> None:
    (table,) = tables("fvqa2", "Table 2")
    gains = {"ZS-F-VQA": 0.2409, "TRiG": 0.1093, "RAVQA-NoDPR": 0.1090, "RAVQA-DPR": 0.0814}
    for model, gain in gains.items():
        before, after = (values(table, name)[" Adversarial Test Set"] for name in (model, f"{model}, augmented"))
        assert after - before == pytest.approx(gain, abs=1e-9)


def test_every_model_of_rad_has_both_numbers_of_every_test() -> None:
    rad, accuracy = tables("rad-cads", "Table 2"), tables("rad-cads", "Table 3")
    for first, second in zip(rad, accuracy, strict=True):
        assert first.configs == second.configs
        for model in first.rows:
            assert set(values(first, model)) == set(values(second, model))


def test_a_deviation_is_read_beside_its_mean() -> None:
    number = next(tables("fvqa2", "Table 2")[0].numbers())
    assert (number.value, number.sd) == pytest.approx((0.4816, 0.0103))
