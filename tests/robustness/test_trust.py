"""What comes from a dataset is data: no recipe, manifest, id or text of one opens a file or loads code of the user's.

Every command runs in a process whose opened files are traced. Beside the folders that it is given lies a private one.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from diptych.folder import open_folder
from tests.folders import change_manifest, make_folder, make_pair
from tests.robustness.commands import Command, Ended
from tests.robustness.tracing import trace

SECRET = b"pair_id: 1; the launch code is 0000\n"
WORDS = b"launch code"


@dataclass(frozen=True, slots=True)
class Site:
    """A folder with what somebody else made, a private folder beside it, and the official files."""

    path: Path
    data: Path

    @property
    def out(self) -> Path:
        """The dataset of somebody else."""
        return self.path / "theirs"

    @property
    def private(self) -> Path:
        """What nobody else may read."""
        return self.path / "private"

    def run(self, *arguments: object) -> Ended:
        """Run a command: it may touch the dataset, the official files and its own output, and nothing else."""
        command = Command(tuple(map(str, arguments)), self.path)
        own = [self.path / name for name in ("mine", ".mine.building", ".mine.lock", "tmp")]
        ended, outside = trace(command, self.path / "log", self.out, self.data, *own)
        outside = [path for path in outside if Path(path) != self.path]  # the folder in which the output appears
        assert outside == []
        assert "Traceback" not in ended.err
        assert ended.status in {0, 1, 2}, ended.err
        assert not any(WORDS in path.read_bytes() for path in (self.path / "mine").rglob("*") if path.is_file())
        return ended

    def rebuild(self, *more: object) -> Ended:
        """Build the dataset again by its recipe."""
        return self.run("build", self.out, "--data", self.data, "--out", self.path / "mine", *more)


@pytest.fixture
def site(built: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    site = Site(tmp_path, data)
    shutil.copytree(built, site.out)
    site.private.mkdir()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.chdir(tmp_path / "tmp")
    for name in ("secret", "secret.jsonl", "secret.txt", "secret.npz", "secret.toml", "secret.parquet"):
        (site.private / name).write_bytes(SECRET)
    return site


def change_recipe(out: Path, **changes: Any) -> None:
    path = out / "recipe" / "recipe.json"
    path.write_bytes(orjson.dumps({**orjson.loads(path.read_bytes()), **changes}))


def check_refused(ended: Ended, *parts: str) -> None:
    assert ended.status == 2, ended.err
    assert len(ended.err.strip().splitlines()) == 1, ended.err
    assert all(part in ended.err for part in parts), ended.err


def test_an_honest_recipe_is_followed(site: Site) -> None:
    change_recipe(site.out, configs=["yn_from_color"])
    ended = site.rebuild()
    assert ended.status == 1  # one config of several
    assert (site.path / "mine" / "manifest.json").is_file()


# Issue 14: a hostile recipe steals files.


@pytest.mark.parametrize("key", ["rejects", "verdicts"])
@pytest.mark.parametrize(
    "name", ["/{private}/secret.jsonl", "../../private/secret.jsonl", "../manifest.json", "a/../b"]
)
def test_a_recipe_names_no_path(key: str, name: str, site: Site) -> None:
    change_recipe(site.out, **{key: name.format(private=str(site.private).strip("/"))})
    check_refused(site.rebuild(), "recipe.json", key)


@pytest.mark.parametrize("name", ["verdicts.jsonl", "rejects.txt"])
def test_a_file_of_the_recipe_is_no_link(name: str, site: Site) -> None:
    (site.out / "recipe" / name).symlink_to(site.private / "secret.jsonl")
    change_recipe(site.out, **{name.partition(".")[0]: name})
    check_refused(site.rebuild(), name, "a link to a place outside the folder")


@pytest.mark.parametrize("name", ["templates", "templates/rad-cads", "templates/rad-cads/more.toml", ""])
def test_the_templates_of_a_recipe_are_no_link(name: str, site: Site) -> None:
    path = site.out / "recipe" / name
    shutil.rmtree(path, ignore_errors=True)
    path.symlink_to(site.private / ("secret.toml" if path.suffix else ""))
    check_refused(site.rebuild(), "a link to a place outside the folder")


@pytest.mark.parametrize("tagger", ["antigravity", "numpy", "/{private}", "../private", "this", "os.path"])
def test_a_tagger_of_a_recipe_is_not_loaded(tagger: str, site: Site) -> None:
    """Issue 14: `tagger` imports any installed distribution by name."""
    change_recipe(site.out, tagger=tagger.format(private=str(site.private).strip("/")))
    check_refused(site.rebuild(), "--tagger")


def test_another_tagger_than_that_of_the_recipe_is_refused(site: Site) -> None:
    change_recipe(site.out, tagger="antigravity")
    check_refused(site.rebuild("--tagger", "this"), "--tagger antigravity")


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"configs": []}, "configs"),
        ({"configs": ["nothing"]}, "nothing"),
        ({"configs": ["a"] * 1000}, "configs"),
        ({"configs": ["../x"]}, "configs"),
        ({"configs": "vqa_v2"}, "configs"),
        ({"dataset": "../../x"}, "dataset"),
        ({"seed": 10**19}, "seed"),
        ({"seed": "0"}, "seed"),
        ({"parameters": {"zero": "yes"}}, "zero"),
        ({"parameters": {"values": "random"}}, "values"),
        ({"parameters": {"unknown": 1}}, "unknown"),
        ({"parameters": {"values": ["matched"]}}, "values"),
        ({"parameters": [1]}, "parameters"),
    ],
)
def test_a_recipe_passes_the_checks_of_the_command_line(changes: dict[str, Any], part: str, site: Site) -> None:
    """Issue 14: recipes skipped the validation that --set has, and one with no configs was bit-identical."""
    change_recipe(site.out, **changes)
    check_refused(site.rebuild(), part)


def test_a_recipe_that_is_no_json_is_refused(site: Site) -> None:
    (site.out / "recipe" / "recipe.json").write_text('{"parameters": {"lam": NaN}}')
    check_refused(site.rebuild(), "recipe.json")


def test_a_dataset_that_nobody_installed_is_refused(site: Site) -> None:
    change_manifest(open_folder(site.out), lambda manifest: manifest.update(dataset="os"))
    check_refused(site.rebuild(), "unknown dataset 'os'")


# What a recipe wants loaded.


@pytest.fixture
def ranked(site: Site) -> Site:
    """A dataset of somebody else whose recipe ranks questions."""
    shutil.rmtree(site.out)
    arguments = ("build", "bqd", "--data", site.data, "--out", site.out, "--config", "gbqd", "--set", "limit=5")
    command = Command(tuple(map(str, arguments)), site.path)
    ended = command.run(site.path / "log")
    assert ended.status == 0, ended.err
    return site


def test_what_a_recipe_wants_loaded_is_named_by_the_user(ranked: Site) -> None:
    for value in ("table:{}/secret.npz", "skip-thought:{}", "sentence-transformers:{}", "table:../private/secret.npz"):
        name = value.format(ranked.private)
        change_recipe(ranked.out, parameters={"limit": 5, "encoder": name})
        check_refused(ranked.rebuild(), f"--set encoder={name}")
        check_refused(ranked.rebuild("--set", "encoder=table:other.npz"), "leave out --set encoder=table:other.npz")
    change_recipe(ranked.out, configs=["table"], parameters={"table": str(ranked.private / "secret.jsonl")})
    check_refused(ranked.rebuild(), f"--set table={ranked.private / 'secret.jsonl'}")


def test_a_setting_of_the_recipe_is_not_changed_by_the_user(ranked: Site) -> None:
    check_refused(ranked.rebuild("--set", "limit=6"), "leave out --set limit=6")


def test_what_the_user_names_too_is_loaded(ranked: Site) -> None:
    """The recipe stores a file by its name, the user says where it is."""
    texts = [row["question"] for name in ("train", "val") for row in questions(ranked.data, name)]
    vectors = np.random.default_rng(0).normal(size=(len(texts), 128)).astype(np.float32)
    (ranked.path / "tmp" / "own").mkdir()
    path = ranked.path / "tmp" / "own" / "vectors.npz"
    np.savez(path, texts=np.array([" ".join(text.split()) for text in texts]), vectors=vectors)
    change_recipe(ranked.out, parameters={"limit": 5, "encoder": "table:vectors.npz"})
    ended = ranked.rebuild("--set", f"encoder=table:{path}")
    assert ended.status in {0, 1}, ended.err
    stored = orjson.loads((ranked.path / "mine" / "recipe" / "recipe.json").read_bytes())
    assert stored["parameters"]["encoder"] == "table:vectors.npz"


def questions(data: Path, split: str) -> list[dict[str, Any]]:
    path = data / "vqa" / f"v2_OpenEnded_mscoco_{split}2014_questions.json"
    rows: list[dict[str, Any]] = orjson.loads(path.read_bytes())["questions"]
    return rows


@pytest.mark.parametrize("setting", ["k=0", "partitions=0", "lam=nan", "lam=-1", "per_partition=0", "limit=-1"])
def test_numbers_of_the_command_line_are_bounded(setting: str, site: Site) -> None:
    out = site.path / "mine"
    check_refused(site.run("build", "bqd", "--data", site.data, "--out", out, "--set", setting), setting.split("=")[0])


@pytest.mark.parametrize(
    ("dataset", "setting"),
    [
        ("carets", "means=1,2"),
        ("carets", "means=1,2,300"),
        ("carets", "counts=object:99999999999999"),
        ("carets", "counts=nothing:1"),
        ("fvqa2", "least_weight=inf"),
        ("rad-cads", "zero=perhaps"),
    ],
)
def test_values_of_the_command_line_are_read_before_anything_is_built(dataset: str, setting: str, site: Site) -> None:
    ended = site.run("build", dataset, "--data", site.data, "--out", site.path / "mine", "--set", setting)
    check_refused(ended, setting.split("=")[0])


@pytest.mark.parametrize("seed", [str(-(10**30)), str(2**63)])
def test_seeds_fit_64_bits(seed: str, site: Site) -> None:
    ended = site.run("build", "rad-cads", "--data", site.data, "--out", site.path / "mine", "--seed", seed)
    check_refused(ended, "--seed", "64 bits")


# Hostile manifests.


@pytest.mark.parametrize(
    "name",
    [
        "../../private/secret.parquet",
        "/{private}/secret.parquet",
        "data/../../private/secret.parquet",
        "data/x/y/z.parquet",
    ],
)
def test_a_manifest_names_no_file_elsewhere(name: str, site: Site) -> None:
    def lead_out(manifest: dict[str, Any]) -> None:
        split = manifest["configs"]["yn_from_color"]["splits"]["validation"]
        entry = next(iter(split["files"].values()))
        split["files"] = {name.format(private=str(site.private).strip("/")): entry}

    content = orjson.loads((site.out / "manifest.json").read_bytes())
    lead_out(content)
    (site.out / "manifest.json").write_bytes(orjson.dumps(content))
    for arguments in reading_commands(site):
        check_refused(site.run(*arguments), "manifest.json")


def reading_commands(site: Site) -> list[tuple[object, ...]]:
    predictions = site.out / "predictions.jsonl"
    return [
        ("check", site.out),
        ("card", site.out),
        ("baseline", site.out, "majority", "--out", site.path / "mine" / "predictions.jsonl"),
        ("score", site.out, predictions),
        ("report", site.out, predictions, "--out", site.path / "mine" / "report"),
        ("explain", site.out, "0"),
        ("diff", site.out, site.out),
        ("review", "export", site.out, "--to", site.path / "mine" / "page.html"),
        ("export", site.out, "--to", "vqa", "--out", site.path / "mine" / "vqa"),
        ("errata", "ls", site.out),
    ]


@pytest.mark.parametrize("name", ["README.md", "errata.jsonl", "data/x.parquet", "assets/answers.svg", "manifest.json"])
def test_a_dataset_holds_no_link_out(name: str, site: Site) -> None:
    (site.out / name).unlink(missing_ok=True)
    (site.out / name).symlink_to(site.private / "secret")
    for arguments in (("check", site.out), ("card", site.out), ("push", site.out, "org/name", "--dry-run")):
        ended = site.run(*arguments) if name != "manifest.json" else None
        if ended is not None:
            check_refused(ended, "a link to a place outside the folder")


# Hostile image ids.

HOSTILE_IDS = ("../../private/picture", "/{private}/picture", "**", "a/b", "..", ".", "x" * 300, "\u0661", "a\x00b")


def hostile_ids(site: Site) -> list[str]:
    return [name.format(private=str(site.private).strip("/")) for name in HOSTILE_IDS]


def test_images_come_from_their_folder_alone(site: Site) -> None:
    """Issue 14: ids such as ../../private/x embed pictures from elsewhere, and ** is a traceback: CARETS visual."""
    data = site.path / "tmp" / "data"
    shutil.copytree(site.data / "gqa", data / "gqa")
    shutil.copytree(site.data / "images", data / "images")
    graphs = orjson.loads((data / "gqa" / "val_sceneGraphs.json").read_bytes())
    first = next(iter(graphs))
    shutil.copyfile(data / "images" / f"{first}.jpg", site.private / "picture.jpg")
    (data / "gqa" / "val_sceneGraphs.json").write_bytes(
        orjson.dumps(dict.fromkeys(hostile_ids(site), graphs[first]) | {"": graphs[first]} | graphs)
    )
    command = ("build", "carets", "--data", data, "--out", site.path / "mine", "--config", "visual")
    ended = site.run(*command, "--set", "pairs=2000")
    assert ended.status == 0, ended.err
    manifest = open_folder(site.path / "mine").manifest
    counts = manifest.configs["visual"].ledger["validation"]["carets.visual"]
    assert counts.skipped["the image is missing"] > 0


def test_a_page_shows_images_of_its_folder_alone(site: Site) -> None:
    """Issue 14: ids such as ../../private/x embed pictures from elsewhere: `review export --images`."""
    images = site.path / "tmp" / "images"
    shutil.copytree(site.data / "images", images)
    shutil.copyfile(next(images.glob("*.jpg")), site.private / "picture.jpg")
    shutil.rmtree(site.out)
    names = [f"{name}{suffix}" for name in ("", *hostile_ids(site)) for suffix in ("", ".jpg")]
    pairs = [make_pair(number) for number in range(len(names))]
    sides = [pair.original.__class__(name, "What?", "cat") for name, pair in zip(names, pairs, strict=True)]
    make_folder(site.out, [make_pair(number, original=side) for number, side in enumerate(sides)])
    page = site.path / "mine" / "page.html"
    ended = site.run("review", "export", site.out, "--to", page, "--images", images)
    assert ended.status == 0, ended.err
    shown = page.read_text().count("data:image/jpeg")
    assert shown == sum((images / f"{number}.jpg").is_file() for number in range(len(names)))


# Hostile rows, predictions and verdicts.


@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.write_text('{"pair_id": "../../private/secret", "original": "a", "perturbed": "b"}\n'),
        lambda path: path.write_text('{"pair_id": {"$ref": "/etc/passwd"}, "original": "a", "perturbed": "b"}\n'),
        lambda path: path.write_bytes(b"[" * 100_000),
        lambda path: path.symlink_to("/etc/passwd"),
    ],
)
def test_hostile_predictions_are_one_line(write: Callable[[Path], object], site: Site) -> None:
    path = site.out / "predictions.jsonl"
    write(path)
    ended = site.run("score", site.out, path)
    check_refused(ended, "predictions.jsonl")


def test_hostile_verdicts_are_shown_as_text(site: Site) -> None:
    folder = open_folder(site.out)
    pair_ids = folder.table("yn_from_color", "validation")["pair_id"].to_pylist()
    verdicts = site.out / "verdicts.jsonl"
    question = "[x](javascript:alert(1)) | <img src=x onerror=alert(1)>\n\n# Heading ![y](http://example.org/y.png)"
    rows = [{"pair_id": name, "verdict": "fixed", "question": question, "answers": ["<b>", "|"]} for name in pair_ids]
    verdicts.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    command = ("build", "rad-cads", "--data", site.data, "--out", site.path / "mine", "--config", "yn_from_color")
    assert site.run(*command, "--verdicts", verdicts).status == 0
    card = (site.path / "mine" / "README.md").read_text()
    assert "](javascript:" not in card
    assert "<img" not in card
    assert "\n# Heading" not in card
