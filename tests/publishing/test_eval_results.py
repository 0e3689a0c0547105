"""`diptych push --eval-results` against the loopback Hub: entries for a model's page, as one pull request."""

from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

import diptych
from diptych.folder import BuiltFolder, open_folder
from tests.hub import TOKEN, Fault, Repo, dropped, rate_limited, server_error, truncated
from tests.publishing.conftest import Site
from tests.publishing.runs import DATASET, PAIRS, TASK, edit_header, header_of, make_dataset, predict, publish_dataset

MODEL = "stranger/model"  # whoever asked a model need not own its repository
FILE = ".eval_results/rad-cads.yaml"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    return make_dataset(tmp_path_factory.mktemp("dataset") / "out")


@pytest.fixture
def predictions(folder: BuiltFolder, tmp_path: Path) -> Path:
    return predict(folder, tmp_path / "majority.jsonl")


@pytest.fixture
def model_site(site: Site, folder: BuiltFolder) -> Site:
    """The dataset at a tag, and a model of somebody else."""
    publish_dataset(site, folder)
    site.hub.add_token("hf_stranger", "stranger")
    site.client.run(f"from huggingface_hub import HfApi; HfApi().create_repo({MODEL!r})", token="hf_stranger")
    site.hub.requests.clear()
    return site


def put(site: Site, path: str, content: str) -> None:
    """Let the owner of the model write a file into its repository."""
    site.client.run(
        f"""
        from huggingface_hub import HfApi
        HfApi().upload_file(path_or_fileobj={content!r}.encode(), path_in_repo={path!r}, repo_id={MODEL!r})
        """,
        token="hf_stranger",
    )


def merge(site: Site, number: int) -> None:
    """Let the owner of the model take a pull request."""
    code = f"from huggingface_hub import HfApi; HfApi().merge_pull_request({MODEL!r}, {number})"
    site.client.run(code, token="hf_stranger")


def propose(site: Site, *args: str | Path, exit_code: int = 0) -> str:
    """Propose results on the tagged dataset; everything that was said."""
    command = ("push", "--eval-results", MODEL, "--dataset", f"{DATASET}@v1.0.0", *args)
    process = site.run(*command, exit_code=exit_code)
    return process.stdout + process.stderr


def model_repo(site: Site) -> Repo:
    return site.hub.repo("model", MODEL)


def entries(site: Site, revision: str = "refs/pr/1", path: str = FILE) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = yaml.safe_load(model_repo(site).files(revision)[path])
    return content


def test_an_entry_is_proposed_as_a_pull_request_and_main_stays(
    model_site: Site, folder: BuiltFolder, predictions: Path
) -> None:
    output = propose(model_site, predictions, "--source", "org/results")
    repo = model_repo(model_site)
    assert repo.files() == {}
    assert set(repo.files("refs/pr/1")) == {FILE}
    (request,) = repo.pull_requests.values()
    assert (request.title, request.author) == (f"Add evaluation results on {DATASET}", "tester")
    assert f"verified: {model_site.hub.url}/{MODEL}/discussions/1 proposes what was sent" in output
    (entry,) = parse_eval_result_entries(entries(model_site))
    score = diptych.score(folder.path, predictions).scores["accuracy_perturbed"]
    assert (entry.dataset_id, entry.task_id) == (DATASET, TASK)
    assert entry.dataset_revision == model_site.hub.repo("dataset", DATASET).tags["v1.0.0"]
    assert entry.value == round(100 * score.value, 2)
    assert entry.source_url == f"{model_site.hub.url}/datasets/org/results"
    low, high = (f"{100 * bound:.1f}" for bound in score.bootstrap)
    for part in (
        f"accuracy_perturbed, 95 % interval and n: [{low}, {high}] of {PAIRS}",
        f"unread 0 of {2 * PAIRS} replies",
        "reader standard 5",
        f"prompt {header_of(predictions)['prompt_hash']}",
        "model majority",
    ):
        assert part in str(entry.notes).split("; ")


def test_the_task_is_one_of_the_datasets_own(model_site: Site, predictions: Path) -> None:
    propose(model_site, predictions)
    tasks = yaml.safe_load(model_site.files(DATASET)["eval.yaml"])["tasks"]
    assert entries(model_site)[0]["dataset"]["task_id"] in [task["id"] for task in tasks]


def test_another_score_is_named_in_the_notes(model_site: Site, folder: BuiltFolder, predictions: Path) -> None:
    propose(model_site, predictions, "--score", "rad_forward")
    score = diptych.score(folder.path, predictions).scores["rad_forward"]
    assert entries(model_site)[0]["value"] == round(100 * score.value, 2)
    assert entries(model_site)[0]["notes"].startswith("rad_forward, 95 % interval and n: [")
    assert f"] of {score.n};" in entries(model_site)[0]["notes"]


def test_an_entry_that_is_there_with_the_same_value_makes_no_pull_request(model_site: Site, predictions: Path) -> None:
    propose(model_site, predictions)
    merge(model_site, 1)
    assert set(model_repo(model_site).files()) == {FILE}
    output = propose(model_site, predictions)
    assert f"{MODEL}: {TASK} already exists with the value " in output
    assert len(model_repo(model_site).pull_requests) == 1


def test_another_value_for_the_same_task_is_replaced_and_other_entries_stay(
    model_site: Site, predictions: Path
) -> None:
    others: list[dict[str, Any]] = [
        {"dataset": {"id": "org/other", "task_id": TASK}, "value": 1.5, "date": "2026-02-03", "extra": {"kept": [1]}},
        {"dataset": {"id": DATASET, "task_id": "another"}, "value": 2},
    ]
    old = {"dataset": {"id": DATASET, "task_id": TASK, "revision": "0" * 40}, "value": 12.25, "notes": "old"}
    put(model_site, ".eval_results/mine.yaml", yaml.safe_dump([others[0], old, others[1]]))
    output = propose(model_site, predictions)
    assert f"{TASK} 50.0 replaces 12.25" in output
    assert set(model_repo(model_site).files("refs/pr/1")) == {".eval_results/mine.yaml"}
    first, entry, second = entries(model_site, path=".eval_results/mine.yaml")
    assert [first, second] == others
    assert (entry["value"], entry["dataset"]["revision"]) == (
        50.0,
        model_site.hub.repo("dataset", DATASET).tags["v1.0.0"],
    )
    assert "old" not in entry["notes"]


def test_a_new_task_joins_the_file_of_its_dataset(model_site: Site, predictions: Path) -> None:
    other = {"dataset": {"id": DATASET, "task_id": "another"}, "value": 2}
    put(model_site, FILE, yaml.safe_dump([other]))
    propose(model_site, predictions)
    assert entries(model_site)[0] == other
    assert [entry["dataset"]["task_id"] for entry in entries(model_site)] == ["another", TASK]


def test_the_same_command_again_finds_its_open_pull_request(model_site: Site, predictions: Path) -> None:
    propose(model_site, predictions)
    output = propose(model_site, predictions)
    assert f"a pull request with this content is open already: {model_site.hub.url}/{MODEL}/discussions/1" in output
    assert len(model_repo(model_site).pull_requests) == 1


def test_a_closed_pull_request_does_not_stand_in_the_way(model_site: Site, predictions: Path) -> None:
    propose(model_site, predictions)
    code = f"from huggingface_hub import HfApi; HfApi().change_discussion_status({MODEL!r}, 1, 'closed')"
    model_site.client.run(code, token="hf_stranger")
    propose(model_site, predictions)
    assert [request.status for request in model_repo(model_site).pull_requests.values()] == ["closed", "open"]


def test_a_dry_run_shows_the_entry_and_opens_nothing(model_site: Site, predictions: Path) -> None:
    output = propose(model_site, predictions, "--dry-run")
    assert f"  new       {FILE} (" in output
    assert f"        task_id: {TASK}" in output
    assert f"{MODEL}: would open a pull request" in output
    assert model_repo(model_site).pull_requests == {}
    assert {request.method for request in model_site.hub.requests} <= {"GET", "HEAD"}


def test_results_and_entries_go_together_and_the_entries_name_the_results(model_site: Site, predictions: Path) -> None:
    propose(model_site, predictions, "--results", "--to", "org/results")
    assert len(model_site.files("org/results")) == 4
    assert entries(model_site)[0]["source"]["url"] == f"{model_site.hub.url}/datasets/org/results"


def test_the_header_says_where_the_dataset_is(model_site: Site, tmp_path: Path) -> None:
    asked = tmp_path / "asked.jsonl"
    model_site.run("predict", f"{DATASET}@v1.0.0", "--model", "majority", "--out", asked)
    model_site.run("push", "--eval-results", MODEL, asked)
    assert entries(model_site)[0]["dataset"]["revision"] == header_of(asked)["dataset_revision"]


HOSTILE = "a: &b [*b]\n- x\"'</script>{{7*7}}: !!python/object:os.system #\n\u2028../.."


@pytest.mark.parametrize("field", ["model", "prompt_hash"])
def test_a_hostile_header_is_text_of_one_line_in_the_notes(model_site: Site, predictions: Path, field: str) -> None:
    edit_header(predictions, {field: HOSTILE})
    propose(model_site, predictions)
    assert set(model_repo(model_site).files("refs/pr/1")) == {FILE}
    (entry,) = entries(model_site)
    assert set(entry) == {"dataset", "value", "notes"}
    assert "\n" not in entry["notes"]
    assert "!!python/object:os.system #" in entry["notes"]


def test_a_token_is_never_proposed(model_site: Site, predictions: Path) -> None:
    output = propose(model_site, predictions, "--source", f"https://user:{TOKEN}@example.org", exit_code=2)
    assert "holds your token or API key" in output
    assert model_repo(model_site).pull_requests == {}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"arm": "no-image"}, "is of the arm no-image; an entry is about the full questions alone"),
        ({"content_hash": "another"}, "with other content than org/rad-cads has"),
        ({"model": None}, "its header has no model"),
    ],
)
def test_predictions_that_are_no_result_of_the_model_are_one_line(
    model_site: Site, predictions: Path, changes: dict[str, Any], message: str
) -> None:
    edit_header(predictions, changes)
    output = propose(model_site, predictions, exit_code=2)
    assert message in output
    assert output.count("\n") == 1


def test_what_cannot_be_proposed_is_one_line(
    model_site: Site, folder: BuiltFolder, predictions: Path, tmp_path: Path
) -> None:
    other = predict(folder, tmp_path / "other.jsonl", "always-no")
    again = edit_header(predictions, {"prompt_hash": "x"}, tmp_path / "again.jsonl")
    yes = predict(folder, tmp_path / "yes.jsonl", "always-yes")
    run = ("push", "--eval-results")
    cases: dict[str, tuple[str | Path, ...]] = {
        "a repository is of one": (*run, MODEL, predictions, other, "--dataset", DATASET),
        "is about the task rad_cads_yn_from_color too": (*run, MODEL, predictions, again, "--dataset", DATASET),
        "an entry is about a dataset on the Hub": (*run, MODEL, predictions, "--dataset", folder.path),
        "is about rad-cads 1.0.0; say where that is": (*run, MODEL, predictions),
        "not a model repository of the form org/name": (*run, "model", predictions),
        "not a model repository of": (*run, f"{MODEL}@main", predictions),
        "no such model repository": (*run, "org/none", predictions, "--dataset", DATASET),
        "did you mean 'rad_forward'?": (*run, MODEL, predictions, "--dataset", DATASET, "--score", "rad_forwar"),
        "rad_forward is undefined": (*run, MODEL, yes, "--dataset", DATASET, "--score", "rad_forward"),
        "are about --results": (*run, MODEL, predictions, "--to", "org/results"),
        "neither a built folder nor a Hub dataset": (*run, MODEL, predictions, "--source", "nowhere"),
        "no token": (*run, MODEL, predictions, "--dataset", DATASET),
    }
    for message, args in cases.items():
        process = model_site.run(*args, exit_code=2, token=None if message == "no token" else TOKEN)
        assert message in process.stderr, process.stderr
        assert process.stderr.count("\n") == 1
    assert model_repo(model_site).pull_requests == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "only it names tasks for results"),
        ("tasks: [", "broken YAML"),
        ("tasks: 7", "lists no tasks"),
        ("tasks: [{id: a, config: other, split: validation}]", "no task is about yn_from_color/validation: a"),
        ("tasks: [{id: a, config: yn_from_color}]", "no task is about yn_from_color/validation: a"),
    ],
)
def test_a_dataset_without_the_task_is_one_line(
    site: Site, predictions: Path, tmp_path: Path, content: str | None, message: str
) -> None:
    other = make_dataset(tmp_path / "other")
    eval_yaml = other.path / "eval.yaml"
    eval_yaml.unlink() if content is None else eval_yaml.write_text(content)
    publish_dataset(site, open_folder(other.path))
    site.client.run("from huggingface_hub import HfApi; HfApi().create_repo('org/model')")
    args = ("push", "--eval-results", "org/model", predictions, "--dataset", DATASET)
    process = site.run(*args, exit_code=2)
    assert message in process.stderr
    assert process.stderr.count("\n") == 1


@pytest.mark.parametrize("content", ["a: 1", "- 7", "- [", "\0"])
def test_entries_that_somebody_broke_are_one_line(model_site: Site, predictions: Path, content: str) -> None:
    put(model_site, ".eval_results/broken.yaml", content)
    output = propose(model_site, predictions, exit_code=2)
    assert f"{MODEL}: .eval_results/broken.yaml: " in output
    assert output.count("\n") == 1


def test_a_reading_token_is_refused_in_one_line(model_site: Site, predictions: Path) -> None:
    model_site.hub.add_token("hf_reading", "reader", role="read")
    args = ("push", "--eval-results", MODEL, predictions, "--dataset", DATASET)
    process = model_site.run(*args, token="hf_reading", exit_code=2)
    assert "the token may not write there" in process.stderr
    assert "hf_reading" not in process.stdout + process.stderr


FAULTS = {
    "500": server_error(500),
    "504 after the work was done": server_error(504, processed=True),
    "429": rate_limited(retry_after=0),
    "dropped after": dropped(processed=True),
    "truncated": truncated(),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_pull_request_whose_answer_is_lost_is_opened_once(model_site: Site, predictions: Path, fault: Fault) -> None:
    model_site.hub.faults.on("POST", "/commit/", fault)
    propose(model_site, predictions)
    assert any(request.fault for request in model_site.hub.requests)
    assert len(model_repo(model_site).pull_requests) == 1
    assert len(entries(model_site)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_at_any_request_is_overcome(model_site: Site, predictions: Path, fault: Fault) -> None:
    propose(model_site, predictions)
    count = len(model_site.hub.requests)
    assert count >= 8
    expected = model_repo(model_site).files("refs/pr/1")
    for number in range(1, count + 1):
        repo = model_repo(model_site)
        repo.pull_requests.clear()
        repo.branches = {"main": repo.branches["main"]}
        model_site.hub.requests.clear()
        model_site.hub.faults.at(number, fault)
        propose(model_site, predictions)
        model_site.hub.faults.clear()
        assert len(repo.pull_requests) == 1, number
        assert repo.files("refs/pr/1") == expected, number


def test_the_function_gives_the_address_of_the_pull_request(model_site: Site, predictions: Path) -> None:
    output = model_site.client.run(f"""
        import json
        from diptych.publishing import push_eval_results
        push = lambda: push_eval_results([{str(predictions)!r}], {MODEL!r}, datasets=[{DATASET!r}])
        print(json.dumps([push(), push()]))
    """).stdout
    assert orjson.loads(output) == [f"{model_site.hub.url}/{MODEL}/discussions/1"] * 2
