"""A push to a Hub that answers 200 with garbage, and one that is killed: nothing half done shows, and it completes."""

import signal
from itertools import count
from pathlib import Path

import pytest

from tests.hub import garbage
from tests.publishing.conftest import Site, published_files, site, small_build, warm_site, world
from tests.publishing.test_push_faults import is_complete, is_consistent, push, request_count

__all__ = ["site", "small_build", "warm_site", "world"]  # fixtures

# Ends the process when it has sent so many pieces of requests: whatever the Hub makes of the last one.
KILL_AFTER = """
import os, socket
_send, _sent = socket.socket.send, [0]
def send(self, *arguments):
    size = _send(self, *arguments)
    _sent[0] += 1
    if _sent[0] == {number}:
        os.kill(os.getpid(), 9)
    return size
socket.socket.send = socket.socket.sendall = send
"""

GARBAGE = (
    b"",
    b"null",
    b"[]",
    b"{}",
    b"7",
    b'"ok"',
    b"<html><body>Sign in to the network</body></html>",
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"sha": 7, "private": "no", "siblings": {}, "commitOid": null, "tags": 1, "branches": "x"}',
    b'{"error": "x"}',
)


@pytest.mark.slow
@pytest.mark.parametrize("body", GARBAGE[::2], ids=lambda body: repr(body[:12]))
def test_garbage_at_any_request_is_overcome_or_refused(site: Site, small_build: Path, body: bytes) -> None:
    files = published_files(small_build)
    for number in range(1, request_count(site, small_build) + 1):
        site.hub.reset()
        site.hub.faults.at(number, garbage(body))
        process = site.run("push", small_build, "org/rad", "--tag", "v1.0.0", exit_code=None)
        place = f"request {number}: {process.stderr}"
        assert process.returncode in (0, 1, 2), place
        assert len(process.stderr.splitlines()) <= 3, place  # a line for each of two splits, and for the card
        assert is_consistent(site.hub.store.repos.get(("dataset", "org/rad")), files), place
        assert push(site, small_build) == 0, place
        assert is_complete(site.hub.repo("dataset", "org/rad"), files), place


@pytest.mark.parametrize("body", GARBAGE, ids=lambda body: repr(body[:12]))
def test_a_hub_that_answers_nothing_but_garbage_is_one_line(site: Site, small_build: Path, body: bytes) -> None:
    site.hub.faults.when(lambda _: True, garbage(body), times=10_000)
    for arguments in (("push", small_build, "org/rad"), ("check", "org/rad"), ("diff", "org/rad@v1.0.0", small_build)):
        process = site.run(*arguments, exit_code=2)
        assert process.stderr.count("\n") == 1, process.stderr
        assert "org/rad" in process.stderr


@pytest.mark.slow
def test_a_push_that_is_killed_completes_later(site: Site, small_build: Path) -> None:
    """Issue 14: kill -9 at any instant of a push, then the same command again."""
    files = published_files(small_build)
    arguments = ["push", str(small_build), "org/rad", "--tag", "v1.0.0"]
    for number in count(1):
        site.hub.reset()
        code = f"{KILL_AFTER.format(number=number)}\nfrom diptych.cli import main\nmain({arguments!r})"
        process = site.client.run(code, check=False)
        if process.returncode == 0:
            assert number > 20, "a push has more requests than that"
            break
        assert process.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL), process.stderr
        assert is_consistent(site.hub.store.repos.get(("dataset", "org/rad")), files), number
        assert push(site, small_build) == 0, number
        assert is_complete(site.hub.repo("dataset", "org/rad"), files), number
