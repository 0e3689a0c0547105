"""A Hub with something on it: a dataset of two configs, tagged, and a metric that imports two siblings."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.hub import LoopbackHub, WarmClient

CARD = """---
license: mit
configs:
- config_name: colours
  default: true
  data_files:
  - split: test
    path: data/colours/test-*
- config_name: counts
  data_files:
  - split: test
    path: data/counts/test-*
---
# Tiny

Two configs.
"""

METRIC = {
    "paired_score.py": """
import datasets
import evaluate

from .counting import count
from .rating import rate


class PairedScore(evaluate.Metric):
    def _info(self):
        features = datasets.Features({"predictions": datasets.Value("string"), "references": datasets.Value("string")})
        return evaluate.MetricInfo(description="x", citation="x", inputs_description="x", features=features)

    def _compute(self, predictions, references):
        return {"score": rate(count(predictions, references), len(references))}
""",
    "counting.py": "def count(a, b):\n    return sum(x == y for x, y in zip(a, b))\n",
    "rating.py": "def rate(n, total):\n    return n / total\n",
    "README.md": "---\ntitle: Paired score\nsdk: static\n---\n",
}

PUBLISH = """
from huggingface_hub import HfApi
api = HfApi()
api.create_repo(repo, repo_type=kind, exist_ok=True, space_sdk="static" if kind == "space" else None)
api.upload_folder(repo_id=repo, repo_type=kind, folder_path=folder)
if tag:
    api.create_tag(repo, tag=tag, repo_type=kind)
"""


@dataclass(frozen=True)
class PublishedSite:
    """A Hub, a client that is warm, and the folders that were published to it."""

    hub: LoopbackHub
    client: WarmClient
    dataset: Path
    metric: Path


def write_dataset(folder: Path, salt: str = "") -> Path:
    for config, answers in {"colours": ["red", "blue", "red"], "counts": ["1", "2"]}.items():
        (folder / "data" / config).mkdir(parents=True)
        table = pa.table({"pair_id": [f"{config}{salt}-{i}" for i in range(len(answers))], "answer": answers})
        pq.write_table(table, folder / "data" / config / "test-00000-of-00001.parquet")
    (folder / "README.md").write_text(CARD, encoding="utf-8")
    return folder


def write_metric(folder: Path) -> Path:
    for name, text in METRIC.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def publish(
    client: WarmClient, kind: str, repo: str, folder: Path, tag: str = "", *, check: bool = True
) -> CompletedProcess[str]:
    return client.run(f"kind, repo, folder, tag = {(kind, repo, str(folder), tag)!r}\n{PUBLISH}", check=check)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PublishedSite]:
    dataset = write_dataset(tmp_path_factory.mktemp("dataset"))
    metric = write_metric(tmp_path_factory.mktemp("metric"))
    with LoopbackHub() as hub, WarmClient(hub, "import datasets, huggingface_hub, pytest") as client:
        publish(client, "dataset", "org/tiny", dataset, "v1.0.0")
        publish(client, "space", "org/paired_score", metric)
        yield PublishedSite(hub, client, dataset, metric)
        assert not hub.crashes, "\n".join(hub.crashes)
        assert hub.unknown == []
