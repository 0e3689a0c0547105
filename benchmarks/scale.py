"""The arithmetic of docs/scale.md: measured rates times 10 million and 1 billion images, as tables in that page."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log

from results import Claim, Point

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


def _two_largest(points: Sequence[Point]) -> list[Point]:
    return sorted(points, key=lambda point: point.size)[-2:]


def growth(points: Sequence[Point]) -> float:
    """The exponent of the growth between the two largest sizes: 0 for none, 1 for linear; NaN for a single size.

    >>> growth([Point("", "", 10.0, 3.0), Point("", "", 100.0, 30.0)])
    1.0
    """
    if len(points) < 2:
        return float("nan")
    low, high = _two_largest(points)
    return log(high.value / low.value) / log(high.size / low.size)


def slope(points: Sequence[Point]) -> float:
    """What one more record takes between the two largest sizes; 0 where nothing grows, NaN for a single size.

    >>> slope([Point("", "", 10.0, 3.0), Point("", "", 20.0, 8.0)])
    0.5
    """
    if len(points) < 2:
        return float("nan")
    low, high = _two_largest(points)
    return max(0.0, (high.value - low.value) / (high.size - low.size))


def scale_tables(claims: Mapping[str, Claim], points: Sequence[Point]) -> dict[str, str]:
    """The tables of the page by name."""
    return {"work": _work_table(claims), "plans": _plan_table(claims, points)}


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


def _plan_table(claims: Mapping[str, Claim], points: Sequence[Point]) -> str:
    heads = "plan", "measured at", "memory", "bytes per record", "time", "facts", "at 10 million", "at 1 billion images"
    lines = [_row(*heads), _row("---", "---", *["---:"] * 6)]
    for name, (dataset, per_image, steps) in PLANS.items():
        for step in steps:
            method = step.replace("-", "_")
            series = [point for point in points if point.series == f"{name}.{method}"]
            cells = _plan_cells(claims, f"plans-{name}-{step}", per_image, slope(series))
            lines.append(_row(f"{dataset}: `{method}`", *cells))
    return "".join(lines)


def _plan_cells(claims: Mapping[str, Claim], name: str, per_image: float, megabytes: float) -> Iterator[str]:
    """What was measured of a plan, and its memory at other sizes if every record more takes so many megabytes."""
    claim = claims.get(f"{name}-memory")
    if claim is None or claim.ours is None:
        yield from ("not run", *[""] * 6)
        return
    yield from (claim.size, f"[{_bytes(claim.ours)}](../benchmarks/RESULTS.md#{name}-memory)", _digits(1e6 * megabytes))
    yield from (f"{_digits(_value(claims, f'{name}-time'))} s", _bytes(_value(claims, f"{name}-facts")))
    for images in IMAGES.values():
        more = max(0.0, per_image * images - first_number(claim.size))
        yield _bytes(claim.ours + more * megabytes)


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
