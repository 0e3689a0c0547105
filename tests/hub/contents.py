"""The Hub's API for what is in a repository: uploads, commits, large files and downloads."""

import base64
import binascii
import hashlib
import json
import re
from typing import Any
from urllib.parse import quote

from .messages import HubError, Response, json_response
from .metadata import check
from .routing import Call, route
from .store import PREFIXES, Commit, Entry, is_large

Files = dict[str, Entry]


@route("POST", "/api/{kinds}/{id}/preupload/{rev}")
def preupload(call: Call) -> Response:
    """How each file is to be sent, and what is there under its name already."""
    commit = call.own_repo.at(call.params["rev"])
    return json_response({"files": [_upload_mode(commit, asked) for asked in call.request.json()["files"]]})


def _upload_mode(commit: Commit, asked: dict[str, Any]) -> dict[str, Any]:
    path, there = asked["path"], commit.files.get(asked["path"])
    large = is_large(path, asked["size"], base64.b64decode(asked.get("sample", "")))
    mode = {"path": path, "uploadMode": "lfs" if large else "regular", "shouldIgnore": False}
    return {**mode, "oid": there.etag} if there else mode


@route("POST", "/api/{kinds}/{id}/commit/{rev}")
def commit(call: Call) -> Response:
    """One commit from lines of JSON; either all of it happens or nothing."""
    repo, branch = call.own_repo, call.params["rev"]
    lines = [_line(line) for line in call.request.body.splitlines() if line.strip()]
    header = next((value for key, value in lines if key == "header"), {})
    if not header.get("summary"):
        raise HubError(400, '"summary" is required')
    if branch not in repo.branches:
        raise HubError(404, f"Invalid rev id: {branch}", "RevisionNotFound")
    head, parent = repo.at(branch), header.get("parentCommit")
    if parent and not head.id.startswith(parent):
        raise HubError(412, "A commit has happened since. Please refresh and try again.")
    files = dict(head.files)
    for key, value in lines:
        _apply(call, files, key, value)
    _check_readme(call, files, head)
    author = call.account.user if call.account else ""
    made = repo.commit(branch, files, header["summary"], header.get("description", ""), author=author)
    url = f"{call.url}/{PREFIXES[repo.kind]}{repo.id}/commit/{made.id}"
    return json_response({"success": True, "commitOid": made.id, "commitUrl": url, "hookOutput": ""})


def _line(line: bytes) -> tuple[str, dict[str, Any]]:
    try:
        found = json.loads(line)
        return found["key"], found["value"]
    except (ValueError, KeyError, TypeError) as error:
        raise HubError(400, f"the commit has a line that cannot be read: {error}") from error


def _apply(call: Call, files: Files, key: str, value: dict[str, Any]) -> None:
    if key == "file":
        files[_good_path(value["path"])] = Entry.of(_content(value))
    elif key == "lfsFile":
        files[_good_path(value["path"])] = _large_file(call, value)
    elif key == "deletedFile":
        if files.pop(value["path"], None) is None:
            raise HubError(404, f"A file with this name doesn't exist: {value['path']}", "EntryNotFound")
    elif key == "deletedFolder":
        for path in [path for path in files if path.startswith(value["path"].rstrip("/") + "/")]:
            del files[path]
    elif key != "header":
        raise HubError(400, f"unknown operation: {key}")


def _good_path(path: str) -> str:
    if not path or path.startswith("/") or {"", ".", "..", ".git"} & set(path.split("/")):
        raise HubError(400, f"Invalid path: {path!r}")
    return path


def _content(value: dict[str, Any]) -> bytes:
    text: str = value["content"]
    try:
        return base64.b64decode(text, validate=True) if value.get("encoding") == "base64" else text.encode()
    except binascii.Error as error:
        raise HubError(400, f"{value['path']} is not base64: {error}") from error


def _large_file(call: Call, value: dict[str, Any]) -> Entry:
    data = call.store.objects.get(value["oid"])
    if data is None or value.get("size", len(data)) != len(data):
        raise HubError(400, f"an LFS pointer points to a file that does not exist. Offending file: {value['path']}")
    return Entry.of(data, lfs=True)


def _check_readme(call: Call, files: Files, head: Commit) -> None:
    readme = files.get("README.md")
    if readme and readme != head.files.get("README.md"):
        errors, _ = check(readme.data.decode(errors="replace"), call.kind)
        if errors:
            raise HubError(400, f"Invalid metadata in README.md: {'; '.join(errors)}")


@route("POST", "/{prefix}{id}\\.git/info/lfs/objects/batch")
def lfs_batch(call: Call) -> Response:
    """Where each large file is to be put; nowhere, if it is there already."""
    repo = call.own_repo
    verify = f"{call.url}/{PREFIXES[repo.kind]}{repo.id}.git/info/lfs/objects/verify"
    objects = []
    for asked in call.request.json()["objects"]:
        found = {"oid": asked["oid"], "size": asked["size"]}
        if asked["oid"] not in call.store.objects:
            found["actions"] = {"upload": {"href": _signed(call, asked["oid"])}, "verify": {"href": verify}}
        objects.append(found)
    return json_response({"transfer": "basic", "objects": objects})


@route("POST", "/{prefix}{id}\\.git/info/lfs/objects/verify")
def lfs_verify(call: Call) -> Response:
    """Whether a large file came whole."""
    asked = call.request.json()
    if len(call.store.objects.get(asked["oid"], b"")) != asked["size"]:
        raise HubError(404, f"LFS object {asked['oid']} is missing")
    return json_response({})


def _signature(sha256: str) -> str:
    return hashlib.sha256(f"loopback storage {sha256}".encode()).hexdigest()[:32]


def _signed(call: Call, sha256: str) -> str:
    return f"{call.storage_url}/lfs/{sha256}?signature={_signature(sha256)}"


@route("PUT", "/lfs/{sha256}")
def store_object(call: Call) -> Response:
    """Take a large file, if its address is signed and its bytes are those announced."""
    _check_signature(call)
    if hashlib.sha256(call.request.body).hexdigest() != call.params["sha256"]:
        raise HubError(400, "the body does not match its SHA-256")
    call.store.objects[call.params["sha256"]] = call.request.body
    return Response(headers={"ETag": f'"{call.params["sha256"]}"'})


@route("GET HEAD", "/lfs/{sha256}")
def fetch_object(call: Call) -> Response:
    """Give a large file to whoever has its signed address."""
    _check_signature(call)
    if call.params["sha256"] not in call.store.objects:
        raise HubError(404, "no such object")
    return _ranged(call, call.store.objects[call.params["sha256"]], {"ETag": f'"{call.params["sha256"]}"'})


def _check_signature(call: Call) -> None:
    if call.request.option("signature") != _signature(call.params["sha256"]):
        raise HubError(403, "the address is not signed")


@route("GET HEAD", "/{prefix}{id}/resolve/{rev}/{path}")
def resolve(call: Call) -> Response:
    """A file at a revision: its bytes, or the way to them on the storage host."""
    found, path = call.repo.at(call.params["rev"]), call.params["path"]
    entry = found.files.get(path)
    if entry is None:
        raise HubError(404, f"Entry not found: {path}", "EntryNotFound", {"X-Repo-Commit": found.id})
    name = quote(path.rsplit("/", 1)[-1])
    headers = {
        "X-Repo-Commit": found.id,
        "ETag": f'"{entry.etag}"',
        "Content-Disposition": f"inline; filename*=UTF-8''{name}; filename=\"{name}\";",
    }
    if entry.lfs:
        linked = {"X-Linked-Size": str(len(entry.data)), "X-Linked-Etag": f'"{entry.sha256}"'}
        return Response(302, b"Found", {**headers, **linked, "Location": _signed(call, entry.sha256)}, "text/plain")
    return _ranged(call, entry.data, headers)


def _ranged(call: Call, data: bytes, headers: dict[str, str]) -> Response:
    headers = {**headers, "Accept-Ranges": "bytes"}
    asked = re.fullmatch(r"bytes=(\d*)-(\d*)", call.request.headers.get("Range", "").strip())
    if not asked or asked[0] == "bytes=-":
        return Response(200, data, headers, "application/octet-stream")
    last = len(data) - 1
    start = int(asked[1]) if asked[1] else max(0, len(data) - int(asked[2]))
    stop = min(int(asked[2]), last) if asked[1] and asked[2] else last
    if start > stop:
        raise HubError(416, "Range Not Satisfiable", headers={**headers, "Content-Range": f"bytes */{len(data)}"})
    headers["Content-Range"] = f"bytes {start}-{stop}/{len(data)}"
    return Response(206, data[start : stop + 1], headers, "application/octet-stream")
