"""A whole world: every official file of `--data DIR`, written beside the target and moved there when complete."""

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from diptych.demo._drawing import draw_scene
from diptych.demo._files import SPLITS, DialogFiles, FactFiles, GraphFiles, VqaFiles, write_facts
from diptych.demo._question_mix import ask_questions
from diptych.demo._records import coco_name, gqa_id
from diptych.demo._scenes import Scene, SceneIndex
from diptych.demo._stage import make_scene
from diptych.errors import BadInputError


@dataclass(frozen=True, slots=True)
class WorldSummary:
    """The numbers of what was written."""

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
    """Write a world of `images` images into a folder; `progress` is called with the number of finished images.

    The folder must be new or empty, unless `force` lets it be replaced. It appears only when everything is written.
    """
    if images < 1:
        raise BadInputError(f"a world needs at least 1 image, not {images}")
    folder = Path(os.path.abspath(folder))
    if folder.exists() and not folder.is_dir():
        raise BadInputError(f"{folder} is not a folder; name another")
    if not force and folder.is_dir() and any(folder.iterdir()):
        raise BadInputError(f"{folder} is not empty; name another folder, or replace it with --force")
    work_folder = _make_work_folder(folder)
    try:
        summary = _write(work_folder, folder, images, seed, pictures, progress)
        _put_in_place(work_folder, folder)
    except OSError as error:
        shutil.rmtree(work_folder, ignore_errors=True)
        raise BadInputError(f"cannot write {folder}: {error.strerror or error}") from None
    except BaseException:
        shutil.rmtree(work_folder, ignore_errors=True)
        raise
    return summary


def _make_work_folder(folder: Path) -> Path:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        work_folder = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".partial", dir=folder.parent))
    except OSError as error:
        raise BadInputError(f"cannot write beside {folder}: {error.strerror}; name another folder") from None
    work_folder.chmod(0o755)
    return work_folder


def _put_in_place(work_folder: Path, folder: Path) -> None:
    backup = work_folder.with_suffix(".old")
    if folder.exists():
        folder.rename(backup)
    try:
        work_folder.rename(folder)
    except OSError:
        if backup.exists():
            backup.rename(folder)
        raise
    shutil.rmtree(backup, ignore_errors=True)


def _write(
    work_folder: Path, folder: Path, images: int, seed: int, pictures: bool, progress: Callable[[int], None] | None
) -> WorldSummary:
    write_facts(work_folder)
    with ExitStack() as stack:
        vqa, graphs = VqaFiles(work_folder, seed, stack), GraphFiles(work_folder, stack)
        dialogs, facts = DialogFiles(work_folder, seed, stack), FactFiles(work_folder, seed, stack)
        for number in range(images):
            scene = make_scene(seed, number)
            index = SceneIndex(scene)
            questions = ask_questions(scene, seed, index)
            vqa.add(index, questions)
            graphs.add(index, questions)
            dialogs.add(index)
            facts.add(index)
            if pictures:
                _save_picture(scene, work_folder / "images")
            if progress is not None:
                progress(number + 1)
        dialogs.finish()
    return WorldSummary(
        folder=folder,
        images=images,
        pictures=images if pictures else 0,
        val_questions=vqa.files[SPLITS[0]][0].entries,
        train_questions=vqa.files[SPLITS[1]][0].entries,
        dialogs=dialogs.dialogs.entries,
        fact_questions=facts.questions.entries,
    )


def _save_picture(scene: Scene, folder: Path) -> None:
    """Draw a scene into a folder under its COCO name and its GQA name, as one file with two names where possible."""
    folder.mkdir(exist_ok=True)
    path, gqa_path = folder / coco_name(scene.number), folder / f"{gqa_id(scene.number)}.jpg"
    draw_scene(scene).save(path, quality=90)
    try:
        os.link(path, gqa_path)
    except OSError:
        shutil.copyfile(path, gqa_path)
