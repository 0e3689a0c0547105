"""The YAML at the head of a README, and what the Hub accepts in it.

What the public specification of dataset cards says (`datasetcard.md` of the Hub's documentation, its lists of licenses
and tasks, and the options of `huggingface_hub.DatasetCardData`) is checked, as far as this project writes it.
"""

import re
from collections.abc import Iterator
from typing import Any

import yaml  # type: ignore[import-untyped]  # huggingface_hub cannot be installed without it

from .store import Kind

_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)

_LICENSES = """
afl-3.0 agpl-3.0 apache-2.0 artistic-2.0 bsd bsd-2-clause bsd-3-clause bsl-1.0 c-uda cc cc-by-2.0 cc-by-2.5
cc-by-3.0 cc-by-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 cc-by-nc-sa-2.0
cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cc-by-nd-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc0-1.0 cdla-permissive-1.0
cdla-permissive-2.0 cdla-sharing-1.0 ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1 eupl-1.2 gfdl gpl gpl-2.0 gpl-3.0
isc lgpl lgpl-2.1 lgpl-3.0 lgpl-lr lppl-1.3c mit mpl-2.0 ms-pl ncsa odbl odc-by ofl-1.1 openrail osl-3.0 other
pddl postgresql unknown unlicense wtfpl zlib
"""
_SIZES = "n<1K 1K<n<10K 10K<n<100K 100K<n<1M 1M<n<10M 10M<n<100M 100M<n<1B 1B<n<10B 10B<n<100B 100B<n<1T n>1T"
LICENSES = frozenset(_LICENSES.split())
SIZES = frozenset(_SIZES.split())
_TASKS = """
text-classification token-classification table-question-answering question-answering translation
summarization feature-extraction text-generation fill-mask sentence-similarity image-classification object-detection
image-segmentation image-to-text image-to-image multiple-choice text-retrieval visual-question-answering
video-text-to-text zero-shot-image-classification other
"""
_CREATORS = "found crowdsourced expert-generated machine-generated other"
OPTIONS = {
    "size_categories": SIZES,
    "task_categories": frozenset(_TASKS.split()),
    "task_ids": frozenset(
        "visual-question-answering extractive-qa multiple-choice-qa multi-class-classification".split()
    ),
    "annotations_creators": frozenset([*_CREATORS.split(), "no-annotation"]),
    "language_creators": frozenset(_CREATORS.split()),
    "multilinguality": frozenset("monolingual multilingual translation other".split()),
}
_PATTERNS = {
    "language": "[a-z]{2,3}(-[A-Za-z]+)?|code|multilingual",
    "source_datasets": r"original|extended(\|(other(-[a-z0-9.-]+)?|[\w.-]+(/[\w.-]+)?))?|[\w.-]+(/[\w.-]+)?",
    "tags": r"[^\s,|]([^,|]{0,98}[^\s,|])?",
}
_SPLIT, _CONFIG = r"\w+(\.\w+)*", r"[^<>:/\\|?*\s]+"  # as `datasets` takes them
SDKS = frozenset({"gradio", "docker", "static", "streamlit"})


def front_matter(text: str) -> dict[str, Any]:
    r"""The metadata of a README; empty where there is none or it cannot be read.

    >>> front_matter("---\nlicense: mit\n---\n# Title")
    {'license': 'mit'}
    """
    match = _FRONT.match(text)
    try:
        content = yaml.safe_load(match[1]) if match else None
    except yaml.YAMLError:
        return {}
    return content if isinstance(content, dict) else {}


def check(text: str, kind: Kind) -> tuple[list[str], list[str]]:
    """Errors and warnings, as the Hub gives them before a README is committed.

    >>> check("# No metadata", "dataset")
    ([], ['empty or missing yaml metadata in repo card'])
    """
    match = _FRONT.match(text)
    if match is None or not match[1].strip():
        return [], ["empty or missing yaml metadata in repo card"]
    try:
        content = yaml.safe_load(match[1])
    except yaml.YAMLError as error:
        return [f"YAML parse error: {' '.join(str(error).split())}"], []
    if not isinstance(content, dict):
        return ["the metadata must be a mapping"], []
    return [*_general_errors(content), *(_space_errors(content) if kind == "space" else _config_errors(content))], []


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _general_errors(content: dict[str, Any]) -> Iterator[str]:
    for value in _as_list(content.get("license")):
        if str(value) not in LICENSES:
            yield f'"license" must be one of {sorted(LICENSES)}, not {value!r}'
    if content.get("license") == "other" and not {"license_name", "license_link"} <= set(content):
        yield '"license: other" needs "license_name" and "license_link"'
    for name, options in OPTIONS.items():
        for value in _as_list(content.get(name)):
            if str(value) not in options:
                yield f'"{name}" must be one of {sorted(options)}, not {value!r}'
    for name, pattern in _PATTERNS.items():
        for value in _as_list(content.get(name)):
            if not (isinstance(value, str) and re.fullmatch(pattern, value)):
                yield f'"{name}" must only contain values of the form {pattern}, not {value!r}'


def _config_errors(content: dict[str, Any]) -> Iterator[str]:
    configs = _as_list(content.get("configs"))
    if not all(isinstance(config, dict) and isinstance(config.get("config_name"), str) for config in configs):
        yield '"configs" must be a list of mappings, each with a "config_name"'
        return
    names = [config["config_name"] for config in configs]
    if len(set(names)) != len(names):
        yield f'"configs" must have unique names: {names}'
    if sum(bool(config.get("default")) for config in configs) > 1:
        yield '"configs" must have at most one default'
    for config in configs:
        yield from _data_file_errors(config)
    for info in _as_list(content.get("dataset_info")):
        if not isinstance(info, dict) or info.get("config_name", "default") not in {*names, "default"}:
            yield '"dataset_info" must be about the configs'


def _data_file_errors(config: dict[str, Any]) -> Iterator[str]:
    if not re.fullmatch(_CONFIG, config["config_name"]):
        yield f'"config_name" has a character that no file may have: {config["config_name"]!r}'
    for entry in _as_list(config.get("data_files")):
        if isinstance(entry, str):
            continue
        if not (isinstance(entry, dict) and entry.get("path") and re.fullmatch(_SPLIT, str(entry.get("split")))):
            yield f'"data_files" must be paths, or mappings with "split" and "path", not {entry!r}'


def _space_errors(content: dict[str, Any]) -> Iterator[str]:
    if content.get("sdk") not in SDKS:
        yield f'"sdk" must be one of {sorted(SDKS)}, not {content.get("sdk")!r}'
