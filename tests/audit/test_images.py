"""Embedded images that cannot be opened or served."""

import io
from pathlib import Path

import pyarrow as pa
import pytest
from PIL import Image

from diptych.audit._files import image_fault
from diptych.pairs import pairs_table
from tests.audit.findings import audit_pairs, worst
from tests.folders import some_pairs


def png(width: int = 4, height: int = 4) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (width, height)).save(content, "PNG")
    return content.getvalue()


def with_images(*images: bytes) -> pa.Table:
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    values = [{"bytes": image, "path": None} for image in images]
    return pairs_table(some_pairs(len(images))).append_column("original_image", pa.array(values, kind))


def test_images_that_open_are_counted(tmp_path: Path) -> None:
    assert worst(audit_pairs(tmp_path, with_images(png(), png())), "images").message == "2 images open"


def test_an_image_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    finding = worst(audit_pairs(tmp_path, with_images(png(), png()[:40])), "images")
    assert finding.level == "error"
    assert "row 1: cannot be opened" in finding.message


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (None, "has no bytes"),
        ({"bytes": b""}, "has no bytes"),
        ({"bytes": b"text"}, "cannot be opened"),
        ({"bytes": png(5000, 2)}, "5000 × 2 pixels, more than 4096"),
        ({"bytes": b"0" * 10_000_001}, "10.0 MB, more than 10"),
        ({"bytes": png()}, ""),
    ],
    ids=["null", "empty", "text", "wide", "heavy", "sound"],
)
def test_what_is_wrong_with_an_image_is_said(value: object, fault: str) -> None:
    assert image_fault(value) == fault
