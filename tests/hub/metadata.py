"""The YAML at the head of a README, and what the Hub accepts in it.

Only what the tests of this project can get wrong is checked: syntax, license, language, size and configs.
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
    for value in _as_list(content.get("language")):
        if not (isinstance(value, str) and re.fullmatch("[a-z]{2,3}(-[A-Za-z]+)?|code|multilingual", value)):
            yield f'"language" must only contain lowercase ISO 639 codes, not {value!r}'
    for value in _as_list(content.get("size_categories")):
        if str(value) not in SIZES:
            yield f'"size_categories" must be one of {sorted(SIZES)}, not {value!r}'


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


def _space_errors(content: dict[str, Any]) -> Iterator[str]:
    if content.get("sdk") not in SDKS:
        yield f'"sdk" must be one of {sorted(SDKS)}, not {content.get("sdk")!r}'
