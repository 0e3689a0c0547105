"""From official files to a score: build, load, let a model answer, and let `evaluate` count."""

from pathlib import Path

import pytest

METRIC = Path(__file__).parents[2] / "diptych" / "metrics" / "paired_vqa"


def test_evaluate_scores_a_built_folder(built: Path, tmp_path: Path) -> None:
    import evaluate
    from datasets import load_dataset

    pairs = load_dataset(str(built), split="validation", cache_dir=str(tmp_path))
    # A model that knows every original and always says yes: RAD is the share of yes.
    predictions = [{"pair_id": row["pair_id"], "original": row["original_answer"], "perturbed": "yes"} for row in pairs]
    metric = evaluate.load(str(METRIC), "rad")
    scores = metric.compute(predictions=predictions, references=list(pairs))
    share = sum(row["perturbed_answer"] == "yes" for row in pairs) / pairs.num_rows
    assert scores["rad_forward"] == pytest.approx(share)
    assert scores["rad_backward"] == pytest.approx(1.0)
