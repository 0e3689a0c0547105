"""The audit: what can be checked of a built folder without looking at how it was made."""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from itertools import chain
from pathlib import Path

import pyarrow as pa

from diptych.audit import _files
from diptych.audit._answers import check_balance, check_baselines
from diptych.audit._grammar import check_grammar
from diptych.audit._leaks import check_gist, check_leaks, check_pooled_leaks
from diptych.audit._oracle import check_oracle, check_without_oracle
from diptych.audit._rows import check_duplicates, check_integrity, check_rankings
from diptych.audit._tables import AuditedFolder, finding, result
from diptych.builders import AuditRules, LocalEngine, get_dataset
from diptych.errors import UnknownNameError
from diptych.folder import AuditEntry, BuiltFolder, FindingEntry
from diptych.progress import progress

Check = Callable[[AuditedFolder], Iterable[FindingEntry]]

_FILE_CHECKS: tuple[Check, ...] = (_files.check_hashes, _files.check_contents, _files.check_row_groups)
_NEW_FILE_CHECKS: tuple[Check, ...] = (_files.check_page_indexes, _files.check_row_groups)
_ROW_CHECKS: tuple[Check, ...] = (check_integrity, check_rankings, check_duplicates)
_WORD_CHECKS: tuple[Check, ...] = (check_balance, check_baselines, check_leaks, check_pooled_leaks, check_gist)
_SLOW_CHECKS = frozenset(
    (check_grammar, check_leaks, check_pooled_leaks, check_integrity, check_baselines)
)  # begun first, so that no worker waits long


def audit_folder(
    folder: BuiltFolder, data: Path | None = None, just_built: bool = False, processes: int = 1
) -> AuditEntry:
    """Check a built folder; what cannot be read is a finding.

    With `data`, the folder of the source files, the oracle of the dataset answers every question again. A folder that
    was just built was hashed while it was written, and its hashes are not computed again.
    """
    rules, oracle = _rules(folder.manifest.dataset)
    checks = (
        *(_NEW_FILE_CHECKS if just_built else _FILE_CHECKS),
        *_ROW_CHECKS,
        *_WORD_CHECKS,
        check_grammar,
        _files.check_images,
    )
    with progress("audit", len(checks) + 2) as advance:
        audited, schema = _files.open_audited(folder, rules)
        advance(1)
        results: dict[int, list[FindingEntry]] = {}
        tasks = sorted(enumerate(checks), key=lambda task: task[1] not in _SLOW_CHECKS)
        with closing(LocalEngine(processes)) as engine:
            for number, result_of_check in engine.run(partial(_run_check, audited), tasks):
                results[number] = result_of_check
                advance(1)
        findings = [schema, *chain.from_iterable(results[number] for number in sorted(results))]
        findings += [check_without_oracle(oracle)] if data is None else check_oracle(audited, oracle, data)
        advance(1)
    return audit_entry(findings)


def _run_check(audited: AuditedFolder, task: tuple[int, Check]) -> tuple[int, list[FindingEntry]]:
    pa.default_memory_pool().release_unused()  # what the build or another check has read is not for this one
    number, check = task
    return number, list(check(audited))


def audit_entry(findings: Iterable[FindingEntry]) -> AuditEntry:
    """The findings with their counts, as the manifest holds them."""
    listed = tuple(findings)
    counts = Counter(entry.level for entry in listed)
    return AuditEntry(errors=counts["error"], warnings=counts["warning"], findings=listed)


def _rules(name: str) -> tuple[AuditRules, str]:
    """What the audit of a dataset must show; a dataset whose package is not installed has no rules of its own."""
    try:
        spec = get_dataset(name).spec
    except UnknownNameError:
        return AuditRules(), ""
    return spec.audit, spec.oracle


__all__ = ["audit_entry", "audit_folder", "finding", "result"]
