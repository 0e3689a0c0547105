"""The Hub's API for repositories: accounts, creation, information, refs, trees and history."""

import re
from typing import Any

from .messages import HubError, Response, json_response
from .metadata import check, front_matter
from .routing import Call, route
from .store import PREFIXES, Commit, Entry, Repo, git_oid

EXPANDED_PAGE = 50


@route("GET", "/api/whoami-v2")
def whoami(call: Call) -> Response:
    """Whom the token speaks for."""
    if call.account is None:
        raise HubError(401, "Invalid username or password.")
    access = {"displayName": "loopback", "role": call.account.role}
    orgs = [{"type": "org", "id": org, "name": org, "fullname": org} for org in call.account.orgs]
    user = {"type": "user", "id": call.account.user, "name": call.account.user, "fullname": call.account.user}
    return json_response({**user, "orgs": orgs, "auth": {"type": "access_token", "accessToken": access}})


@route("POST", "/api/validate-yaml")
def validate_yaml(call: Call) -> Response:
    """Whether a README may be committed."""
    asked = call.request.json()
    errors, warnings = check(asked["content"], asked.get("repoType") or "model")
    messages = {"errors": [{"message": text} for text in errors], "warnings": [{"message": text} for text in warnings]}
    return json_response(messages, 400 if errors else 200)


def _named(call: Call, asked: dict[str, Any]) -> tuple[Any, str]:
    namespace = asked.get("organization") or (call.account.user if call.account else "")
    return asked.get("type") or "model", f"{namespace}/{asked['name']}"


@route("POST", "/api/repos/create")
def create_repo(call: Call) -> Response:
    """A new repository with its first commit; 409, with the address, where there is one already."""
    asked = call.request.json()
    kind, repo_id = _named(call, asked)
    call.writer(repo_id.split("/")[0])
    if kind not in PREFIXES or not re.fullmatch(r"[\w.-]+/[\w.-]{1,96}", repo_id):
        raise HubError(400, f"Invalid repository: {kind} {repo_id}")
    url = f"{call.url}/{PREFIXES[kind]}{repo_id}"
    if (kind, repo_id) in call.store.repos:
        error = f"You already created this {kind} repo"
        return json_response({"error": error, "url": url}, 409, {"X-Error-Message": error})
    private = asked.get("visibility") == "private" or bool(asked.get("private"))
    call.store.repos[kind, repo_id] = Repo(kind, repo_id, private, asked.get("sdk"))
    return json_response({"url": url, "name": repo_id, "id": git_oid(repo_id.encode())[:24]})


@route("DELETE", "/api/repos/delete")
def delete_repo(call: Call) -> Response:
    """Forget a repository."""
    kind, repo_id = _named(call, call.request.json())
    call.store.writable(kind, repo_id, call.account)
    del call.store.repos[kind, repo_id]
    return json_response({})


@route("PUT", "/api/{kinds}/{id}/settings")
def settings(call: Call) -> Response:
    """Make a repository private or public."""
    asked = call.request.json()
    repo = call.own_repo
    repo.private = asked["visibility"] == "private" if "visibility" in asked else bool(asked.get("private"))
    return json_response({"private": repo.private})


@route("GET", "/api/{kinds}/{id}/auth-check")
def auth_check(call: Call) -> Response:
    """Whether the repository may be read at all."""
    return json_response({"id": call.repo.id})


@route("GET", "/api/{kinds}")
def list_repos(call: Call) -> Response:
    """The repositories of a kind that the account may see."""
    owns = call.account.owns if call.account else lambda _: False
    author, search = call.request.option("author"), call.request.option("search").lower()
    found = [
        _info(repo, repo.at(), blobs=False)
        for (kind, _), repo in sorted(call.store.repos.items())
        if kind == call.kind
        and (not repo.private or owns(repo.namespace))
        and author in ("", repo.namespace)
        and search in repo.id.lower()
    ]
    return json_response(found)


@route("GET", "/api/{kinds}/{id}")
def info(call: Call) -> Response:
    """A repository at the head of its main branch."""
    return json_response(_info(call.repo, call.repo.at(), blobs=call.request.flag("blobs")))


@route("GET", "/api/{kinds}/{id}/revision/{rev}")
def info_at(call: Call) -> Response:
    """A repository at a revision."""
    return json_response(_info(call.repo, call.repo.at(call.params["rev"]), blobs=call.request.flag("blobs")))


def _info(repo: Repo, commit: Commit, *, blobs: bool) -> dict[str, Any]:
    readme = commit.files.get("README.md")
    found: dict[str, Any] = {
        "_id": git_oid(repo.id.encode())[:24],
        "id": repo.id,
        "author": repo.namespace,
        "sha": commit.id,
        "createdAt": repo.created,
        "lastModified": commit.date,
        "private": repo.private,
        "gated": False,
        "disabled": False,
        "downloads": 0,
        "likes": 0,
        "tags": [],
        "cardData": front_matter(readme.data.decode(errors="replace")) if readme else {},
        "siblings": [_sibling(path, entry, blobs=blobs) for path, entry in commit.below("").items()],
        "usedStorage": sum(len(entry.data) for entry in commit.files.values()),
    }
    if repo.kind == "space":
        found |= {"sdk": repo.sdk, "runtime": {"stage": "NO_APP_FILE", "hardware": {}}}
    return found


def _sibling(path: str, entry: Entry, *, blobs: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"rfilename": path}
    if blobs:
        found |= {"size": len(entry.data), "blobId": entry.oid}
        if entry.lfs:
            found["lfs"] = {"sha256": entry.sha256, "size": len(entry.data), "pointerSize": 134}
    return found


@route("GET", "/api/{kinds}/{id}/refs")
def refs(call: Call) -> Response:
    """Branches and tags."""

    def listed(names: dict[str, str], folder: str) -> list[dict[str, str]]:
        return [{"name": name, "ref": f"refs/{folder}/{name}", "targetCommit": oid} for name, oid in names.items()]

    repo = call.repo
    named = {"branches": listed(repo.branches, "heads"), "tags": listed(repo.tags, "tags")}
    return json_response({**named, "converts": [], "pullRequests": []})


@route("POST", "/api/{kinds}/{id}/tag/{rev}")
def create_tag(call: Call) -> Response:
    """Tag a revision; a tag that exists is never moved."""
    repo, tag = call.own_repo, call.request.json()["tag"]
    commit = repo.at(call.params["rev"])
    if tag in repo.tags:
        raise HubError(409, "Tag reference exists already")
    repo.tags[tag] = commit.id
    return json_response({})


@route("DELETE", "/api/{kinds}/{id}/tag/{rev}")
def delete_tag(call: Call) -> Response:
    """Remove a tag."""
    if call.own_repo.tags.pop(call.params["rev"], None) is None:
        raise HubError(404, "Tag not found", "RevisionNotFound")
    return json_response({})


@route("POST", "/api/{kinds}/{id}/branch/{rev}")
def create_branch(call: Call) -> Response:
    """Start a branch at main or at the revision the client names."""
    repo, branch = call.own_repo, call.params["rev"]
    commit = repo.at(call.request.json().get("startingPoint") or "main")
    if branch in repo.branches:
        raise HubError(409, "Reference already exists")
    repo.branches[branch] = commit.id
    return json_response({})


@route("DELETE", "/api/{kinds}/{id}/branch/{rev}")
def delete_branch(call: Call) -> Response:
    """Remove a branch other than main."""
    repo, branch = call.own_repo, call.params["rev"]
    if branch == "main":
        raise HubError(403, "Cannot delete the main branch")
    if repo.branches.pop(branch, None) is None:
        raise HubError(404, "Branch not found", "RevisionNotFound")
    return json_response({})


@route("GET", "/api/{kinds}/{id}/commits/{rev}")
def commits(call: Call) -> Response:
    """The history of a revision, newest first, in pages."""
    found = [
        {
            "id": commit.id,
            "title": commit.title,
            "message": commit.message,
            "date": commit.date,
            "authors": [{"user": commit.author}],
        }
        for commit in call.repo.history(call.params["rev"])
    ]
    return _page(call, found, call.page_size)


@route("GET", "/api/{kinds}/{id}/tree/{rev}(?:/{path})?")
def tree(call: Call) -> Response:
    """Files and folders below a folder, in pages."""
    commit, folder = call.repo.at(call.params["rev"]), call.params["path"].strip("/")
    below = commit.below(folder)
    if folder and not below:
        raise HubError(404, f"{folder} does not exist on {commit.id}", "EntryNotFound")
    depth = folder.count("/") + 1 if folder else 0
    recursive, expand = call.request.flag("recursive"), call.request.flag("expand")
    parts = [path.split("/") for path in below]
    folders = {"/".join(part[:end]) for part in parts for end in range(depth + 1, len(part))}
    paths = sorted(path for path in {*below, *folders} if recursive or path.count("/") == depth)
    size = min(call.page_size, EXPANDED_PAGE) if expand else call.page_size
    return _page(call, [_path_info(call.repo, commit, path, expand=expand) for path in paths], size)


@route("POST", "/api/{kinds}/{id}/paths-info/{rev}")
def paths_info(call: Call) -> Response:
    """What is known of some paths; those that do not exist are left out."""
    commit, form = call.repo.at(call.params["rev"]), call.request.form()
    expand = form.get("expand", [""])[-1].lower() == "true"
    paths = [path.strip("/") for path in form.get("paths", [])]
    known = [path for path in paths if path in commit.files or commit.below(path)]
    return json_response([_path_info(call.repo, commit, path, expand=expand) for path in known])


def _path_info(repo: Repo, commit: Commit, path: str, *, expand: bool) -> dict[str, Any]:
    entry = commit.files.get(path)
    if entry is None:
        listing = "\n".join(f"{name} {below.oid}" for name, below in commit.below(path).items())
        found: dict[str, Any] = {"type": "directory", "path": path, "size": 0, "oid": git_oid(listing.encode(), "tree")}
    else:
        found = {"type": "file", "path": path, "size": len(entry.data), "oid": entry.oid}
        if entry.lfs:
            found["lfs"] = {"oid": entry.sha256, "size": len(entry.data), "pointerSize": 134}
    if expand:
        last = repo.last_change(path, commit)
        found["lastCommit"] = {"id": last.id, "title": last.title, "date": last.date}
    return found


def _page(call: Call, found: list[Any], size: int) -> Response:
    start = int(call.request.option("cursor", "0"))
    if start + size >= len(found):
        return json_response(found[start:])
    query = re.sub(r"&?cursor=\d+", "", call.request.query)
    link = f'<{call.url}{call.request.path}?{query}{"&" if query else ""}cursor={start + size}>; rel="next"'
    return json_response(found[start : start + size], headers={"Link": link})
