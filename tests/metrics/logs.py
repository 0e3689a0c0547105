"""The answers of a model as the tools write them that people run models with."""

import csv
import io
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping
from xml.sax.saxutils import escape
from zlib import crc32

import orjson
import pyarrow as pa

Answers = Mapping[tuple[str, str], str]  # by pair and side

KEPT = {"test": "rad.t", "expectation": "given", "bindings": "{}", "answer": "red", "answers": ["red"] * 10}


def question_id(key: tuple[str, str]) -> str:
    return "-".join(key)


def vqa_results(answers: Answers) -> bytes:
    return orjson.dumps([{"question_id": question_id(key), "answer": answer} for key, answer in answers.items()])


def array(answers: Answers) -> bytes:
    return orjson.dumps([{"pair_id": pair, "side": side, "answer": text} for (pair, side), text in answers.items()])


def _document(key: tuple[str, str]) -> dict[str, object]:
    return {"pair_id": key[0], "side": key[1], **KEPT, "question": "What?"}


def lm_eval(answers: Answers) -> bytes:
    """Samples of lm-eval 0.4.13: the document, and what our task returned for every score."""
    rows = [
        {"doc_id": number, "doc": _document(key), "target": "red", "arguments": {"gen_args_0": {"arg_0": "What?"}}}
        | {"resps": [[answer]], "filtered_resps": [answer.strip("! ")], "filter": "none", "metrics": ["rad_forward"]}
        | {"rad_forward": {**_document(key), "said": answer}}
        for number, (key, answer) in enumerate(answers.items())
    ]
    return _lines(rows)


def lmms_eval(answers: Answers) -> bytes:
    """Samples of lmms-eval: without the document, and without raw replies where a filter changes nothing."""
    rows = [
        {"doc_id": number, "target": "red", "filtered_resps": answer if number % 2 else [answer], "doc_hash": "0"}
        | {"rad_forward": {**_document(key), "said": answer}, "input": "What?"}
        for number, (key, answer) in enumerate(answers.items())
    ]
    return _lines(rows)


def _lines(rows: Iterable[object]) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def _samples(answers: Answers) -> list[dict[str, object]]:
    return [
        {"id": question_id(key), "epoch": 1, "input": "What?", "target": ["red"], "metadata": _document(key)}
        | {"output": {"model": "m", "choices": [], "completion": answer}, "scores": {"paired": {"value": 0.0}}}
        for key, answer in answers.items()
    ]


def inspect_json(answers: Answers) -> bytes:
    """A log of Inspect in JSON, as it is indented."""
    log = {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": _samples(answers)}
    return orjson.dumps(log, option=orjson.OPT_INDENT_2)


def inspect_eval(answers: Answers, compression: int = 93) -> bytes:
    """A log of Inspect as an archive; today's are compressed with Zstandard."""
    members = {f"samples/{sample['id']}_epoch_1.json": orjson.dumps(sample) for sample in _samples(answers)}
    members["header.json"] = orjson.dumps({"version": 2, "eval": {"task": "t"}})
    return zipped(members, compression)


def zipped(members: Mapping[str, bytes], compression: int) -> bytes:
    """An archive without times, always the same; Python's writer has no Zstandard, which has the number 93."""
    out = io.BytesIO()
    if compression != 93:
        with zipfile.ZipFile(out, "w") as archive:
            for name, content in members.items():
                archive.writestr(zipfile.ZipInfo(name), content, compression)
        return out.getvalue()
    directory = b""
    for name, content in members.items():
        packed, text = pa.Codec("zstd").compress(content, asbytes=True), name.encode()
        fields = struct.pack("<HHHHHIIIHH", 20, 0, 93, 0, 0, crc32(content), len(packed), len(content), len(text), 0)
        directory += b"PK\1\2\x14\0" + fields + struct.pack("<HHHII", 0, 0, 0, 0, out.tell()) + text
        out.write(b"PK\3\4" + fields + text + packed)
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), out.tell(), 0)
    return out.getvalue() + directory + b"PK\5\6" + end


def _table(answers: Answers) -> list[list[str]]:
    rows = [[question_id(key), "What?", "red", answer] for key, answer in answers.items()]
    return [["index", "question", "answer", "prediction"], *rows]


def vlmevalkit_tsv(answers: Answers) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter="\t", quoting=csv.QUOTE_ALL).writerows(_table(answers))
    return text.getvalue().encode()


def workbook(answers: Answers, shared: bool = True) -> bytes:
    """A workbook with its texts in a table of their own, as xlsxwriter writes it, or in the cells, as openpyxl."""
    rows, texts = _table(answers), []
    lines = []
    for number, row in enumerate(rows, start=1):
        cells = []
        for letter, value in zip("ABCD", row, strict=True):
            place = f'<c r="{letter}{number}"'
            texts.append(f"<si><t>{escape(value)}</t></si>")
            own_text = f'{place} t="inlineStr"><is><t>{escape(value)}</t></is></c>'
            cells.append(f'{place} t="s"><v>{len(texts) - 1}</v></c>' if shared else own_text)
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    members = {
        "xl/workbook.xml": f"<workbook {space}/>",
        "xl/worksheets/sheet2.xml": f"<worksheet {space}/>",
        "xl/worksheets/sheet1.xml": f"<worksheet {space}><sheetData>{''.join(lines)}</sheetData></worksheet>",
    }
    members |= {"xl/sharedStrings.xml": f"<sst {space}>{''.join(texts)}</sst>"} if shared else {}
    return zipped({name: text.encode() for name, text in members.items()}, zipfile.ZIP_DEFLATED)


WRITERS: dict[str, Callable[[Answers], bytes]] = {
    "vqa-results.json": vqa_results,
    "array.json": array,
    "lm-eval.jsonl": lm_eval,
    "lmms-eval.jsonl": lmms_eval,
    "inspect.json": inspect_json,
    "inspect.eval": inspect_eval,
    "inspect-deflated.eval": lambda answers: inspect_eval(answers, zipfile.ZIP_DEFLATED),
    "vlmevalkit.tsv": vlmevalkit_tsv,
    "vlmevalkit.xlsx": workbook,
    "inline.xlsx": lambda answers: workbook(answers, shared=False),
}
"""Every format of others, by the name of a file."""
