"""Making a world: every official file of `--data DIR`, written beside the target and put in place when whole."""

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from diptych.demo.drawing import draw_scene
from diptych.demo.questions import ask
from diptych.demo.records import coco_name, gqa_id
from diptych.demo.scenes import Scene
from diptych.demo.sinks import SPLITS, DialogFiles, FactFiles, GraphFiles, VqaFiles, write_facts
from diptych.demo.staging import make_scene
from diptych.demo.view import View
from diptych.errors import BadInputError


@dataclass(frozen=True, slots=True)
class WorldSummary:
    """How much of what was written."""

    folder: Path
    images: int
    pictures: int
    val_questions: int
    train_questions: int
    dialogs: int
    fact_questions: int


def make_world(
    folder: Path,
    images: int,
    seed: int = 0,
    pictures: bool = True,
    progress: Callable[[int], None] | None = None,
    force: bool = False,
) -> WorldSummary:
    """Write a world of so many images into a folder; `progress` is told how many are done.

    The folder must be new or empty, unless `force` lets it be replaced. It appears only when everything is written.
    """
    if images < 1:
        raise BadInputError(f"a world needs at least 1 image, not {images}")
    folder = Path(os.path.abspath(folder))
    _refuse_taken(folder, force)
    staging = _staging_beside(folder)
    try:
        summary = _write(staging, folder, images, seed, pictures, progress)
        _put_in_place(staging, folder)
    except OSError as error:
        shutil.rmtree(staging, ignore_errors=True)
        raise BadInputError(f"cannot write {folder}: {error.strerror or error}") from None
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise
    return summary


def _refuse_taken(folder: Path, force: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise BadInputError(f"{folder} is not a folder; name another")
    if not force and folder.is_dir() and any(folder.iterdir()):
        raise BadInputError(f"{folder} is not empty; name another folder, or replace it with --force")


def _staging_beside(folder: Path) -> Path:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".partial", dir=folder.parent))
    except OSError as error:
        raise BadInputError(f"cannot write beside {folder}: {error.strerror}; name another folder") from None
    staging.chmod(0o755)
    return staging


def _put_in_place(staging: Path, folder: Path) -> None:
    old = staging.with_suffix(".old")
    if folder.exists():
        folder.rename(old)
    try:
        staging.rename(folder)
    except OSError:
        if old.exists():
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _write(
    staging: Path, folder: Path, images: int, seed: int, pictures: bool, progress: Callable[[int], None] | None
) -> WorldSummary:
    write_facts(staging)
    with ExitStack() as stack:
        vqa, graphs = VqaFiles(staging, seed, stack), GraphFiles(staging, stack)
        dialogs, facts = DialogFiles(staging, seed, stack), FactFiles(staging, seed, stack)
        for number in range(images):
            scene = make_scene(seed, number)
            view = View(scene)
            questions = ask(scene, seed, view)
            vqa.add(view, questions)
            graphs.add(view, questions)
            dialogs.add(view)
            facts.add(view)
            if pictures:
                save_picture(scene, staging / "images")
            if progress is not None:
                progress(number + 1)
        dialogs.finish()
    asked = {split: files[0].entries for split, files in vqa.files.items()}
    return WorldSummary(
        folder,
        images,
        images if pictures else 0,
        asked[SPLITS[0]],
        asked[SPLITS[1]],
        dialogs.dialogs.entries,
        facts.questions.entries,
    )


def save_picture(scene: Scene, folder: Path) -> None:
    """Draw a scene into a folder under its COCO name and its GQA name, as one file with two names where possible."""
    folder.mkdir(exist_ok=True)
    path = folder / coco_name(scene.number)
    draw_scene(scene).save(path, quality=90)
    other = folder / f"{gqa_id(scene.number)}.jpg"
    try:
        os.link(path, other)
    except OSError:
        shutil.copyfile(path, other)
