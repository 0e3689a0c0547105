"""Which function answers which address."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import unquote

from .messages import HubError, Request, Response
from .store import KINDS, Account, Kind, Repo, Store, may_write

_PARTS = {
    "kinds": r"(?P<kinds>models|datasets|spaces)",
    "prefix": r"(?P<prefix>datasets/|spaces/|)",
    "id": r"(?P<id>[^/]+/[^/]+?)",
    "rev": r"(?P<rev>[^/]+)",
    "path": r"(?P<path>.*)",
    "slug": r"(?P<slug>[^/]+/[^/]+)",
    "number": r"(?P<number>[1-9][0-9]*)",
    "sha256": r"(?P<sha256>[0-9a-f]{64})",
}


@dataclass(frozen=True, slots=True)
class RequestContext:
    """A request with all that is needed to answer it."""

    request: Request
    store: Store
    account: Account | None
    url: str
    storage_url: str
    page_size: int

    @property
    def params(self) -> Mapping[str, str]:
        """The named parts of the address."""
        return self.request.params

    @property
    def kind(self) -> Kind:
        """The kind of repository that the address names."""
        plural = self.params.get("kinds") or self.params.get("prefix", "").rstrip("/") or "models"
        return KINDS[plural]

    @property
    def repo(self) -> Repo:
        """The repository of the address, to read."""
        return self.store.readable(self.kind, self.params["id"], self.account)

    @property
    def own_repo(self) -> Repo:
        """The repository of the address, to write."""
        return self.store.writable(self.kind, self.params["id"], self.account)

    @property
    def proposed_repo(self) -> Repo:
        """The repository of the address, to propose a change to: whoever may read it and has a token to write."""
        if self.account is None:
            raise HubError(401, "Invalid username or password.")
        may_write(self.account, self.account.user)
        return self.repo

    def writer(self, namespace: str) -> Account:
        """The account, if it may write in a namespace."""
        return may_write(self.account, namespace)


Answer = Callable[[RequestContext], Response]
_ROUTES: list[tuple[str, re.Pattern[str], Answer]] = []


def route(methods: str, address: str) -> Callable[[Answer], Answer]:
    """Register a function for an address such as `/api/{kinds}/{id}/refs`."""
    pattern = re.compile(re.sub(r"\{(\w+)\}", lambda part: _PARTS[part[1]], address))

    def register(answer: Answer) -> Answer:
        _ROUTES.extend((method, pattern, answer) for method in methods.split())
        return answer

    return register


def find_route(request: Request) -> tuple[Answer, Request] | None:
    """The function for a request, if any, and the request with the parts of its address unquoted."""
    # The raw path is matched, so that a quoted slash in a revision or a file name stays inside its part.
    for method, pattern, answer in _ROUTES:
        match = pattern.fullmatch(request.path)
        if match and method == request.method:
            params = {name: unquote(value) for name, value in match.groupdict(default="").items()}
            return answer, replace(request, params=params)
    return None
