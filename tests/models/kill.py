"""The kill harness of predictions: `python -m tests.models.kill --requests 2000 --kills 50 --seed 7`.

A run against an endpoint with every fault is ended again and again at random instants. No answer may be lost; none may
be asked for again that was on disk; the file must be that of an undisturbed run, apart from timings.
"""

import argparse
import hashlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import orjson

from diptych.models import EndpointModel
from diptych.models._journal import _journal_records, journal_path
from diptych.models._pictures import Pictures
from diptych.models._prompts import load_prompts
from diptych.models._queries import QueryOptions, choose_pairs, plan_queries
from tests.models.endpoint import LoopbackEndpoint, fault_every, picture_of, prompt_of
from tests.models.worlds import command, lines_of, make_world, run, without_timings

FAULTS = ("429", "500", "503", "garbage", "empty", "drop", "half", "list", "no-choices", "slow", "hang")
KINDS = (*[signal.SIGKILL] * 8, signal.SIGTERM, signal.SIGINT)


@dataclass
class Report:
    """What came out of a game of kills."""

    requests: int = 0
    kills: int = 0
    runs: int = 0
    lost: int = 0
    asked_again_though_on_disk: int = 0
    asked_again_in_flight: int = 0
    answered_twice: int = 0  # as the server counts
    most_in_flight: int = 0
    is_same_file: bool = False
    seconds: float = 0.0
    statuses: dict[str, int] = field(default_factory=dict)

    def is_good(self, concurrency: int) -> bool:
        return (
            self.is_same_file
            and not self.lost
            and not self.asked_again_though_on_disk
            and self.most_in_flight <= concurrency
            and self.answered_twice <= self.asked_again_in_flight
        )


def identity(prompt: str, picture: str | None) -> str:
    return hashlib.sha256(f"{picture}\n{prompt}".encode()).hexdigest()


def query_keys(path: Path, folder: object) -> dict[str, str]:
    """The keys of all queries by what the server sees of them."""
    model, options = EndpointModel("m"), QueryOptions(load_prompts())
    selection = folder.select()  # type: ignore[attr-defined]
    pictures = Pictures(folder, selection, path / "images")  # type: ignore[arg-type]
    plan = plan_queries(choose_pairs(folder, selection, options), model, options, pictures, "")  # type: ignore[arg-type]
    keys = {}
    for query in plan.queries:
        picture = model.show(query)
        assert picture is not None
        keys[identity(query.prompt, picture.uri)] = query.key
    return keys


def play(path: Path, requests: int, kills: int, seed: int, concurrency: int = 8) -> Report:
    """Kill a run `kills` times, and compare."""
    rng, report, began = Random(seed), Report(), time.monotonic()
    folder = make_world(path, requests // 2)
    keys = query_keys(path, folder)
    report.requests = len(keys)
    options = ("--concurrency", concurrency, "--timeout", 2)
    with LoopbackEndpoint(fault_every(*FAULTS, share=0.1), delay=0.004) as endpoint:
        whole = run(path, endpoint, "--out", path / "whole.jsonl", *options)
        assert whole.returncode == 0, whole.stderr
    out = path / "killed.jsonl"
    on_disk: set[str] = set()
    with LoopbackEndpoint(fault_every(*FAULTS, share=0.1), delay=0.004) as endpoint:
        while True:
            line, environment = command(path, endpoint, "--out", out, *options)
            first_request = len(endpoint.times)
            log = (path / "log").open("w")
            process = subprocess.Popen(line, env=environment, stdout=log, stderr=log, start_new_session=True)
            report.runs += 1
            if report.kills < kills:
                _wait(process, endpoint, len(endpoint.answered) + rng.randint(1, 6 * requests // (5 * kills)), rng)
                if process.poll() is None:
                    report.kills += 1
                    os.kill(process.pid, rng.choice(KINDS))
            status = process.wait()
            report.statuses[str(status)] = report.statuses.get(str(status), 0) + 1
            time.sleep(0.02)  # the server may still have requests of the dead in its hands
            with endpoint.lock:
                sent = [identity(prompt_of(body), picture_of(body)) for body in endpoint.bodies[first_request:]]
            asked = [keys[name] for name in dict.fromkeys(sent)]
            report.asked_again_though_on_disk += len(set(asked) & on_disk)
            on_disk = _replies_on_disk(out)
            lost = set(asked) - on_disk
            if status != 0:
                report.asked_again_in_flight += len(lost)
                report.most_in_flight = max(report.most_in_flight, len(lost))
            else:
                break
    report.answered_twice = sum(count - 1 for count in endpoint.answered.values())
    report.lost = sum(line.get("answer") is None for line in lines_of(out)[1:])
    report.lost += 2 * (requests // 2) - len(lines_of(out)[1:])
    report.is_same_file = without_timings(out) == without_timings(path / "whole.jsonl")
    report.seconds = time.monotonic() - began
    return report


def _wait(process: "subprocess.Popen[bytes]", endpoint: LoopbackEndpoint, threshold: int, rng: Random) -> None:
    """Wait until so many distinct queries were answered, and a moment; now and then only a moment."""
    if rng.random() < 0.1:
        time.sleep(rng.random() * 2)
        return
    while process.poll() is None and len(endpoint.answered) < threshold:
        time.sleep(0.001)
    time.sleep(rng.random() * 0.02)


def _replies_on_disk(out: Path) -> set[str]:
    """The keys of all sound replies in the journal and in the file."""
    journal = journal_path(out)
    lines = list(_journal_records(journal))[1:] if journal.exists() else []
    records = [{"key": line["key"], **line["reply"]} for line in lines]
    records += lines_of(out)[1:] if out.exists() else []
    return {record["key"] for record in records if not record.get("error")}


def main(arguments: list[str] | None = None) -> int:
    """Play, and print what came out; exit 1 where something was lost or asked again."""
    parser = argparse.ArgumentParser(prog="python -m tests.models.kill", description=__doc__)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--concurrency", type=int, default=8)
    options = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="diptych-kill-") as folder:
        report = play(Path(folder), options.requests, options.kills, options.seed, options.concurrency)
    content = {"seed": options.seed, **asdict(report)}
    print(orjson.dumps(content, option=orjson.OPT_INDENT_2).decode())
    return 0 if report.is_good(options.concurrency) else 1


if __name__ == "__main__":
    sys.exit(main())
