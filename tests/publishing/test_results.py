"""`diptych push --results` against the loopback Hub: records, card and scores of many models in one repository."""

import re
from pathlib import Path

import orjson
import pytest
import yaml

import diptych
from diptych.folder import BuiltFolder
from tests.hub import TOKEN, Fault, dropped, server_error
from tests.hub.metadata import check, front_matter
from tests.publishing.conftest import Site
from tests.publishing.runs import DATASET, PAIRS, edit_header, header_of, make_dataset, predict, publish_dataset

HOSTILE = "../../x/\"'`|</td><script>alert(1)</script>\n# Owned\n<!-- diptych:keep a -->[a](javascript:b) ---\n${{7*7}}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    return make_dataset(tmp_path_factory.mktemp("dataset") / "out")


@pytest.fixture
def predictions(folder: BuiltFolder, tmp_path: Path) -> Path:
    return predict(folder, tmp_path / "majority.jsonl")


def push(site: Site, *files: Path, folder: BuiltFolder, exit_code: int = 0, options: tuple[str, ...] = ()) -> str:
    """Push results that are about a folder; everything that was said."""
    args = ("push", "--results", *files, "--to", "org/results", "--dataset", folder.path, *options)
    process = site.run(*args, exit_code=exit_code)
    return process.stdout + process.stderr


def card(site: Site) -> str:
    return site.files("org/results")["README.md"].decode()


def names(site: Site) -> list[str]:
    return [config["config_name"] for config in front_matter(card(site))["configs"]]


def test_records_raw_predictions_scores_and_card_come_in_one_commit(
    site: Site, folder: BuiltFolder, predictions: Path
) -> None:
    output = push(site, predictions, folder=folder, options=("--tag", "v1.0.0"))
    (name,) = names(site)
    files = site.files("org/results", "v1.0.0")
    data = f"data/{name}/validation-00000-of-00001.parquet"
    assert set(files) == {"README.md", data, f"predictions/{name}.jsonl", f"scores/{name}.json"}
    assert files[f"predictions/{name}.jsonl"] == predictions.read_bytes()
    assert len(site.hub.repo("dataset", "org/results").history()) == 2
    assert "verified: org/results@v1.0.0 gives back what was sent" in output
    assert re.fullmatch("rad-cads-yn_from_color-majority-full-[0-9a-f]{8}", name)


def test_the_card_says_what_the_header_and_the_scores_say(site: Site, folder: BuiltFolder, predictions: Path) -> None:
    push(site, predictions, folder=folder)
    text, header = card(site), header_of(predictions)
    report = diptych.score(folder.path, predictions)
    assert check(text, "dataset") == ([], [])
    for part in (header["prompt_hash"], header["content_hash"], '{"seed":0}', "reader standard 5", "rad-cads 1.0.0"):
        assert part in text
    score = report.scores["rad_forward"]
    low, high = (f"{100 * bound:.1f}" for bound in score.bootstrap)
    assert f"| `rad_forward` | {100 * score.value:.2f} | \\[{low}, {high}\\] of {score.n} |" in text
    assert f"unread replies | original 0 of {PAIRS}; perturbed 0 of {PAIRS}" in text
    assert "`consensus_3` | – | –; undefined: no group has 3 sides" in text


def test_the_two_lines_of_the_card_load_and_score_again(site: Site, folder: BuiltFolder, tmp_path: Path) -> None:
    commit = publish_dataset(site, folder)
    predictions = tmp_path / "asked.jsonl"
    site.run("predict", f"{DATASET}@v1.0.0", "--model", "majority", "--out", predictions)
    site.run("push", "--results", predictions, "--to", "org/results")  # the header says where the dataset is
    text = card(site)
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    loaded = site.client.run(f"""{code}
import json, diptych
report = diptych.score("{DATASET}@{commit}", records)
print(json.dumps([records.num_rows, records[0]["model"], records[0]["answer"], report.scores["rad_forward"].value]))
""").stdout
    expected = diptych.score(folder.path, predictions).scores["rad_forward"].value
    assert orjson.loads(loaded)[0] == 2 * PAIRS
    assert orjson.loads(loaded)[1:] == [
        "majority",
        orjson.loads(predictions.read_bytes().splitlines()[1])["answer"],
        expected,
    ]
    download, score = re.findall(r"```\n(hf download .*?)\n(diptych score .*?)\n```", text)[0]
    # The command itself asks the Hub for more than the file.
    repo, file, option, kind, *_ = download.split()[2:]
    assert option == "--repo-type"
    get = f"hf_hub_download({repo!r}, {file!r}, repo_type={kind!r}, local_dir={str(tmp_path)!r})"
    site.client.run(f"from huggingface_hub import hf_hub_download; {get}")
    assert f"@{commit} " in score
    arguments = score.split()[1:]
    output = site.run(*arguments[:2], tmp_path / arguments[2], "--json").stdout
    assert orjson.loads(output)["rad_forward"] == expected


def test_a_second_model_is_added_and_the_first_stays_as_it_is(site: Site, folder: BuiltFolder, tmp_path: Path) -> None:
    push(site, predict(folder, tmp_path / "a.jsonl", "majority"), folder=folder)
    before = site.files("org/results")
    output = push(site, predict(folder, tmp_path / "b.jsonl", "always-yes"), folder=folder)
    after = site.files("org/results")
    assert {path: after[path] for path in before if path != "README.md"} == {
        path: content for path, content in before.items() if path != "README.md"
    }
    assert len(names(site)) == 2
    assert "deleted" not in output
    assert output.count("new ") == 3
    assert "2 runs of" in card(site)
    loaded = site.client.run("""
        from datasets import get_dataset_config_names, load_dataset
        for name in get_dataset_config_names("org/results"):
            print(load_dataset("org/results", name, split="validation")["model"][0])
    """)
    assert loaded.stdout.split() == ["always-yes", "majority"]


def test_several_files_at_once_make_the_same_repository_as_one_after_the_other(
    site: Site, folder: BuiltFolder, tmp_path: Path
) -> None:
    files = [predict(folder, tmp_path / f"{model}.jsonl", model) for model in ("majority", "always-no")]
    push(site, *files, folder=folder)
    together = site.files("org/results")
    site.hub.reset()
    for file in reversed(files):
        push(site, file, folder=folder)
    assert site.files("org/results") == together


def test_the_same_file_again_changes_nothing(site: Site, folder: BuiltFolder, tmp_path: Path) -> None:
    files = [predict(folder, tmp_path / f"{model}.jsonl", model) for model in ("majority", "always-no")]
    for file in files:
        push(site, file, folder=folder)
    history = site.hub.repo("dataset", "org/results").history()
    for file in files:
        assert "nothing to upload" in push(site, file, folder=folder)
    assert site.hub.repo("dataset", "org/results").history() == history


def test_a_run_that_went_on_takes_the_place_of_its_earlier_self_and_another_prompt_does_not(
    site: Site, folder: BuiltFolder, predictions: Path, tmp_path: Path
) -> None:
    lines = predictions.read_bytes().splitlines(keepends=True)
    part = tmp_path / "part.jsonl"
    part.write_bytes(b"".join(lines[:-4]))
    assert "no answer to 2 of 64 pairs" in push(site, part, folder=folder, exit_code=2)
    push(site, part, folder=folder, options=("--allow-missing",))
    assert "62 of 64 pairs (96.9 %; the others lack an answer)" in card(site)
    assert ".jsonl --allow-missing\n" in card(site)
    push(site, predictions, folder=folder)
    assert len(names(site)) == 1
    assert "lack an answer" not in card(site)
    push(site, edit_header(predictions, {"prompt_hash": "another"}, tmp_path / "another.jsonl"), folder=folder)
    assert len(names(site)) == 2


def test_a_sample_needs_no_answer_to_the_other_pairs(site: Site, folder: BuiltFolder, tmp_path: Path) -> None:
    push(site, predict(folder, tmp_path / "some.jsonl", limit=8), folder=folder)
    assert "8 of 64 pairs (12.5 %; the others lack an answer)" in card(site)
    assert "the first 8" in card(site)


def test_a_dry_run_changes_nothing(site: Site, folder: BuiltFolder, predictions: Path) -> None:
    output = push(site, predictions, folder=folder, options=("--dry-run",))
    assert "a new public dataset repository" in output
    assert re.search(r"  new       predictions/[\w.-]+\.jsonl \(", output)
    assert site.hub.store.repos == {}
    assert {request.method for request in site.hub.requests} == {"GET"}


def test_results_never_replace_the_card_of_something_else(site: Site, folder: BuiltFolder, predictions: Path) -> None:
    publish_dataset(site, folder)
    before = site.files(DATASET)
    args = ("push", "--results", predictions, "--to", DATASET, "--dataset", folder.path)
    assert "has no results" in site.run(*args, exit_code=2).stderr
    assert site.files(DATASET) == before


def test_hand_written_sections_of_the_card_are_kept(site: Site, folder: BuiltFolder, tmp_path: Path) -> None:
    push(site, predict(folder, tmp_path / "a.jsonl", "majority"), folder=folder)
    section = "<!-- diptych:keep note -->\nAsked in May.\n<!-- diptych:end -->"
    site.client.run(f"""
        from huggingface_hub import HfApi, hf_hub_download
        text = open(hf_hub_download("org/results", "README.md", repo_type="dataset")).read() + "\\n" + {section!r}
        HfApi().upload_file(path_or_fileobj=text.encode(), path_in_repo="README.md", repo_id="org/results",
                            repo_type="dataset")
    """)
    push(site, predict(folder, tmp_path / "b.jsonl", "always-no"), folder=folder)
    assert section in card(site)
    assert len(names(site)) == 2


@pytest.mark.parametrize("field", ["model", "server_model", "prompt_hash", "revision", "decoding", "arm", "image_rule"])
def test_a_hostile_header_is_text_and_writes_nowhere_else(
    site: Site, folder: BuiltFolder, predictions: Path, field: str
) -> None:
    value = {"extra": HOSTILE} if field == "decoding" else HOSTILE
    edit_header(predictions, {field: value})
    push(site, predictions, folder=folder)
    (name,) = names(site)
    assert re.fullmatch(r"[A-Za-z0-9_]+([.-][A-Za-z0-9_]+)*", name)
    folders = {f"data/{name}/validation-00000-of-00001.parquet", f"predictions/{name}.jsonl", f"scores/{name}.json"}
    assert set(site.files("org/results")) == {"README.md", *folders}
    text = card(site)
    assert check(text, "dataset") == ([], [])
    body = text.split("---\n", 2)[2]
    for mark in ("<script", "</td>", "<!--", "\n# Owned", "](javascript:"):
        assert mark not in body
    assert [line for line in body.splitlines() if line.startswith("# ")] == ["# Replies and scores of models"]
    # A second push reads back what the first wrote, and the records still load.
    assert "nothing to upload" in push(site, predictions, folder=folder)
    loaded = site.client.run(f"""
        from datasets import load_dataset
        print(ascii(load_dataset("org/results", "{name}", split="validation")[0][{field!r}]
                    if {field in ("model", "prompt_hash", "revision", "arm")} else ""))
    """)
    assert loaded.stdout.strip() in (ascii(HOSTILE), "''")


def test_replies_with_anything_in_them_come_back_as_they_are(
    site: Site, folder: BuiltFolder, predictions: Path
) -> None:
    header, *lines = predictions.read_bytes().splitlines()
    rows = [orjson.loads(line) for line in lines]
    rows[0] |= {"answer": HOSTILE, "reasoning": "\0 \u2028", "logprob": -1.5, "image_size": [48, 32], "seconds": 0.25}
    rows[0] |= {"surprise": {"nested": [1]}}
    predictions.write_bytes(b"\n".join([header, *map(orjson.dumps, rows)]))
    push(site, predictions, folder=folder)
    (name,) = names(site)
    loaded = site.client.run(f"""
        import json
        from datasets import load_dataset
        print(json.dumps(load_dataset("org/results", "{name}", split="validation")[0]))
    """)
    record = orjson.loads(loaded.stdout)
    for field in ("answer", "reasoning", "logprob", "image_size", "seconds", "pair_id", "side"):
        assert record[field] == rows[0][field]
    assert "surprise" not in record
    assert b"surprise" in site.files("org/results")[f"predictions/{name}.jsonl"]


@pytest.mark.parametrize("where", ["header", "reply"])
def test_a_token_in_the_predictions_is_not_published(
    site: Site, folder: BuiltFolder, predictions: Path, where: str
) -> None:
    if where == "header":
        edit_header(predictions, {"decoding": {"extra": f"Bearer {TOKEN}"}})
    else:
        content = predictions.read_bytes()
        predictions.write_bytes(content.replace(b'"reasoning":null', b'"reasoning":"%s"' % TOKEN.encode(), 1))
    assert "holds your token or API key" in push(site, predictions, folder=folder, exit_code=2)
    assert site.hub.store.repos == {}


def test_no_file_holds_the_token(site: Site, folder: BuiltFolder, predictions: Path) -> None:
    push(site, predictions, folder=folder)
    assert not any(TOKEN.encode() in content for content in site.files("org/results").values())


def test_bad_predictions_are_one_line(site: Site, folder: BuiltFolder, predictions: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.jsonl"
    plain.write_bytes(b"\n".join(predictions.read_bytes().splitlines()[1:]))
    odd = tmp_path / "odd.jsonl"
    odd.write_bytes(predictions.read_bytes().replace(b'"logprob":null', b'"logprob":"high"', 1))
    cases = {
        "no header with model": plain,
        "not found": tmp_path / "none.jsonl",
        "its header has no model": edit_header(predictions, {"model": 7}, tmp_path / "number.jsonl"),
        "its header has no split": edit_header(predictions, {"split": ""}, tmp_path / "empty.jsonl"),
        "unknown config 'none'": edit_header(predictions, {"config": "none"}, tmp_path / "config.jsonl"),
        "with other content than": edit_header(predictions, {"content_hash": "x"}, tmp_path / "content.jsonl"),
        "is about fvqa2 1.0.0; say where that is": edit_header(predictions, {"dataset": "fvqa2"}, tmp_path / "o.jsonl"),
        "odd.jsonl: cannot be read": odd,
    }
    for message, path in cases.items():
        output = push(site, path, folder=folder, exit_code=2)
        assert message in output, output
        assert output.count("\n") == 1
    output = push(site, predictions, predictions, folder=folder, exit_code=2)
    assert "another of the files is of the same run" in output
    assert site.hub.store.repos == {}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--results", "x.jsonl"), "say where to publish: diptych push --results FILE --to org/name"),
        (("--results", "x.jsonl", "--to", "results"), "neither a built folder nor a Hub dataset"),
        (("--results", "x.jsonl", "--to", "org/results", "--tag", "1"), "a tag is a version like v1.0.0"),
        (("--results", "x.jsonl", "--to", "org/results", "--score", "rad_forward"), "are about --eval-results"),
        (("--results", "--metric", "x.jsonl"), "--metric and --results and --eval-results publish different things"),
        (("out", "org/a", "org/b"), "a folder goes to one repository"),
        (("out", "org/a", "--to", "org/b"), "a folder goes to one repository"),
        (("out", "org/a", "--source", "x"), "--source: about --results and --eval-results alone"),
    ],
)
def test_a_push_of_nothing_to_nowhere_is_one_line(site: Site, args: tuple[str, ...], message: str) -> None:
    process = site.run("push", *args, exit_code=2)
    assert message in process.stderr
    assert process.stderr.count("\n") == 1
    assert site.hub.requests == []


def test_a_folder_can_be_pushed_with_the_repository_as_an_option(site: Site, folder: BuiltFolder) -> None:
    assert "verified: org/rad@v1.0.0 gives back" in site.run("push", folder.path, "--to", "org/rad").stdout


@pytest.mark.parametrize("content", [b"{}", b"[", b'{"diptych": "scores", "version": 2}', b"\xff"])
def test_scores_that_somebody_broke_on_the_hub_are_one_line(
    site: Site, folder: BuiltFolder, tmp_path: Path, content: bytes
) -> None:
    push(site, predict(folder, tmp_path / "a.jsonl", "majority"), folder=folder)
    (name,) = names(site)
    site.client.run(f"""
        from huggingface_hub import HfApi
        HfApi().upload_file(path_or_fileobj={content!r}, path_in_repo="scores/{name}.json", repo_id="org/results",
                            repo_type="dataset")
    """)
    output = push(site, predict(folder, tmp_path / "b.jsonl", "always-no"), folder=folder, exit_code=2)
    assert f"org/results: scores/{name}.json: " in output
    assert output.count("\n") == 1


def test_a_repository_that_changes_meanwhile_is_not_overwritten(
    site: Site, folder: BuiltFolder, tmp_path: Path
) -> None:
    first, second, third = (
        predict(folder, tmp_path / f"{model}.jsonl", model) for model in ("majority", "always-no", "always-yes")
    )
    push(site, first, folder=folder)
    site.client.run(f"""
        from pathlib import Path
        import pytest
        import diptych
        from diptych.publishing import publish, results_publication
        options = {{"datasets": [{str(folder.path)!r}]}}
        publication = results_publication([{str(second)!r}], "org/results", Path({str(tmp_path)!r}), **options)
        diptych.push_results([{str(third)!r}], "org/results", **options)
        with pytest.raises(ConnectionError, match="was changed by someone else meanwhile"):
            publish(publication, print)
    """)
    assert len(names(site)) == 2
    push(site, second, folder=folder)
    assert len(names(site)) == 3


FAULTS = {"500": server_error(500), "504 after": server_error(504, processed=True), "dropped": dropped(processed=True)}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_at_any_request_is_overcome(site: Site, folder: BuiltFolder, tmp_path: Path, fault: Fault) -> None:
    first, second = (predict(folder, tmp_path / f"{model}.jsonl", model) for model in ("majority", "always-no"))

    def prepare() -> None:
        site.hub.reset()
        push(site, first, folder=folder)
        site.hub.requests.clear()

    prepare()
    push(site, second, folder=folder)
    expected, count = site.files("org/results"), len(site.hub.requests)
    assert count >= 10
    for number in range(1, count + 1):
        prepare()
        site.hub.faults.at(number, fault)
        push(site, second, folder=folder)
        assert site.files("org/results") == expected, number
        assert len(site.hub.repo("dataset", "org/results").history()) == 3, number


def test_the_metadata_of_the_card_names_every_file_of_records(
    site: Site, folder: BuiltFolder, predictions: Path
) -> None:
    push(site, predictions, folder=folder)
    header = yaml.safe_load(card(site).split("---\n")[1])
    (config,) = header["configs"]
    assert config["data_files"] == [{"split": "validation", "path": f"data/{config['config_name']}/*.parquet"}]
    assert header["task_categories"] == ["visual-question-answering"]
