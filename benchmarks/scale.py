"""The arithmetic of docs/scale.md: measured rates times 10 million and 1 billion images, as tables in that page."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil

from results import Claim

IMAGES = {"10 million images": 1e7, "1 billion images": 1e9}
PRICE = 0.05  # dollars of a core for an hour
QUESTIONS_PER_IMAGE = 658_111 / 123_287  # VQA v2, training and validation
MAINS_PER_IMAGE, BASICS_PER_IMAGE = 2.0, 1.5  # distinct questions, about as VQA v2 has them
COLUMNS = 186_027
_MARKERS = "<!-- computed: {} -->", "<!-- end -->"


@dataclass(frozen=True)
class Work:
    """What a dataset does with every image: its records, and processor seconds of a record by how many images."""

    dataset: str
    unit: str
    per_image: float
    claim: str
    seconds: Callable[[Mapping[str, Claim], float], float]


def _value(claims: Mapping[str, Claim], name: str) -> float:
    claim = claims.get(name)
    return float("nan") if claim is None or claim.ours is None else claim.ours


def first_number(text: str) -> float:
    """The number that a text begins with.

    >>> first_number("658,111 questions")
    658111.0
    """
    match = re.match(r"[\d,.]+", text)
    return float(match[0].replace(",", "")) if match else float("nan")


def _rank_seconds(claims: Mapping[str, Claim], images: float) -> float:
    """A ranking over the pool of so many images: as measured up to now, and from there on with the scans, linearly."""
    return _value(claims, "lasso-topics-1e-2") * max(1.0, BASICS_PER_IMAGE * images / COLUMNS)


WORK = (
    Work("rad-cads", "questions", QUESTIONS_PER_IMAGE, "build-one", lambda claims, _: 1 / _value(claims, "build-one")),
    Work("kb-counterfactuals", "questions", QUESTIONS_PER_IMAGE, "kb-build", lambda claims, _: _kb_seconds(claims)),
    Work("carets", "scene graphs", 1.0, "carets-linear", lambda claims, _: _value(claims, "carets-linear") / 1000),
    Work("bqd", "main questions", MAINS_PER_IMAGE, "lasso-topics-1e-2", _rank_seconds),
)


def _kb_seconds(claims: Mapping[str, Claim]) -> float:
    claim = claims.get("kb-build")
    return _value(claims, "kb-build") * 2 / first_number(claim.size) if claim else float("nan")


def scale_tables(claims: Mapping[str, Claim]) -> dict[str, str]:
    """The tables of the page by name."""
    return {"work": _work_table(claims), "plans": _plan_table(claims)}


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def _work_table(claims: Mapping[str, Claim]) -> str:
    lines = [_row("dataset", "of each", "ms", "images", "records", "core-hours", "cores for a day", "dollars")]
    lines.append(_row("---", "---", "---:", "---:", "---:", "---:", "---:", "---:"))
    for work in WORK:
        link = f"[{_digits(1000 * work.seconds(claims, 0))}](../benchmarks/RESULTS.md#{work.claim})"
        for name, images in IMAGES.items():
            hours = work.per_image * images * work.seconds(claims, images) / 3600
            cells = name.removesuffix(" images"), _digits(work.per_image * images), _digits(hours)
            days = "" if hours != hours else f"{ceil(hours / 24):,}"
            lines.append(_row(work.dataset, work.unit, link, *cells, days, _digits(PRICE * hours)))
    return "".join(lines)


PLANS = {
    "rad": ("rad-cads", QUESTIONS_PER_IMAGE, ("plan",)),
    "rad-matched": ("rad-cads, `matched`", QUESTIONS_PER_IMAGE, ("plan",)),
    "kb": ("kb-counterfactuals", QUESTIONS_PER_IMAGE, ("plan",)),
    "carets": ("carets", 1.0, ("plan", "plan-sample")),
    "bqd": ("bqd", MAINS_PER_IMAGE, ("plan", "plan-encode", "plan-rank")),
    "fvqa2": ("fvqa2", 0.0, ("plan",)),
}
"""By the name of `bench_plans`: the dataset, records of an image (of fvqa2, none: it does not grow), and its steps."""


def _plan_table(claims: Mapping[str, Claim]) -> str:
    lines = [_row("plan", "measured at", "memory", "time", "facts", "memory at 10 million", "at 1 billion images")]
    lines.append(_row("---", "---", "---:", "---:", "---:", "---:", "---:"))
    for name, (dataset, per_image, steps) in PLANS.items():
        for step in steps:
            lines += _plan_rows(claims, f"plans-{name}-{step}", f"{dataset}: `{step.replace('-', '_')}`", per_image)
    return "".join(lines)


def _plan_rows(claims: Mapping[str, Claim], name: str, title: str, per_image: float) -> Iterator[str]:
    claim = claims.get(f"{name}-memory")
    if claim is None or claim.ours is None:
        yield _row(title, "not run", "", "", "", "", "")
        return
    measured = first_number(claim.size)
    at = [_bytes(_memory(claim, per_image * images / measured)) for images in IMAGES.values()]
    cells = [f"[{_bytes(claim.ours)}](../benchmarks/RESULTS.md#{name}-memory)"]
    cells.append(f"{_digits(_value(claims, f'{name}-time'))} s")
    cells.append(_bytes(_value(claims, f"{name}-facts")))
    yield _row(title, claim.size, *cells, *at)


def _memory(claim: Claim, factor: float) -> float:
    """The memory at so many times the measured size: in proportion, unless the measurement notes that it is bounded."""
    match = re.search(r"power of (-?[\d.]+)", claim.note)
    is_bounded = match is not None and float(match[1]) < 0.5
    return (claim.ours or 0.0) * (1.0 if is_bounded else max(1.0, factor))


def _bytes(megabytes: float) -> str:
    """Megabytes in the unit that fits them.

    >>> _bytes(12.3), _bytes(45_600.0), _bytes(7.8e6)
    ('12 MB', '46 GB', '7.8 TB')
    """
    for size, unit in ((1e6, "TB"), (1e3, "GB")):
        if megabytes >= size:
            return f"{megabytes / size:.2g} {unit}" if megabytes < 100 * size else f"{megabytes / size:,.0f} {unit}"
    return f"{megabytes:.2g} MB" if megabytes < 100 else f"{megabytes:,.0f} MB"


def _digits(value: float) -> str:
    """A number with two significant digits."""
    if value != value:
        return "not run"
    return f"{value:.2g}" if value < 100 else f"{float(f'{value:.2g}'):,.0f}"


def fill_in(page: str, tables: Mapping[str, str]) -> str:
    """The page with each table between its markers."""
    for name, table in tables.items():
        start, end = _MARKERS[0].format(name), _MARKERS[1]
        before, found, rest = page.partition(f"{start}\n")
        if found:
            page = f"{before}{start}\n\n{table}\n{end}{rest.partition(end)[2]}"
    return page
