"""Files of predictions and the journal beside one: replies on disk, and what a run that was ended finds there.

A line of the journal is a checksum and a record; the first record is the header of the run. A line whose checksum does
not fit, such as the torn last line of a run that was killed, is dropped, and its query asked again.
"""

import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import orjson

from diptych.errors import BadInputError
from diptych.files import read_json_lines, sync_folder, write_json_lines
from diptych.metrics import is_header
from diptych.models._model import Reply
from diptych.models._queries import SideQuery

FORMAT = {"diptych": "predictions", "version": 1}
_FIELDS = frozenset(field.name for field in fields(Reply)) - {"text"}
_LEARNED = "server_model"  # what of the header is known only from replies

Replies = dict[str, Reply]  # by the key of their query


class Journal:
    """Replies of a run as they come, in a file beside its output; a reply is on disk when `commit` returns."""

    def __init__(self, out: Path, header: Mapping[str, Any]) -> None:
        self.path = journal_path(out)
        is_new = not self.path.exists()
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            os.ftruncate(self._file, _whole_lines(self.path))
            if is_new:
                sync_folder(self.path.parent)
        except OSError as error:
            raise BadInputError(f"{self.path}: cannot be written: {error.strerror}; choose another --out") from None
        self._lines = [] if os.fstat(self._file).st_size else [_sealed(header)]
        self._replies: list[tuple[str, Reply]] = []
        self.commit()

    def append(self, key: str, reply: Reply) -> None:
        """Take a reply, which the next commit writes."""
        self._lines.append(_sealed({"key": key, "reply": reply}))
        self._replies.append((key, reply))

    def commit(self) -> list[tuple[str, Reply]]:
        """Write what was taken and flush it to the disk; returns the replies that now are there."""
        if self._lines:
            content = memoryview(b"".join(self._lines))
            while content:
                content = content[os.write(self._file, content) :]
            os.fdatasync(self._file)
        replies, self._replies, self._lines = self._replies, [], []
        return replies

    def close(self) -> None:
        """Commit and close; the file stays."""
        self.commit()
        os.close(self._file)


def journal_path(out: Path) -> Path:
    """The journal of an output."""
    return out.with_name(f"{out.name}.journal")


def remove_journal(out: Path) -> None:
    """Remove the journal of an output that is complete."""
    journal_path(out).unlink(missing_ok=True)
    sync_folder(out.parent)


def _sealed(record: Mapping[str, Any]) -> bytes:
    content = orjson.dumps(record)
    return b"%08x %s\n" % (zlib.crc32(content), content)


def _whole_lines(path: Path) -> int:
    """The size of a file up to its last line break."""
    return path.read_bytes().rfind(b"\n") + 1


def _journal_records(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_bytes().split(b"\n")[:-1]:  # what has no line break is about to be cut off
        seal, _, content = line.partition(b" ")
        if content and seal == b"%08x" % zlib.crc32(content):
            yield orjson.loads(content)


def read_replies(out: Path, header: Mapping[str, Any]) -> Replies:
    """The replies of earlier runs with the same header, from the output and the journal; errors are none.

    A file or journal of another header is refused, and so is a file that is no predictions of ours.
    """
    replies: Replies = {}
    if out.exists():
        rows = (row for _, row in read_json_lines(out))
        _check_header(out, next(rows, {}), header)
        replies |= {str(row.get("key")): _reply(row, row.get("answer")) for row in rows}
    journal = journal_path(out)
    if journal.exists():
        records = _journal_records(journal)
        first = next(records, None)
        if first is None:
            journal.unlink()  # killed before its first line was whole
        else:
            _check_header(journal, first, header)
            replies |= {record["key"]: _reply(record["reply"], record["reply"]["text"]) for record in records}
    return {key: reply for key, reply in replies.items() if reply.error is None}


def check_ours(out: Path) -> None:
    """Refuse to replace a file that is no predictions of ours."""
    if out.exists() and not is_header(next((row for _, row in read_json_lines(out)), {})):
        raise BadInputError(f"{out}: not a file of `diptych predict`, so --overwrite will not replace it")


def _check_header(path: Path, header: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    if not is_header(header):
        raise BadInputError(f"{path}: already exists and is not a file of `diptych predict`; choose another --out")
    keys = [key for key in {**expected, **header} if key != _LEARNED and header.get(key) != expected.get(key)]
    if keys:
        differences = "; ".join(
            f"{key} {_short(header.get(key))} there, {_short(expected.get(key))} here" for key in keys
        )
        remedy = "pass --overwrite to start over, or choose another --out"
        raise BadInputError(f"{path}: contains replies of another run: {differences}; {remedy}")


def _short(value: Any) -> str:
    text = orjson.dumps(value).decode()
    return text if len(text) <= 60 else f"{text[:60]}…"


def _reply(record: Mapping[str, Any], text: str | None) -> Reply:
    values = {name: value for name, value in record.items() if name in _FIELDS}
    values["image_size"] = tuple(values["image_size"]) if values.get("image_size") else None
    return Reply(text, **values)


def write_output(out: Path, header: Mapping[str, Any], sides: Sequence[SideQuery], replies: Replies) -> None:
    """Write the predictions: the header, and a line for every side that has a reply, in the order of the dataset."""
    servers = sorted({reply.server_model for reply in replies.values() if reply.server_model})
    write_json_lines(out, _output_rows({**header, _LEARNED: ", ".join(servers) or None}, sides, replies))
    sync_folder(out.parent)


def _output_rows(header: Mapping[str, Any], sides: Sequence[SideQuery], replies: Replies) -> Iterator[dict[str, Any]]:
    yield dict(header)
    for side in sides:
        if (reply := replies.get(side.key)) is not None:
            content = asdict(reply)
            answer = content.pop("text")
            if content["error"] is None:
                del content["error"]
            yield {"pair_id": side.pair_id, "side": side.side, "answer": answer, **content, "key": side.key}
