"""The code that goes along with exported tasks: modules of this package, copied under another name.

A folder of tasks then needs no Diptych, and always scores as the version that exported it. The name is one of the
dataset's own, so that tasks of several datasets can be run together.
"""

import re
import shutil
from importlib.resources import as_file, files
from pathlib import Path

from diptych.files import write_text

_MODULES = ("errors.py", "reading.py", "folder/_pair_images.py", "images/_names.py", "images/_store.py")
_IMAGES = """from diptych.images._names import possible_file_names
from diptych.images._store import ImageStore, MissingImageError, open_images

__all__ = ["ImageStore", "MissingImageError", "open_images", "possible_file_names"]
"""
_OWN = "diptych.publishing.export.task_code"
_COPIED = re.compile(r"(?<=^from )diptych(?=\.(?:errors|reading|folder|images|metrics)\b)", re.MULTILINE)


def copy_code(out: Path, package: str) -> Path:
    """Copy the code of tasks into a package of this name; an earlier copy is replaced."""
    target = out / package
    if target.is_dir():
        shutil.rmtree(target)
    with as_file(files("diptych")) as root:
        copies = {name: root / name for name in _MODULES}
        copies |= {path.name: path for path in sorted((root / "publishing/export/task_code").glob("*.py"))}
        scoring = sorted((root / "metrics/paired_vqa").glob("*.py"))
        copies |= {f"metrics/paired_vqa/{path.name}": path for path in scoring if path.name not in _NOT_COPIED}
        texts = {name: path.read_text("utf-8") for name, path in copies.items()}
    folders = {Path(name).parent for name in texts} | {Path("metrics")}
    texts = {f"{folder}/__init__.py": "" for folder in sorted(folders)} | {"images/__init__.py": _IMAGES} | texts
    for name, text in texts.items():
        write_text(target / name, _COPIED.sub(package, text.replace(_OWN, package)))
    return target


_NOT_COPIED = {"app.py", "paired_vqa.py"}  # what only the `evaluate` module and its Space need
