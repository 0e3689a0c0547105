"""A folder in which the commands of a page are run: what they name is there before they ask for it.

A page speaks of `data`, `out`, `mine.jsonl` or `org/rad-cads@v1.0.0` as its reader would have them. Here `data` is the
miniature world, `out` and the other folders are builds of it, files of predictions are replies of a model endpoint on
this machine, and the Hub is the one of the tests. What a page makes itself is taken from there.
"""

import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory
from typing import Any

import orjson
from filelock import FileLock

from tests.examples.documents import ROOT, Block, Command
from tests.hub import LoopbackHub, WarmClient
from tests.models.endpoint import KEY, LoopbackEndpoint, prompt_of

IMAGES = 120
WORLDS = {"data": "", "world": "", "images": "images", "coco": "images"}  # a folder of the world
BUILDS = {
    "out": "rad-cads",
    "rad-cads": "rad-cads",
    "carets": "carets",
    "fvqa2": "fvqa2",
    "kb": "kb-counterfactuals",
    "benchmarks": "paired-benchmarks",
}
STAND_INS = {"s3://bucket/work": "work", "3/16": "1/1"}  # one slice does the work of sixteen
ROUNDS = 5  # of slices, which make one step each
OUTPUTS = ("--out", "--to", "--work", "--batch-file")
ANSWERS = {"what color": ("white", "red", "black", "blue"), "how many": ("1", "2", "3"), "what kind": ("dog", "cat")}
_ENDPOINT = re.compile(r"http://(?:localhost|127\.0\.0\.1):\d+/v1|^URL$")
_ON_HUB = re.compile(r"(?P<repo>org/(?P<name>[\w-]+))@(?P<tag>v[\d.]+)")
_RUN = re.compile(r"(?P<run>[\w-]+-full-)[0-9a-f]{8}")
_ARMS = {"no-image": "no-image", "blank": "blank", "repeat": "repeat", "again": "repeat"}


@dataclass(frozen=True)
class Shelf:
    """What pages share: the world and the builds of it, made once for all processes of a test run."""

    folder: Path
    client: WarmClient

    def world(self) -> Path:
        """The miniature world."""
        world = self._keep("world", "demo", "sources", self.folder / "world", "--images", IMAGES)
        questions = world / "vqa" / "v2_OpenEnded_mscoco_val2014_questions.json"
        if not (test := world / "vqa" / "v2_OpenEnded_mscoco_test-dev2015_questions.json").exists():
            shutil.copy(questions, test)  # the world has no test questions
        return world

    def build(self, dataset: str) -> Path:
        """A build of the world."""
        path = self.folder / dataset
        return self._keep(dataset, "build", dataset, "--data", self.world(), "--out", path)

    def _keep(self, name: str, *args: object) -> Path:
        with FileLock(self.folder / f"{name}.lock"):
            if not (self.folder / name).exists():
                _diptych(self.client, self.folder, args, {})
        return self.folder / name


@dataclass
class Stage:
    """The folder of one page."""

    folder: Path
    shelf: Shelf
    client: WarmClient
    hub: LoopbackHub
    endpoint: LoopbackEndpoint
    dataset: str = "out"  # what the last command was about

    def run(self, command: Command) -> str:
        """Run a command as a reader would, and return what it prints."""
        words, target = self._redirected(command.words)
        match words[0].rpartition("/")[2]:
            case "diptych":
                args = self._prepared(words[1:])
                for _ in range(ROUNDS if "--shards" in args else 1):
                    done = _diptych(self.client, self.folder, args, self._env(), command.exit_codes)
                if target:
                    (self.folder / target).write_text(done.stdout, encoding="utf-8")
                return done.stdout
            case "python":
                self._provide(words)
                subprocess.run([sys.executable, *words[1:]], cwd=self.folder, env=self._path(), check=True)
            case "pip":
                check_install(words)
            case "make":
                subprocess.run(["make", "-n", *words[1:]], cwd=ROOT, capture_output=True, check=True)
            case program:
                raise AssertionError(f"{program}: no program that the tests run; say why with <!-- not run: … -->")
        return ""

    def run_python(self, block: Block, names: str) -> None:
        """Run a block of Python after the imports of the blocks before it."""
        strings = [node.value for node in ast.walk(block.tree()) if isinstance(node, ast.Constant)]
        self._provide([text for text in strings if isinstance(text, str)])
        code = f"import os\nos.chdir({str(self.folder)!r})\n{names}\n{self._substituted(block.text)}"
        self.client.run(code, env=self._env())

    def write(self, block: Block) -> None:
        """Write a block whose first line is a comment with the path of a file."""
        match = re.match(r"# (?P<path>[\w./-]+\.\w+)\n", block.text)
        if match:
            path = self.folder / match["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")

    def _path(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(ROOT)}

    def _env(self) -> dict[str, str]:
        return {"DIPTYCH_API_KEY": KEY}

    def _prepared(self, words: list[str]) -> list[str]:
        """The arguments of a command with what they name in place and what they make out of the way."""
        outputs = {words[index + 1] for index, word in enumerate(words[:-1]) if word in OUTPUTS}
        outputs |= {words[2]} if words[:2] == ["demo", "sources"] else set()
        if words[:1] != ["push"] and "--shards" not in words and "--finish" not in words:
            for name in outputs:
                self._remove(name)
        inputs = [word for word in words[1:] if word not in outputs]
        self._provide(inputs[1:] if words[0] == "build" and inputs[0] in BUILDS.values() else inputs)
        return [part for word in words for part in self._expanded(word)]

    def _remove(self, name: str) -> None:
        path = self.folder / name
        if path.is_symlink() or path.is_file():
            path.unlink()
        elif (path / "manifest.json").exists() or (path / "report.json").exists():
            shutil.rmtree(path)

    def _provide(self, names: Sequence[str]) -> None:
        """Put what commands name where they look for it."""
        for name in names:
            if match := _ON_HUB.search(name):
                self._publish(match["repo"], match["tag"])
                self.dataset = match[0]
            elif name.removesuffix("/").removeprefix("demo-out/") in BUILDS:
                self._copy_build(name.removesuffix("/"))
                if any(word.startswith("predictions/") for word in names):
                    self._predict(f"predictions/{name}.jsonl")
        for file in (name.rpartition("=")[2] for name in names):
            first = file.partition("/")[0]
            if first in WORLDS:
                self._link(first, self.shelf.world() / WORLDS[first])
            elif first in ("diptych", "examples"):
                self._link(first, ROOT / first)
            elif file.endswith(".jsonl") and "*" not in file and not (self.folder / file).exists():
                self._predict(file)
            elif file in ("anna.json", "ben.json"):
                self._judge(file)
            elif file == "org/my-model":
                self.client.run(f"import huggingface_hub as h; h.create_repo({file!r}, exist_ok=True)")

    def _copy_build(self, name: str) -> None:
        self.dataset = name
        if not (self.folder / name).exists():
            shutil.copytree(self.shelf.build(BUILDS[name.removeprefix("demo-out/")]), self.folder / name)

    def _link(self, name: str, target: Path) -> None:
        if not (self.folder / name).exists():
            (self.folder / name).symlink_to(target)

    def _publish(self, repo: str, tag: str) -> None:
        if ("dataset", repo) not in self.hub.store.repos:
            with TemporaryDirectory() as scratch:
                folder = Path(scratch) / "out"
                shutil.copytree(self.shelf.build(BUILDS[repo.partition("/")[2]]), folder)
                for args in (
                    ["export", folder, "--to", "eval-yaml", "--out", folder],
                    ["push", folder, repo, "--tag", tag],
                ):
                    _diptych(self.client, self.folder, args, {})

    def _predict(self, file: str) -> None:
        """Let the endpoint answer; the name of the file says which model and which arm."""
        stem = Path(file).stem
        arm = next((arm for word, arm in _ARMS.items() if stem.endswith(word)), "full")
        model = re.sub(r"-?(full|no-image|blank|repeat|again)$", "", stem)
        model = "M" if model in ("", "m") else f"{model}-7b"
        (self.folder / file).parent.mkdir(exist_ok=True)
        if self.dataset in BUILDS:
            self._copy_build(self.dataset)
        args = ["predict", self.dataset, "--model", model, "--base-url", self.endpoint.url, "--arm", arm]
        args += ["--images", self.shelf.world() / "images", "--out", file, *(["--limit", 20] if stem == "half" else [])]
        _diptych(self.client, self.folder, args, self._env())

    def _judge(self, file: str) -> None:
        """What a person sends back who accepts everything in a sample."""
        sample = [orjson.loads(line) for line in (self.folder / "sample.jsonl").read_bytes().splitlines()]
        verdicts = [{"item": row["item"], "verdict": "accepted"} for row in sample]
        content = {"diptych_review": 1, "page": "p", "mode": "judge", "annotator": file, "verdicts": verdicts}
        (self.folder / file).write_bytes(orjson.dumps(content))

    def _expanded(self, word: str) -> list[str]:
        if "*" in word:
            return sorted(path.relative_to(self.folder).as_posix() for path in self.folder.glob(word))
        return [self._substituted(word)]

    def _substituted(self, text: str) -> str:
        """The text with what stands for something else replaced by what there is here."""
        text = _ENDPOINT.sub(self.endpoint.url, STAND_INS.get(text, text))
        return _RUN.sub(lambda match: self._run_on_hub(match["run"]), text)

    def _run_on_hub(self, beginning: str) -> str:
        """The name that a run has in the repository of results: it ends with a digest of its settings."""
        files = self.hub.repo("dataset", "org/results").files("main")
        return next(file.split("/")[1] for file in files if file.startswith(f"data/{beginning}"))

    @staticmethod
    def _redirected(words: list[str]) -> tuple[list[str], str]:
        return (words[:-2], words[-1]) if words[-2:-1] == [">"] else (words, "")


def check_install(words: list[str]) -> None:
    """Every extra and every folder that a `pip install` names is there."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert words[1] == "install", words
    for word in words[2:]:
        match = re.fullmatch(r"(?P<path>[^\[]*)(?:\[(?P<extras>[\w,-]+)\])?", word)
        assert match, word
        if not word.startswith("-"):
            assert match["path"] == "diptych" or "/" not in match["path"] or (ROOT / match["path"]).exists(), word
            assert {*(match["extras"] or "").split(",")} - {""} <= {*extras}, word


def _diptych(
    client: WarmClient, folder: Path, args: Sequence[object], env: dict[str, str], expected: tuple[int, ...] = (0,)
) -> CompletedProcess[str]:
    code = f"import os\nos.chdir({str(folder)!r})\nfrom diptych.cli import main\nmain({[str(arg) for arg in args]!r})"
    done = client.run(code, env=env, check=False, timeout=300)
    assert done.returncode in expected, (
        f"diptych {' '.join(map(str, args))}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    )
    return done


def reply(body: dict[str, Any]) -> str:
    """An answer of the kind that is asked for, by a hash of the model and its prompt."""
    prompt = prompt_of(body)
    words = next((words for start, words in ANSWERS.items() if start in prompt.lower()), ("yes", "no"))
    return words[hashlib.sha256(f"{body['model']} {prompt}".encode()).digest()[0] % len(words)]


@contextmanager
def open_client(packages: Path) -> Iterator[tuple[LoopbackHub, WarmClient, LoopbackEndpoint]]:
    """A Hub, a model endpoint, and a client of both that finds packages in a folder."""
    preload = f"import sys; sys.path.append({str(packages)!r}); import datasets, huggingface_hub, diptych.cli._app"
    with (
        LoopbackHub() as hub,
        LoopbackEndpoint(reply=reply, keeps_bodies=False) as endpoint,
        WarmClient(hub, preload) as client,
    ):
        yield hub, client, endpoint
        assert not hub.crashes, "\n".join(hub.crashes)
