"""A built folder for others' tools: evaluation harnesses, the Hub's benchmarks, Croissant, the VQA layout."""

from collections.abc import Callable
from pathlib import Path

from diptych.builders.export import export_folder
from diptych.builders.manifest_file import read_manifest
from diptych.cards.export.croissant import write_croissant
from diptych.cards.export.eval_yaml import write_eval_yaml
from diptych.cards.export.harness import write_inspect, write_lm_eval, write_lmms_eval
from diptych.cards.export.tasks import Exported
from diptych.errors import BadInputError, UnknownNameError


def _write_vqa(built: Exported, out: Path) -> list[Path]:
    return export_folder(built.folder, built.manifest, "vqa", out)


FORMS: dict[str, Callable[[Exported, Path], list[Path]]] = {
    "lmms-eval": write_lmms_eval,
    "lm-eval": write_lm_eval,
    "inspect": write_inspect,
    "vqa": _write_vqa,
    "croissant": write_croissant,
    "eval-yaml": write_eval_yaml,
}
"""What a built folder can be exported to."""


def export_built(folder: Path, form: str, out: Path, repo: str | None = None) -> list[Path]:
    """Write a built folder in another form; with `repo`, tools load it from there on the Hub."""
    if form not in FORMS:
        raise UnknownNameError.among("export format", form, FORMS)
    built = Exported(folder.resolve(), read_manifest(folder), repo)
    try:
        out.mkdir(parents=True, exist_ok=True)
        return FORMS[form](built, out)
    except OSError as error:
        raise BadInputError(f"{out}: cannot be written: {error.strerror}; choose another --out") from None


__all__ = ["FORMS", "Exported", "export_built"]
