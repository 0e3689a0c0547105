"""The configs of a built folder as datasets of VLMEvalKit: a TSV of questions each, and a class that scores pairs."""

import csv
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pyarrow.parquet as pq

from diptych.files import atomic_writer, write_text
from diptych.folder import SIDES, BuiltFolder, Selection, picture_names
from diptych.folder._pair_images import embedded_picture
from diptych.publishing.export._tasks import HarnessTask, render, task_context, write_with_code
from diptych.publishing.export.task_code.tasks import PairedTasks, keep_picture

_COLUMNS = ("index", "question", "answer", "image_path", "pair_id", "side")
_PICTURES = "pictures"  # the folder of pictures that rows hold


def write_vlmevalkit(folder: BuiltFolder, out: Path, repo: str | None) -> list[Path]:
    """For every config a TSV, whose questions are the prompts, and its pairs, by which the class scores."""
    context = task_context(folder, repo)
    tasks: list[HarnessTask] = context["tasks"]
    asked = PairedTasks(context["path"], None, context["family"], context["prompts"], context["separator"])
    for task in tasks:
        table = folder.pairs(Selection(task.config, task.split), complete=True)
        with atomic_writer(out / f"{task.name}.parquet") as file:
            pq.write_table(table, file)
        files = dict(_write_pictures(folder, task, out / _PICTURES))
        names = {(row["pair_id"], side): picture_names(row, side) for row in table.to_pylist() for side in SIDES}
        text = StringIO(newline="")
        writer = csv.writer(text, delimiter="\t", lineterminator="\n")
        writer.writerow(_COLUMNS)
        for index, question in enumerate(asked.questions(table, task.config, task.split)):
            key = question["pair_id"], question["side"]
            image = files.get(key) or next(iter(names[key]), "?" if question["has_image"] else "")
            writer.writerow([index, question["prompt"], question["answer"], image, *key])
        write_text(out / f"{task.name}.tsv", text.getvalue())
    module = f"{context['package']}_vlmevalkit"
    more = {"module": module, "class_name": "".join(part.title() for part in module.split("_"))}
    code = render("vlmevalkit.py.jinja", context, names={task.name: f"{task.name}.tsv" for task in tasks}, **more)
    tables = [out / f"{task.name}.{suffix}" for task in tasks for suffix in ("tsv", "parquet")]
    return [*tables, *write_with_code({out / f"{module}.py": code}, out, context)]


def _write_pictures(folder: BuiltFolder, task: HarnessTask, out: Path) -> Iterator[tuple[tuple[str, str], str]]:
    """The pictures that rows hold as files under their digests: their names by pair and side."""
    columns = [f"{side}_image" for side in SIDES]
    columns = [name for name in columns if name in {feature["name"] for feature in folder.features(task.config)}]
    for table in folder.batches(task.config, task.split, ["pair_id", *columns]) if columns else ():
        for row in table.to_pylist():
            for side in SIDES:
                if content := embedded_picture(row, side):
                    yield (row["pair_id"], side), f"{out.name}/{keep_picture(content, out).name}"
