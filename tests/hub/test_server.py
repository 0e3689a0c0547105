"""The loopback Hub over plain HTTP: what no client of ours may be trusted to show."""

import base64
import hashlib
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any

import pytest

from tests.hub import LoopbackHub


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Message
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: object, **kwargs: object) -> None:
        return None


OPENER = urllib.request.build_opener(_NoRedirect, urllib.request.ProxyHandler({}))


def ask(
    hub: LoopbackHub, method: str, address: str, body: Any = None, *, token: str | None = "hf_loopback", **headers: str
) -> Reply:
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    request_headers = {name.replace("_", "-"): value for name, value in headers.items()}
    if token:
        request_headers["Authorization"] = f"Bearer {token}"
    url = address if address.startswith("http") else hub.url + address
    try:
        with OPENER.open(urllib.request.Request(url, data, request_headers, method=method), timeout=10) as response:
            return Reply(response.status, response.headers, response.read())
    except urllib.error.HTTPError as error:
        with error:
            return Reply(error.code, error.headers, error.read())


def commit(hub: LoopbackHub, files: Mapping[str, bytes], *, rev: str = "main", **header: str) -> Reply:
    lines: list[Any] = [{"key": "header", "value": {"summary": "a commit", **header}}]
    for path, data in files.items():
        content = base64.b64encode(data).decode()
        lines.append({"key": "file", "value": {"path": path, "content": content, "encoding": "base64"}})
    return ask(
        hub, "POST", f"/api/datasets/org/set/commit/{rev}", "\n".join(json.dumps(line) for line in lines).encode()
    )


@pytest.fixture
def dataset(hub: LoopbackHub) -> LoopbackHub:
    assert (
        ask(hub, "POST", "/api/repos/create", {"name": "set", "organization": "org", "type": "dataset"}).status == 200
    )
    assert commit(hub, {"a.txt": b"0123456789", "deep/er/b.txt": b"b"}).status == 200
    return hub


def test_a_commit_gives_its_id_and_the_repository_its_files(dataset: LoopbackHub) -> None:
    repo = dataset.repo("dataset", "org/set")
    result = commit(dataset, {"c.txt": b"c"}).json
    assert result["commitOid"] == repo.at("main").id
    assert repo.files() == {"a.txt": b"0123456789", "c.txt": b"c", "deep/er/b.txt": b"b"}


def test_a_commit_on_a_stale_parent_is_refused(dataset: LoopbackHub) -> None:
    parent_id = dataset.repo("dataset", "org/set").at("main").id
    assert commit(dataset, {"c.txt": b"c"}, parentCommit=parent_id).status == 200
    response = commit(dataset, {"c.txt": b"d"}, parentCommit=parent_id)
    assert response.status == 412
    assert dataset.repo("dataset", "org/set").files()["c.txt"] == b"c"


def test_a_commit_of_nothing_is_made_as_the_hub_makes_it(dataset: LoopbackHub) -> None:
    commits = dataset.repo("dataset", "org/set").history()
    assert commit(dataset, {}).status == 200
    assert len(dataset.repo("dataset", "org/set").history()) == len(commits) + 1


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ({"key": "lfsFile", "value": {"path": "x.parquet", "oid": "0" * 64, "size": 3}}, 400),
        ({"key": "deletedFile", "value": {"path": "not found"}}, 404),
        ({"key": "file", "value": {"path": "../out", "content": "", "encoding": "base64"}}, 400),
        ({"key": "file", "value": {"path": "x", "content": "?", "encoding": "base64"}}, 400),
        ({"key": "file", "value": {"path": "README.md", "content": "---\nlicense: mine\n---\n"}}, 400),
        ({"key": "surprise", "value": {}}, 400),
        ({"no": "key"}, 400),
    ],
)
def test_a_bad_operation_refuses_the_whole_commit(dataset: LoopbackHub, line: dict[str, Any], status: int) -> None:
    operation = {"key": "file", "value": {"path": "good.txt", "content": "good"}}
    lines = [{"key": "header", "value": {"summary": "half good"}}, operation, line]
    body = "\n".join(map(json.dumps, lines)).encode()
    assert ask(dataset, "POST", "/api/datasets/org/set/commit/main", body).status == status
    assert "good.txt" not in dataset.repo("dataset", "org/set").files()


@pytest.mark.parametrize(
    ("interval", "status", "body", "content_range"),
    [
        ("bytes=2-4", 206, b"234", "bytes 2-4/10"),
        ("bytes=7-", 206, b"789", "bytes 7-9/10"),
        ("bytes=-2", 206, b"89", "bytes 8-9/10"),
        ("bytes=5-99", 206, b"56789", "bytes 5-9/10"),
        ("bytes=-", 200, b"0123456789", None),
    ],
)
def test_a_range_is_served(
    dataset: LoopbackHub, interval: str, status: int, body: bytes, content_range: str | None
) -> None:
    response = ask(dataset, "GET", "/datasets/org/set/resolve/main/a.txt", Range=interval)
    assert (response.status, response.body, response.headers["Content-Range"]) == (status, body, content_range)


def test_a_range_beyond_the_end_is_refused(dataset: LoopbackHub) -> None:
    response = ask(dataset, "GET", "/datasets/org/set/resolve/main/a.txt", Range="bytes=10-")
    assert (response.status, response.headers["Content-Range"]) == (416, "bytes */10")


def test_head_says_what_get_would_send(dataset: LoopbackHub) -> None:
    head, response = (ask(dataset, method, "/datasets/org/set/resolve/main/a.txt") for method in ("HEAD", "GET"))
    assert head.body == b""
    for name in ("Content-Length", "ETag", "X-Repo-Commit"):
        assert head.headers[name] == response.headers[name]
    assert response.headers["X-Repo-Commit"] == dataset.repo("dataset", "org/set").at("main").id


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("/api/datasets/org/none", "RepoNotFound"),
        ("/api/models/org/set", "RepoNotFound"),
        ("/api/datasets/org/set/revision/v9", "RevisionNotFound"),
        ("/datasets/org/set/resolve/main/none", "EntryNotFound"),
        ("/datasets/org/set/resolve/main/ünïcode", "EntryNotFound"),
        ("/api/datasets/org/set/tree/main/none", "EntryNotFound"),
        ("/nowhere", None),
    ],
)
def test_what_is_missing_is_named(dataset: LoopbackHub, address: str, code: str | None) -> None:
    response = ask(dataset, "GET", urllib.parse.quote(address))
    assert (response.status, response.headers["X-Error-Code"]) == (404, code)


def test_a_tag_is_never_moved(dataset: LoopbackHub) -> None:
    address = "/api/datasets/org/set/tag/main"
    assert ask(dataset, "POST", address, {"tag": "v1"}).status == 200
    tagged = dataset.repo("dataset", "org/set").tags["v1"]
    commit(dataset, {"c.txt": b"c"})
    assert ask(dataset, "POST", address, {"tag": "v1"}).status == 409
    assert dataset.repo("dataset", "org/set").tags == {"v1": tagged}
    assert ask(dataset, "DELETE", "/api/datasets/org/set/tag/v1").status == 200
    assert ask(dataset, "DELETE", "/api/datasets/org/set/tag/v1").status == 404


def test_a_repository_that_exists_gives_its_address(dataset: LoopbackHub) -> None:
    second_answer = ask(dataset, "POST", "/api/repos/create", {"name": "set", "organization": "org", "type": "dataset"})
    assert (second_answer.status, second_answer.json["url"]) == (409, f"{dataset.url}/datasets/org/set")


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("", [".gitattributes", "a.txt", "deep"]),
        ("recursive=true", [".gitattributes", "a.txt", "deep", "deep/er", "deep/er/b.txt"]),
    ],
)
def test_a_tree_comes_in_pages(dataset: LoopbackHub, query: str, paths: list[str]) -> None:
    dataset.page_size = 2
    listing, address = [], f"/api/datasets/org/set/tree/main?{query}"
    while address:
        response = ask(dataset, "GET", address)
        assert len(response.json) <= 2
        listing += [entry["path"] for entry in response.json]
        address = (response.headers["Link"] or "").partition(">")[0].removeprefix("<")
    assert listing == paths


def test_an_expanded_tree_names_the_commit_that_last_changed_a_path(dataset: LoopbackHub) -> None:
    commit(dataset, {"c.txt": b"c"}, summary="add c")
    entries = ask(dataset, "GET", "/api/datasets/org/set/tree/main?expand=true").json
    titles = {entry["path"]: entry["lastCommit"]["title"] for entry in entries}
    assert titles == {".gitattributes": "initial commit", "a.txt": "a commit", "deep": "a commit", "c.txt": "add c"}


@pytest.mark.parametrize(
    ("token", "status"),
    [(None, 401), ("hf_reader", 403), ("hf_stranger", 403), ("hf_unknown", 401), ("hf_loopback", 200)],
)
def test_only_an_owner_with_a_write_token_may_write(dataset: LoopbackHub, token: str | None, status: int) -> None:
    dataset.add_token("hf_reader", "tester", orgs=("org",), role="read")
    dataset.add_token("hf_stranger", "stranger")
    assert ask(dataset, "POST", "/api/datasets/org/set/tag/main", {"tag": "v1"}, token=token).status == status


@pytest.mark.parametrize(("token", "status"), [(None, 401), ("hf_stranger", 404), ("hf_loopback", 200)])
def test_a_private_repository_is_hidden_from_others(dataset: LoopbackHub, token: str | None, status: int) -> None:
    dataset.add_token("hf_stranger", "stranger")
    assert ask(dataset, "PUT", "/api/datasets/org/set/settings", {"visibility": "private"}).status == 200
    for address in ("/api/datasets/org/set", "/datasets/org/set/resolve/main/a.txt"):
        assert ask(dataset, "GET", address, token=token).status == status
    assert len(ask(dataset, "GET", "/api/datasets?author=org", token=token).json) == (status == 200)


def test_a_large_file_is_put_whole_and_fetched_by_its_signed_address(dataset: LoopbackHub) -> None:
    data = b"PAR1" * 10
    oid = hashlib.sha256(data).hexdigest()
    batch = {"objects": [{"oid": oid, "size": len(data)}]}
    [entry] = ask(dataset, "POST", "/datasets/org/set.git/info/lfs/objects/batch", batch).json["objects"]
    href = entry["actions"]["upload"]["href"]
    assert ask(dataset, "PUT", href, b"other bytes", token=None).status == 400
    assert ask(dataset, "POST", entry["actions"]["verify"]["href"], batch["objects"][0]).status == 404
    assert ask(dataset, "PUT", href.partition("?")[0], data, token=None).status == 403
    assert ask(dataset, "PUT", href, data, token=None).status == 200
    assert ask(dataset, "POST", entry["actions"]["verify"]["href"], batch["objects"][0]).status == 200
    [second_answer] = ask(dataset, "POST", "/datasets/org/set.git/info/lfs/objects/batch", batch).json["objects"]
    assert "actions" not in second_answer
    assert ask(dataset, "GET", href, token=None, Range="bytes=0-3").body == b"PAR1"


@pytest.mark.parametrize(
    ("path", "size", "sample", "mode"),
    [
        ("data/x.parquet", 10, b"", "lfs"),
        ("notes.txt", 10, b"plain", "regular"),
        ("notes.txt", 11 << 20, b"plain", "lfs"),
        ("notes", 10, b"\0\1", "lfs"),
    ],
)
def test_large_and_binary_files_go_to_storage(
    dataset: LoopbackHub, path: str, size: int, sample: bytes, mode: str
) -> None:
    body = {"files": [{"path": path, "size": size, "sample": base64.b64encode(sample).decode()}]}
    [entry] = ask(dataset, "POST", "/api/datasets/org/set/preupload/main", body).json["files"]
    assert entry["uploadMode"] == mode


def test_the_log_holds_every_request_and_no_token(dataset: LoopbackHub) -> None:
    dataset.requests.clear()
    ask(dataset, "GET", "/api/whoami-v2")
    ask(dataset, "GET", "/nowhere?x=1", token=None)
    assert [str(request) for request in dataset.requests] == ["GET /api/whoami-v2 200", "GET /nowhere?x=1 404"]
    assert [request.authorized for request in dataset.requests] == [True, False]
    assert [request.route for request in dataset.requests] == ["whoami", ""]
    assert "hf_loopback" not in repr(dataset.requests)


def test_a_reset_keeps_the_address_and_forgets_the_rest(dataset: LoopbackHub) -> None:
    url = dataset.url
    dataset.reset()
    assert dataset.requests == []
    assert ask(dataset, "GET", f"{url}/api/datasets/org/set").headers["X-Error-Code"] == "RepoNotFound"
