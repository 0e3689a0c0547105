"""Power: sample sizes against formulas of others and against simulated models that the project's own tests compare."""

import json
from math import ceil, isnan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from diptych.cli import main
from diptych.errors import BadInputError
from diptych.metrics import Options, plan_power
from diptych.metrics._comparison import compare
from diptych.metrics._power import detectable_difference, needed_pairs, pairs_to_detect, plan_scores
from diptych.metrics._spread import Crowding, Spread, influence
from diptych.metrics.paired_vqa.columns import CodedColumn
from diptych.metrics.paired_vqa.families import DERIVED, RATES
from diptych.metrics.paired_vqa.references import References, encode_references
from diptych.metrics.paired_vqa.scoring import ModelScores, make_score, score_answers, select_tallies
from tests.metrics.folders import make_folder
from tests.metrics.rows import pair, prediction

Flags = NDArray[np.bool_]
OPTIONS = Options("rad", bootstrap=0)
ONLY_FIRST, ONLY_SECOND, BOTH = 0.2, 0.1, 0.5  # the shares of pairs that only one model or both have right
DIFFERENCE = ONLY_FIRST - ONLY_SECOND
DISCORDANCE = ONLY_FIRST + ONLY_SECOND


# Formulas.


def test_the_number_of_pairs_is_that_of_statsmodels() -> None:
    power = pytest.importorskip("statsmodels.stats.power", reason="needs `pip install statsmodels`")
    for difference, discordance in [(0.02, 0.5), (0.05, 0.2), (0.1, 0.3)]:
        deviations = {"std_null": sqrt(discordance), "std_alternative": sqrt(discordance - difference**2)}
        expected = power.normal_sample_size_one_tail(difference, 0.8, 0.025, **deviations)
        assert pairs_to_detect(difference, discordance - difference**2) == pytest.approx(expected, rel=1e-9)


def test_the_number_of_pairs_is_that_of_mcnemars_test_by_hand() -> None:
    """Connor (1987): (z_a √ψ + z_b √(ψ − d²))² / d²."""
    z_level, z_power = stats.norm.ppf([0.975, 0.8])
    expected = (z_level * sqrt(0.3) + z_power * sqrt(0.3 - 0.01)) ** 2 / 0.01
    assert pairs_to_detect(0.1, 0.3 - 0.01) == pytest.approx(expected, rel=1e-9)


@given(st.floats(0.001, 0.5), st.floats(0.5, 2), st.booleans())
def test_what_the_needed_pairs_show_is_the_difference(difference: float, variance: float, exact: bool) -> None:
    pairs = pairs_to_detect(difference, variance, exact)
    assert detectable_difference(pairs, variance, exact) == pytest.approx(difference)


def test_few_pairs_show_nothing() -> None:
    assert isnan(detectable_difference(9, 0.1))
    assert isnan(detectable_difference(10, 2.0))  # more than there can be


def test_the_design_effect_is_kishs() -> None:
    images = np.repeat(np.arange(30), 5)
    crowding = Crowding.count(np.ones(150), np.arange(150), images)
    assert (crowding.group, crowding.image) == pytest.approx((1, 5))
    assert crowding.design_effect(Spread(0.5, 0.9, 0.25)) == pytest.approx(1 + 4 * 0.25)
    uneven = Crowding.count(np.ones(6), np.arange(6), np.array([0, 0, 0, 0, 1, 2]))
    assert uneven.image == pytest.approx((16 + 1 + 1) / 6)


def test_a_sample_of_groups_is_less_crowded() -> None:
    rng, groups, images = np.random.default_rng(0), np.repeat(np.arange(4000), 2), np.repeat(np.arange(800), 10)
    crowding = Crowding.count(np.ones(8000), groups, images)
    rows = np.flatnonzero(np.isin(groups, rng.permutation(4000)[:1000]))
    thinned = Crowding.count(np.ones(len(rows)), groups[rows], images[rows])
    spread = Spread(0.3, 0.6, 0.2)
    assert crowding.design_effect(spread, 0.25) == pytest.approx(thinned.design_effect(spread), rel=0.02)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 4), st.integers(1, 4))
def test_the_needed_pairs_solve_their_equation(in_group: float, in_image: float, per_group: int, groups: int) -> None:
    count = 3000 * per_group * groups
    codes = np.arange(count)
    crowding = Crowding.count(np.ones(count), codes // per_group, codes // (per_group * groups))
    spread = Spread(0.4, in_group, in_image)
    needed = needed_pairs(crowding, spread, 0.05)
    effect = crowding.design_effect(spread, needed / count)
    assert needed == pytest.approx(pairs_to_detect(0.05, 0.4) * effect, rel=0.002)


# What pairs add to scores.


@pytest.mark.parametrize("name", [*RATES, *DERIVED])
def test_the_influence_of_a_pair_is_what_leaving_it_out_changes(name: str) -> None:
    rng, count = np.random.default_rng(0), 240
    rows = [
        pair(str(number), "yes", "no" if number % 3 else "yes", expectation=["same", "different", "given"][number % 3])
        | {"group_id": str(number // 2), "test": "x.ontological", "prior": "no"}
        for number in range(count)
    ]
    words = np.array(["yes", "no", "what?"])
    columns = [words[rng.choice(3, size=count, p=[0.6, 0.35, 0.05])] for _ in range(2)]
    options = Options("all", bootstrap=0, prior="prior")
    model = score_answers(encode_references(rows), *map(CodedColumn.encode, map(list, columns)), options)
    every_row = np.arange(count)
    tallies = select_tallies(model, every_row, [name])

    def value(tallies: dict[str, Any]) -> float:
        return make_score(name, {rate: tally.sum(axis=1) for rate, tally in tallies.items()}, None, options).value

    values = influence(model, name, every_row, options)
    if isnan(value(tallies)):
        assert np.isnan(values).all()
        return
    changes = [
        value({rate: np.delete(tally, row, axis=1) for rate, tally in tallies.items()}) - value(tallies)
        for row in every_row
    ]
    assert values.mean() == pytest.approx(0, abs=1e-6)
    assert -np.array(changes) * count == pytest.approx(values, abs=0.1 * np.abs(values).max() + 1e-6)


# Simulated models.


def references_of(count: int, per_image: int = 1) -> References:
    return encode_references(
        [pair(str(number), "yes", "yes", original_image_id=str(number // per_image)) for number in range(count)]
    )


def draw(rng: np.random.Generator, count: int, per_image: int = 1, likeness: float = 0.0) -> tuple[Flags, Flags]:
    """Which pairs two models have right; in a share `likeness` of the images, all pairs come out alike.

    The correlation of two pairs of an image is then that share, for either model and for their difference.
    """
    shares = [ONLY_FIRST, ONLY_SECOND, BOTH, 1 - ONLY_FIRST - ONLY_SECOND - BOTH]
    images = -(-count // per_image)
    outcomes = rng.choice(4, size=(images, per_image), p=shares)
    is_alike = rng.random(images) < likeness
    outcomes[is_alike] = outcomes[is_alike, :1]
    flat = outcomes.ravel()[:count]
    return np.isin(flat, (0, 2)), np.isin(flat, (1, 2))


def scored(references: References, original: Flags, perturbed: Flags, options: Options = OPTIONS) -> ModelScores:
    columns = (CodedColumn(side.astype(np.int64), ["no", "yes"]) for side in (original, perturbed))
    return score_answers(references, *columns, options)


def scored_pair(references: References, flags: tuple[Flags, Flags]) -> list[ModelScores]:
    everything = np.ones(len(references), dtype=np.bool_)
    return [scored(references, everything, right) for right in flags]


def test_mcnemars_test_has_the_stated_power_at_the_stated_number_of_pairs() -> None:
    count = round(pairs_to_detect(DIFFERENCE, DISCORDANCE - DIFFERENCE**2, exact=True))
    references, rounds = references_of(count), 1000
    rejections = 0
    for seed in range(rounds):
        models = scored_pair(references, draw(np.random.default_rng(seed), count))
        rejections += compare(*models, OPTIONS)["rad.t"]["accuracy_perturbed"].p < 0.05
    assert rejections / rounds == pytest.approx(0.8, abs=3 * sqrt(0.16 / rounds))


@pytest.mark.slow
@pytest.mark.parametrize(("per_image", "likeness"), [(1, 0.0), (5, 0.3)])
@pytest.mark.parametrize("name", ["accuracy_perturbed", "rad_forward"])
def test_the_bootstrap_over_images_has_the_stated_power(name: str, per_image: int, likeness: float) -> None:
    """A pilot tells how much models differ and how alike the pairs of an image are; then 80 of 100 runs show it.

    RAD is of the pairs that a model has right, so that each model has other pairs below the line.
    """

    def models_of(references: References, rng: np.random.Generator) -> list[ModelScores]:
        flags = draw(rng, len(references), per_image, likeness)
        originals = rng.random((2, len(references))) < 0.6
        return [scored(references, original, right) for original, right in zip(originals, flags, strict=True)]

    pilot = models_of(references_of(20_000, per_image), np.random.default_rng(99))
    plan = plan_scores(references_of(50, per_image), OPTIONS, DIFFERENCE, pilot=pilot)["rad.t"][name]
    count = -(-plan.needed[0] // per_image) * per_image
    references, rounds, rejections = references_of(count, per_image), 500, 0
    for seed in range(rounds):
        models = models_of(references, np.random.default_rng(seed))
        entry = compare(*models, Options("rad", bootstrap=400, seed=seed))["rad.t"][name]
        rejections += entry.p_bootstrap < 0.05
    # McNemar's exact test needs a few pairs more than the bootstrap does, and they are in the plan.
    expected = 0.8 if name == "rad_forward" else 0.82
    assert rejections / rounds == pytest.approx(expected, abs=3 * sqrt(0.16 / rounds))


def test_a_pilot_tells_the_variance_and_the_likeness_of_pairs() -> None:
    references = references_of(20_000, 5)
    pilot = scored_pair(references, draw(np.random.default_rng(99), 20_000, 5, 0.3))
    plan = plan_scores(references_of(50, 5), OPTIONS, DIFFERENCE, pilot=pilot)["rad.t"]["accuracy_perturbed"]
    variance = DISCORDANCE - DIFFERENCE**2
    assert plan.variance == pytest.approx(variance, rel=0.05)
    assert plan.in_image[0] == plan.in_image[1] == pytest.approx(0.3, abs=0.03)
    assert plan.needed[0] == pytest.approx(pairs_to_detect(DIFFERENCE, variance, exact=True) * (1 + 4 * 0.3), rel=0.1)


def test_the_interval_of_a_sample_is_as_wide_as_foretold() -> None:
    """A tenth of the pairs of crowded images: single pairs are drawn, so that images thin out."""
    rng, per_image, likeness = np.random.default_rng(5), 8, 0.4
    references = references_of(16_000, per_image)
    model = scored_pair(references, draw(rng, 16_000, per_image, likeness))[0]
    plan = plan_scores(references, OPTIONS, 0.02, 1600, [model])["rad.t"]["accuracy_perturbed"]
    rights = model.outcome.perturbed.right
    widths = []
    for seed in range(20):
        rows = np.sort(np.random.default_rng(seed).permutation(16_000)[:1600])
        table = references.table.take(rows)
        score = scored(encode_references(table), rights[rows], rights[rows], Options("rad", bootstrap=1000)).overall
        low, high = score["accuracy_perturbed"].bootstrap
        widths.append((high - low) / 2)
    assert plan.sample == 1600
    assert plan.sample_half_width[0] == plan.sample_half_width[1] == pytest.approx(np.mean(widths), rel=0.05)
    naive = 1.96 * sqrt(rights.mean() * (1 - rights.mean()) / 1600)
    assert plan.sample_half_width[0] > 1.05 * naive


# Folders and the command.

ROWS = [
    pair(f"p{number}", "yes", "no", test=f"rad.{number % 2}", original_image_id=str(number // 4))
    for number in range(40)
]


@pytest.fixture
def built(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "out", {"vqa": {"validation": ROWS}}).path


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main([str(arg) for arg in args])
    captured = capsys.readouterr()
    return int(stopped.value.code or 0), captured.out, captured.err


def test_without_a_pilot_the_plan_is_cautious_and_a_range(built: Path) -> None:
    from diptych.folder import open_folder

    plan = plan_power(open_folder(built), 0.02, sample=20)
    entry = plan.scores["all"]["accuracy_perturbed"]
    assert entry.variance == 0.5
    independent = pairs_to_detect(0.02, 0.5, exact=True)
    assert entry.needed == (ceil(independent), ceil(independent * (1 + 3 * 0.2)))  # ten images of four
    assert plan.scores["all"]["rad_forward"].variance == 1.0
    assert (entry.pairs, entry.sample, plan.scores["rad.1"]["accuracy_perturbed"].sample) == (40, 20, 10)
    assert entry.detectable[0] < entry.detectable[1] < entry.sample_detectable[1]
    assert plan.scores["all"]["consensus_4"].reason.startswith("is undefined")
    assert "No pilot" in plan.as_text()


def test_the_command_prints_a_table_or_json(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "power", built, "--detect", "5", "--sample", 20)
    assert code == 0
    assert "needed for 5 points" in out
    file = built.parent / "p.jsonl"
    rows = [prediction(f"p{number}", "yes", "no" if number % 3 else "yes") for number in range(20)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    code, out, _ = run(capsys, "power", built, "--predictions", file, "--json")
    plan = json.loads(out)
    assert (plan["difference"], plan["pilot_models"], plan["pairs"]) == (0.02, 1, 40)
    entry = plan["scores"]["all"]["accuracy_perturbed"]
    share = 13 / 20
    assert entry["variance"] == pytest.approx(2 * share * (1 - share), abs=1e-3)
    assert plan["scores"]["all"]["accuracy_original"]["reason"].startswith("does not vary in the pilot")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--detect", "0"], "--detect 0: must be more than 0"),
        (["--detect", "100"], "--detect 100: must be more than 0 and less than 100"),
        (["--sample", "41"], "--sample 41: vqa has 40 pairs"),
        (["--predictions", "nowhere.jsonl"], "nowhere.jsonl: not found"),
        (["--family", "nothing"], "unknown score family 'nothing'"),
    ],
)
def test_what_cannot_be_planned_is_one_line(
    built: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], problem: str
) -> None:
    code, _, err = run(capsys, "power", built, *arguments)
    assert code == 2
    assert problem in err
    assert err.count("\n") == 1


def test_r_score_is_planned_only_where_there_is_a_drop() -> None:
    references = references_of(400)
    options, places = Options("bqd", bootstrap=0), np.arange(400)
    original, lower, same = places % 10 < 8, places // 10 % 10 < 7, places // 10 % 10 < 8
    plans = {
        name: plan_scores(references, options, 0.02, pilot=[scored(references, original, side, options)])
        for name, side in (("drop", lower), ("none", same))
    }
    assert plans["none"]["rad.t"]["r_score"].reason.startswith("is not smooth where the drop is zero")
    assert plans["drop"]["rad.t"]["r_score"].needed[0] > 0
    with pytest.raises(BadInputError, match="--detect"):
        plan_power(None, 2.0)  # type: ignore[arg-type]
