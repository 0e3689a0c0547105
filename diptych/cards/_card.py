"""The dataset card: rendered from the manifest alone, with what a person wants to know before using the data."""

from dataclasses import replace
from importlib.resources import files
from typing import Any
from xml.sax.saxutils import escape

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from diptych.cards import _tables
from diptych.cards._header import CARD, card_header, dataset_spec, dataset_title, license_fields
from diptych.cards._markdown import block, cell, code, keep_sections, line, split_sections, url
from diptych.cards._place import CardPlace
from diptych.errors import printable
from diptych.files import read_text, reading, write_text
from diptych.folder import BuiltFolder, Manifest

_CHART = "assets/answers.svg"
_LONGEST_LABEL = 48  # characters beside a bar of the chart


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
        with reading(path, "fix it or remove it"):
            card = keep_sections(card, read_text(path), str(path))
    write_text(path, card)
    chart = answers_chart(folder.manifest)
    if chart:
        write_text(folder.path / _CHART, chart)
    else:
        (folder.path / _CHART).unlink(missing_ok=True)
    if license_fields(folder.manifest).get("license_link"):
        template = _environment.get_template("license.md.jinja")
        text = template.render(manifest=folder.manifest, sources=_tables.sources(folder.manifest))
        write_text(folder.path / "LICENSE.md", text)


def render_card(folder: BuiltFolder) -> str:
    """The card of a build, from its manifest and nothing else, which also names the place where it is published."""
    manifest = folder.manifest
    header = yaml.safe_dump(card_header(folder), sort_keys=False, allow_unicode=True, width=1000)
    return _template(manifest.dataset).render(
        header=header,
        manifest=manifest,
        folder=folder,
        place=CardPlace.of(manifest),
        spec=dataset_spec(manifest.dataset),
        title=dataset_title(manifest.dataset),
        chart=_CHART if _chart_rows(manifest) else "",
        images=list(dict.fromkeys(name for name, _, entry in manifest.own_splits() if entry.images)),
        audit=manifest.audit,
        **_tables.card_tables(manifest),
    )


def is_own_card(folder: BuiltFolder, card: str) -> bool:
    """Whether a card is the one that we write for a folder, apart from its hand-written sections."""
    return split_sections(card)[0] == split_sections(render_card(folder))[0]


def card_content(folder: BuiltFolder, card: str) -> tuple[list[str], list[str]]:
    """What a card of a folder says under any version and in any place: its lines, and its hand-written sections.

    The lines are those of the card without a place, unless somebody wrote into it outside of its sections.
    """
    lines, sections = split_sections(card)
    if is_own_card(folder, card):
        plain = replace(folder, manifest=folder.manifest.edited(version="0.0.0"))
        lines = split_sections(render_card(plain))[0]
    return lines, sections


def _template(dataset: str) -> Template:
    """The template of a dataset's card: its own, that of its package, or the plain one."""
    name = f"{dataset}.md.jinja"
    if name in _environment.list_templates():
        return _environment.get_template(name)
    spec = dataset_spec(dataset)
    if spec is None or not spec.card:
        return _environment.get_template("plain.md.jinja")
    package, _, file = spec.card.partition(":")
    return _environment.from_string((files(package) / file).read_text(encoding="utf-8"))


def answers_chart(manifest: Manifest) -> str:
    """A small picture of how the perturbed answers divide into yes, no and others; empty without any yes and no."""
    rows = _chart_rows(manifest)
    return _environment.get_template("answers.svg.jinja").render(rows=rows, height=58 + 26 * len(rows)) if rows else ""


def _chart_rows(manifest: Manifest) -> list[tuple[str, int, float, float, float]]:
    """The shares of yes, no and others by config and test, where some answers are yes or no."""
    rows = []
    for name, config in manifest.configs.items():
        for test in config.tests:
            statistics = [split.statistics[test] for split in config.splits.values() if test in split.statistics]
            pairs = sum(numbers.pairs for numbers in statistics)
            yes, no = (sum(n.perturbed_answers.get(word, 0) for n in statistics) for word in ("yes", "no"))
            if pairs and yes + no:
                label = escape(printable(f"{name}: {test}", _LONGEST_LABEL))
                rows.append((label, pairs, yes / pairs, no / pairs, (pairs - yes - no) / pairs))
    return rows
