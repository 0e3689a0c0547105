"""An API key comes from the environment, goes to the endpoint it is for, and is in no file and no output."""

from pathlib import Path

import pytest

from diptych.models._keys import find_key
from tests.models.endpoint import KEY, LoopbackEndpoint, always, fault_every
from tests.models.worlds import ask, run


def contents(folder: Path) -> bytes:
    return b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_the_key_is_in_no_file_and_no_output(world: Path) -> None:
    with LoopbackEndpoint(fault_every("echo", "500", share=0.5), reply=lambda body: f"yes {KEY}") as endpoint:
        ended = run(world, endpoint, "--out", world / "p.jsonl", "--batch-file", world / "batch.jsonl")
        ended = run(world, endpoint, "--out", world / "p.jsonl", "--tries", 2)
    assert ended.returncode == 1
    assert "[API key]" in (world / "p.jsonl").read_text()
    assert KEY not in ended.stdout + ended.stderr
    assert KEY.encode() not in contents(world)


def test_a_server_that_refuses_the_key_does_not_show_it(world: Path) -> None:
    with LoopbackEndpoint(key="another-key-0123") as endpoint:
        ended = run(world, endpoint, "--out", world / "p.jsonl")
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [
        f"error: {endpoint.url}: 401: it rejected the key in DIPTYCH_API_KEY; set DIPTYCH_API_KEY (see docs/predict.md)"
    ]
    assert KEY.encode() not in contents(world)


def test_a_key_is_in_no_journal(world: Path) -> None:
    count = 0

    def stop_later(digest: str, attempt: int) -> str:
        nonlocal count
        count += 1
        return "403" if count > 20 else "" if count > 3 else "echo"

    with LoopbackEndpoint(stop_later) as endpoint:
        assert run(world, endpoint, "--out", world / "p.jsonl").returncode == 2
    assert (world / "p.jsonl.journal").exists()
    assert KEY.encode() not in contents(world)


@pytest.mark.parametrize(
    ("url", "variables", "expected"),
    [
        ("http://localhost/v1", {"DIPTYCH_API_KEY": "a", "OPENAI_API_KEY": "b"}, ("a", "DIPTYCH_API_KEY")),
        ("http://localhost/v1", {"OPENAI_API_KEY": "b", "HF_TOKEN": "c"}, ("b", "OPENAI_API_KEY")),
        ("http://localhost/v1", {"HF_TOKEN": "c"}, (None, "")),
        ("https://nothuggingface.co/v1", {"HF_TOKEN": "c"}, (None, "")),
        ("https://router.huggingface.co/v1", {"HF_TOKEN": "c"}, ("c", "HF_TOKEN")),
        (None, {"HF_TOKEN": "c"}, ("c", "HF_TOKEN")),
    ],
)
def test_which_key_goes_where(
    url: str | None, variables: dict[str, str], expected: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DIPTYCH_API_KEY")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert find_key(url) == expected


def test_the_token_of_the_hub_is_not_sent_elsewhere(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DIPTYCH_API_KEY")
    monkeypatch.setenv("HF_TOKEN", KEY)
    with LoopbackEndpoint(always(""), key="none") as endpoint:  # it answers only where no key is sent
        assert ask(world, endpoint, limit=1).unanswered == 0
