"""The dataset card: rendered from the manifest alone, with what a person wants to know before using the data."""

from collections.abc import Mapping
from importlib.resources import files
from itertools import islice
from typing import Any
from xml.sax.saxutils import escape

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from diptych.audit import finding
from diptych.cards._header import CARD, card_header, dataset_spec, license_fields, read_releases
from diptych.cards._markdown import block, cell, code, keep_sections, line, url
from diptych.files import read_text, reading, write_text
from diptych.folder import BuiltFolder, Example, FindingEntry, Manifest, SourceEntry

_CHART = "assets/answers.svg"
_SCORES = 6  # columns of the table of baselines


def text_environment(package: str, folder: str = "templates") -> Environment:
    """The templates of a package, for texts in which nothing is HTML, with filters for text in Markdown."""
    spacing: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "keep_trailing_newline": True}
    environment = Environment(
        loader=PackageLoader(package, folder), undefined=StrictUndefined, autoescape=False, **spacing
    )
    environment.filters |= {"cell": cell, "code": code, "line": line, "block": block, "url": url}
    return environment


_environment = text_environment(__package__)


def write_card(folder: BuiltFolder) -> None:
    """Write the card of a built folder as its README.md, with its chart and, where necessary, its license file."""
    path = folder.path / CARD
    card = render_card(folder)
    if path.is_file():
        with reading(path, "mend it or remove it"):
            card = keep_sections(card, read_text(path), str(path))
    write_text(path, card)
    write_text(folder.path / _CHART, answers_chart(folder.manifest))
    if license_fields(folder.manifest).get("license_link"):
        template = _environment.get_template("license.md.jinja")
        text = template.render(manifest=folder.manifest, sources=_sources(folder.manifest))
        write_text(folder.path / "LICENSE.md", text)


def render_card(folder: BuiltFolder) -> str:
    """The card of a build, from its manifest and nothing else."""
    manifest = folder.manifest
    header = yaml.safe_dump(card_header(folder), sort_keys=False, allow_unicode=True, width=1000)
    return _template(manifest.dataset).render(
        header=header,
        manifest=manifest,
        spec=dataset_spec(manifest.dataset),
        about=read_releases(manifest.dataset),
        chart=_CHART,
        ledger=_ledger_rows(manifest),
        problems=_problem_rows(manifest),
        images=list(dict.fromkeys(name for name, _, entry in manifest.own_splits() if entry.images)),
        pairs=_pair_rows(manifest),
        examples=_examples(manifest),
        sources=_sources(manifest),
        audit=manifest.audit,
        findings=_audit_rows(manifest),
        leaks=_leak_rows(manifest),
        baselines=_baseline_rows(manifest),
        results=_result_rows(manifest),
    )


def _template(dataset: str) -> Template:
    """The template of a dataset's card: its own, that of its package, or the plain one."""
    own = f"{dataset}.md.jinja"
    if own in _environment.list_templates():
        return _environment.get_template(own)
    spec = dataset_spec(dataset)
    if spec is None or not spec.card:
        return _environment.get_template("plain.md.jinja")
    package, _, name = spec.card.partition(":")
    return _environment.from_string((files(package) / name).read_text(encoding="utf-8"))


def answers_chart(manifest: Manifest) -> str:
    """A small picture of how the perturbed answers divide into yes, no and others, by config and test."""
    rows = []
    for name, config in manifest.configs.items():
        for test in config.tests:
            statistics = [split.statistics[test] for split in config.splits.values() if test in split.statistics]
            pairs = sum(numbers.pairs for numbers in statistics)
            if pairs:
                yes, no = (sum(n.perturbed_answers.get(word, 0) for n in statistics) for word in ("yes", "no"))
                label = escape(f"{name}: {test}")
                rows.append((label, pairs, yes / pairs, no / pairs, (pairs - yes - no) / pairs))
    return _environment.get_template("answers.svg.jinja").render(rows=rows, height=58 + 26 * len(rows))


def _ledger_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """The ledger as rows of a table: config, split, test, seen, paired, skipped and why."""
    return [
        {"config": name, "split": split, "test": test, **counts.model_dump()}
        for name, config in manifest.configs.items()
        for split, ledger in config.ledger.items()
        for test, counts in ledger.items()
    ]


def _problem_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """Parts of the sources that could not be used; a problem that several configs share is listed once."""
    rows: dict[tuple[str, str, int], dict[str, Any]] = {}
    for row in _ledger_rows(manifest):
        for reason, problem in row["problems"].items():
            key = (row["split"], reason, problem["count"])
            rows.setdefault(key, {"config": row["config"], "split": row["split"], "reason": reason, **problem})
    return list(rows.values())


def _pair_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """Pairs, images and answer balance by config, split and test."""
    return [
        {"config": name, "split": split, "test": test, **numbers.model_dump()}
        for name, split, entry in manifest.own_splits()
        for test, numbers in entry.statistics.items()
    ]


def _examples(manifest: Manifest) -> list[Example]:
    """Three pairs of every test, each test once: from the first config and split that has it."""
    examples: dict[str, list[Example]] = {}
    for _, _, entry in manifest.own_splits():
        for test in sorted({row.test for row in entry.examples} - set(examples)):
            examples[test] = [row for row in entry.examples if row.test == test]
    return [row for rows in examples.values() for row in rows]


def _sources(manifest: Manifest) -> list[SourceEntry]:
    """Every source once, by its title."""
    return list({source.title: source for source in manifest.sources.values()}.values())


def _findings(manifest: Manifest, name: str | None = None) -> list[FindingEntry]:
    findings = manifest.audit.findings if manifest.audit else ()
    return [entry for entry in findings if name is None or entry.name == name]


def _audit_rows(manifest: Manifest) -> list[FindingEntry]:
    """One row per check where all is well, and one more for everything that is not."""
    rows = []
    for name in dict.fromkeys(entry.name for entry in _findings(manifest)):
        of_check = _findings(manifest, name)
        fine = [entry for entry in of_check if entry.level == "ok"]
        rows += fine if len(fine) < 2 else [finding(name, "ok", "no problems", f"{len(fine)} of {len(of_check)}")]
        rows += [entry for entry in of_check if entry.level != "ok"]
    return rows


def _leak_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """Answer balance and the question-only classifier side by side, by config and test."""
    balances = {entry.place: entry.numbers for entry in _findings(manifest, "answer balance")}
    leaks = {entry.place: entry.numbers for entry in _findings(manifest, "question only")}
    rows = []
    for place, numbers in balances.items():
        if "yes" in numbers:
            leak = leaks.get(place, {})
            shares = {"question": _interval(leak, "accuracy"), "chance": _share(leak.get("chance"))}
            n = numbers.get("n")
            counts = {"n": n if isinstance(n, int) else 0, "yes": _interval(numbers, "yes")}
            rows.append({"place": place, **counts, **shares})
    return rows


def _baseline_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """What every model that does not look scores in every config; undefined scores are dashes."""
    rows = []
    for entry in _findings(manifest, "degenerate baselines"):
        for model, scores in entry.numbers.items():
            if isinstance(scores, dict):
                shares = {name: _share(value) for name, value in islice(scores.items(), _SCORES)}
                rows.append({"config": entry.place, "model": model, "scores": shares})
    return rows


def _result_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """The scores of models with their intervals, and how far the first model is ahead of each of the others."""
    results = manifest.results or ()
    tables = [(entry.model, entry, entry.scores) for entry in results]
    tables += [(f"{results[0].model} ahead of {entry.model} by", entry, entry.lead) for entry in results if entry.lead]
    rows = []
    for label, entry, scores in tables:
        names = islice(results[0].scores, _SCORES)
        numbers = {name: scores[name].model_dump(exclude_none=True) if name in scores else {} for name in names}
        unit = " points" if scores is entry.lead else " %"
        shares = {name: _interval(values, "value").replace(" %", unit) for name, values in numbers.items()}
        place = f"{entry.config}/{entry.split}"
        rows.append({"model": label, "place": place, "pairs": entry.pairs, "scores": shares})
    return rows


def _interval(numbers: Mapping[str, Any], name: str) -> str:
    if name not in numbers:
        return "–"
    if "low" not in numbers:
        return _share(numbers[name])
    low, high = (_share(numbers.get(end)).removesuffix(" %") for end in ("low", "high"))
    return f"{_share(numbers[name])} ({low} to {high})"


def _share(value: object) -> str:
    return f"{100 * value:.1f} %" if isinstance(value, int | float) else "–"
