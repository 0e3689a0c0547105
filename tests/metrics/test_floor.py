"""The noise floor: what asking twice costs, against simulated models whose noise is known."""

import json
from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diptych
from diptych.errors import BadInputError
from diptych.metrics import Options
from diptych.metrics._floor import NoiseFloor, measure_floor
from diptych.metrics.paired_vqa.families import CONSISTENCIES
from diptych.metrics.paired_vqa.references import References, encode_references
from tests.metrics.folders import make_folder
from tests.metrics.rows import pair, prediction

WORDS = np.array(["no", "yes", "zebra crossing?!"])  # the last cannot be read as a reply to a yes/no question
HEADER = {
    "diptych": "predictions",
    "version": 1,
    "model": "m",
    "revision": "r1",
    "prompt_hash": "ab",
    "decoding": {"temperature": 0.0, "seed": 1},
    "dataset": "tiny",
    "arm": "full",
}


def pairs(count: int, expectations: tuple[str, ...] = ("same",), per_image: int = 4) -> References:
    """Yes/no pairs; the right answers of a pair differ where they must."""
    rows = []
    for number in range(count):
        expectation = expectations[number % len(expectations)]
        perturbed = "no" if expectation == "different" else "yes"
        place = {"original_image_id": str(number // per_image), "test": f"x.ontological.{expectation}"}
        place["bindings"] = '{"attribute": "white", "opposite": "black"}'
        rows.append(pair(str(number), "yes", perturbed, expectation=expectation, **place))
    return encode_references(rows)


def answers(original: Any, perturbed: Any) -> dict[str, list[str]]:
    """Predictions from codes of `WORDS`, which may be truth values."""
    columns = {"original": original, "perturbed": perturbed}
    texts = {side: WORDS[np.asarray(codes, dtype=np.int64)].tolist() for side, codes in columns.items()}
    return {"pair_id": [str(number) for number in range(len(texts["original"]))], **texts}


def floor_of(references: References, first: Any, second: Any, **options: Any) -> NoiseFloor:
    return measure_floor(references, first, second, Options("all", **({"bootstrap": 200} | options)), ("test",))


def all_floors(floor: NoiseFloor) -> Iterator[tuple[str, Any]]:
    for scores in floor.parts().values():
        yield from scores.items()


@pytest.mark.parametrize("seed", range(5))
def test_the_same_answers_again_have_no_floor(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first = answers(*rng.integers(0, 3, size=(2, 120)))
    floor = floor_of(pairs(120, ("same", "different", "given", "open")), first, first)
    seen = set()
    for name, entry in all_floors(floor):
        if not isnan(entry.score.value):
            seen.add(name)
            assert (entry.floor.value, entry.floor.bootstrap) == (0.0, (0.0, 0.0))
            assert entry.above == pytest.approx(entry.shortfall, abs=1e-12)
    assert seen == set(CONSISTENCIES)
    assert all(counts.changed == counts.unread_once == 0 for counts in floor.changes.values())


def test_the_shortfall_of_a_pure_consistency_is_what_it_lacks_to_one() -> None:
    rng = np.random.default_rng(1)
    first, second = (answers(*rng.integers(0, 2, size=(2, 200))) for _ in range(2))
    floor = floor_of(pairs(200, ("same", "given")), first, second)
    for name in ("rad_forward", "rad_backward", "self_consistency", "ontological_consistency", "r_score"):
        assert floor.overall[name].shortfall == pytest.approx(1 - floor.overall[name].score.value)
    for name in ("answer_change_rate", "accuracy_drop", "relative_reduction"):
        assert floor.overall[name].shortfall == pytest.approx(floor.overall[name].score.value)
    both = floor.overall["accuracy_both"]  # what is wrong already when it is asked once is no inconsistency
    right = np.mean([text == "yes" for text in first["original"]])
    assert both.shortfall == pytest.approx(right - both.score.value)


def test_floors_of_a_small_case_by_hand() -> None:
    """Six questions: four right at first, of which three are right again; one more is right only the second time."""
    first = answers([1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 0, 0])
    second = answers([1, 1, 1, 0, 1, 0], [1, 1, 0, 0, 0, 0])
    floor = floor_of(pairs(6), first, second).overall
    values = {name: (floor[name].shortfall, floor[name].floor.value, floor[name].above) for name in CONSISTENCIES}
    assert values["self_consistency"] == pytest.approx((2 / 6, 2 / 6, 0))
    assert values["rad_forward"] == pytest.approx((2 / 4, 1 / 4, 1 / 4))
    assert values["rad_backward"] == pytest.approx((0, 1 / 4, -1 / 4))
    assert values["comprehensive_accuracy"] == pytest.approx((2 / 6, 1 / 6, 1 / 6))
    assert values["accuracy_drop"] == pytest.approx((2 / 6, 0, 2 / 6))
    assert floor["rad_forward"].floor.n == 4
    assert floor["rad_forward"].floor.wilson == pytest.approx((0.0456, 0.6994), abs=1e-4)


def test_random_second_answers_have_the_floor_of_chance() -> None:
    rng, count = np.random.default_rng(0), 20_000
    first = answers(rng.random(count) < 0.8, rng.random(count) < 0.8)
    second = answers(*rng.integers(0, 2, size=(2, count)))
    floor = floor_of(pairs(count), first, second, bootstrap=0).overall
    chance = {"self_consistency": 0.5, "rad_forward": 0.5, "rad_backward": 0.2, "answer_change_rate": 0.5}
    chance |= {"comprehensive_accuracy": 0.4, "accuracy_drop": 0.3}
    for name, expected in chance.items():
        assert floor[name].floor.value == pytest.approx(expected, abs=4 * np.sqrt(0.25 / count) * 1.5)
    assert isnan(floor["self_consistency"].low)


def test_what_a_perturbation_costs_a_model_without_noise_is_all_above_the_floor() -> None:
    right = np.arange(100) < 70
    first = answers(right, right ^ (np.arange(100) % 5 == 0))
    entry = floor_of(pairs(100), first, first).overall["self_consistency"]
    assert (entry.shortfall, entry.floor.value, entry.above) == pytest.approx((0.2, 0.0, 0.2))
    assert entry.low > 0


def test_score_and_floor_are_resampled_together() -> None:
    """Where the perturbed side is answered exactly as the second asking was, every resample has the same two."""
    rng = np.random.default_rng(2)
    first, second = rng.integers(0, 2, size=(2, 300))
    floor = floor_of(pairs(300), answers(first, second), answers(second, second))
    for name in ("self_consistency", "rad_forward", "comprehensive_accuracy", "answer_change_rate", "r_score"):
        entry = floor.overall[name]
        assert (entry.above, entry.low, entry.high) == (0.0, 0.0, 0.0)
        assert entry.floor.bootstrap[0] < entry.floor.bootstrap[1]


COVERED = ("self_consistency", "rad_forward", "comprehensive_accuracy", "answer_change_rate", "accuracy_drop")


@pytest.mark.parametrize("expectation", ["same", "different"])
def test_noise_alone_is_not_above_the_floor(expectation: str) -> None:
    """The interval covers zero in about 95 of 100 runs of a model that a perturbation does nothing to."""
    rounds, references = 400, pairs(320, (expectation,))
    hits = dict.fromkeys((*COVERED, "r_score"), 0)
    for seed in range(rounds):
        rng = np.random.default_rng(seed)
        ease = np.repeat(rng.beta(6, 2, size=80), 4)  # questions about an image are hard or easy together
        asked = rng.random((3, 320)) < ease
        perturbed = asked[2] if expectation == "same" else ~asked[2]
        # The perturbed question has the other right answer, and is hit as often.
        floor = floor_of(references, answers(asked[0], perturbed), answers(asked[1], perturbed), seed=seed).overall
        for name in hits:
            hits[name] += floor[name].low <= 0 <= floor[name].high
    margin = 3 * np.sqrt(0.95 * 0.05 / rounds)
    for name in COVERED if expectation == "same" else COVERED[:3]:
        assert hits[name] / rounds == pytest.approx(0.95, abs=margin + 0.005), name
    # R_score bends where the drop is zero: its interval is too wide there rather than too narrow.
    assert hits["r_score"] / rounds >= 0.95 - margin


def test_changed_answers_are_of_distinct_questions_and_unread_ones_are_counted() -> None:
    rows = [
        pair(
            str(number), "yes", "yes", expectation="same", original_question=question, perturbed_question=f"Q{number}?"
        )
        | {"original_image_id": "i"}
        for number, question in enumerate(["A?", "A?", "B?", "C?", "D?"])
    ]
    first, second = answers([1, 1, 1, 1, 2], [1, 1, 1, 1, 1]), answers([0, 0, 1, 2, 2], [0, 1, 1, 1, 1])
    floor = floor_of(encode_references(rows), first, second)
    assert str(floor.changes["original"]) == "1 of 2 (50.0 %, 9.5 … 90.5 %; in addition, 1 unread once and 1 twice)"
    assert str(floor.changes["perturbed"]) == "1 of 5 (20.0 %, 3.6 … 62.4 %)"
    assert floor.as_dict()["changed"]["original"]["share"] == 0.5


# Files.

ROWS = [pair(f"p{number}", "yes", "no", test=f"rad.{number % 2}") for number in range(8)]


def write(path: Path, rows: list[dict[str, Any]], **header: Any) -> Path:
    lines = [HEADER | header, *rows] if header.get("arm") != "" else rows
    path.write_text("".join(json.dumps(row) + "\n" for row in lines), encoding="utf-8")
    return path


def replies(wrong: tuple[int, ...] = (), count: int = 8) -> list[dict[str, str]]:
    return [prediction(f"p{number}", "no" if number in wrong else "yes", "no") for number in range(count)]


@pytest.fixture
def built(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "out", {"vqa": {"validation": ROWS}}).path


@pytest.fixture
def first(tmp_path: Path) -> Path:
    return write(tmp_path / "first.jsonl", replies())


def test_the_report_has_the_floor_beside_the_scores(built: Path, first: Path) -> None:
    second = write(first.with_name("second.jsonl"), replies((1, 3)), arm="repeat", decoding={"temperature": 0.0})
    report = diptych.score(built, first, repeat=second)
    floor = report.as_dict()["floor"]
    assert floor["overall"]["rad_forward"]["floor"]["value"] == 0.25
    assert floor["overall"]["rad_forward"]["above_floor"]["value"] == -0.25
    assert floor["by"]["test"]["rad.1"]["rad_forward"]["floor"]["value"] == 0.5
    assert "above the floor by" in report.as_text()
    assert "original 2 of 8 (25.0 %" in report.as_text()
    assert diptych.score(built, first).as_dict().keys() == report.as_dict().keys() - {"floor"}


def test_a_repetition_of_some_pairs_leaves_the_scores_as_they_are(built: Path, first: Path) -> None:
    second = write(first.with_name("second.jsonl"), replies((1,), count=4), arm="repeat")
    with pytest.raises(BadInputError, match=r"second\.jsonl: no answer to 4 of 8 pairs.*--allow-missing"):
        diptych.score(built, first, repeat=second)
    report = diptych.score(built, first, repeat=second, allow_missing=True)
    assert (report.scores["rad_forward"].n, report.coverage.scored) == (8, 8)
    assert report.floor is not None
    assert (report.floor.overall["rad_forward"].score.n, report.floor.coverage.scored) == (4, 4)
    assert "Asked twice: 4 of 8 pairs." in report.as_text()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"arm": "full"}, "second.jsonl: is of the arm full, not repeat"),
        ({"arm": ""}, "second.jsonl: no header; the noise floor needs files"),
        ({"arm": "repeat", "model": "n"}, "second.jsonl: model is 'n', but 'm' in"),
        ({"arm": "repeat", "revision": "r2"}, "revision is 'r2', but 'r1' in"),
        ({"arm": "repeat", "prompt_hash": "cd"}, "prompt_hash is 'cd', but 'ab' in"),
        ({"arm": "repeat", "decoding": {"temperature": 1.0}}, "decoding is"),
        ({"arm": "repeat", "dataset": "big"}, "dataset is 'big', but 'tiny' in"),
        ({"arm": "repeat", "content_hash": "0"}, "content_hash is"),
    ],
)
def test_only_the_same_model_asked_again_has_a_floor(
    built: Path, first: Path, change: dict[str, Any], problem: str
) -> None:
    second = write(first.with_name("second.jsonl"), replies(), **change)
    with pytest.raises(BadInputError) as error:
        diptych.score(built, first, repeat=second)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)
    with pytest.raises(BadInputError):
        diptych.compare(built, {"m": first}, repeat=[second])


def test_a_floor_is_that_of_the_arm_full(built: Path, first: Path) -> None:
    blind = write(first.with_name("blind.jsonl"), replies(), arm="no-image")
    second = write(first.with_name("second.jsonl"), replies(), arm="repeat")
    with pytest.raises(BadInputError, match=r"blind\.jsonl: is of the arm no-image, not full"):
        diptych.score(built, blind, repeat=second)


def test_rows_need_no_header(built: Path) -> None:
    report = diptych.score(built, replies(), repeat=replies((0,)))
    assert report.floor is not None
    assert report.floor.changes["original"].changed == 1


def test_many_models_have_their_floors_in_one_table(built: Path, first: Path) -> None:
    other = write(first.with_name("other.jsonl"), replies((2,)), model="n")
    repeats = [
        write(first.with_name("again.jsonl"), replies((2, 3)), arm="repeat", model="n"),
        write(first.with_name("second.jsonl"), replies((1,)), arm="repeat"),
    ]
    comparison = diptych.compare(built, {"m": first, "n": other}, tables=["rad"], repeat=repeats)
    table = comparison.tables[-1]
    assert table.name == "floor"
    values = {row.names: row.cells[2].value for row in table.rows if row.cells[2]}
    assert values["m", "all", "rad_forward"] == 1 / 8
    assert values["n", "all", "rad_forward"] == pytest.approx(1 / 7)
    for form in ("markdown", "latex", "csv"):
        assert "floor" in comparison.render(form)
    with pytest.raises(BadInputError, match="also repeats m"):
        diptych.compare(built, {"m": first}, repeat=[repeats[1], repeats[1]])


def test_arms_of_a_model_are_named_and_compared(built: Path, first: Path) -> None:
    blind = write(first.with_name("blind.jsonl"), replies((0, 2, 4, 5)), arm="no-image")
    report = diptych.score(built, first, against=blind)
    assert (report.name, report.rival) == ("m", "m (no-image)")
    assert "first: m; second: m (no-image)" in report.as_text()
    assert report.differences is not None
    assert report.differences["rad.0"]["accuracy_original"].difference == 0.75
