"""The tasks of a built folder: one a config, on the split that models are scored on."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diptych.cards.header import all_configs
from diptych.metrics.paired_vqa.scores import SCORES_OF, score_names

_PREFERRED_SPLITS = ("test", "validation", "train")


@dataclass(frozen=True, slots=True)
class Exported:
    """A built folder to export, and its repository on the Hub, where it has one."""

    folder: Path
    manifest: Mapping[str, Any]
    repo: str | None = None

    @property
    def path(self) -> str:
        """What `load_dataset` is given."""
        return self.repo or str(self.folder)

    @property
    def revision(self) -> str | None:
        """The tag to load from the Hub; a folder has none."""
        return f"v{self.manifest['version']}" if self.repo else None


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
        """The scores of the tests' family, as `diptych score` names them."""
        return score_names(self.family)


def tasks_of(manifest: Mapping[str, Any]) -> Iterator[HarnessTask]:
    """Every config with pairs as a task; names are identifiers, so that they can be functions too."""
    for config, parts in all_configs(manifest).items():
        if not any(manifest["configs"][part]["tests"] for part in parts):
            continue  # rows that are no pairs
        splits = [split for part in parts for split in manifest["configs"][part]["splits"]]
        split = next((name for name in _PREFERRED_SPLITS if name in splits), splits[0])
        tests = tuple(dict.fromkeys(test for part in parts for test in manifest["configs"][part]["tests"]))
        told = manifest["unions"].get(config) or manifest["configs"][config]
        name = identifier(f"{manifest['dataset']}_{config}")
        yield HarnessTask(name, config, split, told["description"], tests, family_of(tests))


def family_of(tests: tuple[str, ...]) -> str:
    """The scores that belong to tests: those of their common family, or all.

    >>> family_of(("rad.yn_from_color", "rad.yn_from_how_many"))
    'rad'
    """
    families = {test.partition(".")[0] for test in tests}
    family = families.pop() if len(families) == 1 else "all"
    return family if family in SCORES_OF else "all"


def identifier(name: str) -> str:
    """A name that Python and the harnesses take.

    >>> identifier("rad-cads_vqa_v2")
    'rad_cads_vqa_v2'
    """
    return re.sub(r"\W", "_", name)
