"""How review pages look: screenshots in light, dark and on a phone, and what axe-core finds."""

from pathlib import Path

import pytest

from diptych.folder import BuiltFolder
from tests.commands import run
from tests.report.browser import NO_CHROMIUM, ReportBrowser

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(NO_CHROMIUM), reason=NO_CHROMIUM)]


@pytest.fixture(scope="module")
def index(folder: BuiltFolder, world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pages = tmp_path_factory.mktemp("review-pages") / "pages"
    assert run("review", "export", folder.path, "--to", pages, "--images", world / "images", "--page-size", 25) == 0
    return pages / "index.html"


@pytest.mark.parametrize(("width", "look"), [(1280, "light"), (1280, "dark"), (390, "light")])
def test_review_pages_are_readable_everywhere(
    width: int, look: str, index: Path, browser: ReportBrowser, shots: Path
) -> None:
    """The index, and the first item after Enter."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.call("Emulation.setDeviceMetricsOverride", **size)
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": look}])
    browser.call("Page.navigate", url=index.as_uri())
    browser.wait("document.querySelectorAll('#index table').length > 0 || document.querySelector('table')")
    for view in ("index", "item"):
        browser.screenshot(shots / f"review-{view}-{look}-{width}.png")
        assert browser.overflow() <= 0
        assert not browser.axe()
        browser.press("Enter")
        browser.wait("document.querySelectorAll('#item img').length > 0")
        browser.wait("[...document.images].every(image => image.complete)")
    assert not browser.problems()
    assert not browser.outside_requests()
