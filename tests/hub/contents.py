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
from .routing import RequestContext, route
from .store import PREFIXES, Commit, Entry, is_large

Files = dict[str, Entry]


@route("POST", "/api/{kinds}/{id}/preupload/{rev}")
def preupload(context: RequestContext) -> Response:
    """How each file is to be sent, and what is there under its name already."""
    repo = context.proposed_repo if context.request.flag("create_pr") else context.own_repo
    commit = repo.at(context.params["rev"])
    return json_response({"files": [_upload_mode(commit, file) for file in context.request.json()["files"]]})


def _upload_mode(commit: Commit, file: dict[str, Any]) -> dict[str, Any]:
    path, entry = file["path"], commit.files.get(file["path"])
    kind = "lfs" if is_large(path, file["size"], base64.b64decode(file.get("sample", ""))) else "regular"
    mode = {"path": path, "uploadMode": kind, "shouldIgnore": False}
    return {**mode, "oid": entry.etag} if entry else mode


@route("POST", "/api/{kinds}/{id}/commit/{rev}")
def commit(context: RequestContext) -> Response:
    """One commit from lines of JSON, on a branch or as a new pull request; either all of it happens or nothing."""
    is_proposal, branch = context.request.flag("create_pr"), context.params["rev"]
    repo = context.proposed_repo if is_proposal else context.own_repo
    lines = [_line(line) for line in context.request.body.splitlines() if line.strip()]
    header = next((value for key, value in lines if key == "header"), {})
    if not header.get("summary"):
        raise HubError(400, '"summary" is required')
    if branch not in repo.branches:
        raise HubError(404, f"Invalid rev id: {branch}", "RevisionNotFound")
    head, parent = repo.at(branch), header.get("parentCommit")
    if is_proposal:
        if branch != "main":
            raise HubError(400, "a pull request is opened against main")
        head = repo.at(parent) if parent else head  # it may start anywhere
    elif parent and not head.id.startswith(parent):
        raise HubError(412, "A commit has happened since. Please refresh and try again.")
    files = dict(head.files)
    for key, value in lines:
        _apply(context, files, key, value)
    _check_readme(context, files, head)
    author = context.account.user if context.account else ""
    summary, description = header["summary"], header.get("description", "")
    request = repo.open_pull_request(summary, description, author, head.id) if is_proposal else None
    new_commit = repo.commit(request.ref if request else branch, files, summary, description, author=author)
    url = f"{context.url}/{PREFIXES[repo.kind]}{repo.id}"
    content = {"success": True, "commitOid": new_commit.id, "commitUrl": f"{url}/commit/{new_commit.id}"}
    more = {"pullRequestUrl": f"{url}/discussions/{request.number}"} if request else {}
    return json_response({**content, **more, "hookOutput": ""})


def _line(line: bytes) -> tuple[str, dict[str, Any]]:
    try:
        operation = json.loads(line)
        return operation["key"], operation["value"]
    except (ValueError, KeyError, TypeError) as error:
        raise HubError(400, f"the commit has a line that cannot be read: {error}") from error


def _apply(context: RequestContext, files: Files, key: str, value: dict[str, Any]) -> None:
    if key == "file":
        files[_good_path(value["path"])] = Entry.of(_content(value))
    elif key == "lfsFile":
        files[_good_path(value["path"])] = _large_file(context, value)
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


def _large_file(context: RequestContext, value: dict[str, Any]) -> Entry:
    data = context.store.objects.get(value["oid"])
    if data is None or value.get("size", len(data)) != len(data):
        raise HubError(400, f"an LFS pointer points to a file that does not exist. Offending file: {value['path']}")
    return Entry.of(data, lfs=True)


def _check_readme(context: RequestContext, files: Files, head: Commit) -> None:
    readme = files.get("README.md")
    if readme and readme != head.files.get("README.md"):
        errors, _ = check(readme.data.decode(errors="replace"), context.kind)
        if errors:
            raise HubError(400, f"Invalid metadata in README.md: {'; '.join(errors)}")


@route("POST", "/{prefix}{id}\\.git/info/lfs/objects/batch")
def lfs_batch(context: RequestContext) -> Response:
    """Where each large file is to be put; nowhere, if it is there already."""
    repo = context.own_repo
    verify_url = f"{context.url}/{PREFIXES[repo.kind]}{repo.id}.git/info/lfs/objects/verify"
    objects = []
    for pointer in context.request.json()["objects"]:
        entry = {"oid": pointer["oid"], "size": pointer["size"]}
        if pointer["oid"] not in context.store.objects:
            entry["actions"] = {"upload": {"href": _signed(context, pointer["oid"])}, "verify": {"href": verify_url}}
        objects.append(entry)
    return json_response({"transfer": "basic", "objects": objects})


@route("POST", "/{prefix}{id}\\.git/info/lfs/objects/verify")
def lfs_verify(context: RequestContext) -> Response:
    """Whether a large file came whole."""
    pointer = context.request.json()
    if len(context.store.objects.get(pointer["oid"], b"")) != pointer["size"]:
        raise HubError(404, f"LFS object {pointer['oid']} is missing")
    return json_response({})


def _signature(sha256: str) -> str:
    return hashlib.sha256(f"loopback storage {sha256}".encode()).hexdigest()[:32]


def _signed(context: RequestContext, sha256: str) -> str:
    return f"{context.storage_url}/lfs/{sha256}?signature={_signature(sha256)}"


@route("PUT", "/lfs/{sha256}")
def store_object(context: RequestContext) -> Response:
    """Take a large file, if its address is signed and its bytes are those announced."""
    _check_signature(context)
    if hashlib.sha256(context.request.body).hexdigest() != context.params["sha256"]:
        raise HubError(400, "the body does not match its SHA-256")
    context.store.objects[context.params["sha256"]] = context.request.body
    return Response(headers={"ETag": f'"{context.params["sha256"]}"'})


@route("GET HEAD", "/lfs/{sha256}")
def fetch_object(context: RequestContext) -> Response:
    """Give a large file to whoever has its signed address."""
    _check_signature(context)
    if context.params["sha256"] not in context.store.objects:
        raise HubError(404, "no such object")
    return _ranged(context, context.store.objects[context.params["sha256"]], {"ETag": f'"{context.params["sha256"]}"'})


def _check_signature(context: RequestContext) -> None:
    if context.request.option("signature") != _signature(context.params["sha256"]):
        raise HubError(403, "the address is not signed")


@route("GET HEAD", "/{prefix}{id}/resolve/{rev}/{path}")
def resolve(context: RequestContext) -> Response:
    """A file at a revision: its bytes, or the way to them on the storage host."""
    repo = context.store.content_of(context.kind, context.params["id"], context.account)
    commit, path = repo.at(context.params["rev"]), context.params["path"]
    entry = commit.files.get(path)
    if entry is None:
        raise HubError(404, f"Entry not found: {path}", "EntryNotFound", {"X-Repo-Commit": commit.id})
    name = quote(path.rsplit("/", 1)[-1])
    headers = {
        "X-Repo-Commit": commit.id,
        "ETag": f'"{entry.etag}"',
        "Content-Disposition": f"inline; filename*=UTF-8''{name}; filename=\"{name}\";",
    }
    if entry.lfs:
        link_headers = {"X-Linked-Size": str(len(entry.data)), "X-Linked-Etag": f'"{entry.sha256}"'}
        return Response(
            302, b"Found", {**headers, **link_headers, "Location": _signed(context, entry.sha256)}, "text/plain"
        )
    return _ranged(context, entry.data, headers)


def _ranged(context: RequestContext, data: bytes, headers: dict[str, str]) -> Response:
    headers = {**headers, "Accept-Ranges": "bytes"}
    interval = re.fullmatch(r"bytes=(\d*)-(\d*)", context.request.headers.get("Range", "").strip())
    if not interval or interval[0] == "bytes=-":
        return Response(200, data, headers, "application/octet-stream")
    last = len(data) - 1
    start = int(interval[1]) if interval[1] else max(0, len(data) - int(interval[2]))
    stop = min(int(interval[2]), last) if interval[1] and interval[2] else last
    if start > stop:
        raise HubError(416, "Range Not Satisfiable", headers={**headers, "Content-Range": f"bytes */{len(data)}"})
    headers["Content-Range"] = f"bytes {start}-{stop}/{len(data)}"
    return Response(206, data[start : stop + 1], headers, "application/octet-stream")
