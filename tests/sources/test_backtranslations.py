"""Back-translations come as a table in any of four formats."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diptych.errors import BadInputError
from diptych.sources._backtranslations import BackTranslation, backtranslation_files, read_backtranslations
from diptych.sources._files import SourceFile
from tests.sources.official import write_gz, write_plain

ROWS = [BackTranslation("42001", 'What is "this", then?'), BackTranslation("42002", "Où est-il?")]
TEXTS = {
    "t.csv": 'question_id,text\n42001,"What is ""this"", then?"\n42002,Où est-il?\n',
    "t.tsv": 'question_id\ttext\tmodel\n42001\t"What is ""this"", then?"\tx\n42002\tOù est-il?\ty\n',
    "t.jsonl": '{"question_id": 42001, "text": "What is \\"this\\", then?"}\n\n'
    '{"question_id": "42002", "text": "Où est-il?"}',
}


def read(data: Path) -> list[BackTranslation]:
    (file,) = backtranslation_files(data)
    return read_backtranslations(file)


@pytest.mark.parametrize("name", TEXTS)
def test_text_tables_are_read_plain_and_gz(tmp_path: Path, name: str) -> None:
    write_plain(tmp_path / "plain" / "backtranslations", name, TEXTS[name].encode())
    write_gz(tmp_path / "gz" / "backtranslations", name, TEXTS[name].encode())
    assert read(tmp_path / "plain") == read(tmp_path / "gz") == ROWS


def test_parquet_is_read(tmp_path: Path) -> None:
    table = pa.table({"text": [row.text for row in ROWS], "question_id": [42001, 42002]})
    (tmp_path / "backtranslations").mkdir()
    pq.write_table(table, tmp_path / "backtranslations" / "t.parquet")
    assert read(tmp_path) == ROWS


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "id,text\n1,a\n", "no column question_id; the columns are: id, text"),
        ("t.csv", "", "no column question_id and text; the columns are: none"),
        ("t.csv", "question_id,text\n1,a\n2\n", "line 3: the text of question 2 is null"),
        ("t.csv", "question_id,text\n1,a\n,b\n", "line 3: question_id is empty, not a number"),
        ("t.jsonl", '{"question_id": 1, "text": "a"}\n{"question_id"', "line 2: broken JSON"),
        ("t.jsonl", "[1]", "line 1: not a JSON object"),
        ("t.jsonl", '{"question_id": 1}', "no column text in line 1"),
        ("t.jsonl", '{"question_id": 1.5, "text": "a"}', "line 1: question_id is a number"),
        ("t.parquet", "text", "cannot be read"),
    ],
)
def test_a_wrong_table_is_named(tmp_path: Path, name: str, content: str, message: str) -> None:
    write_plain(tmp_path / "backtranslations", name, content.encode())
    with pytest.raises(BadInputError) as caught:
        read(tmp_path)
    assert f"{name}: {message}" in str(caught.value)


def test_an_unknown_suffix_is_refused(tmp_path: Path) -> None:
    path = write_plain(tmp_path / "backtranslations", "t.xlsx", b"")
    assert backtranslation_files(tmp_path) == ()
    with pytest.raises(BadInputError, match=r"not a table; known: \.csv, \.jsonl, \.parquet, \.tsv"):
        read_backtranslations(SourceFile(path, path.name))
