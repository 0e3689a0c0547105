"""What the block list and a user's own list keep out, and why."""

from pathlib import Path

import pytest

from diptych.errors import BadInputError, MissingFileError
from diptych.kg.screen import BLOCKED_WORDS, Screen, read_rejects


def key(name: str) -> tuple[str, ...]:
    return tuple(word.removesuffix("s") for word in name.lower().replace("_", " ").split())


def test_a_fact_with_a_blocked_word_in_any_form_does_not_pass() -> None:
    screen = Screen(key)
    assert screen.stops("guns", "UsedFor", "hunting") == "blocked"
    assert screen.stops("soldier", "CapableOf", "kill_enemy") == "blocked"
    assert screen.stops("dog", "CapableOf", "bark") is None
    assert {"kill", "gun"} <= BLOCKED_WORDS


def test_a_user_rejects_facts_with_wildcards(tmp_path: Path) -> None:
    path = tmp_path / "no.txt"
    path.write_text("# mine\n\ndogs|/r/IsA|pet\n*\tAtLocation\tmoon\n", encoding="utf-8")
    screen = Screen(key, read_rejects(path, key))
    facts = [("dog", "IsA", "pets"), ("man", "AtLocation", "moon"), ("dog", "IsA", "animal"), ("dog", "HasA", "pet")]
    assert [screen.stops(*fact) for fact in facts] == ["rejected", "rejected", None, None]


def test_blocking_comes_before_rejecting() -> None:
    assert Screen(key, frozenset({(("gun",), "*", ("*",))})).stops("gun", "UsedFor", "sport") == "blocked"


@pytest.mark.parametrize(("text", "message"), [("dog|IsA", r"no\.txt:1: 'dog\|IsA' is not"), ("||", "is not head")])
def test_a_bad_line_of_a_reject_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "no.txt").write_text(text, encoding="utf-8")
    with pytest.raises(BadInputError, match=message):
        read_rejects(tmp_path / "no.txt", key)


def test_a_reject_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"no\.txt: not found"):
        read_rejects(tmp_path / "no.txt", key)
    (tmp_path / "no.txt").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(BadInputError, match="not UTF-8"):
        read_rejects(tmp_path / "no.txt", key)
