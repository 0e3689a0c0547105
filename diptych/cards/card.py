"""The dataset card: rendered from the manifest alone, with what a person wants to know before using the data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined

from diptych.cards.audited import audit_rows, baseline_rows, leak_rows
from diptych.cards.chart import answers_chart
from diptych.cards.header import card_header, licence_fields
from diptych.cards.keeping import keep_sections
from diptych.cards.releases import releases_of

_CHART = "assets/answers.svg"

_environment = Environment(
    loader=PackageLoader("diptych.cards"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    autoescape=False,
)


class _Plain(yaml.SafeDumper):  # type: ignore[misc] # PyYAML ships no types
    """YAML that says everything where it belongs: the Hub's readers need not know anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def write_card(folder: Path, manifest: Mapping[str, Any]) -> Path:
    """Write the card of a built folder as its README.md, with its chart and, where need be, its licence file."""
    path = folder / "README.md"
    card = render_card(manifest)
    if path.is_file():
        card = keep_sections(card, path.read_text(encoding="utf-8"), str(path))
    path.write_text(card, encoding="utf-8")
    chart = folder / _CHART
    chart.parent.mkdir(exist_ok=True)
    chart.write_text(answers_chart(manifest), encoding="utf-8")
    if licence_fields(manifest).get("license_link"):
        text = _environment.get_template("licence.md.jinja").render(m=manifest, sources=_sources(manifest))
        (folder / "LICENSE.md").write_text(text, encoding="utf-8")
    return path


def render_card(manifest: Mapping[str, Any]) -> str:
    """The card of a build, from its manifest and nothing else."""
    template = _environment.get_template(f"{manifest['dataset']}.md.jinja")
    header = yaml.dump(card_header(manifest), Dumper=_Plain, sort_keys=False, allow_unicode=True, width=1000)
    return template.render(
        header=header,
        m=manifest,
        about=releases_of(manifest["dataset"]),
        chart=_CHART,
        ledger=ledger_rows(manifest),
        problems=problem_rows(manifest),
        images=with_images(manifest),
        pairs=pair_rows(manifest),
        examples=_examples(manifest),
        sources=_sources(manifest),
        audit=manifest.get("audit"),
        findings=audit_rows(manifest),
        leaks=leak_rows(manifest),
        baselines=baseline_rows(manifest),
    )


def _cell(text: object) -> str:
    """Text as a cell of a Markdown table: people's questions hold bars, angle brackets and line breaks."""
    return str(text).replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


_environment.filters["cell"] = _cell
_environment.filters["code"] = "`{}`".format


def ledger_rows(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The ledger as rows of a table: config, split, test, seen, paired, skipped and why."""
    return [
        {"config": name, "split": split, "test": test, "first": {}, **counts}
        for name, config in manifest["configs"].items()
        for split, ledger in config["ledger"].items()
        for test, counts in ledger.items()
    ]


def problem_rows(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What of the sources could not be used; a problem that several configs met alike is told of the first."""
    told: dict[tuple[str, str, int], dict[str, Any]] = {}
    for row in ledger_rows(manifest):
        for reason, problem in row.get("problems", {}).items():
            key = (row["split"], reason, problem["count"])
            told.setdefault(key, {"config": row["config"], "split": row["split"], "reason": reason, **problem})
    return list(told.values())


def with_images(manifest: Mapping[str, Any]) -> list[str]:
    """The configs that carry images."""
    splits = ((name, entry) for name, config in manifest["configs"].items() for entry in config["splits"].values())
    return list(dict.fromkeys(name for name, entry in splits if entry.get("images")))


def pair_rows(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Pairs, images and answer balance by config, split and test."""
    return [
        {"config": name, "split": split, "test": test, **numbers}
        for name, config in manifest["configs"].items()
        for split, entry in config["splits"].items()
        for test, numbers in entry["statistics"].items()
    ]


def _examples(manifest: Mapping[str, Any]) -> list[dict[str, str]]:
    """Three pairs of every test, each test once: from the first config and split that has it."""
    shown: dict[str, list[dict[str, str]]] = {}
    for config in manifest["configs"].values():
        for entry in config["splits"].values():
            for test in sorted({row["test"] for row in entry["examples"]} - set(shown)):
                shown[test] = [row for row in entry["examples"] if row["test"] == test]
    return [row for rows in shown.values() for row in rows]


def _sources(manifest: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """Every source once, by its title."""
    return list({source["title"]: source for source in manifest["sources"].values()}.values())
