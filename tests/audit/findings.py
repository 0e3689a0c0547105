"""What an audit found, by the name of the check."""

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pyarrow as pa

from diptych.audit import audit_folder
from diptych.folder import AuditEntry, FindingEntry, Level
from diptych.pairs import Pair
from tests.folders import make_folder


def audit_pairs(path: Path, pairs: Sequence[Pair] | pa.Table) -> AuditEntry:
    """The audit of a folder with these pairs."""
    return audit_folder(make_folder(path, pairs))


def worst(audit: AuditEntry, name: str) -> FindingEntry:
    """The gravest finding of a check."""
    findings = [finding for finding in audit.findings if finding.name == name]
    return max(findings, key=lambda finding: get_args(Level).index(finding.level))


def errors(audit: AuditEntry) -> set[str]:
    """The checks that found errors."""
    return {finding.name for finding in audit.findings if finding.level == "error"}
