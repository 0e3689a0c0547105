"""What the terms of the sources say about publishing their pictures and records."""

from collections.abc import Callable

from diptych.errors import BadInputError
from diptych.folder import BuiltFolder, SourceEntry

_UNSTATED = "not stated"


def check_pictures(folder: BuiltFolder, share_pictures: bool, say: Callable[[str], None]) -> None:
    """Refuse to publish pictures whose terms do not allow it as far as is known; say which records have no license."""
    for place, source in _pictures(folder).items():
        if source.pictures != "licensed" and not share_pictures:
            terms = source.picture_terms.removesuffix(".") or "their terms are not known"
            advice = "leave them out (--set images=file, card --no-pictures), or say --share-pictures if you may"
            raise BadInputError(f"{folder.path}: {place} holds pictures of {source.title} ({terms}); {advice}")
    for title in sorted({source.title for source in folder.manifest.sources.values() if source.license == _UNSTATED}):
        say(f"note: {title} states no license; ask its authors before you publish what is made from it")


def _pictures(folder: BuiltFolder) -> dict[str, SourceEntry]:
    """The source of the pictures of every config and split that holds any, and of the card."""
    manifest = folder.manifest
    shown = {picture.pair_id for picture in (manifest.pictures or {}).values()}
    sources = {}
    for config, split, entry in manifest.own_splits():
        source = manifest.sources[manifest.configs[config].source]
        if entry.images:
            sources[f"{config}/{split}"] = source
        if any(example.pair_id in shown for example in entry.examples):
            sources["the card"] = source
    return sources
