"""The Hub's API for pull requests: which there are, and what becomes of them; commits open them."""

from typing import Any

from .messages import HubError, Response, json_response
from .routing import RequestContext, route
from .store import PullRequest, Repo

PAGE = 10


@route("GET", "/api/{kinds}/{id}/discussions")
def discussions(context: RequestContext) -> Response:
    """The pull requests of a repository, newest first, in pages; those of a status or an author, if one is named."""
    option, repo = context.request.option, context.repo
    entries = [
        _describe(repo, request)
        for request in reversed(repo.pull_requests.values())
        if option("type", "all") in ("all", "pull_request")
        and option("status", "all") in ("all", request.status)
        and option("author") in ("", request.author)
    ]
    start = int(option("p", "0")) * PAGE
    return json_response({"discussions": entries[start : start + PAGE], "count": len(entries), "start": start})


def _describe(repo: Repo, request: PullRequest) -> dict[str, Any]:
    return {
        "num": request.number,
        "title": request.title,
        "status": request.status,
        "author": {"name": request.author, "type": "user"},
        "repo": {"name": repo.id, "type": repo.kind},
        "isPullRequest": True,
        "createdAt": request.date,
    }


@route("POST", "/api/{kinds}/{id}/discussions/{number}/merge")
def merge(context: RequestContext) -> Response:
    """Put the files that a pull request changed on top of main."""
    repo = context.own_repo
    request = _open_request(context, repo)
    change = repo.at(request.ref)
    base, files = repo.at(change.parent or "main").files, dict(repo.at().files)
    for path in {*base, *change.files}:
        if base.get(path) == change.files.get(path):
            continue
        if files.get(path) != base.get(path):
            raise HubError(409, f"the pull request conflicts with main in {path}")
        files.pop(path, None)
        files |= {path: change.files[path]} if path in change.files else {}
    author = context.account.user if context.account else ""
    repo.commit("main", files, f"{request.title} (#{request.number})", author=author)
    request.status = "merged"
    return json_response({})


@route("POST", "/api/{kinds}/{id}/discussions/{number}/status")
def change_status(context: RequestContext) -> Response:
    """Close a pull request; its branch stays."""
    request = _open_request(context, context.own_repo)
    request.status = context.request.json()["status"]
    event = {"id": "0" * 24, "type": "status-change", "createdAt": request.date, "data": {"status": request.status}}
    return json_response({"newStatus": event})


def _open_request(context: RequestContext, repo: Repo) -> PullRequest:
    request = repo.pull_requests.get(f"refs/pr/{context.params['number']}")
    if request is None or request.status != "open":
        raise HubError(404, "no open pull request of this number")
    return request
