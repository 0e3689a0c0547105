"""One self-contained page: data, styles and script in one file that works without a server."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined

from diptych.files import write_text

REASONS = (
    "the fact is wrong",
    "the image does not show it",
    "another answer is right too",
    "bad grammar",
    "offensive or private",
)
"""Why an annotator may reject a pair; the keys 1 to 5."""

_environment = Environment(
    loader=PackageLoader("diptych.report.review", "."), undefined=StrictUndefined, autoescape=True, trim_blocks=True
)


def write_page(path: Path, title: str, mode: str, items: Sequence[Mapping[str, Any]]) -> str:
    """Write a page to judge pairs (`judge`) or to answer questions (`answer`); its id is returned."""
    content = {"title": title, "mode": mode, "items": list(items), "reasons": list(REASONS)}
    page_id = hashlib.blake2b(orjson.dumps(content, option=orjson.OPT_SORT_KEYS), digest_size=6).hexdigest()
    # Inside <script>, "</script>" in a question would end the data.
    data = orjson.dumps({**content, "page": page_id}).decode().replace("<", "\\u003c")
    html = _environment.get_template("page.html.jinja").render(title=title, data=data)
    write_text(path, html)
    return page_id
