"""The YAML at the head of a card, as the Hub reads it: configs, features and sizes, licenses, tags; and its check."""

import re
import tomllib
from importlib.resources import files
from typing import Any

import yaml
from huggingface_hub import RepoCard

from diptych.audit import result
from diptych.builders import DatasetSpec, get_dataset
from diptych.errors import BadInputError, DiptychError, UnknownNameError, printable
from diptych.files import read_text, reading
from diptych.folder import BuiltFolder, FindingEntry, Manifest

CARD = "README.md"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_HUB_LICENSES = frozenset("cc-by-4.0 cc-by-sa-4.0 cc-by-nc-4.0 mit apache-2.0 bsd-3-clause cc0-1.0".split())


def card_header(folder: BuiltFolder) -> dict[str, Any]:
    """The YAML the Hub reads, in the order in which a person reads it; every text in it is one line."""
    manifest = folder.manifest
    rows = sum(split.rows for _, _, split in manifest.own_splits())
    titles = sorted({source.title for source in manifest.sources.values()})
    header = {
        "pretty_name": dataset_title(manifest.dataset),
        "language": ["en"],
        **license_fields(manifest),
        "annotations_creators": ["machine-generated"],
        "language_creators": ["crowdsourced", "machine-generated"],
        "multilinguality": ["monolingual"],
        "task_categories": ["visual-question-answering"],
        "task_ids": ["visual-question-answering"],
        "size_categories": [next((name for limit, name in _SIZES if rows < limit), "1M<n<10M")],
        # In the Hub's form: what was extended, and that it is no repository there.
        "source_datasets": [f"extended|other-{_slug(title)}" for title in titles],
        "tags": ["paired", "robustness", "counterfactual", "diptych", manifest.dataset],
        "configs": [_config(folder, name) for name in folder.configs],
        "dataset_info": [_info(folder, name) for name in folder.configs],
    }
    return {name: _one_line(value) for name, value in header.items()}


def _slug(title: str) -> str:
    """A title as a part of a tag: `CARETS, as released` becomes `carets-as-released`."""
    return re.sub("[^a-z0-9.]+", "-", title.lower()).strip("-") or "unknown"


def _one_line(value: Any) -> Any:
    """A copy with texts of one line; it shares no part with another, so that YAML needs no anchors."""
    if isinstance(value, dict):
        return {_one_line(key): _one_line(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_one_line(part) for part in value]
    return printable(value) if isinstance(value, str) else value


def license_fields(manifest: Manifest) -> dict[str, Any]:
    """The licenses of the sources; where one has no name on the Hub, LICENSE.md says what holds."""
    licenses = sorted({source.license.lower() for source in manifest.sources.values()})
    if not licenses or not set(licenses) <= _HUB_LICENSES:
        return {"license": "other", "license_name": "licenses-of-the-sources", "license_link": "LICENSE.md"}
    return {"license": licenses[0] if len(licenses) == 1 else licenses}


def _config(folder: BuiltFolder, name: str) -> dict[str, Any]:
    files = [{"split": split, "path": list(paths)} for split, paths in folder.patterns(name).items()]
    default = {"default": True} if name == folder.manifest.default else {}
    return {"config_name": name, "data_files": files, **default}


def _info(folder: BuiltFolder, name: str) -> dict[str, Any]:
    """Features and sizes of a config, as `datasets` writes and checks them."""
    splits, download_size = [], 0
    for split in folder.splits(name):
        entries = [part.splits[split] for part in folder.parts(name) if split in part.splits]
        size, rows = sum(entry.bytes for entry in entries), sum(entry.rows for entry in entries)
        splits.append({"name": split, "num_bytes": size, "num_examples": rows})
        download_size += sum(file.bytes for entry in entries for file in entry.files.values())
    return {
        "config_name": name,
        "features": list(folder.features(name)),
        "splits": splits,
        "download_size": download_size,
        "dataset_size": sum(info["num_bytes"] for info in splits),
    }


def read_releases(dataset: str) -> dict[str, Any]:
    """The title of a dataset, and its releases with their notes, newest first; none where there are no notes."""
    file = files(__package__) / "releases" / f"{dataset}.toml"
    if file.is_file():
        return tomllib.loads(file.read_text(encoding="utf-8"))
    spec = dataset_spec(dataset)
    return {"title": (spec and spec.title) or dataset, "release": []}


def dataset_spec(dataset: str) -> DatasetSpec | None:
    """The specification of a dataset; None where it was built by a package that is not installed here."""
    try:
        return get_dataset(dataset).spec
    except UnknownNameError:
        return None


def dataset_title(dataset: str) -> str:
    """What a dataset is called."""
    return str(read_releases(dataset)["title"])


def check_card(folder: BuiltFolder) -> FindingEntry:
    """The card can be read, and its configs, sizes and licenses are those of the manifest."""
    fault = _fault(folder)
    return result("card", [fault] if fault else [], "its YAML agrees with the manifest")


def _fault(folder: BuiltFolder) -> str:
    path = folder.path / CARD
    if not path.is_file():
        return f"{CARD} is missing: run `diptych card` to write it"
    try:
        with reading(CARD):
            header = RepoCard(read_text(path), ignore_metadata_errors=False).data
    except (DiptychError, yaml.YAMLError) as error:
        return str(BadInputError(f"{CARD} cannot be read: {error}"))
    expected = card_header(folder)
    different = [name for name in ("configs", "dataset_info", "license") if header.get(name) != expected.get(name)]
    if not different:
        return ""
    return f"{CARD} and the manifest differ in {', '.join(different)}: run `diptych card` to write it again"
