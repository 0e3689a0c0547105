"""Validate `croissant.json` of folders and load all records; the arguments are the folders."""

import sys

import mlcroissant
from replies import write_results

results = {}
for folder in sys.argv[1:]:
    dataset = mlcroissant.Dataset(jsonld=f"{folder}/croissant.json")
    issues, metadata = dataset.metadata.issues, dataset.metadata
    counts = {record_set.uuid: sum(1 for _ in dataset.records(record_set.uuid)) for record_set in metadata.record_sets}
    checks = {
        "version": metadata.ctx.conforms_to.value,
        "errors": sorted(issues.errors),
        "warnings": sorted(issues.warnings),
    }
    results[folder] = {**checks, "records": counts}
write_results(results)
