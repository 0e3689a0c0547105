"""Whether the card's YAML, by which the Hub and `load_dataset` find the files, is the manifest's."""

from collections.abc import Iterator

import yaml
from huggingface_hub import RepoCard

from diptych.cards.audit.built import Built
from diptych.cards.audit.finding import Finding, verdict
from diptych.cards.header import card_header

_BINDING = ("configs", "dataset_info", "license")


def card(built: Built) -> Iterator[Finding]:
    """The card can be read, and its configs, sizes and licences are the manifest's."""
    yield verdict("card", [fault] if (fault := _fault(built)) else [], "its YAML tells what the manifest tells")


def _fault(built: Built) -> str:
    path = built.folder / "README.md"
    if not path.is_file():
        return "README.md is missing: `diptych card` writes it"
    try:
        told = RepoCard(path.read_text(encoding="utf-8"), ignore_metadata_errors=False).data
    except (ValueError, TypeError, yaml.YAMLError) as error:
        return f"README.md cannot be read: {str(error).splitlines()[0]}"
    expected = card_header(built.manifest)
    other = [name for name in _BINDING if told.get(name) != expected.get(name)]
    return f"README.md tells other {', '.join(other)} than the manifest: `diptych card` mends it" if other else ""
