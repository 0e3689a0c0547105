"""A Hugging Face Hub on the loopback interface, for the real clients to talk to over HTTP.

`LoopbackHub` is the Hub, `run_client` runs Python as its client (`WarmClient`: many times over), `hub.faults` makes
requests fail, `hub.requests` is the log and `hub.repo(kind, id)` shows what a repository holds.
"""

from .client import WarmClient, client_env, run_client
from .faults import Exchange, Fault, Faults, dropped, garbage, rate_limited, server_error, slow, truncated
from .server import TOKEN, LoopbackHub
from .store import Account, Commit, Entry, Kind, Repo

__all__ = [
    "TOKEN",
    "Account",
    "Commit",
    "Entry",
    "Exchange",
    "Fault",
    "Faults",
    "Kind",
    "LoopbackHub",
    "Repo",
    "WarmClient",
    "client_env",
    "dropped",
    "garbage",
    "rate_limited",
    "run_client",
    "server_error",
    "slow",
    "truncated",
]
