"""The Responsible AI fields of Croissant, from what a build knows of itself: sources, ledger, audit and verdicts."""

from collections import Counter
from collections.abc import Iterator

from diptych.errors import printable
from diptych.folder import Manifest

_MOST_REASONS = 10  # reasons of skips that are named
_USES = (
    "Testing whether a model that answers questions about images understands or guesses: both sides of a pair are "
    "asked, and scored by `diptych score` or the tasks of `diptych export`.",
    "Not for training models that are then tested on it.",
)
_PEOPLE = "The pictures are those of the sources and may show people; nothing about persons was added."
_PLAN = (
    "Every version is tagged, and loads by its tag. Pairs that are found wrong are listed in errata.jsonl, by which "
    "loading and scoring leave them out, and are mended by the next version."
)


def responsible_ai(manifest: Manifest) -> dict[str, str | list[str]]:
    """The fields of the vocabulary `rai`; those that nothing is known of are left out."""
    fields: dict[str, str | list[str]] = {
        "dataCollection": "Pairs are made from official files of other datasets; nobody was asked anything new.",
        "dataCollectionType": ["Secondary Data analysis"],
        "dataCollectionRawData": "; ".join(_sources(manifest)),
        "dataCollectionMissingData": _skips(manifest),
        "dataPreprocessingProtocol": list(_protocols(manifest)),
        "dataAnnotationProtocol": [_annotation(manifest)],
        "machineAnnotationTools": sorted({recipe.tagger for recipe in manifest.recipes.values() if recipe.tagger}),
        "dataBiases": _findings(manifest, "warning", "error"),
        "dataLimitations": [*manifest.warnings, *_counts(manifest)],
        "dataUseCases": list(_USES),
        "personalSensitiveInformation": [_PEOPLE],
        "dataReleaseMaintenancePlan": _PLAN,
    }
    return {f"rai:{name}": value for name, value in fields.items() if value}


def _sources(manifest: Manifest) -> Iterator[str]:
    for source in {entry.title: entry for entry in manifest.sources.values()}.values():
        yield f"{source.title} ({', '.join(filter(None, (source.homepage, f'license: {source.license}')))})"


def _skips(manifest: Manifest) -> str:
    """What the ledger says of all inputs."""
    entries = [
        entry for config in manifest.configs.values() for split in config.ledger.values() for entry in split.values()
    ]
    reasons: Counter[str] = Counter()
    for entry in entries:
        reasons.update(entry.skipped)
    first = "; ".join(f"{printable(reason)}: {count:,}" for reason, count in reasons.most_common(_MOST_REASONS))
    more = len(reasons) - _MOST_REASONS
    base = (
        f"Of {sum(entry.seen for entry in entries):,} inputs, {sum(entry.paired for entry in entries):,} became pairs"
    )
    rest = f"; and {more} more reasons in manifest.json" if more > 0 else ""
    return f"{base}; the others were skipped, each with its reason. {first}{rest}" if reasons else f"{base}."


def _protocols(manifest: Manifest) -> Iterator[str]:
    for name, config in manifest.configs.items():
        recipe = manifest.recipes.get(name)
        made = f" Templates {recipe.templates}, seed {recipe.seed}." if recipe else ""
        yield f"{name}: {config.description}{made}"


def _annotation(manifest: Manifest) -> str:
    base = "The answer of every side follows from its source; where the source cannot tell, no pair was made."
    if (verdicts := manifest.verdicts) is None:
        return base
    return f"{base} People gave verdicts on {verdicts.given:,} pairs, of which {verdicts.used:,} were used."


def _findings(manifest: Manifest, *levels: str) -> list[str]:
    """What the audit found wanting."""
    findings = manifest.audit.findings if manifest.audit else ()
    return [f"{item.name} ({item.place}): {printable(item.message)}" for item in findings if item.level in levels]


def _counts(manifest: Manifest) -> Iterator[str]:
    audit = manifest.audit
    if audit:
        passed = sum(item.level == "ok" for item in audit.findings)
        yield f"`diptych check`: {passed} checks passed, {audit.warnings} warnings, {audit.errors} errors."
