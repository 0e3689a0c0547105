"""Texts of datasets in cards and pages: whatever they hold, they are shown and do nothing."""

import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from diptych.cards import CARD, write_card
from diptych.errors import printable
from diptych.folder import BuiltFolder, open_folder
from tests.commands import run
from tests.folders import make_folder, make_pair, reworded

HOSTILE = (
    "[x](javascript:alert(1))",
    "![x](http://example.org/track.png)",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "a | b | c",
    "a\n\n# A heading\n\n| a |\n|---|\n| b |\n",
    "a\r\n- a list",
    "`code` ``` fence",
    "```\n[x](javascript:alert(1))\n```",
    "~~~\n![x](http://example.org/x.png)",
    "<javascript:alert(1)>",
    "<https://example.org>",
    "[x]: javascript:alert(1)",
    "\\[x](javascript:alert(1))",
    "\\`[x](javascript:alert(1))`",
    "**bold** _it_ ~~gone~~ $x$",
    "&lt;script&gt; &#91;x](javascript:alert(1))",
    "<!-- diptych:keep x -->\nMine.\n<!-- diptych:end -->",
    "---\nlicense: mit\n---",
    "{{ 7 * 7 }} {% raw %}",
    "\x00\x1b[31mred\x07\u202e",
    "http://example.org www.example.org user@example.org",
)


def tokens(card: str) -> list[Token]:
    """Everything that a card becomes, texts left out."""
    header = re.match(r"---\n.*?\n---\n", card, re.DOTALL)
    assert header is not None
    body = card[header.end() :]
    parsed = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(body)
    return [part for token in parsed for part in (token, *(token.children or ()))]


def structure(card: str) -> list[tuple[str, str, str]]:
    """What a card becomes: headings, rows, cells, links with their addresses, images, HTML; without its texts."""
    ignored = {"text", "inline", "code_inline", "text_special", "softbreak"}
    kinds = [token for token in tokens(card) if token.type not in ignored]
    return [(token.type, token.tag, str(token.attrs.get("href", token.attrs.get("src", "")))) for token in kinds]


def with_texts(text: str, path: Path) -> BuiltFolder:
    """A folder in whose manifest every free text is the same."""
    folder = make_folder(path, [make_pair(number) for number in range(8)])
    content = orjson.loads((path / "manifest.json").read_bytes())
    content = _replace(content, text)
    for config in content["configs"].values():
        config["description"] = printable(text)  # one of several lines is refused
    (path / "manifest.json").write_bytes(orjson.dumps(content))
    (path / CARD).unlink()
    folder = open_folder(path)
    write_card(folder)
    return folder


_FREE = frozenset(
    "description tagger title license citation diptych original_question original_answer perturbed_question "
    "perturbed_answer first reason place message name test templates".split()
)


def _replace(node: Any, text: str, key: str = "") -> Any:
    if isinstance(node, dict):
        keys_too = key in {"skipped", "perturbed_answers", "original_answers"}
        return {text if keys_too else name: _replace(value, text, name) for name, value in node.items()}
    if isinstance(node, list):
        return node if key == "features" else [_replace(value, text, key) for value in node]
    return text if isinstance(node, str) and key in _FREE else node


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_in_a_card_are_inert(text: str, tmp_path: Path) -> None:
    """Issue 14: cards carry javascript: links and Markdown images out of questions."""
    plain = with_texts("plain", tmp_path / "plain")
    hostile = with_texts(text, tmp_path / "hostile")
    cards = [(folder.path / CARD).read_text(encoding="utf-8") for folder in (plain, hostile)]
    assert structure(cards[0]) == structure(cards[1])


@pytest.mark.parametrize("text", HOSTILE)
def test_questions_of_a_build_are_inert(text: str, tmp_path: Path) -> None:
    folders = [
        make_folder(tmp_path / name, [reworded(make_pair(1), question, answer)])
        for name, question, answer in (("plain", "plain", "plain"), ("hostile", text or "x", text))
    ]
    cards = [(folder.path / CARD).read_text(encoding="utf-8") for folder in folders]
    assert structure(cards[0]) == structure(cards[1])


@pytest.mark.parametrize("text", HOSTILE)
def test_questions_of_a_page_are_data(text: str, tmp_path: Path) -> None:
    """The page holds its items in one script; nothing ends it early."""
    folder = make_folder(tmp_path / "out", [reworded(make_pair(1), text)])
    page = tmp_path / "page.html"
    assert run("review", "export", folder.path, "--to", page) == 0
    html = page.read_text(encoding="utf-8")
    plain = make_folder(tmp_path / "plain", [reworded(make_pair(1), "plain")])
    assert run("review", "export", plain.path, "--to", tmp_path / "plain.html") == 0
    assert html.count("<") == (tmp_path / "plain.html").read_text(encoding="utf-8").count("<")
