"""A fault at every single request of a push, one after the other: a second run always ends well."""

from pathlib import Path

import pytest

from tests.hub import Fault, Repo, dropped, rate_limited, server_error, truncated
from tests.publishing.conftest import Site, published_files

pytestmark = pytest.mark.slow

FAULTS = {
    "500": server_error(500),
    "504 after the work was done": server_error(504, processed=True),
    "429": rate_limited(retry_after=0),
    "dropped before": dropped(),
    "dropped after": dropped(processed=True),
    "truncated": truncated(),
}


def push(site: Site, folder: Path) -> int:
    """Push, and say how it ended: done, or refused in one line."""
    process = site.run("push", folder, "org/rad", "--tag", "v1.0.0", exit_code=None)
    assert process.returncode in (0, 2), process.stdout + process.stderr
    if process.returncode == 2:
        assert process.stderr.startswith("error: ")
        assert process.stderr.count("\n") == 1, process.stderr
    return process.returncode


def request_count(site: Site, folder: Path) -> int:
    assert push(site, folder) == 0
    count = len(site.hub.requests)
    site.hub.reset()
    return count


def is_consistent(repo: Repo | None, files: dict[str, bytes]) -> bool:
    """A tag, place there is one, names everything; a commit, place there is one, holds everything."""
    if repo is None:
        return True
    return all(repo.files(tag) == files for tag in repo.tags) and repo.files() in ({}, files)


def is_complete(repo: Repo, files: dict[str, bytes]) -> bool:
    """One commit after the first, one tag, and all the files at it."""
    return len(repo.history()) == 2 and repo.tags == {"v1.0.0": repo.branches["main"]} and repo.files() == files


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_at_any_request_is_overcome(site: Site, small_build: Path, fault: Fault) -> None:
    files = published_files(small_build)
    requests = request_count(site, small_build)
    assert requests >= 20
    for number in range(1, requests + 1):
        site.hub.reset()
        site.hub.faults.at(number, fault)
        code = push(site, small_build)
        failed = next(request for request in site.hub.requests if request.fault)
        place = f"request {number}: {failed}"
        assert code == 0, place  # a single fault is overcome by trying again
        assert is_complete(site.hub.repo("dataset", "org/rad"), files), place
        assert push(site, small_build) == 0, place
        assert is_complete(site.hub.repo("dataset", "org/rad"), files), place


@pytest.mark.parametrize("fault", [server_error(503), dropped(), dropped(processed=True)], ids=lambda fault: fault.name)
def test_a_hub_that_fails_from_some_request_on_is_refused_cleanly_and_pushed_to_later(
    site: Site, small_build: Path, fault: Fault
) -> None:
    files = published_files(small_build)
    for number in range(1, request_count(site, small_build) + 1):
        site.hub.reset()
        site.hub.faults.when(lambda _: True, fault, skip=number - 1, times=10_000)
        assert push(site, small_build) == 2, number
        assert is_consistent(site.hub.store.repos.get(("dataset", "org/rad")), files), number
        site.hub.faults.clear()
        assert push(site, small_build) == 0, number
        assert is_complete(site.hub.repo("dataset", "org/rad"), files), number
