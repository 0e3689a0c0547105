"""Real HTTP: every fault of an endpoint, what is tried again, what is given up and what stops a run."""

import time
from pathlib import Path

import pytest

import diptych
from diptych.errors import BadInputError
from diptych.models import EndpointError, EndpointModel, EndpointSettings, Query
from tests.models.endpoint import LoopbackEndpoint, Plan, always, fault_every
from tests.models.worlds import ask, lines_of, without_timings

PASSING = ("429", "500", "503", "garbage", "empty", "list", "no-choices", "drop", "half")


def first_time(fault: str) -> Plan:
    return lambda digest, attempt: fault if attempt == 1 else ""


def query(number: int = 0) -> Query:
    return Query(f"key-{number}", f"Question {number}?", f"Question {number}?")


def reply_to_one(endpoint: LoopbackEndpoint, **settings: object) -> object:
    values = {"base_url": endpoint.url, "first_wait": 0.01, **settings}
    ((_, reply),) = EndpointModel("m", EndpointSettings(**values)).ask([query()])  # type: ignore[arg-type]
    return reply


@pytest.mark.parametrize("fault", PASSING)
def test_what_may_pass_is_tried_again(world: Path, fault: str) -> None:
    with LoopbackEndpoint(first_time(fault)) as endpoint:
        run = ask(world, endpoint)
    assert (run.usage.replies, run.unanswered) == (32, 0)
    assert set(endpoint.requests.values()) == {2}
    assert set(endpoint.answered.values()) == {1}


def test_faults_change_nothing_in_the_file(world: Path) -> None:
    with LoopbackEndpoint() as endpoint:
        ask(world, endpoint, "sound.jsonl")
    with LoopbackEndpoint(fault_every(*PASSING, share=0.8)) as endpoint:
        ask(world, endpoint, "faulty.jsonl")
    assert without_timings(world / "faulty.jsonl") == without_timings(world / "sound.jsonl")


def test_an_answer_that_does_not_come_is_tried_again(world: Path) -> None:
    with LoopbackEndpoint(first_time("hang")) as endpoint:
        run = ask(world, endpoint, limit=1, settings={"timeout": 0.3})
    assert (run.usage.replies, run.unanswered) == (2, 0)


@pytest.mark.parametrize("fault", ["500", "garbage", "drop"])
def test_after_the_last_try_the_error_is_the_reply(world: Path, fault: str) -> None:
    with LoopbackEndpoint(always(fault)) as endpoint:
        run = ask(world, endpoint, limit=2, settings={"tries": 3})
    assert (run.usage.replies, run.usage.failed, run.unanswered) == (0, 4, 4)
    assert set(endpoint.requests.values()) == {3}
    rows = lines_of(world / "p.jsonl")[1:]
    assert [row["answer"] for row in rows] == [None] * 4
    assert all(row["error"] for row in rows)


def test_the_next_run_asks_only_what_failed(world: Path) -> None:
    def fail_some(digest: str, attempt: int) -> str:
        return "500" if int(digest[:4], 16) % 3 == 0 and not is_sound else ""

    is_sound = False
    with LoopbackEndpoint(fail_some) as endpoint:
        first = ask(world, endpoint, settings={"tries": 2})
        is_sound = True
        endpoint.requests.clear()
        second = ask(world, endpoint, settings={"tries": 2})
    assert 0 < first.unanswered < 32
    assert endpoint.requests.total() == first.unanswered == second.usage.replies
    assert second.unanswered == 0
    assert all(row["answer"] for row in lines_of(world / "p.jsonl")[1:])


def test_the_server_says_how_long_to_wait() -> None:
    with LoopbackEndpoint(first_time("429"), retry_after="1") as endpoint:
        began = time.monotonic()
        reply_to_one(endpoint)
    (first, _), (second, _) = endpoint.times
    assert second - first >= 1.0
    assert second - began < 10


def test_every_query_waits_when_the_server_asks_for_it() -> None:
    with LoopbackEndpoint(delay=0.02, retry_after="1") as endpoint:
        endpoint.plan = lambda digest, attempt: "429" if len(endpoint.times) == 1 else ""
        settings = EndpointSettings(endpoint.url, concurrency=2, first_wait=0.01)
        replies = list(EndpointModel("m", settings).ask(query(number) for number in range(100)))
    assert all(reply.text for _, reply in replies)
    began = endpoint.times[0][0]
    assert [moment - began for moment, _ in endpoint.times if 0.4 < moment - began < 0.95] == []


def test_a_request_that_is_refused_is_not_tried_again(world: Path) -> None:
    with LoopbackEndpoint(always("400")) as endpoint:
        run = ask(world, endpoint, limit=2)
    assert run.unanswered == 4
    assert set(endpoint.requests.values()) == {1}
    assert "made to fail with 400" in lines_of(world / "p.jsonl")[1]["error"]


@pytest.mark.parametrize("fault", ["401", "403", "404"])
def test_what_no_query_would_escape_stops_the_run(world: Path, fault: str) -> None:
    with LoopbackEndpoint(always(fault)) as endpoint, pytest.raises(EndpointError, match=fault) as error:
        ask(world, endpoint)
    assert endpoint.requests.total() <= 8
    assert "\n" not in str(error.value)
    assert not (world / "p.jsonl").exists()


def test_what_was_answered_before_a_stop_is_kept(world: Path) -> None:
    count = 0

    def stop_later(digest: str, attempt: int) -> str:
        nonlocal count
        count += 1
        return "401" if count > 20 else ""

    with LoopbackEndpoint(stop_later) as endpoint:
        with pytest.raises(EndpointError):
            ask(world, endpoint, settings={"concurrency": 2})
        endpoint.plan = always("")
        endpoint.requests.clear()
        run = ask(world, endpoint, settings={"concurrency": 2})
    assert run.earlier >= 18
    assert endpoint.requests.total() == 32 - run.earlier


def test_an_outage_ends_the_run_and_is_told(world: Path) -> None:
    with LoopbackEndpoint(always("503")) as endpoint:
        run = ask(world, endpoint, settings={"tries": 1, "concurrency": 2})
    assert "failed in a row" in run.problem
    assert run.unanswered == 32
    assert endpoint.requests.total() < 32


def test_nobody_listens(world: Path) -> None:
    with LoopbackEndpoint() as endpoint:
        url = endpoint.url
    settings = {"base_url": url, "first_wait": 0.001, "tries": 2}
    run = diptych.predict(world / "out", "m", world / "p.jsonl", settings=settings, images=world / "images")
    assert run.problem
    assert run.unanswered == 32


def test_no_more_requests_run_at_once_than_was_said(world: Path) -> None:
    with LoopbackEndpoint(delay=0.02) as endpoint:
        ask(world, endpoint, settings={"concurrency": 3})
    assert endpoint.most_at_once == 3


def test_a_stream_is_put_together(world: Path) -> None:
    with LoopbackEndpoint(first_time("break")) as endpoint:
        run = ask(world, endpoint, limit=4, settings={"stream": True})
        ask(world, endpoint, "whole.jsonl", limit=4)
    assert run.unanswered == 0
    assert without_timings(world / "p.jsonl") == without_timings(world / "whole.jsonl")
    assert endpoint.bodies[0]["stream"] is True


def test_decoding_parameters_arrive(world: Path) -> None:
    settings = {"max_tokens": 7, "temperature": 0.5, "seed": 3, "logprobs": True, "extra": {"top_k": 5}}
    with LoopbackEndpoint() as endpoint:
        ask(world, endpoint, limit=1, settings=settings)
    body = endpoint.bodies[0]
    expected = {"max_tokens": 7, "temperature": 0.5, "seed": 3, "logprobs": True, "top_k": 5, "model": "m"}
    assert {name: body.get(name) for name in expected} == expected
    header, first, _ = lines_of(world / "p.jsonl")
    assert header["decoding"] == {name: value for name, value in expected.items() if name != "model"}
    assert first["logprob"] == -0.75


def test_a_parameter_can_be_taken_out() -> None:
    settings = EndpointSettings(extra={"max_tokens": None, "max_completion_tokens": 9})
    assert settings.decoding() == {"temperature": 0.0, "max_completion_tokens": 9}


@pytest.mark.parametrize(
    "settings",
    [
        {"base_url": "localhost:8000"},
        {"base_url": "http://user:secret@localhost/v1"},
        {"base_url": "http://localhost/v1?api_key=x"},
        {"base_url": "http://localhost:99999/"},
        {"concurrency": 0},
        {"concurrency": 1001},
        {"tries": 0},
        {"timeout": 0},
        {"image_size": 1},
    ],
)
def test_settings_that_cannot_be(settings: dict[str, object]) -> None:
    with pytest.raises(BadInputError, match="--") as error:
        EndpointSettings(**settings)  # type: ignore[arg-type]
    assert "secret" not in str(error.value)


def test_queries_are_taken_as_they_are_asked() -> None:
    taken = 0

    def queries() -> object:
        nonlocal taken
        for number in range(50):
            taken += 1
            yield query(number)

    with LoopbackEndpoint() as endpoint:
        model = EndpointModel("m", EndpointSettings(endpoint.url, concurrency=4))
        replies = model.ask(queries())  # type: ignore[arg-type]
        next(replies)
        assert taken == 4
        replies.close()  # type: ignore[attr-defined]


def test_a_loop_that_runs_already_is_no_hindrance(world: Path) -> None:
    """As in a notebook."""
    import asyncio

    async def cell() -> int:
        with LoopbackEndpoint() as endpoint:
            return ask(world, endpoint, limit=1).usage.replies

    assert asyncio.run(cell()) == 2
