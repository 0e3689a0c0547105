"""Faults: which requests they strike, and what a bare HTTP client then sees."""

import http.client
from urllib.parse import urlsplit

import pytest

from tests.hub import Exchange, Fault, Faults, LoopbackHub, dropped, rate_limited, server_error, slow, truncated


def exchange(method: str = "GET", path: str = "/") -> Exchange:
    return Exchange(method, path, "", authorized=False, storage=False)


def create(hub: LoopbackHub) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(urlsplit(hub.url).netloc, timeout=10)
    connection.request("POST", "/api/repos/create", '{"name": "x"}', {"Authorization": f"Bearer {hub.token}"})
    return connection.getresponse()


def struck(faults: Faults, *exchanges: Exchange) -> list[str]:
    return [fault.name if (fault := faults.strike(entry)) else "" for entry in exchanges]


def test_a_fault_strikes_by_number_once() -> None:
    faults = Faults()
    faults.at(2, server_error())
    assert struck(faults, exchange(), exchange(), exchange()) == ["", "500", ""]
    assert faults.pending() == 0


def test_a_fault_strikes_by_method_and_path() -> None:
    faults = Faults()
    faults.on("POST", "/commit/", dropped(), skip=1, times=2)
    commit = exchange("POST", "/api/datasets/a/b/commit/main")
    assert struck(faults, exchange(), commit, commit, commit, commit) == ["", "", *["dropped before"] * 2, ""]


def test_a_fault_strikes_by_predicate() -> None:
    faults = Faults()
    faults.when(lambda entry: entry.method == "PUT", slow(0))
    assert struck(faults, exchange(), exchange("PUT")) == ["", "slow"]


def test_numbers_count_requests_that_other_faults_struck() -> None:
    faults = Faults()
    faults.at(1, server_error())
    faults.at(2, rate_limited())
    assert struck(faults, exchange(), exchange()) == ["500", "429"]


def test_cleared_faults_strike_no_more() -> None:
    faults = Faults()
    faults.at(1, server_error())
    faults.clear()
    assert struck(faults, exchange()) == [""]


@pytest.mark.parametrize(
    ("fault", "status", "has_effect"),
    [
        (server_error(503), 503, False),
        (server_error(504, processed=True), 504, True),
        (rate_limited(7), 429, False),
        (slow(0.05), 200, True),
    ],
    ids=lambda value: value.name if isinstance(value, Fault) else None,
)
def test_an_answer_that_fails(hub: LoopbackHub, fault: Fault, status: int, has_effect: bool) -> None:
    hub.faults.at(1, fault)
    response = create(hub)
    assert response.status == status
    assert response.headers["Retry-After"] == ("7" if status == 429 else None)
    assert (("model", "tester/x") in hub.store.repos) is has_effect


@pytest.mark.parametrize(
    ("fault", "error", "has_effect"),
    [
        (dropped(), http.client.RemoteDisconnected, False),
        (dropped(processed=True), http.client.RemoteDisconnected, True),
        (truncated(), http.client.IncompleteRead, True),
    ],
    ids=lambda value: value.name if isinstance(value, Fault) else None,
)
def test_a_connection_that_fails(hub: LoopbackHub, fault: Fault, error: type[Exception], has_effect: bool) -> None:
    hub.faults.at(1, fault)
    with pytest.raises(error):
        create(hub).read()
    assert (("model", "tester/x") in hub.store.repos) is has_effect
    assert hub.requests[0].fault == fault.name
