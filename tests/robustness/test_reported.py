"""What issue 14 lists under *What was found*, item by item, at the command line.

Nothing of the package is imported but its command line, so that this module also runs against the code that was
reported: docs/robustness.md says which of these tests were seen to fail there.
"""

import hashlib
import os
import re
import resource
import shutil
import signal
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import datasets  # noqa: F401  slow to import, and every forked command needs it
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import spacy  # noqa: F401  the same
import yaml
from markdown_it import MarkdownIt

from tests.robustness.commands import Command, Ended, Instant, read_changes
from tests.robustness.mutations import set_flags

Change = Callable[[Path], object]

CONFIG = "yn_from_color"
ROWS = f"theirs/data/{CONFIG}/validation-00000-of-00001.parquet"
TRANSLATIONS = "data/backtranslations/table.parquet"
QUESTIONS = "data/vqa/v2_OpenEnded_mscoco_val2014_questions.json"
MANIFEST, MUTATED = "theirs/manifest.json", ("dataset", "sources", "recipes", "unions")
GRAPHS = "data/gqa/val_sceneGraphs.json"
SECRET = b"pair_id: 1; the launch code is 0000\n"
TEXT = "What is ![x](http://example.org/x.png) in [y](javascript:alert(1))?"
DEEP = b"[" * 100_000 + b"]" * 100_000
LONG_NUMBER = b"1" * 5000
SCORE = "score @theirs @predictions.parquet"
RAD = f"build rad-cads --data @data --out @mine --config {CONFIG}"
TRANSLATED = "build rad-cads --data @data --out @mine --config back_translations"
CARETS = "build carets --data @data --out @mine --config negation --set pairs=20"
BQD = "build bqd --data @data --out @mine --set"
RANK = "rank what --data @data --encoder table:@vectors.npz"
PROGRESS = re.compile(r"^(rad-cads|kb-counterfactuals|bqd|carets|fvqa2|audit|images)\b.*\d")


def lines(ended: Ended) -> list[str]:
    """What a command wrote to stderr, without the progress that a slow machine prints."""
    return [line for line in ended.err.splitlines() if not PROGRESS.match(line)]


def check_refused(ended: Ended, part: str = "error: ") -> None:
    assert (ended.status, len(lines(ended)), part in ended.err) == (2, 1, True), ended.err


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@dataclass(frozen=True, slots=True)
class Site:
    """A folder with official files, a dataset that somebody built from them, and what commands read beside both."""

    path: Path

    def run(self, line: str, prepare: Callable[[], object] = list) -> Ended:
        """Run a command in which `@name` stands for a file of this folder."""
        arguments = re.sub(r"(?<!\w)@", f"{self.path}/", line).split()
        return Command(tuple(arguments), self.path, prepare=prepare).run(self.path / "log")

    def change(self, name: str, **changes: Any) -> None:
        """Change a file of JSON in place."""
        content = orjson.loads((self.path / name).read_bytes())
        (self.path / name).write_bytes(orjson.dumps({**content, **changes}))

    def rebuild_with(self, prepare: Callable[[], object] = list, **recipe: Any) -> Ended:
        """Build the dataset again by a recipe that somebody changed."""
        self.change("theirs/recipe/recipe.json", **recipe)
        ended = self.run("build @theirs --data @data --out @mine", prepare)
        files = [path for path in (self.path / "mine").rglob("*") if path.is_file()]
        assert [path for path in files if path.read_bytes() == SECRET] == []
        return ended


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = Site(tmp_path_factory.mktemp("reported"))
    assert site.run("demo sources @data --images 20").status == 0
    questions = orjson.loads((site.path / QUESTIONS).read_bytes())["questions"]
    table = {"question_id": [row["question_id"] for row in questions], "text": [TEXT] * len(questions)}
    (site.path / TRANSLATIONS).parent.mkdir()
    pq.write_table(pa.table(table), site.path / TRANSLATIONS)
    np.savez(site.path / "vectors.npz", texts=np.array(["a", "b"]), vectors=np.ones((2, 3), np.float32))
    assert site.run(f"build rad-cads --data @data --out @theirs --config {CONFIG}").status == 0
    assert site.run("baseline @theirs always-yes --out @predictions.parquet").status == 0
    (site.path / "private").mkdir()
    (site.path / "private" / "secret.txt").write_bytes(SECRET)
    shutil.copyfile(site.path / "data" / "images" / "1.jpg", site.path / "private" / "picture.jpg")
    return site.path


@pytest.fixture
def site(world: Path, tmp_path: Path) -> Site:
    """A copy of the world that a test may spoil."""
    shutil.copytree(world, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("log", "undisturbed"))
    return Site(tmp_path)


# Killed builds do not resume.

BUILDS = {
    "rad-cads": ("--config", CONFIG, "--config", "yn_from_how_many"),
    "kb-counterfactuals": (),
    "fvqa2": ("--config", "fold_0", "--config", "fold_1"),
    "carets": ("--config", "negation", "--config", "antonym", "--set", "pairs=20"),
}


def command(world: Path, dataset: str, home: Path, *more: object) -> Command:
    home.mkdir(parents=True, exist_ok=True)
    arguments = ("build", dataset, "--data", world / "data", "--out", home / "out", *BUILDS[dataset], *more)
    return Command(tuple(map(str, arguments)), home)


@cache
def build_undisturbed(world: Path, dataset: str) -> tuple[dict[str, str], dict[str, int]]:
    """The files of a build that nobody ends, and the changes to the file system at which others are ended."""
    home = world / "undisturbed" / dataset
    assert command(world, dataset, home).run(world / "log").status == 0
    return digests(home / "out"), find_moments(read_changes(world / "log"))


def changes_of(scratch: Path) -> list[tuple[str, ...]]:
    """What a process that still runs has changed."""
    return read_changes(scratch) if (scratch / "changes").exists() else []


def find_moments(changes: list[tuple[str, ...]]) -> dict[str, int]:
    """The change after the files of the first config are in place, and the one that stores what the audit found."""
    targets = [Path(change[-1] if change[0] == "os.rename" else change[1]) for change in changes]
    placed = [number for number, path in enumerate(targets, 1) if path.match("data/*/*-of-*.parquet")]
    first = [number for number in placed if targets[number - 1].parent == targets[placed[0] - 1].parent]
    stored = [number for number, path in enumerate(targets, 1) if path.name == "manifest.json"]
    return {"placed": first[-1] + 1, "audit": stored[1]}


ENDINGS = [*((name, signal.SIGKILL) for name in BUILDS), ("rad-cads", signal.SIGTERM), ("rad-cads", signal.SIGINT)]


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["placed", "audit"])
@pytest.mark.parametrize(("dataset", "kind"), ENDINGS)
def test_a_build_that_was_ended_goes_on(
    dataset: str, kind: signal.Signals, moment: str, world: Path, tmp_path: Path
) -> None:
    (files, moments), home = build_undisturbed(world, dataset), tmp_path / "home"
    build = command(world, dataset, home)
    assert build.run(tmp_path / "log", Instant(kind, moments[moment])).status != 0
    shards = {str(path) for path in home.rglob("*.arrow")}
    assert shards
    again = build.run(tmp_path / "log")
    assert again.status == 0, again.err
    assert digests(home / "out") == files
    assert os.listdir(home) == ["out"]
    assert not shards & {change[-1] for change in read_changes(tmp_path / "log")}, "a finished shard is made again"


def test_ctrl_c_is_one_line(world: Path, tmp_path: Path) -> None:
    """A terminal sends it to the workers too."""
    running = command(world, "rad-cads", tmp_path / "home", "--num-proc", 2).start(tmp_path / "log")
    while not any(Path(change[-1]).match("data/*/*-of-*.parquet") for change in changes_of(running.scratch)):
        assert running.poll(0.001) is None
    running.send(signal.SIGINT, whole_group=True)
    ended = running.wait()
    assert (ended.status, len(lines(ended))) == (130, 1), ended.err
    assert "run the same command again" in ended.err


# Silent loss with exit 0.


def test_builds_that_are_refused_leave_the_first_alone(world: Path, tmp_path: Path) -> None:
    """The first is halted with one config in place, and goes on when a third, of another config, has come far."""
    (files, moments), home = build_undisturbed(world, "rad-cads"), tmp_path / "home"
    build = command(world, "rad-cads", home)
    first = build.start(tmp_path / "first", Instant(signal.SIGSTOP, moments["placed"], whole_group=False))
    while len(changes_of(tmp_path / "first")) < moments["placed"]:
        assert first.poll(0.01) is None
    second = build.run(tmp_path / "second")
    third = Command((*build.arguments[:6], "--config", "yn_from_what_kind"), home).start(tmp_path / "third")
    while third.poll(0.01) is None and not any(change[-1].endswith(".arrow") for change in changes_of(third.scratch)):
        pass
    third.send(signal.SIGSTOP)
    first.send(signal.SIGCONT)
    status = first.wait().status
    third.send(signal.SIGCONT)
    refused = (second, third.wait())
    assert (status, digests(home / "out")) == (0, files)
    for ended in refused:
        check_refused(ended, "another build is writing to it")
    assert os.listdir(home) == ["out"]


# A hostile recipe steals files.


@pytest.mark.parametrize("name", ["{}/private/secret.txt", "../../private/secret.txt", "rejects.txt"])
def test_a_recipe_names_no_file_elsewhere(name: str, site: Site) -> None:
    (site.path / "theirs" / "recipe" / "rejects.txt").symlink_to(site.path / "private" / "secret.txt")
    check_refused(site.rebuild_with(rejects=name.format(site.path)), "rejects")


def test_a_recipe_imports_no_package(site: Site) -> None:
    (site.path / "evil.py").write_text(f"open({str(site.path / 'ran')!r}, 'w')\ndef load(**_): raise OSError\n")
    (site.path / "evil-1.0.dist-info").mkdir()
    (site.path / "evil-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    ended = site.rebuild_with(lambda: sys.path.insert(0, str(site.path)), tagger="evil")
    assert not (site.path / "ran").exists()
    check_refused(ended, "--tagger")


@pytest.mark.parametrize("parameters", [{"unknown": 1}, {"source": ["vqa_v2"]}])
def test_parameters_of_a_recipe_are_checked(parameters: dict[str, Any], site: Site) -> None:
    check_refused(site.rebuild_with(parameters=parameters), next(iter(parameters)))


def test_a_recipe_without_configs_makes_nothing(site: Site) -> None:
    shutil.rmtree(site.path / "theirs")
    assert site.run("build kb-counterfactuals --data @data --out @theirs").status == 0
    ended = site.rebuild_with(configs=[])
    assert "theirs: bit-identical" not in ended.out
    check_refused(ended, "configs")


# --overwrite, and image ids.


def test_a_folder_that_is_no_build_is_not_replaced(site: Site) -> None:
    (site.path / "mine").mkdir()
    (site.path / "mine" / "thesis.tex").write_text("Ten years of work")
    ended = site.run(f"{RAD} --overwrite")
    assert (site.path / "mine" / "thesis.tex").is_file()
    check_refused(ended, "mine")


HOSTILE_IDS = ("../../private/picture", "{}/private/picture", "**")


def test_images_of_a_build_lie_in_its_data_folder(site: Site) -> None:
    ids = [name.format(site.path) for name in HOSTILE_IDS]
    site.change(GRAPHS, **dict.fromkeys(ids, orjson.loads((site.path / GRAPHS).read_bytes())["1"]))
    ended = site.run("build carets --data @data --out @mine --config visual --set pairs=2000")
    assert ended.status == 0, ended.err
    tables = [pq.read_table(path) for path in (site.path / "mine" / "data").rglob("*.parquet")]
    assert not set(ids) & {name for table in tables for name in table["original_image_id"].to_pylist()}


@pytest.mark.parametrize("name", HOSTILE_IDS)
def test_images_of_a_page_lie_in_their_folder(name: str, site: Site) -> None:
    table = pq.read_table(site.path / ROWS)
    for column in [column for column in table.column_names if column.endswith(("_image_id", "_image_file"))]:
        field = table.schema.field(column)
        values = pa.array([name.format(site.path)] * len(table), field.type)
        table = table.set_column(table.schema.get_field_index(column), field, values)
    pq.write_table(table, site.path / ROWS)
    ended = site.run("review export @theirs --to @page.html --images @data/images")
    assert ended.status == 0, ended.err
    assert "data:image" not in (site.path / "page.html").read_text()


# Tracebacks.


def spoil(path: Path) -> None:
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(content[:middle] + b"\xff" * 64 + content[middle + 64 :])


def replaced(old: bytes, new: bytes) -> Change:
    return lambda path: path.write_bytes(path.read_bytes().replace(old, new))


def with_number(key: str) -> Change:
    """A number where the manifest has something else."""
    return lambda path: path.write_bytes(orjson.dumps({**orjson.loads(path.read_bytes()), key: 7}))


def zipped(path: Path, local: int, central: int, value: int) -> None:
    """Put the file into an archive, with another number in both headers of the member."""
    archive = path.with_suffix(".zip")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        out.write(path, path.name)
    path.unlink()
    archive.write_bytes(set_flags(archive.read_bytes(), local, central, value))


@pytest.mark.parametrize(
    ("name", "change", "line"),
    [
        pytest.param("predictions.parquet", spoil, SCORE, id="predictions spoilt"),
        pytest.param(ROWS, spoil, SCORE, id="rows spoilt, score"),
        pytest.param(ROWS, spoil, "review export @theirs --to @page.html", id="rows spoilt, review"),
        pytest.param(TRANSLATIONS, spoil, TRANSLATED, id="back-translations spoilt"),
        pytest.param("theirs/README.md", spoil, "card @theirs", id="card not UTF-8"),
        pytest.param("vectors.npz", spoil, RANK, id="vectors spoilt"),
        pytest.param(QUESTIONS, replaced(b"color is the ", rb"color is the \ud800 "), RAD, id="lone surrogate"),
        pytest.param(QUESTIONS, replaced(b'"questions":', b'"questions":' + DEEP + b',"x":'), RAD, id="deep questions"),
        pytest.param(GRAPHS, replaced(b'"objects":', b'"objects":' + DEEP + b',"x":'), CARETS, id="deep graphs"),
        pytest.param(QUESTIONS, partial(zipped, local=6, central=8, value=1), RAD, id="encrypted member"),
        pytest.param(QUESTIONS, partial(zipped, local=8, central=10, value=99), RAD, id="unsupported member"),
        pytest.param(QUESTIONS, replaced(b'"image_id":', b'"image_id":' + LONG_NUMBER), RAD, id="long number"),
        *(pytest.param(MANIFEST, with_number(key), "card @theirs", id=f"manifest, {key}") for key in MUTATED),
    ],
)
def test_a_broken_file_is_one_line(name: str, change: Change, line: str, site: Site) -> None:
    change(site.path / name)
    check_refused(site.run(line), Path(name).stem)


@pytest.mark.parametrize(
    "line",
    [
        f"{BQD} partitions={10**9}",
        f"{BQD} k={10**12}",
        f"{BQD} lam=inf",
        f"{RAD} --seed {10**30}",
        "build carets --data @data --out @mine --config visual --set means=nan,nan,nan",
        "build fvqa2 --data @data --out @mine --set least_weight=nan",
        f"check hf://datasets/{'x' * 5000}/name",
        f"build org/name@{'x' * 5000} --data @data --out @mine",
    ],
    ids=lambda line: re.sub(r"--(data|out) \S+ |x{9,}", "", line),
)
def test_a_value_out_of_bounds_is_one_line(line: str, site: Site) -> None:
    check_refused(site.run(line))


@pytest.mark.parametrize("value", [b"[", b"!!python/object:os.system x", b"{}\n7"])
def test_a_card_of_bad_yaml_hinders_no_scores(value: bytes, site: Site) -> None:
    replaced(b"configs:", b"configs: " + value + b"\nmore:")(site.path / "theirs" / "README.md")
    ended = site.run(SCORE)
    assert (ended.status, ended.err) == (0, "")
    assert "README.md" in site.run("check @theirs").out


def test_a_full_disk_is_one_line(site: Site) -> None:
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (10_000, 10_000))
    check_refused(site.run(RAD, limit), "File too large")


def test_there_are_no_more_workers_than_shards(world: Path, tmp_path: Path) -> None:
    running, most = command(world, "rad-cads", tmp_path / "home", "--num-proc", 100_000).start(tmp_path / "log"), 0
    while running.poll(0.002) is None:
        most = max(most, len(running.workers()))
        if most > 40:  # before the machine has no more
            running.send(signal.SIGKILL, whole_group=True)
    assert (running.wait().status, most <= 3 * (os.cpu_count() or 1)) == (0, True)


def test_texts_on_a_card_are_no_links(site: Site) -> None:
    ended = site.run(TRANSLATED)
    assert ended.status == 0, ended.err
    markdown = MarkdownIt("commonmark").enable("table")
    markdown.validateLink = lambda address: True  # type: ignore[method-assign]
    card = (site.path / "mine" / "README.md").read_text().split("\n---\n", 1)[1]
    assert "alert" in card
    parts = [part for token in markdown.parse(card) for part in token.children or ()]
    addresses = [str(part.attrs.get("href", part.attrs.get("src", ""))) for part in parts]
    assert not [address for address in addresses if address.startswith(("javascript:", "http://example.org"))]


@pytest.mark.parametrize("images", [1, 4])
def test_the_default_config_of_a_small_world_has_files(images: int, tmp_path: Path) -> None:
    site = Site(tmp_path)
    assert site.run(f"demo sources @data --images {images} --no-pictures").status == 0
    ended = site.run("build fvqa2 --data @data --out @mine")
    if ended.status == 0:
        header = yaml.safe_load((tmp_path / "mine" / "README.md").read_text().split("---\n")[1])
        assert [bool(config.get("data_files")) for config in header["configs"] if config.get("default")] == [True]
    else:
        check_refused(ended)


def test_unrelated_files_beside_a_release_are_left_alone(site: Site) -> None:
    (site.path / "data" / "carets").mkdir()
    (site.path / "data" / "carets" / "notes.json").write_text('{"mine": 1}')
    (site.path / "data" / "carets" / "notes.zip").write_text("not an archive")
    ended = site.run("build carets --data @data --out @mine --config rephrase --set pairs=5")
    assert ended.status == 0, ended.err
