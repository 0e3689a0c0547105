"""The kinds of broken input that issue 14 names, for every reader; test_reported.py holds its items one by one."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diptych.errors import DiptychError
from diptych.files import LARGEST_TEXT
from tests.commands import run
from tests.robustness import mutations
from tests.robustness.fuzz import judge
from tests.robustness.readers import READERS

Change = Callable[[bytes], bytes]

BY_NAME = {reader.name: reader for reader in READERS}


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def spoil(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes(64) + content[middle + 64 :]


def rewritten(change: Callable[[pa.Table], pa.Table]) -> Change:
    """A Parquet file with other rows or columns."""

    def rewrite(content: bytes) -> bytes:
        sink = pa.BufferOutputStream()
        pq.write_table(change(pq.read_table(pa.BufferReader(content))), sink)
        return bytes(sink.getvalue())

    return rewrite


def replaced(old: bytes, new: bytes) -> Change:
    return lambda content: content.replace(old, new, 1)


DEEP = b"[" * mutations.DEPTH + b"]" * mutations.DEPTH
LONG_NUMBER = b"1" * 5000
SURROGATE = rb"\ud800"


@pytest.mark.parametrize(
    ("reader", "change"),
    [
        *((f"predictions.parquet-{shape}", fault) for shape in ("pair", "side", "question") for fault in (cut, spoil)),
        *((f"pairs-{name}", fault) for name in ("check", "score", "export", "diff") for fault in (cut, spoil)),
        *(
            (f"pairs-{name}", rewritten(change))
            for name in ("check", "score", "export", "diff")
            for change in (
                lambda table: table.slice(0, 0),
                lambda table: table.drop_columns(["source_id"]),
                lambda table: table.drop_columns(["test"]),
            )
        ),
        ("translations.parquet", cut),
        ("translations.parquet", spoil),
        ("card", lambda content: content.decode().encode("utf-16")),
        ("card", replaced(b"license:", b"license: [")),
        ("card", replaced(b"configs:", b"configs: !!python/object:os.system x")),
        ("vectors", cut),
        ("vectors", spoil),
        ("skip-thought", cut),
        ("vqa", replaced(b"What", SURROGATE)),
        ("visdial", replaced(b'"questions": ["', b'"questions": ["' + SURROGATE)),
        ("build-rad", replaced(b"What", SURROGATE)),
        ("vqa", replaced(b'"image_id": ', b'"image_id": ' + LONG_NUMBER)),
        ("gqa", replaced(b'"width": ', b'"width": ' + LONG_NUMBER)),
        ("manifest", replaced(b'"rows":', b'"rows":' + LONG_NUMBER + b',"x":')),
        ("vqa", replaced(b'"questions":', b'"questions":' + DEEP + b',"x":')),
        ("gqa", lambda content: b'{"1":' + DEEP + b"}"),
        ("manifest", lambda content: DEEP),
        ("recipe", lambda content: b'{"parameters":' + DEEP + b"}"),
        ("sheets", lambda content: DEEP),
        ("sheets", replaced(b'"bad grammar"', b'["bad", "grammar"]')),
        ("sheets", replaced(b'["yes"]', b"7")),
        ("verdicts", replaced(b'["', b'7,"x":["')),
        ("predictions.jsonl-pair", lambda content: DEEP),
        ("vqa-zip", lambda content: mutations.set_flags(content, 6, 8, 1)),
        ("vqa-zip", lambda content: mutations.set_flags(content, 8, 10, 9)),
        ("vqa-zip", lambda content: mutations.set_flags(content, 8, 10, 99)),
        ("rejects", lambda content: bytes(LARGEST_TEXT + 1)),
        ("conceptnet", lambda content: gzip.compress(b"\n" * 1_000_000)),
        ("manifest", replaced(b'"maker"', b'"baker"')),
        ("manifest", replaced(b'"configs"', b'"config"')),
        ("manifest", replaced(b'"default"', b'"defaults"')),
    ],
)
def test_a_broken_file_is_one_line(reader: str, change: Change, tmp_path: Path) -> None:
    """Issue 14: of 9,028 mutated inputs 735 gave a traceback; these are the kinds that it names."""
    entry = BY_NAME[reader]
    entry.prepare(tmp_path)
    path = sorted(path for path in tmp_path.glob(entry.files) if path.is_file())[0]
    content = path.read_bytes()
    path.write_bytes(change(content))
    line = ""
    try:
        entry.read(tmp_path)
    except DiptychError as error:
        line = str(error)
    assert not line or judge(line, {path.name, str(tmp_path)}) == ""


@pytest.mark.parametrize("name", ["org/a--b", "org/.a", "org/a..b", "org/" + "x" * 100, "ürg/a", "org/a@..", "a/b@c d"])
def test_an_odd_repository_is_one_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Issue 14: odd repository ids were tracebacks."""
    assert run("check", name) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_seed_of_another_command_fits_64_bits_too(tmp_path: Path) -> None:
    BY_NAME["manifest"].prepare(tmp_path)
    out = tmp_path / "out"
    assert run("baseline", out, "random", "--out", tmp_path / "p.jsonl", "--seed", 10**30) == 2
    assert run("review", "sample", out, "--to", tmp_path / "sample.jsonl", "--seed", 10**30) == 2


def test_scores_take_any_seed_that_fits(tmp_path: Path) -> None:
    BY_NAME["predictions.jsonl-pair"].prepare(tmp_path)
    arguments = ("score", tmp_path / "out", tmp_path / "predictions.jsonl", "--bootstrap", 10, "--json")
    assert [run(*arguments, "--seed", seed) for seed in (-1, 2**63 - 1, 2**63)] == [0, 0, 2]


def test_a_release_that_is_broken_is_named_when_it_is_asked_for(tmp_path: Path) -> None:
    BY_NAME["carets-release"].prepare(tmp_path)
    (tmp_path / "data" / "carets" / "n.json").write_bytes(b"[")
    assert run("build", "carets", "--data", tmp_path / "data", "--config", "released", "--out", tmp_path / "out") == 2
