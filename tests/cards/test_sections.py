"""Hand-written sections of a card."""

import pytest

from diptych.cards import keep_sections
from diptych.errors import BadInputError

SECTION = "<!-- diptych:keep news -->\nMine.\n<!-- diptych:end -->"


def test_a_section_goes_where_the_new_card_has_its_place() -> None:
    empty = "<!-- diptych:keep news -->\n<!-- diptych:end -->"
    assert keep_sections(f"# New\n{empty}\nend\n", f"# Old\n{SECTION}\n") == f"# New\n{SECTION}\nend\n"


def test_a_section_without_a_place_stays_under_its_heading() -> None:
    merged = keep_sections("# A\n\ntext\n\n# B\n", f"# A\n{SECTION}\n# B\n")
    assert merged == f"# A\n\ntext\n\n{SECTION}\n\n# B\n"


def test_a_section_whose_heading_is_gone_goes_to_the_end() -> None:
    assert keep_sections("# A\n", f"# Gone\n{SECTION}\n") == f"# A\n\n{SECTION}\n"


def test_comments_in_code_are_no_headings() -> None:
    code = "```python\n# load\nx\n# score\n```\n"
    assert keep_sections(f"# A\n{code}", f"# A\n{code}{SECTION}\n") == f"# A\n{code}\n{SECTION}\n"


def test_merging_again_changes_nothing() -> None:
    old = f"# A\n{SECTION}\n## Inside\n<!-- diptych:keep more -->\n# Title\n<!-- diptych:end -->\n# B\n"
    once = keep_sections("# A\n\n# B\n", old)
    assert keep_sections("# A\n\n# B\n", once) == once


@pytest.mark.parametrize(
    "broken", ["<!-- diptych:keep a -->\ntext", f"<!-- diptych:keep a -->\n{SECTION}", SECTION * 2]
)
def test_markers_that_do_not_close_or_repeat_are_refused_rather_than_lost(broken: str) -> None:
    with pytest.raises(BadInputError, match="diptych:end"):
        keep_sections("# A\n", broken)
