"""The Hub's API for repositories: accounts, creation, information, refs, trees and history."""

import re
from typing import Any

from .messages import HubError, Response, json_response
from .metadata import check, front_matter
from .routing import RequestContext, route
from .store import PREFIXES, Commit, Entry, Repo, git_oid

EXPANDED_PAGE = 50


@route("GET", "/api/whoami-v2")
def whoami(context: RequestContext) -> Response:
    """Whom the token speaks for."""
    if context.account is None:
        raise HubError(401, "Invalid username or password.")
    access = {"displayName": "loopback", "role": context.account.role}
    orgs = [{"type": "org", "id": org, "name": org, "fullname": org} for org in context.account.orgs]
    user = {"type": "user", "id": context.account.user, "name": context.account.user, "fullname": context.account.user}
    return json_response({**user, "orgs": orgs, "auth": {"type": "access_token", "accessToken": access}})


@route("POST", "/api/validate-yaml")
def validate_yaml(context: RequestContext) -> Response:
    """Whether a README may be committed."""
    body = context.request.json()
    errors, warnings = check(body["content"], body.get("repoType") or "model")
    messages = {"errors": [{"message": text} for text in errors], "warnings": [{"message": text} for text in warnings]}
    return json_response(messages, 400 if errors else 200)


def _repo_name(context: RequestContext, body: dict[str, Any]) -> tuple[Any, str]:
    namespace = body.get("organization") or (context.account.user if context.account else "")
    return body.get("type") or "model", f"{namespace}/{body['name']}"


@route("POST", "/api/repos/create")
def create_repo(context: RequestContext) -> Response:
    """A new repository with its first commit; 409, with the address, where there is one already."""
    body = context.request.json()
    kind, repo_id = _repo_name(context, body)
    context.writer(repo_id.split("/")[0])
    if kind not in PREFIXES or not re.fullmatch(r"[\w.-]+/[\w.-]{1,96}", repo_id):
        raise HubError(400, f"Invalid repository: {kind} {repo_id}")
    url = f"{context.url}/{PREFIXES[kind]}{repo_id}"
    if (kind, repo_id) in context.store.repos:
        error = f"You already created this {kind} repo"
        return json_response({"error": error, "url": url}, 409, {"X-Error-Message": error})
    is_private = body.get("visibility") == "private" or bool(body.get("private"))
    context.store.repos[kind, repo_id] = Repo(kind, repo_id, is_private, body.get("sdk"))
    return json_response({"url": url, "name": repo_id, "id": git_oid(repo_id.encode())[:24]})


@route("DELETE", "/api/repos/delete")
def delete_repo(context: RequestContext) -> Response:
    """Forget a repository."""
    kind, repo_id = _repo_name(context, context.request.json())
    context.store.writable(kind, repo_id, context.account)
    del context.store.repos[kind, repo_id]
    return json_response({})


@route("PUT", "/api/{kinds}/{id}/settings")
def settings(context: RequestContext) -> Response:
    """Make a repository private or public."""
    body = context.request.json()
    repo = context.own_repo
    repo.private = body["visibility"] == "private" if "visibility" in body else bool(body.get("private"))
    return json_response({"private": repo.private})


@route("GET", "/api/{kinds}/{id}/auth-check")
def auth_check(context: RequestContext) -> Response:
    """Whether the repository may be read at all."""
    return json_response({"id": context.repo.id})


@route("GET", "/api/{kinds}")
def list_repos(context: RequestContext) -> Response:
    """The repositories of a kind that the account may see."""
    is_owner = context.account.owns if context.account else lambda _: False
    author, query = context.request.option("author"), context.request.option("search").lower()
    infos = [
        _info(repo, repo.at(), blobs=False)
        for (kind, _), repo in sorted(context.store.repos.items())
        if kind == context.kind
        and (not repo.private or is_owner(repo.namespace))
        and author in ("", repo.namespace)
        and query in repo.id.lower()
    ]
    return json_response(infos)


@route("GET", "/api/{kinds}/{id}")
def info(context: RequestContext) -> Response:
    """A repository at the head of its main branch."""
    return json_response(_info(context.repo, context.repo.at(), blobs=context.request.flag("blobs")))


@route("GET", "/api/{kinds}/{id}/revision/{rev}")
def info_at(context: RequestContext) -> Response:
    """A repository at a revision."""
    return json_response(
        _info(context.repo, context.repo.at(context.params["rev"]), blobs=context.request.flag("blobs"))
    )


def _info(repo: Repo, commit: Commit, *, blobs: bool) -> dict[str, Any]:
    readme = commit.files.get("README.md")
    description: dict[str, Any] = {
        "_id": git_oid(repo.id.encode())[:24],
        "id": repo.id,
        "author": repo.namespace,
        "sha": commit.id,
        "createdAt": repo.created,
        "lastModified": commit.date,
        "private": repo.private,
        "gated": "auto" if repo.readers is not None else False,
        "disabled": False,
        "downloads": 0,
        "likes": 0,
        "tags": [],
        "cardData": front_matter(readme.data.decode(errors="replace")) if readme else {},
        "siblings": [_sibling(path, entry, blobs=blobs) for path, entry in commit.below("").items()],
        "usedStorage": sum(len(entry.data) for entry in commit.files.values()),
    }
    if repo.kind == "space":
        description |= {"sdk": repo.sdk, "runtime": {"stage": "NO_APP_FILE", "hardware": {}}}
    return description


def _sibling(path: str, entry: Entry, *, blobs: bool) -> dict[str, Any]:
    sibling: dict[str, Any] = {"rfilename": path}
    if blobs:
        sibling |= {"size": len(entry.data), "blobId": entry.oid}
        if entry.lfs:
            sibling["lfs"] = {"sha256": entry.sha256, "size": len(entry.data), "pointerSize": 134}
    return sibling


@route("GET", "/api/{kinds}/{id}/refs")
def refs(context: RequestContext) -> Response:
    """Branches and tags; pull requests where the client asks for them."""

    def list_refs(names: dict[str, str], folder: str) -> list[dict[str, str]]:
        return [{"name": name, "ref": f"refs/{folder}/{name}", "targetCommit": oid} for name, oid in names.items()]

    repo = context.repo
    branches = {name: oid for name, oid in repo.branches.items() if name not in repo.pull_requests}
    groups = {"branches": list_refs(branches, "heads"), "tags": list_refs(repo.tags, "tags"), "converts": []}
    if context.request.flag("include_prs"):
        numbers = {str(request.number): repo.branches[ref] for ref, request in repo.pull_requests.items()}
        groups["pullRequests"] = list_refs(numbers, "pr")
    return json_response(groups)


@route("POST", "/api/{kinds}/{id}/tag/{rev}")
def create_tag(context: RequestContext) -> Response:
    """Tag a revision; a tag that exists is never moved."""
    repo, tag = context.own_repo, context.request.json()["tag"]
    commit = repo.at(context.params["rev"])
    if tag in repo.tags:
        raise HubError(409, "Tag reference exists already")
    repo.tags[tag] = commit.id
    return json_response({})


@route("DELETE", "/api/{kinds}/{id}/tag/{rev}")
def delete_tag(context: RequestContext) -> Response:
    """Remove a tag."""
    if context.own_repo.tags.pop(context.params["rev"], None) is None:
        raise HubError(404, "Tag not found", "RevisionNotFound")
    return json_response({})


@route("POST", "/api/{kinds}/{id}/branch/{rev}")
def create_branch(context: RequestContext) -> Response:
    """Start a branch at main or at the revision the client names."""
    repo, branch = context.own_repo, context.params["rev"]
    commit = repo.at(context.request.json().get("startingPoint") or "main")
    if branch in repo.branches:
        raise HubError(409, "Reference already exists")
    repo.branches[branch] = commit.id
    return json_response({})


@route("DELETE", "/api/{kinds}/{id}/branch/{rev}")
def delete_branch(context: RequestContext) -> Response:
    """Remove a branch other than main."""
    repo, branch = context.own_repo, context.params["rev"]
    if branch == "main":
        raise HubError(403, "Cannot delete the main branch")
    if repo.branches.pop(branch, None) is None:
        raise HubError(404, "Branch not found", "RevisionNotFound")
    return json_response({})


@route("GET", "/api/{kinds}/{id}/commits/{rev}")
def commits(context: RequestContext) -> Response:
    """The history of a revision, newest first, in pages."""
    history = [
        {
            "id": commit.id,
            "title": commit.title,
            "message": commit.message,
            "date": commit.date,
            "authors": [{"user": commit.author}],
        }
        for commit in context.repo.history(context.params["rev"])
    ]
    return _page(context, history, context.page_size)


@route("GET", "/api/{kinds}/{id}/tree/{rev}(?:/{path})?")
def tree(context: RequestContext) -> Response:
    """Files and folders below a folder, in pages."""
    commit, folder = context.repo.at(context.params["rev"]), context.params["path"].strip("/")
    files = commit.below(folder)
    if folder and not files:
        raise HubError(404, f"{folder} does not exist on {commit.id}", "EntryNotFound")
    depth = folder.count("/") + 1 if folder else 0
    is_recursive, is_expanded = context.request.flag("recursive"), context.request.flag("expand")
    parts = [path.split("/") for path in files]
    folders = {"/".join(part[:end]) for part in parts for end in range(depth + 1, len(part))}
    paths = sorted(path for path in {*files, *folders} if is_recursive or path.count("/") == depth)
    size = min(context.page_size, EXPANDED_PAGE) if is_expanded else context.page_size
    return _page(context, [_path_info(context.repo, commit, path, is_expanded) for path in paths], size)


@route("POST", "/api/{kinds}/{id}/paths-info/{rev}")
def paths_info(context: RequestContext) -> Response:
    """What is known of some paths; those that do not exist are left out."""
    commit, form = context.repo.at(context.params["rev"]), context.request.form()
    is_expanded = form.get("expand", [""])[-1].lower() == "true"
    paths = [path.strip("/") for path in form.get("paths", [])]
    paths = [path for path in paths if path in commit.files or commit.below(path)]
    return json_response([_path_info(context.repo, commit, path, is_expanded) for path in paths])


def _path_info(repo: Repo, commit: Commit, path: str, is_expanded: bool) -> dict[str, Any]:
    entry = commit.files.get(path)
    if entry is None:
        listing = "\n".join(f"{name} {file.oid}" for name, file in commit.below(path).items())
        info: dict[str, Any] = {"type": "directory", "path": path, "size": 0, "oid": git_oid(listing.encode(), "tree")}
    else:
        info = {"type": "file", "path": path, "size": len(entry.data), "oid": entry.oid}
        if entry.lfs:
            info["lfs"] = {"oid": entry.sha256, "size": len(entry.data), "pointerSize": 134}
    if is_expanded:
        last = repo.last_change(path, commit)
        info["lastCommit"] = {"id": last.id, "title": last.title, "date": last.date}
    return info


def _page(context: RequestContext, entries: list[Any], size: int) -> Response:
    start = int(context.request.option("cursor", "0"))
    if start + size >= len(entries):
        return json_response(entries[start:])
    query = re.sub(r"&?cursor=\d+", "", context.request.query)
    header = f'<{context.url}{context.request.path}?{query}{"&" if query else ""}cursor={start + size}>; rel="next"'
    return json_response(entries[start : start + size], headers={"Link": header})
