"""The dataset card: rendered from the manifest alone, with what a person wants to know before using the data."""

from importlib.resources import files
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from diptych.builders import DatasetSpec, get_dataset
from diptych.cards._audit_tables import audit_rows, baseline_rows, leak_rows
from diptych.cards._chart import answers_chart
from diptych.cards._header import card_header, license_fields
from diptych.cards._releases import read_releases
from diptych.cards._sections import keep_sections
from diptych.errors import UnknownNameError
from diptych.files import reading, write_text
from diptych.folder import BuiltFolder, Example, Manifest, SourceEntry

CARD = "README.md"
_CHART = "assets/answers.svg"

_environment = Environment(
    loader=PackageLoader("diptych.cards"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    autoescape=False,
)


class _PlainDumper(yaml.SafeDumper):  # type: ignore[misc] # PyYAML ships no types
    """YAML that writes everything where it belongs: the Hub's readers need not know anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def write_card(folder: BuiltFolder) -> None:
    """Write the card of a built folder as its README.md, with its chart and, where necessary, its license file."""
    path = folder.path / CARD
    card = render_card(folder)
    if path.is_file():
        with reading(path, "mend it or remove it"):
            card = keep_sections(card, path.read_text(encoding="utf-8"), str(path))
    write_text(path, card)
    write_text(folder.path / _CHART, answers_chart(folder.manifest))
    if license_fields(folder.manifest).get("license_link"):
        template = _environment.get_template("license.md.jinja")
        text = template.render(manifest=folder.manifest, sources=_sources(folder.manifest))
        write_text(folder.path / "LICENSE.md", text)


def render_card(folder: BuiltFolder) -> str:
    """The card of a build, from its manifest and nothing else."""
    manifest = folder.manifest
    header = yaml.dump(card_header(folder), Dumper=_PlainDumper, sort_keys=False, allow_unicode=True, width=1000)
    return _template(manifest.dataset).render(
        header=header,
        manifest=manifest,
        spec=_spec(manifest.dataset),
        about=read_releases(manifest.dataset),
        chart=_CHART,
        ledger=ledger_rows(manifest),
        problems=problem_rows(manifest),
        images=configs_with_images(manifest),
        pairs=pair_rows(manifest),
        examples=_examples(manifest),
        sources=_sources(manifest),
        audit=manifest.audit,
        findings=audit_rows(manifest),
        leaks=leak_rows(manifest),
        baselines=baseline_rows(manifest),
    )


def _spec(dataset: str) -> DatasetSpec | None:
    try:
        return get_dataset(dataset).spec
    except UnknownNameError:
        return None  # built by a package that is not installed here


def _template(dataset: str) -> Template:
    """The template of a dataset's card: its own, that of its package, or the plain one."""
    own = f"{dataset}.md.jinja"
    if own in _environment.list_templates():
        return _environment.get_template(own)
    spec = _spec(dataset)
    if spec is None or not spec.card:
        return _environment.get_template("plain.md.jinja")
    package, _, name = spec.card.partition(":")
    return _environment.from_string((files(package) / name).read_text(encoding="utf-8"))


def _cell(text: object) -> str:
    """Text as a cell of a Markdown table: people's questions hold bars, angle brackets and line breaks."""
    return str(text).replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


_environment.filters["cell"] = _cell
_environment.filters["code"] = "`{}`".format


def ledger_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """The ledger as rows of a table: config, split, test, seen, paired, skipped and why."""
    return [
        {"config": name, "split": split, "test": test, **counts.model_dump()}
        for name, config in manifest.configs.items()
        for split, ledger in config.ledger.items()
        for test, counts in ledger.items()
    ]


def problem_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """Parts of the sources that could not be used; a problem that several configs share is listed once."""
    rows: dict[tuple[str, str, int], dict[str, Any]] = {}
    for row in ledger_rows(manifest):
        for reason, problem in row["problems"].items():
            key = (row["split"], reason, problem["count"])
            rows.setdefault(key, {"config": row["config"], "split": row["split"], "reason": reason, **problem})
    return list(rows.values())


def configs_with_images(manifest: Manifest) -> list[str]:
    """The configs that carry images."""
    return list(dict.fromkeys(name for name, _, entry in manifest.own_splits() if entry.images))


def pair_rows(manifest: Manifest) -> list[dict[str, Any]]:
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
