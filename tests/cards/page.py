"""A card as a browser shows it: Markdown to HTML, HTML to a picture."""

import shutil
import subprocess
from pathlib import Path

from markdown_it import MarkdownIt

WIDTH = 860  # pixels of the column in which the Hub shows a card

STYLE = """<style>* { box-sizing: border-box } html { background: white; color: #1f2937 }
body { font: 16px/1.6 sans-serif; width: 860px; margin: 0; padding: 0 }
table { border-collapse: collapse; font-size: 14px; margin: 12px 0 }
td, th { border: 1px solid #ccc; padding: 6px 10px }
code { font: 13px monospace } pre { background: #f4f4f4; padding: 10px; overflow: auto } img { max-width: none }
</style>"""


def browser() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def html_of(card: str) -> str:
    body = card.split("---\n", 2)[2]
    return f"<!doctype html><meta charset=utf-8>{STYLE}{MarkdownIt('commonmark').enable('table').render(body)}"


def screenshot(page: Path, picture: Path, height: int) -> None:
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars"]
    home = picture.parent / "profile"
    command = [str(browser()), *options, f"--user-data-dir={home}", f"--window-size=1080,{height}"]
    subprocess.run([*command, f"--screenshot={picture}", page.as_uri()], check=True, capture_output=True, timeout=120)
