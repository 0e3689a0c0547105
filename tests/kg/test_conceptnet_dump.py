"""ConceptNet's dump: what is read from its lines, and what a malformed line or file does."""

import gzip
import json
import pickle
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diptych.errors import BadInputError
from diptych.kg import Dropped, Edge, Malformed, parse_edge
from diptych.sources import SourceFile
from tests.kg.dumps import ENGLISH_LINES, LINES, NAME, line, read_dump, read_plainly, write_dump

# One line.


def test_a_line_gives_terms_senses_and_the_surfaces() -> None:
    dog = line("CapableOf", "en/guide_dog/n/wn/animal", "en/bark/v", 1.23456, surfaceStart="a guide dog")
    texts = ("a guide dog", "bark", "n/wn/animal", "v")
    assert parse_edge(dog.encode()) == Edge("guide dog", "CapableOf", "bark", 1.2346, *texts)


def test_a_term_may_have_a_slash() -> None:
    edge = parse_edge(line("RelatedTo", "en/9/11", "en/a/c/n").encode())
    assert isinstance(edge, Edge)
    assert (edge.head, edge.head_sense, edge.tail, edge.tail_sense) == ("9/11", "", "a/c/n", "")


def test_two_mice_are_told_apart() -> None:
    lines = [line("IsA", f"en/mouse/n/wn/{field}", "en/thing") for field in ("animal", "artifact")]
    edges = [parse_edge(text.encode()) for text in lines]
    assert [getattr(edge, "head_sense", None) for edge in edges] == ["n/wn/animal", "n/wn/artifact"]


@pytest.mark.parametrize("text", ["", "\r", "  "])
def test_a_blank_line_is_nothing(text: str) -> None:
    assert parse_edge(text.encode()) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (line("IsA", "fr/chien", "fr/animal"), Dropped.LANGUAGE),
        (line("RelatedTo", "en/dog", "fr/chien"), Dropped.LANGUAGE),
        (line("RelatedTo", "fr/chien", "en/dog"), Dropped.LANGUAGE),
        (line("IsA", "enm/dogge", "en/dog"), Dropped.LANGUAGE),
        (line("ExternalURL", "en/dog", "x").replace("/c/x", "http://dbpedia.org/resource/Dog"), Dropped.LANGUAGE),
        (line("Synonym", "en/dog", "en/hound"), Dropped.RELATION),
        (line("IsA", "en/dog", "en/animal", -1.0), Dropped.WEIGHT),
    ],
)
def test_what_is_not_asked_for_is_dropped_with_its_reason(text: str, reason: Dropped) -> None:
    assert parse_edge(text.encode(), {"IsA", "RelatedTo", "ExternalURL"}) is reason


def test_other_languages_can_be_asked_for() -> None:
    edge = parse_edge(line("RelatedTo", "en/dog", "fr/chien").encode(), languages=("en", "fr"))
    assert isinstance(edge, Edge)
    assert edge.tail == "chien"


def test_what_is_dropped_is_counted(tmp_path: Path) -> None:
    lines = [*LINES, line("IsA", "en/dog", "en/cat", -2.0), line("Synonym", "en/dog", "en/hound")]
    block = read_dump(write_dump(tmp_path, lines))
    assert (block.foreign, block.unasked, block.negative) == (2, 1, 1)


def test_relations_are_compared_by_their_whole_name() -> None:
    relations = frozenset({"IsA"})
    edges = [parse_edge(line(name, "en/a", "en/b").encode(), relations) for name in ("IsA", "IsAbout", "NotIsA")]
    assert [isinstance(edge, Edge) for edge in edges] == [True, False, False]


def test_what_is_wrong_with_the_json_of_another_relation_does_not_matter() -> None:
    assert parse_edge(b"/a/x\t/r/Synonym\t/c/en/a\t/c/en/b\t{", {"IsA"}) is Dropped.RELATION


def test_parsing_can_be_sent_to_another_process() -> None:
    parse = pickle.loads(pickle.dumps(partial(parse_edge, relations=frozenset({"IsA"}))))
    edge = parse(LINES[2].encode())
    assert pickle.loads(pickle.dumps(edge)) == edge == Edge("dog", "IsA", "animal", 2.0, "dog", "animal")


# Malformed lines.


@pytest.mark.parametrize(
    ("text", "reason"),
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
        (line("IsA", "en/cow", "en/animal", True), "its weight, True, is not a number"),
        (line("IsA", "en/cow", "en/animal", surfaceStart=7), "one of its surface texts is not a string"),
        (LINES[0].replace("/r/CapableOf", "CapableOf"), "cell 2, 'CapableOf', is not a relation"),
        (LINES[4].replace("/r/IsA", "IsA"), "cell 2, 'IsA', is not a relation"),
        (LINES[0].replace("/c/en/dog", "dog"), "cell 3, 'dog', is not a concept"),
        (line("IsA", "en/", "en/animal"), "a concept without a term"),
        (line("IsA", "en/cow", "en//n"), "a concept without a term"),
    ],
)
def test_a_malformed_line_is_named_by_its_number_and_the_others_kept(tmp_path: Path, text: str, reason: str) -> None:
    file = write_dump(tmp_path, [LINES[0], LINES[4], text, LINES[2], LINES[3]])
    block = read_dump(file)
    assert parse_edge(text.encode()) == Malformed(reason)
    assert (len(block.edges), block.lines, block.malformed) == (3, 5, 1)
    assert block.examples == (f"{file.path.name}: line 3: {reason}",)


def test_a_line_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / f"{NAME}.gz"
    latin = LINES[2].encode().replace(b"dog", b"d\xc3g")
    path.write_bytes(gzip.compress(b"\n".join([LINES[0].encode(), latin, LINES[6].encode()])))
    block = read_dump(SourceFile(path, NAME))
    assert (len(block.edges), block.examples) == (2, (f"{path.name}: line 2: not UTF-8",))


def test_all_malformed_lines_are_counted_and_the_first_named(tmp_path: Path) -> None:
    block = read_dump(write_dump(tmp_path, [*["x"] * 20, *LINES]))
    assert (block.malformed, len(block.examples), block.lines) == (20, 5, 20 + len(LINES))


# How the file is written.


def test_lines_across_blocks_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_dump(tmp_path, [*LINES, "x", *LINES])
    expected = read_dump(file)
    monkeypatch.setattr("diptych.builders.fvqa2._records._BLOCK_SIZE", 7)
    assert read_dump(file) == expected


def test_a_dump_may_be_several_gz_files_behind_one_another(tmp_path: Path) -> None:
    path = tmp_path / f"{NAME}.gz"
    path.write_bytes(b"".join(gzip.compress(f"{text}\n".encode()) for text in LINES) + bytes(512))
    assert len(read_dump(SourceFile(path, NAME)).edges) == ENGLISH_LINES


def test_a_dump_may_be_plain_or_in_a_zip(tmp_path: Path) -> None:
    csv_path, path = tmp_path / NAME, tmp_path / "conceptnet.zip"
    csv_path.write_text("\n".join(LINES), encoding="utf-8")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(csv_path, f"in/{NAME}")
    edges = read_dump(SourceFile(csv_path, NAME)).edges
    assert len(edges) == ENGLISH_LINES
    assert read_dump(SourceFile(path, NAME, f"in/{NAME}")).edges == edges


def test_empty_lines_and_windows_line_ends_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / f"{NAME}.gz"
    path.write_bytes(gzip.compress(("\r\n".join(LINES) + "\r\n\r\n\n").encode()))
    block = read_dump(SourceFile(path, NAME))
    assert (block.lines, block.blank, block.malformed) == (len(LINES) + 2, 2, 0)
    assert block.edges == read_dump(write_dump(tmp_path, LINES)).edges


# What the JSON says, however it is written.

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
DETAILS = st.fixed_dictionaries(
    {},
    optional={
        "weight": st.one_of(st.integers(0, 9), st.floats(0, 1e6, allow_nan=False)),
        "surfaceStart": st.one_of(TEXTS, st.none()),
        "surfaceEnd": TEXTS,
        "surfaceText": TEXTS,
        "sources": st.lists(TEXTS, max_size=2),
        "zz": TEXTS,
    },
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(DETAILS, st.booleans(), st.booleans()), min_size=1, max_size=12))
def test_weights_and_surfaces_are_those_of_a_json_parser(
    tmp_path_factory: pytest.TempPathFactory, records: list[tuple[dict[str, object], bool, bool]]
) -> None:
    texts = [json.dumps(details, sort_keys=sort_keys, ensure_ascii=ascii) for details, sort_keys, ascii in records]
    lines = [f"/a/x\t/r/IsA\t/c/en/n{number}\t/c/en/k\t{text}" for number, text in enumerate(texts)]
    file = write_dump(tmp_path_factory.mktemp("json"), lines)
    expected = read_plainly(file.path)
    edges = read_dump(file).edges
    assert len(edges) == len(expected)
    for edge in edges:
        weight, head_text, tail_text = expected[edge.head, edge.relation, edge.tail, "", ""]
        assert (edge.head_text, edge.tail_text) == (head_text, tail_text)
        assert edge.weight == pytest.approx(weight, abs=1e-4)


# What cannot be read.


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress("\n".join(LINES * 50).encode())[:-20], "the file is cut short"),
        (b"no gzip at all", "the file is damaged or cut short: Not a gzipped file"),
        (gzip.compress("\n".join(LINES * 50).encode(), mtime=0)[:60] + b"\xff" * 99, "damaged or cut short: Error -3"),
        (gzip.compress(b"", mtime=0), "not ConceptNet's dump: it is empty"),
    ],
    ids=["cut", "no gzip", "damaged", "empty"],
)
def test_a_dump_that_cannot_be_read_is_refused_in_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / f"{NAME}.gz"
    path.write_bytes(content)
    with pytest.raises(BadInputError) as caught:
        read_dump(SourceFile(path, NAME))
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_dump_without_any_line_end_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diptych.builders.fvqa2._records._LONGEST_LINE", 1000)
    monkeypatch.setattr("diptych.builders.fvqa2._records._BLOCK_SIZE", 100)
    with pytest.raises(BadInputError, match="a line of more than 1,000 bytes"):
        read_dump(write_dump(tmp_path, ["x" * 5000]))


PEAK = """
import sys
from pathlib import Path
from diptych.builders import Input
from diptych.builders.fvqa2._records import EdgeBlock, read_record, source_records
from diptych.sources import SourceFile
path = Path(sys.argv[1])
source = Input("edges/dump", (SourceFile(path, path.name.removesuffix(".gz")),), EdgeBlock)
blocks = (block for record in source_records(source, path.parent) for block in read_record(record))
assert any(edge.tail == "kind 7" for block in blocks for edge in block.edges)
assert sum(block.lines for block in blocks)
print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the peak of memory")
def test_ten_times_the_lines_take_hardly_more_memory(tmp_path: Path) -> None:
    peaks = []
    for count in (20_000, 200_000):
        path = tmp_path / f"{NAME}.gz"
        with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as file:
            for number in range(count):
                file.write(line("IsA", f"en/the_thing_{number}", f"en/kind_{number * 7919 % count // 3}") + "\n")
        probe = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
        peaks.append(int(probe.stdout) / 1024)
    assert peaks[1] - peaks[0] < 10, f"{peaks} MB"
