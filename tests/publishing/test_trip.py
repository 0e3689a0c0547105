"""The whole way of a dataset through two versions, with the real clients: what every tag says of itself is true."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest

from diptych.cards import CARD
from tests.hub import LoopbackHub, WarmClient, run_client
from tests.publishing.conftest import PRELOAD, Site, folder_files, make_build
from tests.publishing.test_published_cards import PLACE, VERSION

pytestmark = pytest.mark.slow

REPO, MODEL, METRIC = "tester/robust-pairs", "tester/some-model", "tester/paired_vqa"
CONFIGS = ("yn_from_color", "vqa_v2", "visdial", "convqa_cs")
OLD, NEW = "Is the color of {{ subject }} {{ value }}?", "Does {{ subject }} have the color {{ value }}?"


@dataclass(frozen=True)
class Trip:
    """Two builds of which the second has another template, and the Hub that both were pushed to."""

    site: Site
    world: Path
    builds: tuple[Path, Path]
    output: str


@pytest.fixture(scope="module")
def trip(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trip]:
    root = tmp_path_factory.mktemp("trip")
    first = make_build(world, root / "first", "visdial", "convqa_cs")
    shutil.copytree(first / "recipe" / "templates", root / "templates")
    file = root / "templates" / "rad-cads" / "yn_from_color.toml"
    file.write_text(file.read_text(encoding="utf-8").replace(OLD, NEW), encoding="utf-8")
    second = make_build(world, root / "second", "visdial", "convqa_cs", templates=root / "templates")
    with LoopbackHub() as hub, WarmClient(hub, PRELOAD) as client:
        site = Site(hub, client)
        for folder in (first, second):
            site.run("export", folder, "--to", "eval-yaml", "--out", folder)
        site.run("push", first, REPO, "--tag", "v1.0.0")
        site.run("push", "--metric", METRIC)
        yield Trip(site, world, (first, second), site.run("push", second, REPO).stdout)
        assert not hub.crashes, "\n".join(hub.crashes)
        assert hub.unknown == []


def card_at(trip: Trip, tag: str) -> str:
    """The card at a tag, as its client gets it."""
    return trip.site.client.run(f"""
        from huggingface_hub import DatasetCard, hf_hub_download
        print(open(hf_hub_download({REPO!r}, "README.md", repo_type="dataset", revision={tag!r})).read())
    """).stdout


def test_the_version_follows_from_the_edited_template(trip: Trip) -> None:
    assert "v1.0.0 is the newest version there; this is v2.0.0. Pairs: " in trip.output
    assert f"verified: {REPO}@v2.0.0 gives back what was built" in trip.output
    repo = trip.site.hub.repo("dataset", REPO)
    assert repo.tags == {"v1.0.0": repo.at("v1.0.0").id, "v2.0.0": repo.branches["main"]}
    assert len(repo.history()) == 3


@pytest.mark.parametrize("tag", ["v1.0.0", "v2.0.0"])
def test_the_card_at_every_tag_is_true(trip: Trip, tag: str) -> None:
    card, version = card_at(trip, tag), tag.removeprefix("v")
    assert f"\n# RAD-CADs {version}\n" in card
    assert f"Published as `{REPO}` at the tag `{tag}`." in card
    assert set(re.findall(r'revision="(.*?)"', card)) == {tag}
    assert set(PLACE.findall(card)) == {REPO}
    assert f"@misc{{rad-cads-{version}," in card
    assert f"url = {{hf://datasets/{REPO}@{tag}}}" in card
    assert "org/" not in re.sub(r"https?://\S+", "", card)
    body, releases = card.split("## Releases")[0], card.split("## Releases")[1].split("## ")[0]
    manifest = trip.site.manifest(REPO, tag)
    makers = {manifest.diptych, *(recipe.tagger for recipe in manifest.recipes.values() if recipe.tagger)}
    for maker in makers:
        body = body.replace(maker, "")
    assert {found.removeprefix("v") for found in VERSION.findall(body)} == {version}
    expected = ["2.0.0", "1.0.0"] if tag == "v2.0.0" else ["1.0.0"]
    assert re.findall(r"- \*\*(.*?)\*\*", releases) == expected
    assert manifest.version == version


def test_the_two_tags_differ_as_told(trip: Trip) -> None:
    process = trip.site.run("diff", f"{REPO}@v1.0.0", f"{REPO}@v2.0.0", exit_code=1)
    assert "reworded" in process.stdout
    assert process.stdout.splitlines()[-1].startswith("next version: v2.0.0 (major")
    assert process.stderr == ""
    for tag, build in zip(("v1.0.0", "v2.0.0"), trip.builds, strict=True):
        assert trip.site.run("diff", f"{REPO}@{tag}", build).stdout == "no difference\n"


def test_both_tags_load(trip: Trip) -> None:
    output = trip.site.client.run(f"""
        import json
        from datasets import load_dataset
        for tag in ("v1.0.0", "v2.0.0"):
            pairs = load_dataset({REPO!r}, "visdial", split="validation", revision=tag)
            print(json.dumps([row["perturbed_question"] for row in pairs]))
    """).stdout.splitlines()
    first, second = map(orjson.loads, output)
    assert len(first) == len(second) > 0
    assert any(question.startswith("Is the color of") for question in first)
    assert not any(question.startswith("Is the color of") for question in second)
    assert any(" have the color " in question for question in second)


@pytest.mark.parametrize("tag", ["v1.0.0", "v2.0.0"])
def test_both_tags_are_built_again_to_the_bit(trip: Trip, tag: str) -> None:
    output = trip.site.run("build", f"hf://datasets/{REPO}@{tag}", "--data", trip.world).stdout
    assert f"{REPO}@{tag}: bit-identical" in output


@pytest.mark.parametrize("tag", ["v1.0.0", "v2.0.0"])
def test_both_tags_pass_their_check(trip: Trip, tag: str) -> None:
    findings = orjson.loads(trip.site.run("check", f"{REPO}@{tag}", "--json", exit_code=None).stdout)["findings"]
    levels = {entry["name"]: entry["level"] for entry in findings if entry["name"] in ("card", "file hashes")}
    assert levels == {"card": "ok", "file hashes": "ok"}


def test_the_published_metric_scores_a_tag_as_the_command_does(trip: Trip, tmp_path: Path) -> None:
    predictions = tmp_path / "predictions.jsonl"
    trip.site.run("baseline", f"{REPO}@v2.0.0", "majority", "--config", "visdial", "--out", predictions)
    args = ("--config", "visdial", "--json", "--bootstrap", "0")
    expected = orjson.loads(trip.site.run("score", f"{REPO}@v2.0.0", predictions, *args).stdout)
    output = run_client(
        f"""
        import json
        import evaluate
        from datasets import load_dataset
        metric = evaluate.load({METRIC!r}, "rad")
        pairs = load_dataset({REPO!r}, "visdial", split="validation", revision="v2.0.0")
        predictions = [json.loads(line) for line in open({str(predictions)!r})]
        features = metric.features[0] if isinstance(metric.features, list) else metric.features
        references = pairs.select_columns(list(features["references"])).to_list()
        scores = metric.compute(predictions=predictions, references=references, bootstrap=0)
        print(json.dumps({{name: scores[name] for name in ("accuracy_original", "accuracy_perturbed", "n")}}))
        """,
        trip.site.hub,
    ).stdout
    scores = orjson.loads(output)
    assert scores["n"] > 0
    assert scores == {name: expected[name] for name in scores}


def test_scores_are_proposed_to_a_model_at_the_tag(trip: Trip, tmp_path: Path) -> None:
    site, predictions = trip.site, tmp_path / "predictions.jsonl"
    site.client.run(f'from huggingface_hub import HfApi; HfApi().create_repo("{MODEL}", exist_ok=True)')
    site.run("predict", f"{REPO}@v2.0.0", "--model", "majority", "--config", "visdial", "--out", predictions)
    output = site.run("push", "--eval-results", MODEL, predictions).stdout
    (request,) = site.hub.repo("model", MODEL).pull_requests.values()
    assert f"{MODEL}/discussions/{request.number}" in output
    files = site.hub.repo("model", MODEL).files(request.ref)
    (entry,) = [text.decode() for name, text in files.items() if name.startswith(".eval_results/")]
    assert f"id: {REPO}" in entry
    assert f"revision: {site.hub.repo('dataset', REPO).tags['v2.0.0']}" in entry


def test_the_folders_are_as_they_were(trip: Trip) -> None:
    for folder in trip.builds:
        assert "**Not published yet.**" in folder_files(folder)[CARD].decode()
