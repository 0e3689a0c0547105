"""Renders a second: our templates beside plain Jinja, without a sandbox, on the same texts and values."""

import time
from collections.abc import Callable

from jinja2 import Environment, StrictUndefined
from results import Claim, record

from diptych.templates import Template
from diptych.templates._grammar import FILTERS, FUNCTIONS

RENDERS = 50_000
ROUNDS = 5
CASES = {
    "two slots": ("Is the color of {{ subject }} {{ value }}?", {"subject": "the cat", "value": "white"}),
    "grammar": (
        "{{ be(count) }} there {{ count | word }} {{ noun | agree(count) }} {{ rest }}?",
        {"count": 5, "noun": "athletes", "rest": "on the field"},
    ),
    "list": ("Is it {{ things | a | either }}?", {"things": ["dog", "owl", "cat"]}),
}


def rate(render: Callable[[], str]) -> float:
    """The best of a few rounds, in renders a second of processor time."""
    render()
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(RENDERS):
            render()
        best = min(best, time.process_time() - start)
    return RENDERS / best


def main() -> None:
    """Print one line a case."""
    plain = Environment(undefined=StrictUndefined, autoescape=False)
    plain.filters |= FILTERS
    plain.globals |= FUNCTIONS
    print(f"{'template':10} {'ours':>12} {'plain Jinja':>12}  ratio")
    for name, (text, values) in CASES.items():
        ours = Template(name, "bench.templates", text)
        theirs = plain.from_string(text)
        mine, other = rate(lambda t=ours, v=values: t.render(**v)), rate(lambda t=theirs, v=values: t.render(**v))
        print(f"{name:10} {mine:10,.0f}/s {other:10,.0f}/s  {mine / other:.2f}")
        claim, statement = f"templates-{name.replace(' ', '-')}", f"templates: {name}, one core"
        record(Claim(claim, statement, mine, "renders/s", other, "plain Jinja", mine / other, f"{RENDERS:,} renders"))


if __name__ == "__main__":
    main()
