"""fvqa2 on FVQA itself: how much it makes, that it refills, and that the official folds stay apart."""

from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from diptych import build
from diptych.builders.fvqa2._readings import Reading, read_question
from diptych.builders.fvqa2._templates import refills
from diptych.sources import read_fvqa
from tests.builders.fvqa2.test_pairs import assert_sides_stay_apart

pytestmark = [pytest.mark.slow, pytest.mark.real_data]


@pytest.fixture(scope="module")
def out(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("real") / "fvqa2"
    build("fvqa2", real_data, folder, num_proc=2)
    return folder


def test_hundreds_of_templates_are_found_and_nine_in_ten_slots_refill(real_data: Path, out: Path) -> None:
    questions = list(read_fvqa(real_data))
    readings = [(reading, each.fact) for each in questions if isinstance(reading := read_question(each), Reading)]
    files = (out / "recipe" / "templates" / "fvqa2").glob("*.toml")
    assert sum(path.read_text().count("[[template]]") for path in files) >= 400
    assert sum(refills(reading, fact) for reading, fact in readings) >= 0.9 * len(readings)


def test_the_official_folds_make_thousands_of_pairs_and_stay_apart(real_data: Path, out: Path) -> None:
    assert sum(assert_sides_stay_apart(real_data, out, number) for number in range(5)) >= 2500


def test_a_template_makes_at_most_five_pairs_of_a_kind_and_images_are_shared_out(out: Path) -> None:
    for number in range(5):
        rows = pq.read_table(out / "data" / f"fold_{number}" / "adversarial-00000-of-00001.parquet").to_pylist()
        assert max(Counter((row["test"], row["template_id"]) for row in rows).values()) <= 5
        assert len({row["perturbed_image_id"] for row in rows}) > 0.3 * len(rows)
