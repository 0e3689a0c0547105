"""Collections on the Hub: a dataset, its metric and its report side by side."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from diptych.errors import BadInputError
from diptych.folder import hub
from diptych.publishing._push import Say, hub_api

ItemKind = Literal["dataset", "space", "model"]

_KINDS: dict[str, ItemKind] = {"datasets": "dataset", "spaces": "space", "models": "model"}
_LONGEST_TITLE = 59  # characters, by the Hub's own rule


def extend_collection(
    title: str, places: Sequence[str], namespace: str | None = None, private: bool = False, *, say: Say, dry_run: bool
) -> str | None:
    """Create a collection, or extend the one of this title; its slug, None after a dry run.

    `places` are addresses on the Hub, such as `datasets/org/name` and `spaces/org/name`; what is in the collection
    already stays. It belongs to `namespace`, or to whom the first of them belongs.
    """
    items = [_item(place) for place in places]
    if not title.strip() or len(title) > _LONGEST_TITLE:
        raise BadInputError(f"--collection: a title has 1 to {_LONGEST_TITLE} characters")
    owner, api = namespace or items[0][1].partition("/")[0], hub_api()
    for kind, repo in items:
        look_up = partial(api.repo_info, repo, repo_type=kind)
        hub.persistently(look_up, f"{kind} {repo}: looking it up")
        say(f"{owner}: {kind} {repo} into the collection {title!r}")
    if dry_run:
        return None
    create = partial(api.create_collection, title, namespace=owner, private=private, exists_ok=True)
    collection = hub.persistently(create, f"{owner}: creating the collection {title!r}")
    for kind, repo in items:
        add = partial(api.add_collection_item, collection.slug, repo, kind, exists_ok=True)
        collection = hub.persistently(add, f"{collection.slug}: adding {repo}")
    held = {(item.item_type, item.item_id) for item in collection.items}
    if missing := [repo for kind, repo in items if (kind, repo) not in held]:
        raise hub.HubError(f"{collection.slug}: does not hold {', '.join(missing)}; run the same command again")
    return str(collection.slug)


def _item(place: str) -> tuple[ItemKind, str]:
    """Kind and repository of an address.

    >>> _item("spaces/org/paired_vqa")
    ('space', 'org/paired_vqa')
    """
    kind, _, repo = place.removeprefix("hf://").partition("/")
    if kind not in _KINDS:
        raise BadInputError(f"{place}: say of which kind it is: datasets/{place} or spaces/{place}")
    return _KINDS[kind], hub.hub_dataset(repo).repo
