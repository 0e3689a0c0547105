"""The tasks of a built folder: one per config, on the split that models are judged on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from diptych.folder import BuiltFolder, Manifest
from diptych.metrics import score_names


@dataclass(frozen=True, slots=True)
class ExportedFolder:
    """A built folder to export, and its repository on the Hub, where it has one."""

    folder: BuiltFolder
    repo: str | None = None

    @property
    def manifest(self) -> Manifest:
        """What the build says of itself."""
        return self.folder.manifest

    @property
    def path(self) -> str:
        """What `load_dataset` is given."""
        return self.repo or str(self.folder.path.resolve())

    @property
    def revision(self) -> str | None:
        """The tag to load from the Hub; a folder has none."""
        return f"v{self.manifest.version}" if self.repo else None


@dataclass(frozen=True, slots=True)
class HarnessTask:
    """One config as a task of a harness."""

    name: str
    config: str
    split: str
    description: str
    tests: tuple[str, ...]
    family: str

    @property
    def scores(self) -> tuple[str, ...]:
        """The scores of the family, as `diptych score` names them."""
        return score_names(self.family)


def harness_tasks(folder: BuiltFolder) -> Iterator[HarnessTask]:
    """Every config with pairs as a task; names are identifiers, so that they can be functions too."""
    manifest = folder.manifest
    for config in folder.configs:
        if tests := folder.tests(config):
            name = identifier(f"{manifest.dataset}_{config}")
            split, description = folder.judged_split(config), folder.description(config)
            yield HarnessTask(name, config, split, description, tests, manifest.score_family)


def identifier(name: str) -> str:
    """A name that Python and the harnesses take.

    >>> identifier("rad-cads_vqa_v2")
    'rad_cads_vqa_v2'
    """
    return re.sub(r"\W", "_", name)
