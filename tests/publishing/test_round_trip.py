"""The whole way of a dataset, with the real clients: build, push, load, score, build again."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from diptych.folder import open_folder
from tests.hub import LoopbackHub, WarmClient, run_client
from tests.publishing.conftest import PRELOAD, Site

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def published_site(full_build: Path) -> Iterator[Site]:
    with LoopbackHub() as hub, WarmClient(hub, PRELOAD) as client:
        site = Site(hub, client)
        site.run("push", full_build, "org/rad-cads", "--tag", "v1.0.0")
        site.run("push", "--metric", "org/paired_vqa")
        yield site
        assert not hub.crashes, "\n".join(hub.crashes)
        assert hub.unknown == []


def row_counts(full_build: Path) -> dict[str, dict[str, int]]:
    """How many rows each split of each config has."""
    folder = open_folder(full_build)
    return {
        name: {split: folder.table(name, split, ("pair_id",)).num_rows for split in folder.splits(name)}
        for name in folder.configs
    }


def test_every_config_loads_at_the_tag(published_site: Site, full_build: Path) -> None:
    output = published_site.client.run("""
        import json
        from datasets import get_dataset_config_names, load_dataset
        names = get_dataset_config_names("org/rad-cads", revision="v1.0.0")
        loaded = {name: load_dataset("org/rad-cads", name, revision="v1.0.0") for name in names}
        counts = {name: {split: rows.num_rows for split, rows in splits.items()} for name, splits in loaded.items()}
        print(json.dumps(counts))
    """).stdout
    assert orjson.loads(output) == row_counts(full_build)


def test_the_default_config_loads_without_a_name_and_streams(published_site: Site, full_build: Path) -> None:
    published_site.client.run(f"""
        from datasets import load_dataset
        pairs = load_dataset("org/rad-cads")
        assert {{split: rows.num_rows for split, rows in pairs.items()}} == {row_counts(full_build)["vqa_v2"]!r}
        stream = load_dataset("org/rad-cads", split="validation", streaming=True, revision="v1.0.0")
        assert [row["pair_id"] for row in stream] == pairs["validation"]["pair_id"][:]
    """)


def test_what_was_loaded_once_loads_offline(published_site: Site) -> None:
    load = "from datasets import load_dataset; print(load_dataset('org/rad-cads', 'visdial')['validation'].num_rows)"
    online = published_site.client.run(load).stdout
    published_site.hub.requests.clear()
    assert run_client(load, published_site.hub, offline=True).stdout == online
    assert published_site.hub.requests == []


def test_the_published_metric_scores_the_published_pairs_as_the_command_does(
    published_site: Site, full_build: Path, tmp_path: Path
) -> None:
    predictions = tmp_path / "predictions.jsonl"
    published_site.run("baseline", "org/rad-cads@v1.0.0", "majority", "--out", predictions)
    command = published_site.run("score", "org/rad-cads@v1.0.0", predictions, "--json", "--bootstrap", "0").stdout
    space = run_client(
        f"""
        import json
        import evaluate
        from datasets import load_dataset
        metric = evaluate.load("org/paired_vqa", "rad")
        pairs = load_dataset("org/rad-cads", split="validation", revision="v1.0.0")
        predictions = [json.loads(line) for line in open({str(predictions)!r})]
        names = list(metric.features[0]["references"] if isinstance(metric.features, list) else
                     metric.features["references"])
        scores = metric.compute(predictions=predictions, references=pairs.select_columns(names).to_list(), bootstrap=0)
        print(json.dumps({{name: scores[name] for name in ("accuracy_original", "accuracy_perturbed", "n")}}))
        """,
        published_site.hub,
    ).stdout
    expected, scores = orjson.loads(command), orjson.loads(space)
    assert scores["n"] > 0
    assert {name: expected[name] for name in scores} == scores


def test_a_build_from_the_pushed_recipe_is_bit_identical(published_site: Site, world: Path) -> None:
    process = published_site.run("build", "hf://datasets/org/rad-cads@v1.0.0", "--data", world)
    assert process.stdout.endswith("bit-identical (11 configs, 19 files)\n")


def test_the_folder_and_its_publication_do_not_differ(published_site: Site, full_build: Path) -> None:
    assert published_site.run("diff", full_build, "org/rad-cads@v1.0.0").stdout == "no difference\n"
