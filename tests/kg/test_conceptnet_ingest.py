"""ConceptNet's dump into a graph file: what it survives, what it leaves behind, and what it costs."""

import gzip
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diptych.cli import main
from diptych.errors import BadInputError, MissingFileError
from diptych.kg.byte_columns import Ints, Page, Words
from diptych.kg.conceptnet import ConceptNet, open_dump
from diptych.kg.conceptnet_dump import Wanted
from diptych.kg.conceptnet_ingest import Budget, ingest
from diptych.sources import SourceFile
from tests.kg.dumps import LINES, NAME, dump, line, read_plainly

TINY = Budget(block=64, bucket=16, held=64)


def several(count: int = 80) -> list[str]:
    """Lines of all kinds: escapes, texts, no surfaces, two languages, senses, repetitions."""
    lines = list(LINES)
    for number in range(count):
        head, tail = f"en/thing_{number % 97}", f"en/kind_{number % 13}/n"
        said = {"surfaceStart": f"a \\ thing {number}" if number % 7 == 0 else "thing", "surfaceEnd": "kind"}
        text = {"surfaceText": "[[a]] is [[b]]"} if number % 3 else {}
        lines.append(line(f"Rel{number % 5}", head, tail, number % 11 / 2, **(said if number % 4 else {}), **text))
        lines.append(line("Synonym", f"fr/chose_{number}", "en/thing"))
    return lines


# Malformed lines.


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("only\tthree\tcells", "3 cells, not 5"),
        (LINES[0] + "\tmore", "6 cells, not 5"),
        ("/a/x\t/r/IsA\t/c/en/cow\t/c/en/animal\t{not json", "its last cell is not JSON"),
        (LINES[0][:-1], "its last cell is not JSON"),
        (LINES[0].replace('"dataset": ', '"dataset" '), "its last cell is not JSON"),
        (LINES[0].replace("a dog", "a \x01 dog"), "its last cell is not JSON"),
        ("/a/x\t/r/IsA\t/c/en/cow\t/c/en/animal\t[1]", "its last cell is not a JSON object"),
        (line("IsA", "en/cow", "en/animal", "heavy"), "its weight, 'heavy', is not a number"),
        (line("IsA", "en/cow", "en/animal", None), "its weight, None, is not a number"),
        (line("IsA", "en/cow", "en/animal", surfaceStart=7), "a surface of it is not a text"),
        (line("IsA", "en/cow", "en/animal", surfaceStart="x" * 70_000), "a surface of it is too long"),
        (LINES[0].replace("/r/CapableOf", "CapableOf"), "cell 2, 'CapableOf', is no relation"),
        (LINES[0].replace("/c/en/dog", "dog"), "cell 3, 'dog', is no concept"),
        (line("IsA", "en/", "en/animal"), "a concept without a term"),
        (line("IsA", "en/cow", "en//n"), "a concept without a term"),
    ],
)
@pytest.mark.parametrize("budget", [Budget(), TINY], ids=["usual", "tiny"])
def test_a_malformed_line_is_named_by_its_number_and_the_others_kept(
    tmp_path: Path, bad: str, said: str, budget: Budget
) -> None:
    file = dump(tmp_path, [LINES[0], LINES[4], bad, LINES[2], LINES[3]])
    seen = ingest(file, tmp_path / "g.graph", budget=budget)
    graph = ConceptNet(tmp_path / "g.graph")
    assert (seen.lines, seen.kept, seen.malformed) == (5, 3, 1)
    assert seen.named == [f"{file.path}: line 3: {said}"]
    assert graph.seen == seen
    assert len(graph.edges()) == 3


def test_a_line_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / f"{NAME}.gz"
    bad = LINES[2].encode().replace(b"dog", b"d\xc3g")
    path.write_bytes(gzip.compress(b"\n".join([LINES[0].encode(), bad, LINES[6].encode()])))
    seen = ingest(SourceFile(path, NAME), tmp_path / "g.graph")
    assert (seen.kept, seen.named) == (2, [f"{path}: line 2: not UTF-8"])


def test_all_malformed_lines_are_counted_and_the_first_named(tmp_path: Path) -> None:
    file = dump(tmp_path, [*["x"] * 20, *LINES])
    seen = ingest(file, tmp_path / "g.graph")
    assert (seen.malformed, len(seen.named), seen.lines) == (20, 5, 20 + len(LINES))


def test_a_dump_may_be_several_gz_files_behind_one_another(tmp_path: Path) -> None:
    path = tmp_path / f"{NAME}.gz"
    path.write_bytes(b"".join(gzip.compress(f"{each}\n".encode()) for each in LINES) + bytes(512))
    assert ingest(SourceFile(path, NAME), tmp_path / "g.graph").kept == 5


def test_a_dump_may_lie_in_a_zip(tmp_path: Path) -> None:
    path = tmp_path / "conceptnet.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"in/{NAME}", "\n".join(LINES))
    assert ingest(SourceFile(path, NAME, f"in/{NAME}"), tmp_path / "g.graph", budget=TINY).kept == 5


def test_empty_lines_and_the_line_ends_of_windows_are_no_harm(tmp_path: Path) -> None:
    path = tmp_path / f"{NAME}.gz"
    path.write_bytes(gzip.compress(("\r\n".join(LINES) + "\r\n\r\n\n").encode()))
    seen = ingest(SourceFile(path, NAME), tmp_path / "g.graph")
    assert (seen.kept, seen.malformed) == (5, 0)
    assert ConceptNet(tmp_path / "g.graph").edges() == open_dump(dump(tmp_path, LINES), tmp_path / "h.graph").edges()


# What the JSON says, however it is written.

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
ABOUT = st.fixed_dictionaries(
    {},
    optional={
        "weight": st.one_of(st.integers(0, 9), st.floats(0, 1e6, allow_nan=False)),
        "surfaceStart": st.one_of(TEXTS, st.none()),
        "surfaceEnd": TEXTS,
        "surfaceText": TEXTS,
        "sources": st.lists(TEXTS, max_size=2),
        "dataset": TEXTS,
        "zz": TEXTS,
    },
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(ABOUT, st.booleans(), st.booleans()), min_size=1, max_size=12))
def test_weights_and_surfaces_are_those_of_a_json_parser(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[dict[str, object], bool, bool]]
) -> None:
    folder = tmp_path_factory.mktemp("json")
    texts = [json.dumps(about, sort_keys=ordered, ensure_ascii=ascii) for about, ordered, ascii in said]
    file = dump(folder, [f"/a/x\t/r/IsA\t/c/en/n{at}\t/c/en/k\t{text}" for at, text in enumerate(texts)])
    graph = open_dump(file, folder / "g.graph")
    found = {(e.head, e.relation, e.tail): (e.weight, e.head_said, e.tail_said) for e in graph.edges()}
    expected = read_plainly(file.path)
    assert {key: each[1:] for key, each in found.items()} == {key: each[1:] for key, each in expected.items()}
    for key, (weight, *_) in found.items():
        assert weight == pytest.approx(expected[key][0], rel=1e-6, abs=1e-4)


# The same bytes.


def test_the_bytes_do_not_depend_on_what_is_held_at_a_time(tmp_path: Path) -> None:
    file = dump(tmp_path, several())
    budgets = [Budget(), TINY, Budget(block=1000), Budget(bucket=1), Budget(block=100, held=1), Budget(most_bits=2)]
    made = set()
    for number, budget in enumerate(budgets):
        ingest(file, tmp_path / f"{number}.graph", Wanted(("en", "fr")), budget=budget)
        made.add((tmp_path / f"{number}.graph").read_bytes())
    assert len(made) == 1
    graph = ConceptNet(tmp_path / "0.graph")
    assert len(graph) > 150
    assert graph.relations == tuple(sorted(graph.relations))


def test_two_names_with_one_hash_are_told_apart_by_another_salt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, usual = dump(tmp_path, several()), Page.hashed

    def weak(page: Page, starts: Ints, ends: Ints, salt: int = 0) -> tuple[Words, Words]:
        one, other = usual(page, starts, ends, salt)
        return (one >> 58 << 58 if salt < 2 else one), other

    expected = open_dump(file, tmp_path / "usual.graph").edges()
    monkeypatch.setattr(Page, "hashed", weak)
    for name, budget in (("usual", Budget()), ("tiny", TINY)):
        ingest(file, tmp_path / f"{name}.weak.graph", budget=budget)
        graph = ConceptNet(tmp_path / f"{name}.weak.graph")
        assert graph.file.about["salt"] == 2
        assert graph.edges() == expected
        assert graph.edges(head="dog")


# What cannot be read or written.


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (gzip.compress("\n".join(LINES * 50).encode())[:-20], "the file is cut short"),
        (b"no gzip at all", "damaged, or no .gz file: Error -3"),
        (
            gzip.compress("\n".join(LINES * 50).encode(), mtime=0)[:60] + b"\xff" * 99,
            "damaged, or no .gz file: Error -3",
        ),
        (gzip.compress(b"", mtime=0), "not ConceptNet's dump: it is empty"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0), "not ConceptNet's dump: no line is one; line 1: 1 cells, not 5"),
    ],
    ids=["cut", "no gzip", "damaged", "empty", "another table"],
)
def test_a_dump_that_cannot_be_read_is_one_line_and_leaves_nothing(
    tmp_path: Path, content: bytes, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "conceptnet"
    folder.mkdir()
    (folder / f"{NAME}.gz").write_bytes(content)
    with pytest.raises(SystemExit) as exit_:
        main(["conceptnet", "--data", str(tmp_path)])
    (message,) = capsys.readouterr().err.strip().splitlines()
    assert (exit_.value.code, message.startswith(f"error: {folder / NAME}.gz: "), said in message) == (2, True, True)
    assert os.listdir(folder) == [f"{NAME}.gz"]


def test_a_dump_without_any_line_end_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diptych.kg.conceptnet_dump._LONGEST_LINE", 1000)
    file = dump(tmp_path, ["x" * 5000])
    with pytest.raises(BadInputError, match="a line of more than 1,000 bytes"):
        ingest(file, tmp_path / "g.graph", budget=Budget(block=100))


def test_a_missing_dump_and_an_impossible_target_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"none\.csv: no such dump"):
        ingest(SourceFile(tmp_path / "none.csv", "none.csv"), tmp_path / "g.graph")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(BadInputError, match=r"cannot be written: .*; name another place"):
        ingest(dump(tmp_path, LINES), tmp_path / "file" / "g.graph")


KILLED = """
import os, shutil, signal, sys
from pathlib import Path
from diptych.kg.conceptnet_ingest import ingest
from diptych.sources import SourceFile
shutil.copyfileobj = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
path = Path(sys.argv[1])
ingest(SourceFile(path, path.name.removesuffix(".gz")), path.with_name("g.graph"))
"""


def test_a_process_killed_while_it_writes_leaves_no_graph_and_the_next_one_cleans_up(tmp_path: Path) -> None:
    file = dump(tmp_path, LINES)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(file.path)], check=False)
    assert killed.returncode == -9
    left = {path.name for path in tmp_path.iterdir()} - {file.path.name}
    assert all(name.endswith(".partial") for name in left)
    assert len(left) == 1
    assert len(open_dump(file, tmp_path / "g.graph")) == 4
    assert {path.name for path in tmp_path.iterdir()} == {file.path.name, "g.graph"}


# What the command says, and what memory it takes.


def test_the_command_says_what_it_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "conceptnet"
    folder.mkdir()
    dump(folder, [*LINES, *["x"] * 7])
    for _ in range(2):  # the second time from the finished file
        with pytest.raises(SystemExit) as exit_:
            main(["conceptnet", "--data", str(tmp_path)])
        said = capsys.readouterr().out.splitlines()
        assert exit_.value.code == 0
        assert said[1] == "left out as malformed: 7 lines"
        assert "line 8: 1 cells, not 5" in said[2]
        assert said[-1] == "  and 2 more"


PEAK = """
import sys
import zipfile
from pathlib import Path
from diptych.kg.conceptnet_ingest import Budget, ingest
from diptych.sources import SourceFile
path = Path(sys.argv[1])
file, budget = SourceFile(path, path.name.removesuffix(".gz")), Budget(1 << 18, 1 << 18, 1 << 18)
ingest(file, path.with_name("g.graph"), budget=budget)
print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the peak of memory")
def test_ten_times_the_lines_take_hardly_more_memory(tmp_path: Path) -> None:
    peaks = []
    for count in (30_000, 300_000):
        path = tmp_path / f"{NAME}.gz"
        with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as file:
            for number in range(count):
                file.write(line("IsA", f"en/the_thing_{number}", f"en/kind_{number * 7919 % count // 3}") + "\n")
        found = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
        peaks.append(int(found.stdout) / 1024)
    assert peaks[1] - peaks[0] < 25, f"{peaks} MB"
