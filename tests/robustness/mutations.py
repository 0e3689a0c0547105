"""Seeded mutations of files: by bytes, by JSON nodes, by lines, by columns, and by the faults that archives have."""

import gzip
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import PurePath
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

Mutation = Callable[[bytes, Random], bytes]

BOMB = 120_000_000
"""Bytes that an archive bomb unpacks to."""

DEPTH = 100_000
LONG_TEXT = 1_000_000

TEXTS = (
    "",
    " ",
    "x",
    "0",
    "-1",
    "nan",
    "inf",
    "1" * 5000,
    "10" * 15,
    "true",
    "null",
    "../../../etc/passwd",
    "/etc/passwd",
    "**",
    "a/b",
    "..",
    "~",
    "C:\\x",
    "a\x00b",
    "a\nb\r\nc",
    "\u202eabc",
    "\u0661\u0662\u0663",
    "\u00b2",
    "\ufeffx",
    "é" * 300,
    "[x](javascript:alert(1))",
    "![x](http://example.org/x.png)",
    "<script>alert(1)</script>",
    "| a | b |",
    "{{ 7 * 7 }}{% for x in y %}",
    "${HOME}`id`",
    "'; DROP TABLE pairs; --",
    "🙂" * 50,
    "\\ud800",
)
"""Texts that trip readers, as Python strings."""

RAW_VALUES = (
    *("null", "true", "false", "0", "-0", "-1", "1.5", "1e400", "-1e400", "NaN", "Infinity", "-Infinity"),
    *("1" * 5000, "1" * 30, "2147483648", "9223372036854775808", "-9223372036854775809", "18446744073709551616"),
    *('"\\ud800"', '"\\udc00 x"', '"a\\ud83d"', '"\\u0000"', '"\\u0000\\u0000x"', '"\\n\\n"', '"\\u2028"'),
    *("[]", "{}", "[[]]", "[null]", "[{}]", '{"": 0}', '[1, "a", null, {"a": []}]', '{"a": {"b": {"c": {}}}}'),
    *(json.dumps(text) for text in TEXTS),
)
"""JSON values, valid and not, as they stand in a file."""

_PLACE = "@place@"


def mutate(content: bytes, name: str, rng: Random) -> bytes:
    """The content of a file after one to three mutations; the suffix says which fit it."""
    suffixes = PurePath(name.lower()).suffixes
    suffix = suffixes[-1] if suffixes else ""
    fitting = _BY_SUFFIX.get(suffix, (mutate_lines,))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if len(content) > 10 * LONG_TEXT:
            break
        mutation = rng.choice((*fitting, *fitting, mutate_bytes))
        try:
            content = mutation(content, rng)
        except Exception:
            content = mutate_bytes(content, rng)  # an earlier mutation left nothing that this one understands
    return content


# Bytes.


def mutate_bytes(content: bytes, rng: Random) -> bytes:
    """Flip, cut, splice, double or overwrite bytes."""
    mutation = rng.choice(
        (_flip, _flip, _truncate, _splice, _remove_span, _insert_span, _overwrite_span, _replace_whole, _recode)
    )
    return mutation(content, rng)


def _flip(content: bytes, rng: Random) -> bytes:
    mutable = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        if mutable:
            mutable[rng.randrange(len(mutable))] ^= 1 << rng.randrange(8)
    return bytes(mutable)


def _truncate(content: bytes, rng: Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _span(content: bytes, rng: Random) -> slice:
    start = rng.randrange(len(content) + 1)
    return slice(start, start + rng.choice((1, 4, 64, 1000, 10_000)))


def _splice(content: bytes, rng: Random) -> bytes:
    source, position = _span(content, rng), rng.randrange(len(content) + 1)
    return content[:position] + content[source] + content[position:]


def _remove_span(content: bytes, rng: Random) -> bytes:
    span = _span(content, rng)
    return content[: span.start] + content[span.stop :]


def _insert_span(content: bytes, rng: Random) -> bytes:
    position = rng.randrange(len(content) + 1)
    spans = (b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\x80", b"\xed\xa0\x80", b"\n", b'"', b"}", b"[" * 2000)
    return content[:position] + rng.choice((*spans, rng.randbytes(16), b"\x00" * 5000)) + content[position:]


def _overwrite_span(content: bytes, rng: Random) -> bytes:
    span = _span(content, rng)
    size = len(content[span])
    return content[: span.start] + rng.choice((bytes(size), rng.randbytes(size))) + content[span.stop :]


def _replace_whole(content: bytes, rng: Random) -> bytes:
    return rng.choice(
        (
            b"",
            b" \n",
            bytes(1000),
            rng.randbytes(2000),
            b"null",
            b"[]",
            b"{}",
            b"[" * DEPTH,
            b'{"a":' * DEPTH,
            b'[{"a":' * DEPTH,
            b"[" * DEPTH + b"]" * DEPTH,
            b'"' + b"x" * LONG_TEXT,
            b"PK\x03\x04" + rng.randbytes(500),
            b"PAR1" + rng.randbytes(500) + b"PAR1",
            b"\x1f\x8b\x08" + rng.randbytes(500),
            b"\xff\xfe" + "text".encode("utf-16-le"),
            b"<html><body>404</body></html>",
        )
    )


def _recode(content: bytes, rng: Random) -> bytes:
    return content.decode("utf-8", "replace").encode(rng.choice(("utf-16", "utf-32", "latin-1", "utf-7")), "replace")


# JSON.


def mutate_json(content: bytes, rng: Random) -> bytes:
    """Change one node of a JSON document: its type, its place, its number."""
    document = json.loads(content)
    holders: list[Any] = []
    _collect(document, holders)
    holder = rng.choice(holders)
    keys: list[Any] = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    if not keys:
        return mutate_bytes(content, rng)
    key, raw = rng.choice(keys), _raw_value(rng)
    match rng.randrange(8):
        case 0:
            del holder[key]
        case 1:
            _repeat(holder, key, rng)
        case 2:
            other = rng.choice(holders)
            other_keys: list[Any] = list(other) if isinstance(other, dict) else list(range(len(other)))
            if other_keys:
                holder[key] = json.loads(json.dumps(other[rng.choice(other_keys)]))
        case 3 if isinstance(holder, dict):
            holder[_PLACE] = holder.pop(key)
            raw = json.dumps(rng.choice((*TEXTS[:20], str(key).upper(), f"{key} ")))
        case _:
            holder[key] = _PLACE
    return json.dumps(document).replace(json.dumps(_PLACE), raw).encode("utf-8", "surrogatepass")


def _collect(node: Any, holders: list[Any]) -> None:
    if isinstance(node, dict | list):
        holders.append(node)
        for part in node.values() if isinstance(node, dict) else node:
            _collect(part, holders)


def _repeat(holder: Any, key: Any, rng: Random) -> None:
    if isinstance(holder, list):
        holder[key:key] = [holder[key]] * rng.choice((1, 2, 50))
    else:
        holder[f"{key}2"] = holder[key]


def _raw_value(rng: Random) -> str:
    number = rng.randrange(20)
    if number == 0:
        return "[" * DEPTH + "]" * DEPTH
    if number == 1:
        return '{"a":' * DEPTH + "1" + "}" * DEPTH
    if number == 2:
        return f'"{"x " * (LONG_TEXT // 2)}"'
    return rng.choice(RAW_VALUES)


# Lines: JSON lines, CSV, TOML, YAML, Markdown, plain lists.


def mutate_lines(content: bytes, rng: Random) -> bytes:
    """Remove, double, swap or change lines and the words in them."""
    lines = content.split(b"\n")
    number, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(7):
        case 0:
            del lines[number]
        case 1:
            lines.insert(other, lines[number])
        case 2:
            lines[number], lines[other] = lines[other], lines[number]
        case 3:
            lines[number] = lines[number] * rng.choice((2, 1000))
        case 4:
            lines[number:number] = [b""] * 3
        case _:
            lines[number] = _mutate_word(lines[number], rng)
    return b"\n".join(lines)


def _mutate_word(line: bytes, rng: Random) -> bytes:
    separator = rng.choice((b" ", b",", b"=", b":", b'"', b"|", b"\t", b"/"))
    words = line.split(separator)
    words[rng.randrange(len(words))] = _hostile_bytes(rng)
    return separator.join(words)


def _hostile_bytes(rng: Random) -> bytes:
    if rng.random() < 0.1:
        return rng.choice((b"[" * DEPTH, b"x" * LONG_TEXT, b"1" * 100_000, b"{" * DEPTH, b"a." * 5000, b"- " * 5000))
    if rng.random() < 0.2:
        return rng.choice((b"!!python/object:os.system", b"&a [*a, *a]", b"*a", b"<<: *b", b"'''", b'"""', b"#"))
    return rng.choice(TEXTS).encode("utf-8", "surrogatepass")


def mutate_json_lines(content: bytes, rng: Random) -> bytes:
    """Change a node of the JSON of one line, or the lines themselves."""
    if rng.random() < 0.3:
        return mutate_lines(content, rng)
    lines = content.split(b"\n")
    numbers = [number for number, line in enumerate(lines) if line.strip()]
    number = rng.choice(numbers)
    lines[number] = mutate_json(lines[number], rng)
    return b"\n".join(lines)


# Archives.


def mutate_zip(content: bytes, rng: Random) -> bytes:
    """Change a member, or how the archive tells of it: encryption, compression, sizes, names, a bomb."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(members))
    match rng.randrange(8):
        case 0:
            return set_flags(content, 6, 8, 1)  # encrypted
        case 1:
            return set_flags(content, 8, 10, rng.choice((9, 12, 14, 95, 99)))  # a compression that Python lacks
        case 2:
            members[name] = _bomb(members[name], rng)
        case 3:
            return _set_sizes(content, rng)
        case 4:
            members = {f"{rng.choice(('../', '/', 'a/../../', ''))}{name}": members[name]}
        case 5:
            method = rng.choice((zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_STORED))
            return _flip(_zip(members, method), rng)
        case _:
            members[name] = mutate(members[name], name, rng)
    return _zip(members)


def _zip(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def set_flags(content: bytes, local: int, central: int, value: int) -> bytes:
    """Write a number into the header of every member and into the central directory."""
    mutable = bytearray(content)
    for signature, offset in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
        position = content.find(signature)
        while position >= 0:
            mutable[position + offset : position + offset + 2] = struct.pack("<H", value)
            position = content.find(signature, position + 4)
    return bytes(mutable)


def _set_sizes(content: bytes, rng: Random) -> bytes:
    """The central directory tells another size of a member than it has."""
    mutable, position = bytearray(content), content.find(b"PK\x01\x02")
    size = rng.choice((0, 1, 10, 2**31 - 1, 2**32 - 2))
    offset = rng.choice((20, 24))
    mutable[position + offset : position + offset + 4] = struct.pack("<I", size)
    return bytes(mutable)


def _bomb(content: bytes, rng: Random) -> bytes:
    filler = rng.choice((b" ", b"\n", b"x", b"["))
    return content[: rng.choice((0, 1, len(content) // 2))] + filler * BOMB


def mutate_gzip(content: bytes, rng: Random) -> bytes:
    """Change what is packed, or pack a bomb, or append to it."""
    plain = gzip.decompress(content)
    match rng.randrange(5):
        case 0:
            return content + rng.choice((b"garbage", bytes(100), gzip.compress(b"more")))
        case 1:
            return gzip.compress(_bomb(plain, rng), 1)
        case 2:
            return _flip(content, rng)
        case _:
            return gzip.compress(mutate_lines(plain, rng), 1)


# Tables and arrays.


def mutate_parquet(content: bytes, rng: Random) -> bytes:
    """Change the columns of a table, or the bytes of its footer and pages."""
    if rng.random() < 0.3:
        size = struct.unpack("<I", content[-8:-4])[0]
        start = max(0, len(content) - 8 - size)
        return content[:start] + _flip(content[start:], rng)
    table = pq.read_table(io.BytesIO(content))
    number = rng.randrange(table.num_columns)
    name = table.column_names[number]
    match rng.randrange(7):
        case 0:
            table = table.drop_columns([name])
        case 1:
            table = table.slice(0, 0)
        case 2:
            table = pa.concat_tables([table, table])
        case 3:
            table = table.append_column(name, table.column(number))
        case 4:
            names = list(table.column_names)
            names[number] = rng.choice(TEXTS[:20])
            table = table.rename_columns(names)
        case _:
            table = table.set_column(number, name, _odd_column(table.num_rows, rng))
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


def _odd_column(size: int, rng: Random) -> pa.Array:
    texts = [rng.choice([*TEXTS, "{", "[]", "null", "[" * DEPTH, '{"choices": 3}', '"a"']) for _ in range(size)]
    return rng.choice(
        (
            pa.nulls(size),
            pa.nulls(size, pa.string()),
            pa.array([rng.choice((None, "x")) for _ in range(size)], pa.string()),
            pa.array(texts, pa.string()),
            pa.array(texts, pa.large_string()),
            pa.array(texts, pa.string()).dictionary_encode(),
            pa.array([text.encode() for text in texts], pa.binary()),
            pa.array([b"\xff\xfe"] * size, pa.binary()),
            pa.array([rng.randrange(-(2**62), 2**62) for _ in range(size)], pa.int64()),
            pa.array([rng.choice((float("nan"), float("inf"), 1.5)) for _ in range(size)], pa.float64()),
            pa.array([True] * size),
            pa.array([[text, None] for text in texts], pa.list_(pa.string())),
            pa.array([[]] * size, pa.list_(pa.string())),
            pa.array([{"bytes": text.encode(), "path": text} for text in texts]),
            pa.array([0] * size, pa.timestamp("ns")),
        )
    )


def mutate_npz(content: bytes, rng: Random) -> bytes:
    """Change the arrays of a NumPy archive: their types, shapes, values and headers."""
    if rng.random() < 0.3:
        return mutate_zip(content, rng)
    with np.load(io.BytesIO(content), allow_pickle=True) as archive:
        arrays = dict(archive)
    name = rng.choice(list(arrays))
    if rng.random() < 0.15:
        del arrays[name]
    else:
        arrays[name] = _odd_array(arrays[name], rng)
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def mutate_npy(content: bytes, rng: Random) -> bytes:
    """Change one NumPy array, or what its header promises."""
    if rng.random() < 0.4:
        shape = rng.choice((b"'shape': (9999999999, ", b"'shape': (-1, ", b"'shape': 7, ("))
        return content.replace(b"'shape': (", shape)
    out = io.BytesIO()
    np.save(out, _odd_array(np.load(io.BytesIO(content), allow_pickle=True), rng))
    return out.getvalue()


def _odd_array(array: Any, rng: Random) -> Any:
    return rng.choice(
        (
            array[:0],
            array[:1],
            array.reshape(-1),
            array.reshape(1, *array.shape),
            np.array([{"a": 1}] * len(array), dtype=object),
            np.array(["x"] * len(array)),
            np.array([b"\xff"] * len(array)),
            np.array(3),
            np.full(array.shape, np.nan),
            np.full(array.shape, np.inf),
            np.full(array.shape, 1e308),
            np.zeros(array.shape, np.complex128),
            np.zeros(array.shape, np.int8),
            np.zeros(array.shape, "M8[s]"),
            array.T,
        )
    )


# Images.


def mutate_image(content: bytes, rng: Random) -> bytes:
    """Change the bytes of an image, or take one that unpacks to billions of pixels."""
    side = rng.choice((0, 1, 60_000, 2**31 - 1))
    return png_bomb(side) if rng.random() < 0.3 else mutate_bytes(content, rng)


def png_bomb(side: int) -> bytes:
    """A small PNG that promises a square of so many pixels a side."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(10_000))) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


# One value of the command line.


def mutate_value(content: bytes, rng: Random) -> bytes:
    """Change the value behind the last equals sign, or all of it."""
    head, equals, tail = content.rpartition(b"=")
    texts = (*TEXTS, *"101010101010 1e9 1e-400 0x10 1_000 +5 1,2 1:2 a:b:c -inf".split(), "9" * 20, "1" * 30)
    if rng.random() < 0.15:
        return mutate_bytes(content, rng)
    text = rng.choice(texts).encode("utf-8", "surrogatepass")
    return head + equals + rng.choice((text, text, tail + b",", b"," + tail, tail * 3))


_BY_SUFFIX: dict[str, tuple[Mutation, ...]] = {
    ".json": (mutate_json,),
    ".jsonl": (mutate_json_lines,),
    ".zip": (mutate_zip,),
    ".gz": (mutate_gzip,),
    ".parquet": (mutate_parquet,),
    ".npz": (mutate_npz,),
    ".npy": (mutate_npy,),
    ".jpg": (mutate_image,),
    ".png": (mutate_image,),
    ".value": (mutate_value,),
}
