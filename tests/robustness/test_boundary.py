"""What a manifest, a card or a folder of somebody else says stays inside its folder; what is wrong is one line."""

import gzip
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow.parquet as pq
import pytest
import yaml

import diptych
from diptych.builders import _transaction
from diptych.builders._engine import PROCESSES_PER_CORE, LocalEngine
from diptych.builders._transaction import Staging
from diptych.demo import make_world
from diptych.errors import BadInputError, DiptychError
from diptych.files import atomic_folder, write_text
from diptych.ranking import get_encoder
from tests.commands import run
from tests.folders import CONFIG, SPLIT, data_file, make_folder, make_pair, some_pairs
from tests.robustness.commands import Command, Instant, read_changes
from tests.robustness.kill import digests

Capture = pytest.CaptureFixture[str]
Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "theirs", some_pairs(64)).path


def change(out: Path, edit: Change) -> None:
    path = out / "manifest.json"
    content = orjson.loads(path.read_bytes())
    edit(content)
    path.write_bytes(orjson.dumps(content))


def config(manifest: dict[str, Any]) -> dict[str, Any]:
    return manifest["configs"][CONFIG]


def check_one_line(capsys: Capture, *parts: str) -> None:
    line = capsys.readouterr().err
    assert line.count("\n") == 1, line
    assert all(part in line for part in parts), line


# What a manifest says.


def nested(depth: int) -> dict[str, Any]:
    feature: dict[str, Any] = {"name": "deep", "dtype": "string"}
    for _ in range(depth):
        feature = {"name": "deep", "list": feature}
    return feature


@pytest.mark.parametrize(
    "edit",
    [
        lambda manifest: config(manifest).update(tests=["/tmp/elsewhere"]),
        lambda manifest: config(manifest).update(tests=["../elsewhere"]),
        lambda manifest: config(manifest).update(description="x\ninclude: /tmp/evil.yaml"),
        lambda manifest: config(manifest).update(description="x\u2028y"),
        lambda manifest: config(manifest).update(features=[]),
        lambda manifest: config(manifest).update(features=[nested(200)]),
        lambda manifest: manifest["recipes"][CONFIG].update(sources={"/etc/passwd": "0" * 64}),
        lambda manifest: manifest["recipes"][CONFIG].update(sources={"a/../../b": "0" * 64}),
        lambda manifest: manifest.update(
            audit={"errors": 0, "warnings": 0, "findings": [{**FINDING, "numbers": {"yes": "many"}}]}
        ),
    ],
)
def test_a_manifest_that_says_too_much_is_refused(edit: Change, out: Path, tmp_path: Path, capsys: Capture) -> None:
    change(out, edit)
    for arguments in (("card", out), ("check", out), ("export", out, "--to", "vqa", "--out", tmp_path / "mine")):
        assert run(*arguments) == 2
        check_one_line(capsys, "manifest.json")
    assert not (tmp_path / "mine").exists()


FINDING = {"name": "answer balance", "level": "ok", "message": "", "place": CONFIG}


def test_numbers_that_are_missing_from_a_finding_are_dashes_on_the_card(out: Path) -> None:
    findings = [{**FINDING, "numbers": {"yes": 0.5}}]
    change(out, lambda manifest: manifest.update(audit={"errors": 0, "warnings": 0, "findings": findings}))
    assert run("card", out) == 0


def test_a_family_of_scores_that_nobody_knows_is_one_line(out: Path, tmp_path: Path, capsys: Capture) -> None:
    change(out, lambda manifest: manifest.update(score_family="unheard"))
    assert run("export", out, "--to", "lm-eval", "--out", tmp_path / "mine") == 2
    check_one_line(capsys, "unheard")


def test_a_column_of_lists_groups_nothing(out: Path, tmp_path: Path, capsys: Capture) -> None:
    change(out, lambda manifest: manifest.update(group_columns=["original_answers"]))
    assert run("baseline", out, "always-yes", "--out", tmp_path / "p.jsonl") == 0
    capsys.readouterr()
    assert run("score", out, tmp_path / "p.jsonl") == 2
    check_one_line(capsys, "group")


def test_tasks_of_harnesses_hold_the_keys_that_we_write(out: Path, tmp_path: Path) -> None:
    change(out, lambda manifest: config(manifest).update(description="a: b # {{ c }} !function x"))
    assert run("export", out, "--to", "lm-eval", "--out", tmp_path / "mine") == 0
    for path in (tmp_path / "mine").glob("*.yaml"):
        keys = yaml.compose(path.read_text(encoding="utf-8"))
        assert "a" not in {key.value for key, _ in keys.value}


def test_ids_of_any_length_are_exported(tmp_path: Path) -> None:
    pairs = [replace(make_pair(number), source_id="9" * digits) for number, digits in enumerate((3, 18, 19, 5000))]
    out = make_folder(tmp_path / "theirs", pairs).path
    assert run("export", out, "--to", "vqa", "--out", tmp_path / "mine") == 0
    (path,) = (tmp_path / "mine").rglob("yes-no_*_questions.json")
    ids = [row["question_id"] for row in orjson.loads(path.read_bytes())["questions"]]
    assert sorted(map(type, ids), key=str) == [int, int, str, str]


# What a card says.


@pytest.mark.parametrize("place", ["{secret}", "../secret.parquet", "zip://x::{secret}", "hf://datasets/a/b/c.parquet"])
def test_pairs_are_those_of_the_manifest_whatever_the_card_says(place: str, out: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.parquet"
    (file,) = (out / "data").rglob("*.parquet")
    pq.write_table(pq.read_table(file).slice(0, 1), secret)
    card = (out / "README.md").read_text(encoding="utf-8")
    pattern = f"data/{CONFIG}/{SPLIT}-*.parquet"
    assert pattern in card
    (out / "README.md").write_text(card.replace(pattern, place.format(secret=secret)), encoding="utf-8")
    assert diptych.load_pairs(out).num_rows == 64


@pytest.mark.parametrize("content", [b"", b"PAR1", b"---\nconfigs: [", b"\xff"])
def test_pairs_that_cannot_be_loaded_are_one_line(content: bytes, out: Path) -> None:
    data_file(diptych.open_folder(out)).write_bytes(content)
    with pytest.raises(DiptychError, match="cannot be"):
        diptych.load_pairs(out)


# What lies in a folder.


@pytest.mark.parametrize("name", ["README.md", f"data/{CONFIG}/{SPLIT}-00000-of-00001.parquet", "errata.jsonl"])
def test_a_dataset_holds_only_files_and_folders(name: str, out: Path, capsys: Capture) -> None:
    (out / name).unlink(missing_ok=True)
    os.mkfifo(out / name)
    assert run("check", out) == 2
    check_one_line(capsys, "neither a file nor a folder")


def test_a_link_to_itself_is_refused(out: Path, capsys: Capture) -> None:
    (out / "loop").symlink_to("loop")
    assert run("check", out) == 2
    check_one_line(capsys, "loop")


def test_a_pipe_among_the_official_files_is_none_of_them(tmp_path: Path, capsys: Capture) -> None:
    make_world(tmp_path / "data", 4, pictures=False)
    for folder in ("vqa", "visdial", "conceptnet"):
        os.mkfifo(tmp_path / "data" / folder / "more.zip")
    assert run("sources", "--data", tmp_path / "data") in {0, 1}
    assert run("build", "rad-cads", "--data", tmp_path / "data", "--out", tmp_path / "out") == 0


def test_a_device_without_an_end_is_too_large(out: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diptych.files.LARGEST_JSON", 1000)
    assert run("review", "merge", out, "/dev/zero", "--to", out / "verdicts.jsonl", "--agree", 1) == 2
    check_one_line(capsys, "larger than")


@pytest.mark.parametrize("verdicts", [5, "x", ["item"], [1], {"a": 1}])
def test_verdicts_of_another_shape_are_one_line(verdicts: Any, out: Path, tmp_path: Path, capsys: Capture) -> None:
    sheet = {"diptych_review": 1, "mode": "judge", "annotator": "ann", "verdicts": verdicts}
    (tmp_path / "ann.json").write_bytes(orjson.dumps(sheet))
    assert run("review", "merge", out, tmp_path / "ann.json", "--to", tmp_path / "v.jsonl", "--agree", 1) == 2
    check_one_line(capsys, "ann.json")


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to(path.with_name("elsewhere"))])
def test_only_plain_files_are_replaced(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "target")
    with pytest.raises(BadInputError, match="not a regular file"):
        write_text(tmp_path / "target", "text")
    assert not (tmp_path / "target").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["target"]


# What the command line says.


@pytest.mark.parametrize(
    "arguments", [("build", "rad-cads", "--seed", "x"), ("nothing",), ("check",), ("check", "--none", "x")]
)
def test_a_mistaken_command_is_one_line(arguments: tuple[str, ...], capsys: Capture) -> None:
    assert run(*arguments) == 2
    check_one_line(capsys, "error: ", "--help")


def test_no_number_of_workers_is_too_large() -> None:
    engine = LocalEngine(10**30)
    try:
        assert sorted(engine.run(abs, range(-2, 1))) == [0, 1, 2]
        assert engine._size <= PROCESSES_PER_CORE * (os.cpu_count() or 1)
    finally:
        engine.close()


# What a kill leaves.


def test_folders_of_killed_writers_are_removed(tmp_path: Path) -> None:
    leftover = tmp_path / f".out.{2**22 + 1}.tmp"  # no process has so high a number
    (leftover / "new").mkdir(parents=True)
    with atomic_folder(tmp_path / "out") as folder:
        (folder / "file").write_text("text")
    assert digests(tmp_path).keys() == {"out/file"}


def check_kills(command: Command, home: Path, scratch: Path, most: int = 12) -> None:
    """A command ended at many of its changes, and run again, leaves what an undisturbed run leaves."""
    ended = command.run(scratch / "log")
    assert ended.status == 0, ended.err
    expected = digests(home)
    changes = len(read_changes(scratch / "log"))
    for number in range(1, changes + 1, max(1, changes // most)):
        for path in home.iterdir():
            path.rename(scratch / f"used-{number}-{path.name}")
        assert command.run(scratch / "log", Instant(change=number)).status == -signal.SIGKILL
        was_whole = digests(home) == expected
        again = command.run(scratch / "log")
        assert again.status == 0 or (was_whole and "is not empty" in again.err), again.err
        assert digests(home) == expected
        assert not list(home.rglob(".*")), list(home.rglob(".*"))


def test_a_world_that_is_killed_is_made_later(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    arguments = ("demo", "sources", str(tmp_path / "home" / "world"), "--images", "2")
    check_kills(Command(arguments, tmp_path / "home"), tmp_path / "home", tmp_path)


def test_templates_that_are_killed_are_read_off_later(data: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    arguments = ("templates", "extract", str(tmp_path / "home" / "t"), "--data", str(data))
    check_kills(Command(arguments, tmp_path / "home"), tmp_path / "home", tmp_path)


def test_a_rebuild_that_is_killed_goes_on(built: Path, data: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    command = Command(("build", str(built), "--data", str(data)), home, {"XDG_CACHE_HOME": str(home)})
    assert command.run(tmp_path / "log").status == 0
    changes = len(read_changes(tmp_path / "log"))
    assert digests(home) == {}
    for number in (changes // 3, changes - 2):
        assert command.run(tmp_path / "log", Instant(change=number)).status == -signal.SIGKILL
        again = command.run(tmp_path / "log")
        assert (again.status, digests(home)) == (0, {}), again.err


def test_two_kills_in_a_row_lose_no_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first between the mark of a commit and its rename, the second as soon as the next build has begun."""
    out, staging = tmp_path / "out", Staging(tmp_path / ".out.building")
    staging.begin(out)
    (staging.work / "shard").mkdir(parents=True)
    (staging.path / "ready").mkdir()

    class KilledError(BaseException):
        pass

    remove = _transaction.shutil.rmtree

    def remove_and_die(path: Path, **options: Any) -> None:
        remove(path, **options)
        if path == staging.new:
            raise KilledError

    monkeypatch.setattr(_transaction.shutil, "rmtree", remove_and_die)
    staging.recover(out)
    with pytest.raises(KilledError):
        staging.begin(out)
    monkeypatch.undo()
    staging.recover(out)
    staging.begin(out)
    assert (staging.work / "shard").is_dir()


# What the fuzzer and readers of the code found.


def test_texts_without_characters_are_one_line(tmp_path: Path) -> None:
    texts = np.frombuffer(b"\xff\xff\xff\x7f" * 2, dtype="<U1")
    np.savez(tmp_path / "vectors.npz", texts=texts, vectors=np.ones((2, 3), np.float32))
    with pytest.raises(BadInputError, match=r"vectors\.npz: cannot be read"):
        get_encoder(f"table:{tmp_path / 'vectors.npz'}")


@pytest.mark.parametrize(("lines", "code"), [(b"no assertion\n" * 3, 2), (b"/a/x\t/r/IsA\t/c/fr/a\t/c/fr/b\t{}\n", 0)])
def test_a_dump_without_an_edge_is_no_defect(lines: bytes, code: int, tmp_path: Path, capsys: Capture) -> None:
    make_world(tmp_path / "data", 20, pictures=False)
    (dump,) = (tmp_path / "data" / "conceptnet").iterdir()
    dump.write_bytes(gzip.compress(lines))
    assert run("build", "fvqa2", "--data", tmp_path / "data", "--out", tmp_path / "out") == code
    if code:
        check_one_line(capsys, "no line is an assertion")


def test_a_dump_of_blank_lines_ends_soon(tmp_path: Path, capsys: Capture) -> None:
    make_world(tmp_path / "data", 20, pictures=False)
    (dump,) = (tmp_path / "data" / "conceptnet").iterdir()
    dump.write_bytes(gzip.compress(gzip.decompress(dump.read_bytes()) + b"\n" * 3_000_000))
    assert run("build", "fvqa2", "--data", tmp_path / "data", "--out", tmp_path / "out") == 2
    check_one_line(capsys, "blank lines")
