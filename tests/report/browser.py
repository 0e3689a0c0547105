"""Chromium with a report open: what it logs and requests, how it looks, and what axe-core finds."""

import base64
import json
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.report.review.chromium import CHROMIUM, Browser

NO_CHROMIUM = "" if CHROMIUM else "no Chromium here"
_KEYS = {"ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "End": 35, "Home": 36, "Escape": 27}


class ReportBrowser(Browser):
    """A page of a report; every message of the browser is kept."""

    def __init__(self, profile: Path) -> None:
        self.messages: list[dict[str, Any]] = []
        super().__init__(profile)
        for domain in ("Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def _receive(self) -> Any:
        message = super()._receive()
        if "method" in message:
            self.messages.append(message)
        return message

    def show(self, page: Path, link: str = "", width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Open a report at a link and wait until its pairs are there."""
        size = {"width": width, "height": height, "deviceScaleFactor": 2 if width < 500 else 1}
        self.call("Emulation.setDeviceMetricsOverride", **size, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=f"{page.as_uri()}{link}")
        self.wait("performance.getEntriesByName('ready').length > 0")

    def wait(self, condition: str, seconds: float = 30) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + seconds
        while not self.run(f"Boolean({condition})"):
            assert time.monotonic() < end, f"never true: {condition}; {self.problems()}"
            time.sleep(0.02)

    def await_value(self, script: str) -> Any:
        """The value that a promise comes to."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def text(self, selector: str) -> str:
        """What an element says."""
        return str(self.run(f"document.querySelector({json.dumps(selector)}).textContent"))

    def click(self, selector: str) -> None:
        """Click on an element."""
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def select(self, field: str, value: str) -> None:
        """Choose an option, by its value or its text up to the count behind it."""
        self.run(f"""(node => {{
            const text = option => option.textContent.replace(/ \\([0-9,]+\\)$/, '');
            node.value = [...node.options].find(o => [o.value, text(o)].includes({json.dumps(value)})).value;
            node.dispatchEvent(new Event('change', {{bubbles: true}}));
        }})(document.getElementById({json.dumps(field)}))""")

    def press(self, key: str) -> None:
        """Press a key."""
        text = {"text": key} if len(key) == 1 else {}
        code = _KEYS.get(key, 0)
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def hash(self) -> dict[str, str]:
        """The fields of the address."""
        return dict(self.run("[...new URLSearchParams(location.hash.replace(/^#pairs\\??/, ''))]"))

    def problems(self) -> list[str]:
        """Everything that went wrong: exceptions, warnings and errors of the console, dialogs."""
        texts = []
        for message in self.messages:
            params = message["params"]
            if message["method"] == "Runtime.exceptionThrown":
                texts.append(str(params["exceptionDetails"].get("exception", {}).get("description", params)))
            elif message["method"] == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                texts.append(json.dumps(params["args"]))
            elif message["method"] == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                texts.append(str(params["entry"]["text"]))
            elif message["method"] == "Page.javascriptDialogOpening":
                texts.append(f"dialog: {params['message']}")
        return texts

    def outside_requests(self) -> list[str]:
        """The addresses that were asked for beyond files and the page's own data."""
        requests = [m["params"]["request"]["url"] for m in self.messages if m["method"] == "Network.requestWillBeSent"]
        return [url for url in requests if not url.startswith(("file:", "data:", "blob:", "about:"))]

    def overflow(self) -> int:
        """How many pixels the page is wider than the window."""
        return int(self.run("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def screenshot(self, path: Path, full: bool = False) -> Path:
        """Save what is seen, or the whole page."""
        path.parent.mkdir(parents=True, exist_ok=True)
        content = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)
        path.write_bytes(base64.b64decode(content["data"]))
        return path

    def axe(self) -> list[str]:
        """What axe-core finds, but for what it calls moderate or minor."""
        spec = find_spec("axe_core_python")
        assert spec is not None
        self.call(
            "Runtime.evaluate", expression=(Path(str(spec.origin)).parent / "axe.min.js").read_text(encoding="utf-8")
        )
        violations = json.loads(self.await_value("axe.run().then(result => JSON.stringify(result.violations))"))
        return [
            f"{entry['impact']} {entry['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
            for entry in violations
            if entry["impact"] in ("serious", "critical")
            for node in entry["nodes"]
        ]
