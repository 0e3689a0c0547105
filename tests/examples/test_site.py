"""The documentation site: it builds without a warning, needs no network, and its links lead somewhere."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import diptych
from diptych.builders import get_dataset
from tests.examples.documents import ROOT

OWN = ("rad-cads", "bqd", "carets", "kb-counterfactuals", "fvqa2", "paired-benchmarks")
FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("material") is None, reason='the site needs pip install "diptych[docs]"'),
]


@dataclass
class SitePage(HTMLParser):
    """The addresses and anchors of a page."""

    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag in FETCHED and (address := values.get(FETCHED[tag])) and values.get("rel") != "canonical":
            self.fetched.append(address)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, as `make docs` builds it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}  # an announcement of the theme
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, SitePage]:
    """All pages but the one for missing ones, whose addresses begin at the root of a server."""
    parsed = {path: SitePage() for path in sorted(site.rglob("*.html")) if path.name != "404.html"}
    for path, page in parsed.items():
        page.feed(path.read_text(encoding="utf-8"))
    return parsed


def test_nothing_is_fetched_from_elsewhere(pages: dict[Path, SitePage], site: Path) -> None:
    fetched = [(path, address) for path, page in pages.items() for address in page.fetched]
    assert len(fetched) > len(pages)
    assert not [entry for entry in fetched if urlsplit(entry[1]).netloc]
    assert not [entry for entry in fetched if not (entry[0].parent / unquote(urlsplit(entry[1]).path)).exists()]


def test_links_lead_to_pages_and_anchors(pages: dict[Path, SitePage]) -> None:
    assert len(pages) > 40
    assert list(broken_links(pages)) == []


def broken_links(pages: dict[Path, SitePage]) -> Iterator[str]:
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if parts.netloc:
                is_good = parts.scheme == "https" and re.fullmatch(r"[\w.-]+\.\w{2,}", parts.netloc) is not None
            elif parts.fragment:
                is_good = target in pages and unquote(parts.fragment) in {*pages[target].anchors, "__codelineno"}
            else:
                is_good = target.exists()
            if not is_good and not parts.fragment.startswith("__"):
                yield f"{path.name}: {link}"


def test_the_public_api_is_described(pages: dict[Path, SitePage], site: Path) -> None:
    names = {name for name in diptych.__all__ if name != "__version__"}
    assert {f"diptych.{name}" for name in names} <= pages[site / "api.html"].anchors


@pytest.mark.parametrize("name", OWN)
def test_a_data_sheet_holds_what_the_specification_says(name: str, site: Path) -> None:
    text = (site / "datasheets" / f"{name}.html").read_text(encoding="utf-8")
    spec = get_dataset(name).spec
    assert [config.name for config in spec.configs if f"<code>{config.name}</code>" not in text] == []
    assert [parameter for parameter in spec.all_parameters if f"<code>{parameter}</code>" not in text] == []
    assert spec.version in text


def test_pages_hold_what_they_take_from_the_code(site: Path) -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    assert not [name for name, text in texts.items() if re.search(r"<!-- (facts|printed|commands|notebook)", text)]
    assert "79.99" in texts["papers.html"]  # VisualBERT in Table 2 of RAD
    assert "diptych review merge" in texts["commands.html"]
    assert "write_figures" in texts["notebooks.html"]
