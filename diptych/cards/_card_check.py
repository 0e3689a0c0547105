"""Whether the card's YAML, by which the Hub and `load_dataset` find the files, agrees with the manifest."""

import yaml
from huggingface_hub import RepoCard

from diptych.audit import result
from diptych.cards._card import CARD
from diptych.cards._header import card_header
from diptych.errors import BadInputError, DiptychError
from diptych.files import reading
from diptych.folder import BuiltFolder, FindingEntry

_BINDING = ("configs", "dataset_info", "license")


def check_card(folder: BuiltFolder) -> FindingEntry:
    """The card can be read, and its configs, sizes and licenses are those of the manifest."""
    fault = _fault(folder)
    return result("card", [fault] if fault else [], "its YAML agrees with the manifest")


def _fault(folder: BuiltFolder) -> str:
    path = folder.path / CARD
    if not path.is_file():
        return f"{CARD} is missing: `diptych card` writes it"
    try:
        with reading(CARD):
            header = RepoCard(path.read_text(encoding="utf-8"), ignore_metadata_errors=False).data
    except (DiptychError, yaml.YAMLError) as error:
        return str(BadInputError(f"{CARD} cannot be read: {error}"))
    expected = card_header(folder)
    different = [name for name in _BINDING if header.get(name) != expected.get(name)]
    if not different:
        return ""
    return f"{CARD} and the manifest differ in {', '.join(different)}: `diptych card` writes it again"
