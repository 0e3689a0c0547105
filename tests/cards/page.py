"""A card as a browser shows it: Markdown to HTML, HTML to a picture, and what a browser says about the page."""

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from markdown_it import MarkdownIt

WIDTH = 860  # pixels of the column in which the Hub shows a card

# Nothing here may hide what is too wide: no wrapping of words, no scaling of pictures.
STYLE = f"""<style>* {{ box-sizing: border-box }} html {{ background: white; color: #1f2937 }}
body {{ font: 16px/1.6 sans-serif; width: {WIDTH}px; margin: 0; padding: 0 }}
table {{ border-collapse: collapse; font-size: 14px; margin: 12px 0 }}
td, th {{ border: 1px solid #ccc; padding: 6px 10px }} img {{ max-width: none }}
code {{ font: 13px monospace }} pre {{ background: #f4f4f4; padding: 10px; overflow: auto }}
</style>"""

# What is folded is opened first: it has no width before.
_PROBE = """<script>addEventListener("load", () => {
const all = (names) => [...document.querySelectorAll(names)], column = document.body.clientWidth;
all("details").forEach((part) => (part.open = true));
const wide = all("table, pre, img, p, li, h1, h2, td").filter((part) =>
  part.scrollWidth > part.clientWidth + 1 || part.getBoundingClientRect().right > column + 1);
const report = {
  column, wide: wide.map((part) => `${part.tagName} ${part.scrollWidth} ${part.textContent.slice(0, 60)}`),
  parts: all("table, pre, img").length, broken: all("img").filter((part) => !part.naturalWidth).length,
  alternatives: all("img").map((part) => part.alt), scripts: all("script").length, owned: window.owned ?? false,
  links: all("a").map((part) => part.href), sources: all("img").map((part) => part.getAttribute("src")),
  text: document.body.textContent,
};
const note = document.createElement("pre");
note.id = "report";
note.textContent = JSON.stringify(report);
document.body.append(note);
});</script>"""


def browser() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def html_of(card: str) -> str:
    body = card.split("---\n", 2)[2]
    return f"<!doctype html><meta charset=utf-8>{STYLE}{MarkdownIt('commonmark').enable('table').render(body)}"


def inspect(folder: Path, profile: Path) -> dict[str, Any]:
    """What a browser says about the card of a folder: what is too wide, broken, or a script or link."""
    page = folder / "card.html"
    page.write_text(html_of((folder / "README.md").read_text(encoding="utf-8")) + _PROBE, encoding="utf-8")
    try:
        document = _run(["--dump-dom", page.as_uri()], profile, height=1000)
    finally:
        page.unlink()
    match = re.search(r'<pre id="report">(.*?)</pre>', document, re.DOTALL)
    assert match is not None, "the page has not run to its end"
    report: dict[str, Any] = json.loads(unescape(match[1]))
    return report


def screenshot(page: Path, picture: Path, height: int) -> None:
    with TemporaryDirectory() as profile:
        _run([f"--screenshot={picture}", page.as_uri()], Path(profile), height)


def _run(arguments: list[str], profile: Path, height: int) -> str:
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars"]
    command = [str(browser()), *options, f"--user-data-dir={profile}", f"--window-size={WIDTH},{height}", *arguments]
    return subprocess.run(command, check=True, capture_output=True, timeout=120).stdout.decode()
