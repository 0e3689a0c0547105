"""What the tests of bqd share: a build of all configs, short ways to build and read, and questions to rank."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from diptych.builders import BuildOptions, build_into, get_dataset, output_folder
from diptych.folder import Manifest

WORDS = "what is the red blue dog cat car on under near old".split()


@pytest.fixture(scope="session")
def bqd(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All configs of 60 main questions."""
    out = tmp_path_factory.mktemp("bqd") / "bqd"
    build(data, out, limit=60)
    return out


def build(data: Path, out: Path, *configs: str, work: Path | None = None, num_proc: int = 1, **values: Any) -> Manifest:
    """Build some configs with some parameters; without card and audit."""
    options = BuildOptions(data, configs, num_proc=num_proc, parameters={"limit": 8, **values})
    return build_into(out, get_dataset("bqd"), options, str(work or out.with_name(f"{out.name}-work")))


def build_output(data: Path, out: Path, *configs: str, num_proc: int = 1, **values: Any) -> None:
    """Build into an output that appears whole or not at all."""
    options = BuildOptions(data, configs, num_proc=num_proc, parameters=values)
    with output_folder(out) as staging:
        build_into(staging.new, get_dataset("bqd"), options, str(staging.work))


def read_rows(folder: Path, config: str) -> list[dict[str, Any]]:
    """The published rows of a config."""
    rows: list[dict[str, Any]] = pq.read_table(folder / "data" / config).to_pylist()
    return rows


def content_hashes(manifest: Manifest) -> dict[str, str]:
    """The content hash of every split."""
    return {f"{config}/{split}": entry.content_hash for config, split, entry in manifest.own_splits()}


def read_questions(data: Path, split: str) -> list[dict[str, Any]]:
    """The records of a question file."""
    path = data / "vqa" / f"v2_OpenEnded_mscoco_{split}2014_questions.json"
    records: list[dict[str, Any]] = json.loads(path.read_text())["questions"]
    return records


def random_questions(count: int) -> list[str]:
    """Distinct questions of random words."""
    rng = np.random.default_rng(0)
    return list(dict.fromkeys(" ".join(rng.choice(WORDS, size=6)) + "?" for _ in range(count)))


def write_questions(data: Path, split: str, questions: list[str]) -> None:
    """A split in the official layout; every answer is yes."""
    (data / "vqa").mkdir(parents=True, exist_ok=True)
    answers = [{"answer": "yes", "answer_confidence": "yes", "answer_id": number} for number in range(1, 11)]
    kind = {"question_type": "is", "answer_type": "yes/no", "multiple_choice_answer": "yes", "answers": answers}
    ids = [{"question_id": number, "image_id": number} for number in range(1, len(questions) + 1)]
    records = [{**identity, "question": text} for identity, text in zip(ids, questions, strict=True)]
    path = data / "vqa" / f"v2_OpenEnded_mscoco_{split}2014_questions.json"
    path.write_text(json.dumps({"questions": records}))
    annotations = [{**identity, **kind} for identity in ids]
    (data / "vqa" / f"v2_mscoco_{split}2014_annotations.json").write_text(json.dumps({"annotations": annotations}))


def write_vectors(path: Path, texts: list[str]) -> str:
    """An encoder of short random vectors, so that ranking is quick."""
    vectors = np.random.default_rng(1).normal(size=(len(texts), 16)).astype(np.float32)
    np.savez(path, texts=np.array(texts), vectors=vectors)
    return f"table:{path}"
