"""Build again from the recipe that a built folder carries, and say what is other than before."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from diptych.builders.folder import BuildOptions
from diptych.errors import BadInputError, MissingFileError
from diptych.sources import find_file

RECIPE_FILES: tuple[str, ...] = ("manifest.json", "recipe/*", "recipe/**")
"""What of a published dataset is needed to build it again."""

_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "dataset": str,
    "configs": list,
    "seed": int,
    "tagger": (str, type(None)),
    "parameters": dict,
}


@dataclass(frozen=True, slots=True)
class StoredRecipe:
    """How a folder says that it was built."""

    dataset: str
    configs: tuple[str, ...]
    seed: int
    tagger: str | None
    parameters: Mapping[str, Any]
    templates: Path | None
    """The stored templates; None for a dataset that is made without."""
    verdicts: Path | None = None
    rejects: Path | None = None

    def options(self, data: Path, num_proc: int = 1) -> BuildOptions:
        """The options of a build that follows the recipe."""
        return BuildOptions(
            data,
            self.configs,
            self.seed,
            num_proc,
            self.tagger,
            self.templates,
            self.parameters,
            verdicts=self.verdicts,
            rejects=self.rejects,
        )


def read_recipe(folder: Path) -> StoredRecipe:
    """The recipe of a built folder."""
    path = folder / "recipe" / "recipe.json"
    if not path.is_file():
        raise MissingFileError(f"{path}: not found; {folder} cannot be built again without its recipe")
    try:
        said = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise BadInputError(f"{path}: broken JSON: {error}") from None
    wrong = [key for key, kind in _KEYS.items() if not isinstance(said, dict) or not isinstance(said.get(key), kind)]
    if wrong:
        raise BadInputError(f"{path}: {', '.join(wrong)} is missing or of another type; was it made by diptych build?")
    templates = folder / "recipe" / "templates"
    return StoredRecipe(
        said["dataset"],
        tuple(map(str, said["configs"])),
        said["seed"],
        said["tagger"],
        said["parameters"],
        templates if templates.is_dir() else None,
        *(folder / "recipe" / said[name] if said.get(name) else None for name in ("verdicts", "rejects")),
    )


def source_differences(manifest: Mapping[str, Any], data: Path) -> list[str]:
    """Source files that are missing or other than those of the build, one line each."""
    wanted = {
        (name, checksum)
        for recipe in manifest.get("recipes", {}).values()
        for name, checksum in recipe.get("sources", {}).items()
    }
    return [line for name, checksum in sorted(wanted) for line in _source_difference(name, checksum, data)]


def _source_difference(name: str, checksum: str, data: Path) -> Iterator[str]:
    folders = sorted(path.name for path in data.iterdir() if path.is_dir()) if data.is_dir() else []
    found = [file for folder in folders if (file := find_file(data, folder, name))]
    sums = [file.sha256() for file in found]
    if not found:
        yield f"source {name}: missing under {data}"
    elif checksum not in sums:
        yield f"source {found[0].where}: SHA-256 {sums[0][:16]}…, the recipe's was {checksum[:16]}…"


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What a second build made otherwise, one line each, by recipe and by config and split; empty if bit-identical."""
    return [*_recipe_differences(before, after), *_data_differences(before["configs"], after["configs"])]


def _recipe_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    lines: dict[str, list[str]] = {}
    if before.get("diptych") != after.get("diptych"):
        lines[f"diptych {before.get('diptych')}, now {after.get('diptych')}"] = []
    for config, old in before.get("recipes", {}).items():
        new = after["recipes"].get(config, {})
        for key in ("version", "seed", "templates", "tagger", "parameters"):
            if new and old.get(key) != new.get(key):
                lines.setdefault(f"{key} {old.get(key)}, now {new.get(key)}", []).append(config)
    yield from (f"{line} ({', '.join(configs)})" if configs else line for line, configs in lines.items())


def _data_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    old, new = _splits(before), _splits(after)
    for place in {**old, **new}:
        if place not in new:
            yield f"{place}: not built again"
        elif place not in old:
            yield f"{place}: not there before"
        elif old[place]["content_hash"] != new[place]["content_hash"]:
            yield f"{place}: other pairs ({old[place]['rows']:,} before, {new[place]['rows']:,} now)"
        elif _hashes(old[place]) != _hashes(new[place]):
            yield f"{place}: the same pairs in files of other bytes"


def _splits(configs: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{name}/{split}": entry for name, config in configs.items() for split, entry in config["splits"].items()}


def _hashes(entry: Mapping[str, Any]) -> dict[str, str]:
    return {name: file["sha256"] for name, file in entry["files"].items()}
