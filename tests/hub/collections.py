"""The Hub's API for collections: create one, add to it, read it."""

import hashlib
import re
from typing import Any

from .messages import HubError, Response, json_response
from .routing import RequestContext, route
from .store import Collection

LONGEST_TITLE = 59


@route("POST", "/api/collections")
def create_collection(context: RequestContext) -> Response:
    """A new collection; 409, with its slug, where its owner has one of this title."""
    body = context.request.json()
    owner, title = body["namespace"], body["title"]
    context.writer(owner)
    if not title or len(title) > LONGEST_TITLE:
        raise HubError(400, f'"title" must have 1 to {LONGEST_TITLE} characters')
    words = re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")
    slug = f"{owner}/{words}-{hashlib.sha1(title.encode()).hexdigest()[:24]}"
    if slug in context.store.collections:
        return json_response({"error": "This collection already exists", "slug": slug}, 409)
    context.store.collections[slug] = Collection(slug, title, owner, bool(body.get("private")))
    return json_response(_describe(context.store.collections[slug]))


@route("GET", "/api/collections/{slug}")
def read_collection(context: RequestContext) -> Response:
    """A collection with its items."""
    return json_response(_describe(_find(context)))


@route("POST", "/api/collections/{slug}/items")
def add_item(context: RequestContext) -> Response:
    """Put a repository, which must exist, at the end of a collection; 409 where it is in there."""
    collection, item = _find(context), context.request.json()["item"]
    context.writer(collection.owner)
    repo = context.store.readable(item["type"], item["id"], context.account)
    if (repo.kind, repo.id) in collection.items:
        raise HubError(409, "This item is already in the collection")
    collection.items.append((repo.kind, repo.id))
    return json_response(_describe(collection))


def _find(context: RequestContext) -> Collection:
    collection = context.store.collections.get(context.params["slug"])
    if collection is None or (collection.private and not (context.account and context.account.owns(collection.owner))):
        raise HubError(404, "Collection not found")
    return collection


def _describe(collection: Collection) -> dict[str, Any]:
    items = [
        {"_id": f"{number:024x}", "id": repo, "type": kind, "position": number}
        for number, (kind, repo) in enumerate(collection.items)
    ]
    return {
        "slug": collection.slug,
        "title": collection.title,
        "owner": {"name": collection.owner, "type": "user"},
        "items": items,
        "private": collection.private,
        "lastUpdated": "2024-01-01T00:00:00.000Z",
        "position": 0,
        "theme": "blue",
        "upvotes": 0,
    }
