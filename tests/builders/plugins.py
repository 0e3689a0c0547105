"""An installed package that brings a dataset of its own: templates, card and entry point."""

from pathlib import Path

MODULE = '''
from dataclasses import replace

from diptych.pairs import Expectation, Pair, Side
from tests.builders.toys import ToyColors

class Fruit(ToyColors):
    """The toy of colors under another name, worded by a template."""

    spec = replace(
        ToyColors.spec, name="fruit", title="Fruit", templates="package", score_family="rad", card="fruit:card.md.jinja"
    )

    def plan(self, candidates, options):
        plan = super().plan(candidates, options)
        return replace(plan, facts=(plan.facts, self.load_templates(options)["fruit.color"]))

    def make(self, item, facts, rng):
        facts, template = facts
        (pair,) = super().make(item, facts, rng)
        color = pair.perturbed.question.split()[-1].rstrip("?!")
        question = template.render(subject=f"the {item.name}", value=color)
        side = replace(pair.perturbed, question=question)
        return [replace(pair, perturbed=side, template_id=template.id, template_hash=template.hash)]
'''

TEMPLATE = """
test = "toy.bright"

[slots]
subject = ["the cat", "the apple"]
value = ["white", "red"]

[[template]]
id = "fruit.color"
text = "Is {{ subject }} of the color {{ value }}?"
"""

CARD = """---
{{ header }}---
# {{ title }}

A card of its own with {{ pairs | length }} rows.
"""


def write_plugin(site: Path, module: str = MODULE, entry: str = "fruit = fruit:Fruit") -> Path:
    """A folder of installed packages with one plugin in it."""
    package, metadata = site / "fruit", site / "fruit-1.0.dist-info"
    (package / "templates" / "fruit").mkdir(parents=True)
    metadata.mkdir()
    (package / "__init__.py").write_text(module)
    (package / "templates" / "fruit" / "bright.toml").write_text(TEMPLATE)
    (package / "card.md.jinja").write_text(CARD)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: fruit\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[diptych.datasets]\n{entry}\n")
    return site
