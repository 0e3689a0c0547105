"""A built folder for other tools: evaluation harnesses, the Hub's benchmarks, Croissant, the VQA layout."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from diptych.errors import BadInputError, look_up
from diptych.folder import BuiltFolder
from diptych.publishing.export import _tasks
from diptych.publishing.export._croissant import write_croissant
from diptych.publishing.export._vlmevalkit import write_vlmevalkit
from diptych.publishing.export._vqa import write_vqa

FORMATS: dict[str, Callable[[BuiltFolder, Path, str | None], list[Path]]] = {
    "lmms-eval": partial(_tasks.write_harness, "lmms-eval"),
    "lm-eval": partial(_tasks.write_harness, "lm-eval"),
    "inspect": _tasks.write_inspect,
    "vlmevalkit": write_vlmevalkit,
    "vqa": write_vqa,
    "croissant": write_croissant,
    "eval-yaml": _tasks.write_eval_yaml,
}
"""What a built folder can be exported to."""


def export_folder(folder: BuiltFolder, name: str, out: Path, repo: str | None = None) -> list[Path]:
    """Write a built folder in another format; with `repo`, tools load it from there on the Hub."""
    write = look_up("export format", name, FORMATS)
    try:
        out.mkdir(parents=True, exist_ok=True)
        return write(folder, out, repo or (folder.hub.repo if folder.hub else None))
    except OSError as error:
        raise BadInputError(f"{out}: cannot be written: {error.strerror}; choose another --out") from None


__all__ = ["FORMATS", "export_folder"]
