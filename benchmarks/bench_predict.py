"""Throughput of `diptych predict` against the bare client, on the same requests to the same endpoint on 127.0.0.1.

The endpoint runs in a process of its own. Both sides send every picture as a data URI and read every reply; ours also
plans, keeps a journal that is flushed to the disk, and writes the file. Rounds alternate; medians are printed.

    python benchmarks/bench_predict.py [--pairs 500] [--rounds 5] [--concurrency 16]
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import time
from base64 import b64encode
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from huggingface_hub import AsyncInferenceClient
from results import Claim, record

import diptych
from diptych.models import Query

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the endpoint and the folders of the tests
endpoint, worlds = (import_module(f"tests.models.{name}") for name in ("endpoint", "worlds"))
KEY = endpoint.KEY


class Recorder:
    """A model that keeps the queries it is asked, so that both sides send the same ones."""

    name = "recorder"

    def __init__(self) -> None:
        self.queries: list[Query] = []

    def header(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def ask(self, queries: Any) -> Any:
        """No replies."""
        self.queries.extend(queries)
        return iter(())


def conversations(queries: list[Query]) -> list[list[dict[str, Any]]]:
    """The messages of all queries, ready to be sent."""
    result = []
    for query in queries:
        assert query.picture is not None
        uri = f"data:image/jpeg;base64,{b64encode(query.picture()).decode()}"
        content = [{"type": "image_url", "image_url": {"url": uri}}, {"type": "text", "text": query.prompt}]
        result.append([{"role": "user", "content": content}])
    return result


async def bare_client(url: str, messages: list[list[dict[str, Any]]], concurrency: int) -> float:
    """Seconds that the client alone needs, with as many requests at once."""
    waiting = iter(messages)
    async with AsyncInferenceClient(base_url=url, api_key=KEY, timeout=120) as client:
        began = time.perf_counter()

        async def work() -> None:
            for message in waiting:
                reply = await client.chat_completion(message, model="m", max_tokens=1024, temperature=0.0)
                assert reply.choices[0].message.content

        await asyncio.gather(*(work() for _ in range(concurrency)))
        return time.perf_counter() - began


def asking(url: str, queries: list[Query], concurrency: int, folder: Path) -> tuple[float, float]:
    """Seconds of a whole run, and of its requests alone."""
    settings = {"base_url": url, "concurrency": concurrency}
    out = folder / "predictions.jsonl"
    began = time.perf_counter()
    run = diptych.predict(folder / "out", "m", out, settings=settings, images=folder / "images", overwrite=True)
    seconds = time.perf_counter() - began
    assert run.unanswered == 0
    assert run.usage.replies == len(queries)
    return seconds, run.usage.seconds


def main() -> None:
    """Print both throughputs and their ratio, for an endpoint that answers at once and one that takes a while."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--concurrency", type=int, default=16)
    options = parser.parse_args()
    os.environ["DIPTYCH_API_KEY"] = KEY
    with TemporaryDirectory(prefix="diptych-bench-") as name:
        folder = Path(name)
        worlds.make_world(folder, options.pairs)
        recorder = Recorder()
        diptych.predict(folder / "out", recorder, folder / "recorded.jsonl", images=folder / "images")
        messages, count = conversations(recorder.queries), len(recorder.queries)
        print(f"{count:,} requests, {options.concurrency} at once, medians of {options.rounds} rounds")
        print(f"{'endpoint':<18} {'bare client':>14} {'predict':>14} {'ratio':>7} {'whole run':>14}")
        for delay in (0.0, 0.05):
            command = [sys.executable, "-m", "tests.models.endpoint", str(delay)]
            server = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            bare, ours, whole = [], [], []
            for _ in range(options.rounds):
                bare.append(count / asyncio.run(bare_client(url, messages, options.concurrency)))
                seconds, requests = asking(url, recorder.queries, options.concurrency, folder)
                ours.append(count / requests)
                whole.append(count / seconds)
            server.communicate()
            rates = [statistics.median(values) for values in (bare, ours, whole)]
            label = f"answers in {1000 * delay:.0f} ms"
            claim, statement = f"predict-{1000 * delay:.0f}ms", f"predict beside the bare client; the endpoint {label}"
            size = f"{count:,} requests, {options.concurrency} at once"
            record(Claim(claim, statement, rates[1], "requests/s", rates[0], "bare client", rates[1] / rates[0], size))
            print(
                f"{label:<18} {rates[0]:>12.0f}/s {rates[1]:>12.0f}/s {rates[1] / rates[0]:>6.0%} {rates[2]:>12.0f}/s",
                flush=True,
            )


if __name__ == "__main__":
    main()
