"""A run from its queries to its file: header, order, resumption, refusals, dry runs, batches and degenerate models."""

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import orjson
import pytest

import diptych
from diptych.errors import BadInputError
from diptych.files import hold_lock
from diptych.folder import open_folder
from diptych.metrics import predict_baseline
from diptych.models import Model, Query, Reply
from diptych.models._journal import journal_path
from tests.models.endpoint import LoopbackEndpoint, default_reply
from tests.models.worlds import ask, command, lines_of, run, without_timings


class Parrot:
    """A model that answers in batches of five, and may break."""

    name = "parrot"

    def __init__(self, breaks_after: int = 10**9) -> None:
        self.queries: list[Query] = []
        self.breaks_after = breaks_after

    def header(self) -> dict[str, Any]:
        return {"revision": "1", "decoding": {}, "image_rule": None}

    def ask(self, queries: Any) -> Any:
        batch: list[Query] = []
        for query in queries:
            batch.append(query)
            if len(batch) == 5:
                yield from self._answer(batch)
                batch = []
        yield from self._answer(batch)

    def _answer(self, batch: list[Query]) -> Any:
        for query in batch:
            if len(self.queries) == self.breaks_after:
                raise RuntimeError("out of luck")
            self.queries.append(query)
            yield query, Reply(query.question)


def test_the_file_has_a_header_and_a_line_for_every_side(world: Path) -> None:
    with LoopbackEndpoint() as endpoint:
        ask(world, endpoint, settings={"revision": "abc"})
    header, *rows = lines_of(world / "p.jsonl")
    expected = {
        "diptych": "predictions",
        "version": 1,
        "model": "m",
        "revision": "abc",
        "server_model": "loopback-7b",
        "prompt_version": "1",
        "dataset": "rad-cads",
        "dataset_version": "1.0.0",
        "dataset_repo": None,
        "dataset_revision": None,
        "config": "yn_from_color",
        "split": "validation",
        "arm": "full",
        "sample": None,
        "decoding": {"max_tokens": 1024, "temperature": 0.0},
        "reader": "standard 5",
    }
    assert {name: header[name] for name in expected} == expected
    assert header["image_rule"].startswith("longest side at most 1024 pixels")
    assert len(header["prompt_hash"]) == 16
    pairs = open_folder(world / "out").pairs(open_folder(world / "out").select())
    assert [row["pair_id"] for row in rows[::2]] == pairs["pair_id"].to_pylist()
    assert [row["side"] for row in rows[:2]] == ["original", "perturbed"]
    assert rows[0]["answer"] in ("yes", "No.")
    assert rows[0]["image_size"] == [48, 32]
    assert rows[0]["finish_reason"] == "stop"
    assert rows[0]["input_tokens"] > 0
    assert not journal_path(world / "p.jsonl").exists()


def test_answers_belong_to_their_sides(world: Path) -> None:
    with LoopbackEndpoint() as endpoint:
        ask(world, endpoint)
        answers = {
            (text.splitlines()[0], body["messages"][0]["content"][0]["image_url"]["url"]): default_reply(body)
            for text, body in zip(endpoint.texts(), endpoint.bodies, strict=True)
        }
    from base64 import b64encode

    rows = {(row["pair_id"], row["side"]): row["answer"] for row in lines_of(world / "p.jsonl")[1:]}
    folder = open_folder(world / "out")
    for pair in folder.pairs(folder.select()).to_pylist():
        for side in ("original", "perturbed"):
            picture = b64encode((world / "images" / pair[f"{side}_image_file"]).read_bytes()).decode()
            uri = f"data:image/jpeg;base64,{picture}"
            assert rows[pair["pair_id"], side] == answers[pair[f"{side}_question"], uri]


def test_a_complete_file_is_not_asked_for_again(world: Path) -> None:
    with LoopbackEndpoint() as endpoint:
        ask(world, endpoint)
        content = (world / "p.jsonl").read_bytes()
        endpoint.requests.clear()
        second = ask(world, endpoint)
    assert (second.earlier, endpoint.requests.total()) == (32, 0)
    assert (world / "p.jsonl").read_bytes() == content


def test_a_run_that_broke_goes_on(world: Path) -> None:
    first: Model
    first, second, whole = Parrot(breaks_after=17), Parrot(), Parrot()
    options: dict[str, Any] = {"images": world / "images"}
    with pytest.raises(RuntimeError, match="out of luck"):
        diptych.predict(world / "out", first, world / "p.jsonl", **options)
    result = diptych.predict(world / "out", second, world / "p.jsonl", **options)
    diptych.predict(world / "out", whole, world / "whole.jsonl", **options)
    assert len(first.queries) == result.earlier == 17
    assert [query.key for query in first.queries + second.queries] == [query.key for query in whole.queries]
    assert (world / "p.jsonl").read_bytes() == (world / "whole.jsonl").read_bytes()


@pytest.mark.parametrize("damage", ["torn", "flipped", "unfinished"])
def test_a_damaged_line_of_the_journal_is_asked_again(world: Path, damage: str) -> None:
    model = Parrot(breaks_after=10)
    with pytest.raises(RuntimeError):
        diptych.predict(world / "out", model, world / "p.jsonl", images=world / "images")
    journal = journal_path(world / "p.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    if damage == "torn":
        lines[-1] = lines[-1][:-20]
    elif damage == "unfinished":
        lines[-1] = lines[-1][:-1]  # whole but for its line break
    else:
        lines[4] = lines[4].replace(b"?", b"!")
    journal.write_bytes(b"".join(lines))
    again = Parrot()
    diptych.predict(world / "out", again, world / "p.jsonl", images=world / "images")
    assert len(again.queries) == 32 - 9
    assert all(row["answer"].endswith("?") for row in lines_of(world / "p.jsonl")[1:])
    assert len(lines_of(world / "p.jsonl")) == 33


@pytest.mark.parametrize(
    ("options", "settings", "difference"),
    [
        ({}, {"temperature": 0.7}, "decoding .*0.0.* there, .*0.7.* here"),
        ({"arm": "repeat"}, {}, 'arm "full" there, "repeat" here'),
        ({"limit": 3}, {}, "limit null there, 3 here"),
        ({}, {"image_size": 512}, "image_rule"),
    ],
)
def test_replies_of_another_run_are_not_mixed_in(
    world: Path, options: dict[str, Any], settings: dict[str, Any], difference: str
) -> None:
    with LoopbackEndpoint() as endpoint:
        ask(world, endpoint)
        content = (world / "p.jsonl").read_bytes()
        with pytest.raises(BadInputError, match=rf"another run: {difference}.*--overwrite.*another --out"):
            ask(world, endpoint, settings=settings, **options)
        assert (world / "p.jsonl").read_bytes() == content
        ask(world, endpoint, settings=settings, overwrite=True, **options)
    assert (world / "p.jsonl").read_bytes() != content


def test_a_journal_of_another_run_is_not_mixed_in(world: Path) -> None:
    with pytest.raises(RuntimeError):
        diptych.predict(world / "out", Parrot(breaks_after=10), world / "p.jsonl", images=world / "images")
    other = Parrot()
    other.name = "magpie"
    with pytest.raises(BadInputError, match=r'p\.jsonl\.journal: .*model "parrot" there, "magpie" here'):
        diptych.predict(world / "out", other, world / "p.jsonl", images=world / "images")
    assert other.queries == []


def test_a_prompt_of_ones_own_is_another_run(world: Path) -> None:
    (world / "mine.jinja").write_text("Look. {{ question }}")
    with LoopbackEndpoint() as endpoint:
        ask(world, endpoint)
        with pytest.raises(BadInputError, match="prompt_hash"):
            ask(world, endpoint, prompt=world / "mine.jinja")
        ask(world, endpoint, "mine.jsonl", prompt=world / "mine.jinja")
    assert all(text.startswith("Look. ") for text in endpoint.texts()[-32:])


@pytest.mark.parametrize("content", ["", '{"pair_id": "1", "original": "yes", "perturbed": "no"}\n', "notes\n"])
@pytest.mark.parametrize("overwrite", [True, False])
def test_a_file_of_something_else_is_not_replaced(world: Path, content: str, overwrite: bool) -> None:
    (world / "p.jsonl").write_text(content)
    with pytest.raises(BadInputError, match=r"p\.jsonl"):
        diptych.predict(world / "out", Parrot(), world / "p.jsonl", images=world / "images", overwrite=overwrite)
    assert (world / "p.jsonl").read_text() == content


def test_two_runs_at_once_do_not_write_one_file(world: Path) -> None:
    with hold_lock(world / "p.jsonl", "run"), pytest.raises(BadInputError, match="another run is writing to it"):
        diptych.predict(world / "out", Parrot(), world / "p.jsonl", images=world / "images")


def test_two_processes_at_once(world: Path) -> None:
    with LoopbackEndpoint(delay=0.2) as endpoint:
        line, environment = command(world, endpoint, "--out", world / "p.jsonl", "--concurrency", 1)
        first = subprocess.Popen(line, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not endpoint.requests:
            time.sleep(0.01)
        second = run(world, endpoint, "--out", world / "p.jsonl", "--concurrency", 1)
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        endpoint.delay = 0
        third = run(world, endpoint, "--out", world / "p.jsonl")
    assert second.returncode == 2
    assert "another run is writing to it" in second.stderr
    assert third.returncode == 0


def test_ctrl_c_keeps_what_was_answered(world: Path) -> None:
    with LoopbackEndpoint(delay=0.05) as endpoint:
        line, environment = command(world, endpoint, "--out", world / "p.jsonl", "--concurrency", 2)
        process = subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while len(endpoint.answered) < 6:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.strip().splitlines()[-1].startswith("interrupted; finished work is kept")
    assert journal_path(world / "p.jsonl").read_bytes().count(b"\n") >= 5


def test_a_dry_run_asks_nothing_and_writes_nothing(world: Path) -> None:
    with LoopbackEndpoint() as endpoint:
        result = ask(world, endpoint, dry_run=True, price=(1.0, 2.0))
    assert endpoint.requests.total() == 0
    assert (result.sides, result.queries, result.pictures) == (32, 32, 4)
    prompts = sum(-(-len(query_text) // 4) for query_text in _prompts(world))
    assert result.usage.input_tokens == prompts + 32 * 2 * 2
    assert result.usage.output_tokens == 32 * 1024
    assert result.usage.cost == pytest.approx((result.usage.input_tokens + 2 * result.usage.output_tokens) / 1e6)
    assert not (world / "p.jsonl").exists()
    assert not list(world.glob("*.journal"))


def _prompts(world: Path) -> list[str]:
    parrot = Parrot()
    diptych.predict(world / "out", parrot, world / "parrot.jsonl", images=world / "images")
    return [query.prompt for query in parrot.queries]


def test_batch_files_and_their_results(world: Path) -> None:
    with LoopbackEndpoint() as endpoint:
        ask(world, endpoint, "asked.jsonl")
        endpoint.requests.clear()
        written = ask(world, endpoint, batch_file=world / "requests.jsonl")
        assert written.batch_files == (world / "requests.jsonl",)
        requests = lines_of(world / "requests.jsonl")
        results = [_result(requests[0], status=500), *map(_result, requests[1:-1])]
        (world / "results.jsonl").write_bytes(b"\n".join(map(orjson.dumps, reversed(results))))
        read = ask(world, endpoint, batch_results=(world / "results.jsonl",))
        assert endpoint.requests.total() == 0
        assert (read.usage.replies, read.unanswered) == (30, 2)  # one failed, one was not in the results
        rest = ask(world, endpoint, batch_file=world / "rest.jsonl")
        assert len(lines_of(world / "rest.jsonl")) == rest.queries - rest.earlier == 2
        ask(world, endpoint)
    assert requests[0]["method"] == "POST"
    assert requests[0]["url"] == "/v1/chat/completions"
    assert endpoint.requests.total() == 2
    answers = [[row["answer"] for row in lines_of(world / name)[1:]] for name in ("p.jsonl", "asked.jsonl")]
    assert answers[0] == answers[1]


def _result(request: dict[str, Any], status: int = 200) -> dict[str, Any]:
    body = {"model": "loopback-7b", "choices": [{"message": {"content": default_reply(request["body"])}}]}
    response = {"status_code": status, "body": body}
    return {"id": "r", "custom_id": request["custom_id"], "response": response, "error": None}


def test_batch_files_keep_to_the_limits(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from diptych.models import _batches

    monkeypatch.setattr(_batches, "_MOST_REQUESTS", 12)
    with LoopbackEndpoint() as endpoint:
        written = ask(world, endpoint, batch_file=world / "requests.jsonl")
    assert [path.name for path in written.batch_files] == ["requests.jsonl", "requests-2.jsonl", "requests-3.jsonl"]
    assert [len(lines_of(path)) for path in written.batch_files] == [12, 12, 8]


def test_degenerate_models(world: Path) -> None:
    folder = open_folder(world / "out")
    for name in ("always-yes", "random", "copy-original"):
        diptych.predict(world / "out", name, world / f"{name}.jsonl")
        header, *rows = lines_of(world / f"{name}.jsonl")
        assert header["model"] == name
        expected = predict_baseline(folder, name)
        assert [row["answer"] for row in rows[::2]] == expected["original"]
        assert [row["answer"] for row in rows[1::2]] == expected["perturbed"]
    with pytest.raises(BadInputError, match="is not queried"):
        diptych.predict(world / "out", "always-yes", world / "x.jsonl", arm="blank")


def test_the_arm_repeat_asks_everything_once_more(world: Path) -> None:
    with LoopbackEndpoint() as endpoint:
        ask(world, endpoint)
        ask(world, endpoint, "repeat.jsonl", arm="repeat")
    assert set(endpoint.requests.values()) == {2}
    first, second = (lines_of(world / name) for name in ("p.jsonl", "repeat.jsonl"))
    assert [row["answer"] for row in first[1:]] == [row["answer"] for row in second[1:]]
    assert not {row["key"] for row in first[1:]} & {row["key"] for row in second[1:]}


def test_every_reply_is_on_disk_before_the_next_query(world: Path) -> None:
    journal = journal_path(world / "p.jsonl")
    seen = []

    class Watcher(Parrot):
        def _answer(self, batch: list[Query]) -> Any:
            seen.append(journal.read_bytes().count(b"\n") - 1)
            yield from super()._answer(batch)

    diptych.predict(world / "out", Watcher(), world / "p.jsonl", images=world / "images")
    assert seen == [0, 5, 10, 15, 20, 25, 30]


def test_timings_are_the_only_difference_between_two_runs(world: Path) -> None:
    with LoopbackEndpoint() as endpoint:
        ask(world, endpoint, "first.jsonl")
        ask(world, endpoint, "second.jsonl", settings={"concurrency": 1})
    assert without_timings(world / "first.jsonl") == without_timings(world / "second.jsonl")
