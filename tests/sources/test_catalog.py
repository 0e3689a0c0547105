"""Every source is complete: title, license, citation, and the address of each official file."""

import re

import pytest

from diptych.errors import UnknownNameError
from diptych.sources._catalog import Source, catalog, find_download, get_source
from diptych.sources._single_answers import FILE_NAMES
from diptych.sources._vqa import LAYOUTS

EVERY = pytest.mark.parametrize("source", catalog().values(), ids=lambda source: source.key)
FOLDERS = {"vqa", "vqacp", "visdial", "gqa", "vg", "fvqa", "conceptnet", "convqa", "rephrasings", "carets", "coco"}
FOLDERS |= {"hallusionbench", "mme", "mmvp", "naturalbench", "pope"}


def test_all_sources_of_the_design_are_listed() -> None:
    assert {source.folder for source in catalog().values()} == FOLDERS


@EVERY
def test_a_source_says_where_it_lives_and_how_to_cite_it(source: Source) -> None:
    assert source.homepage.startswith("https://")
    assert source.license_url.startswith("https://")
    assert all((source.folder, source.title, source.license))
    assert re.match(rf"@\w+\{{{re.escape(source.citation_key)},", source.citation)
    for field in ("title = ", "author = ", "year = "):
        assert field in source.citation
    assert source.citation.count("{") == source.citation.count("}")


@EVERY
def test_a_license_that_is_not_stated_is_explained(source: Source) -> None:
    known = {"CC-BY-4.0", "CC-BY-SA-4.0", "MIT"}
    assert source.license in known or source.note


@EVERY
def test_no_file_is_listed_twice(source: Source) -> None:
    names = [name for _, name in source.official_files()]
    assert len(names) == len(set(names)) > 0


@EVERY
def test_a_download_is_named_by_its_address(source: Source) -> None:
    for download in source.downloads:
        if download.direct:
            assert download.url.split("?")[0].rsplit("/", 1)[-1] == download.name


@EVERY
def test_a_download_has_an_address_and_files_and_a_whole_checksum(source: Source) -> None:
    for download in source.downloads:
        assert download.url.startswith(("https://", "http://"))
        assert download.files
        assert download.size is None or download.size > 0
        assert download.sha256 is None or re.fullmatch(r"[0-9a-f]{64}", download.sha256)


def test_sources_in_one_folder_do_not_claim_the_same_file() -> None:
    claims = [(source.folder, name) for source in catalog().values() for _, name in source.official_files()]
    assert len(claims) == len(set(claims))


def test_every_file_the_readers_ask_for_is_in_the_catalog() -> None:
    for layout in LAYOUTS.values():
        for split, name in layout.splits.items():
            assert find_download(layout.folder, layout.questions.format(name)), split
            if layout.folder == "vqacp" or not split.startswith("test"):
                assert find_download(layout.folder, layout.annotations.format(name)), split
    assert all(find_download("visdial", name) for name in FILE_NAMES.values())


def test_an_unknown_source_lists_what_exists() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'vqa_v2'"):
        get_source("vqa_v3")
