"""Many texts in one buffer, against the same done one by one."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from diptych.kg.byte_columns import PADDING, Ints, Page, contents, on_one_page

TEXTS = st.lists(st.binary(max_size=40), min_size=1, max_size=30)


def page_of(texts: list[bytes]) -> tuple[Page, Ints, Ints]:
    """The texts on a page, each behind a comma."""
    ends = np.cumsum([len(text) + 1 for text in texts])
    starts = ends - [len(text) for text in texts]
    return Page(b"".join(b"," + text for text in texts) + PADDING), starts, ends


@settings(deadline=None)
@given(TEXTS, st.binary(max_size=20))
def test_texts_that_begin_alike_are_found(texts: list[bytes], prefix: bytes) -> None:
    page, starts, _ = page_of([*texts, prefix, prefix + b"x"])
    rest = [page.buffer[start : start + len(prefix)] for start in starts.tolist()]
    assert page.starts_with(starts, prefix).tolist() == [each == prefix for each in rest]


@settings(deadline=None)
@given(TEXTS)
def test_equal_texts_and_no_others_have_equal_hashes(texts: list[bytes]) -> None:
    page, starts, ends = page_of(texts + texts[:3])
    for hashes in page.hashed(starts, ends):
        assert len(set(hashes.tolist())) == len(set(texts))
    assert set(page.hashed(starts, ends, 1)[0].tolist()).isdisjoint(page.hashed(starts, ends, 0)[0].tolist())


def test_hashes_are_the_same_on_every_machine() -> None:
    page, starts, ends = page_of([b"en/dog", b"", b"a text of more than eight bytes"])
    hashes = [f"{number:016x}" for number in page.hashed(starts, ends)[0].tolist()]
    assert hashes == [
        "22ec40a1da098f77",
        "0000000000000000",
        "ac5a5089b6c1fa2c",
    ]


@settings(deadline=None)
@given(TEXTS)
def test_texts_end_at_a_byte(texts: list[bytes]) -> None:
    page, starts, ends = page_of([*texts, b"a/b", b"/", b"12345678/", b"1234567/8/"])
    found = [page.buffer[start:end] for start, end in zip(starts, page.until(starts, ends, ord("/")), strict=True)]
    assert found == [text.split(b"/")[0] for text in [*texts, b"a/b", b"/", b"12345678/", b"1234567/8/"]]


@settings(deadline=None)
@given(TEXTS)
def test_texts_are_copied_in_any_order_and_coded(texts: list[bytes]) -> None:
    page, starts, ends = page_of(texts)
    order = np.array(sorted(range(len(texts)), key=lambda at: (texts[at], at)))
    assert contents(page.texts(starts, ends)) == b"".join(texts)
    assert page.texts(starts, ends, order).to_pylist() == [texts[at] for at in order]
    codes, different = page.coded(starts, ends)
    assert [different[code].as_py() for code in codes.tolist()] == texts
    assert len(different) == len(set(texts))


@settings(deadline=None)
@given(TEXTS)
def test_an_arrow_array_is_laid_on_a_page(texts: list[bytes]) -> None:
    page, starts, ends = page_of([b"before", *texts])
    laid, places = on_one_page(page.texts(starts, ends)[1:])
    assert [laid.buffer[low:high] for low, high in pairwise(places)] == texts


def test_places_of_a_byte_leave_the_padding_out() -> None:
    page = Page(b"\0a\0\n" + PADDING)
    assert page.places(0).tolist() == page.rare_places(0).tolist() == [0, 2]
    assert page.controls().tolist() == [0, 2, 3]
