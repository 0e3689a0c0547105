"""Small builds from the miniature world, and a Hub with a client that runs `diptych` on it."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import diptych
from diptych.cards import CARD, keep_sections, render_card
from diptych.demo import make_world
from diptych.folder import MANIFEST, BuiltFolder, Manifest, PublishedEntry, ReleaseEntry, open_folder
from diptych.publishing._release import release_notes
from tests.hub import TOKEN, LoopbackHub, WarmClient

PRELOAD = "import datasets, huggingface_hub, diptych._api, diptych.cli._app, diptych.builders.rad"

# Only the waiting is cut short, not what is waited for.
HASTE = "import time; _sleep = time.sleep; time.sleep = lambda seconds: _sleep(min(seconds, 0.005))"


def make_build(data: Path, out: Path, *configs: str, templates: Path | None = None) -> Path:
    """rad-cads, or some of its configs."""
    return diptych.build("rad-cads", data, out, configs=configs, templates=templates).path


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("world") / "data"
    make_world(data, 30, pictures=False)
    return data


@pytest.fixture(scope="session")
def full_build(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every config of rad-cads; tests that change it work on a copy."""
    return make_build(world, tmp_path_factory.mktemp("built") / "rad-cads")


@pytest.fixture(scope="session")
def small_build(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two configs, two files: what is pushed hundreds of times."""
    return make_build(world, tmp_path_factory.mktemp("small") / "rad-cads", "visdial", "convqa_cs")


@pytest.fixture
def edited_build(small_build: Path, tmp_path: Path) -> Path:
    """A copy of the small build, to be changed."""
    return Path(shutil.copytree(small_build, tmp_path / "edited"))


@dataclass(frozen=True)
class Site:
    """A Hub and a warm client that runs the command line on it."""

    hub: LoopbackHub
    client: WarmClient

    def run(self, *args: str | Path, token: str | None = TOKEN, exit_code: int | None = 0) -> CompletedProcess[str]:
        """Run `diptych ARGS`; its output must hold no token and no traceback."""
        code = f"{HASTE}\nfrom diptych.cli import main\nmain({[str(arg) for arg in args]!r})"
        process = self.client.run(code, token=token, check=False)
        output = process.stdout + process.stderr
        assert TOKEN not in output
        assert "Traceback" not in output, output
        assert "internal error" not in output, output
        if exit_code is not None:
            assert process.returncode == exit_code, output
        return process

    def files(self, repo: str, revision: str = "main") -> dict[str, bytes]:
        return self.hub.repo("dataset", repo).files(revision)

    def manifest(self, repo: str, revision: str = "main") -> Manifest:
        return Manifest.model_validate_json(self.files(repo, revision)[MANIFEST])


@pytest.fixture(scope="module")
def warm_site() -> Iterator[Site]:
    with LoopbackHub() as hub, WarmClient(hub, PRELOAD) as client:
        yield Site(hub, client)
        assert not hub.crashes, "\n".join(hub.crashes)
        assert hub.unknown == []


@pytest.fixture
def site(warm_site: Site) -> Site:
    """The module's Hub, empty again."""
    warm_site.hub.reset()
    return warm_site


def stamped(folder: Path, tag: str, repo: str, history: tuple[ReleaseEntry, ...] = ()) -> BuiltFolder:
    """A folder whose manifest says that it is published; without a history, as the first version."""
    built = open_folder(folder)
    first = ReleaseEntry(version=tag.removeprefix("v"), notes=release_notes(built, None, (), []))
    fields = {"published": PublishedEntry(repo=repo, tag=tag), "history": history or (first,), "version": first.version}
    return replace(built, manifest=built.manifest.model_copy(update=fields))


def published_files(
    folder: Path, tag: str = "v1.0.0", repo: str = "org/rad", history: tuple[ReleaseEntry, ...] = ()
) -> dict[str, bytes]:
    """The files of a folder as a repository holds them: its card and manifest name the repository and the tag."""
    files, published = folder_files(folder), stamped(folder, tag, repo, history)
    card = keep_sections(render_card(published), files[CARD].decode())
    return {**files, CARD: card.encode(), MANIFEST: published.manifest.text().encode()}


def folder_files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
