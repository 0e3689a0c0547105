"""The audit: what can be checked of a built folder without looking at how it was made."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from diptych.builders.manifest_file import read_manifest
from diptych.cards.audit.balance import balance, degenerate
from diptych.cards.audit.built import Built, read_folder
from diptych.cards.audit.carded import card
from diptych.cards.audit.duplicates import duplicates
from diptych.cards.audit.files import contents, hashes, row_groups
from diptych.cards.audit.finding import LEVELS, Audit, Finding, Level
from diptych.cards.audit.grammar import grammar
from diptych.cards.audit.images import images
from diptych.cards.audit.integrity import integrity
from diptych.cards.audit.oracle import oracle, oracle_from_sources, register_oracle
from diptych.cards.audit.rankings import rankings
from diptych.cards.audit.wording import question_only
from diptych.progress import progress

CHECKS: tuple[Callable[[Built], Iterable[Finding]], ...] = (
    hashes,
    contents,
    row_groups,
    integrity,
    rankings,
    duplicates,
    balance,
    degenerate,
    question_only,
    grammar,
    images,
    oracle,
)
"""Every check, in the order in which its findings are told."""


def audit_folder(folder: Path, with_card: bool = True, data: Path | None = None) -> Audit:
    """Check a built folder; what cannot be read is a finding, and a folder that was not built an error.

    With `data`, the folder of the source files, the dataset's oracle answers every question again.
    """
    checks = (*CHECKS, card) if with_card else CHECKS
    if data is not None:
        checks = (*(check for check in checks if check is not oracle), partial(oracle_from_sources, data=data))
    with progress("audit", len(checks) + 1) as advance:
        built = read_folder(folder)
        advance(1)
        findings = list(built.faults)
        for check in checks:
            findings += check(built)
            advance(1)
    return Audit(tuple(findings))


def add_audit(folder: Path) -> dict[str, Any]:
    """Audit a built folder and put the findings into its manifest, which is returned; the card comes after."""
    manifest = read_manifest(folder)
    manifest["audit"] = audit_folder(folder, with_card=False).as_json()
    (folder / "manifest.json").write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    return manifest


__all__ = [
    "CHECKS",
    "LEVELS",
    "Audit",
    "Finding",
    "Level",
    "add_audit",
    "audit_folder",
    "register_oracle",
]
