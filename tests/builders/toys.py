"""Small datasets on made-up records: one for each shape that read, plan and make can take."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pyarrow as pa

from diptych.builders import (
    BuildOptions,
    Candidates,
    Config,
    Dataset,
    DatasetSpec,
    Input,
    Item,
    Parameter,
    Part,
    Plan,
    Problem,
    Rows,
    Stage,
    Tools,
    build_into,
)
from diptych.folder import BuiltFolder
from diptych.pairs import Expectation, Pair, Row, Side, Skip
from diptych.sources import find_file

COLORS = ("white", "black", "red", "blue", "green", "brown", "yellow", "gray")
DARK_COLORS = ("black", "brown", "gray")
THINGS = ("cat", "car", "hat", "kite", "chair", "bus", "apple", "ball", "dog", "tree", "house")
SHARD_SIZE = 25

BRIGHT, DARK, COUPLES, RANKS = "toy.bright", "toy.dark", "toy.couples", "toy.ranks"
ODD_THING = Skip("the thing is odd")
NO_PARTNER = Skip("no partner")
NO_RANK = Skip("its color is the most frequent")


@dataclass(frozen=True, slots=True)
class Thing:
    """One line of the source file."""

    number: int
    image: str
    name: str
    color: str


@dataclass(frozen=True, slots=True)
class ColoredThing(Item):
    """What `read` makes of a thing."""

    image: str
    name: str
    color: str


def write_things(data: Path, count: int = 120) -> Path:
    """A data folder with a source file of made-up things."""
    (data / "things").mkdir(parents=True, exist_ok=True)
    with (data / "things" / "things.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        for number in range(count):
            draw = number * 2654435761 % 2**32
            color = COLORS[(draw // 11 % 128).bit_length()]
            writer.writerow([number, draw % 40, THINGS[draw // 7 % len(THINGS)], color])
    return data


class Toy(Dataset):
    """What the toys share: their records."""

    source_names: ClassVar[tuple[str, ...]] = ("things",)

    def is_present(self, options: BuildOptions) -> bool:
        """Whether the things are there."""
        return find_file(options.data, "things", "things.csv") is not None

    def parts(self, options: BuildOptions) -> list[Part]:
        """One split of all things."""
        file = find_file(options.data, "things", "things.csv")
        assert file is not None
        return [Part("train", {"things": Input("things", (file,), ColoredThing, SHARD_SIZE)})]

    def records(self, source: Input, options: BuildOptions) -> Iterator[Thing]:
        """The lines of the file."""
        with source.files[0].path.open(newline="") as lines:
            for number, image, name, color in csv.reader(lines):
                yield Thing(int(number), image, name, color)


def colored_thing(test: str, thing: Thing) -> ColoredThing:
    return ColoredThing(test, str(thing.number), thing.image, thing.name, thing.color)


def color_pair(item: ColoredThing, color: str, mark: str = "?") -> Pair:
    """A question about one color of a thing."""
    return Pair(
        test=item.test,
        expectation=Expectation.GIVEN,
        original=Side(item.image, f"What color is the {item.name}?", item.color),
        perturbed=Side(item.image, f"Is the {item.name} {color}{mark}", "yes" if color == item.color else "no"),
        answer_type="other",
        question_type="what color is the",
        source="things",
        source_id=item.key,
    )


class ToyColors(Toy):
    """Frequencies, a coin, and configs that differ by parameters: as rad-cads."""

    spec = DatasetSpec(
        name="toy-colors",
        version="1.0.0",
        title="Toy colors",
        default_config="all",
        parameters=(
            Parameter("mark", "?", "The last character of a question.", choices=("?", "!")),
            Parameter("most", 8, "How many colors are drawn from.", minimum=2, maximum=8),
        ),
        configs=(
            Config("all", "Both tests.", "things", (BRIGHT, DARK), unites=("bright", "dark")),
            Config("bright", "Bright colors.", "things", (BRIGHT,)),
            Config("dark", "Dark colors.", "things", (DARK,)),
            Config("loud", "Both tests, shouted.", "things", (BRIGHT, DARK), parameters={"mark": "!"}),
        ),
    )

    def read(self, record: Thing, tools: Tools) -> Iterator[Item | Skip | Problem]:
        """A thing with its color; every thirteenth is odd, and the first line is a problem."""
        test = DARK if record.color in DARK_COLORS else BRIGHT
        other_test = BRIGHT if test == DARK else DARK
        yield Skip("a color of the other test", test=other_test)
        yield ODD_THING.of(test) if record.number % 13 == 0 else colored_thing(test, record)
        if record.number == 0:
            yield Problem("the first line has no header", "things.csv:1")

    def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
        """The most frequent colors, and the mark."""
        counts = Counter(color for (color,) in candidates.rows.columns("color"))
        most = int(options.parameters.get("most", 8))
        names = sorted(counts, key=lambda color: (-counts[color], color))[:most]
        return Plan((names, options.parameters.get("mark", "?")))

    def make(self, item: ColoredThing, facts: tuple[list[str], str], rng: Random) -> Iterable[Row | Skip]:
        """The right color, or another one."""
        colors, mark = facts
        wrong = [color for color in colors if color != item.color]
        return [color_pair(item, item.color if rng.random() < 0.5 else rng.choice(wrong), mark)]


@dataclass(frozen=True, slots=True)
class Couple(Item):
    """One thing in two images and two colors."""

    name: str
    images: tuple[str, ...]
    colors: tuple[str, ...]


class ToyCouples(Toy):
    """Items that only a plan can make, by split, two pairs each: as carets and fvqa2."""

    spec = DatasetSpec(
        name="toy-couples",
        version="1.0.0",
        default_config="couples",
        judged_splits=("held_out", "train"),
        configs=(Config("couples", "One name, two colors.", "things", (COUPLES,)),),
    )

    def read(self, record: Thing, tools: Tools) -> Iterator[Item]:
        """Every thing."""
        yield colored_thing(COUPLES, record)

    def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
        """Couples of things; those of cats are held out."""
        splits: dict[str, list[Item | Skip]] = {"train": [], "held_out": []}
        for outcome in _couples(candidates.rows):
            splits["held_out" if isinstance(outcome, Couple) and outcome.name == "cat" else "train"].append(outcome)
        return Plan(None, splits, Couple, notes={"couples": "by name"}, shard_size=10)

    def make(self, item: Couple, facts: None, rng: Random) -> Iterator[Row | Skip]:
        """Each image with the color of the other."""
        order = [0, 1] if rng.random() < 0.5 else [1, 0]
        for first, second in (order, order[::-1]):
            question = f"Is the {item.name} {item.colors[first]}?"
            yield Pair(
                test=item.test,
                expectation=Expectation.DIFFERENT,
                original=Side(item.images[first], question, "yes"),
                perturbed=Side(item.images[second], question, "no"),
                answer_type="yes/no",
                question_type="is the",
                source="things",
                source_id=item.key,
            )


def _couples(rows: Rows) -> Iterator[Couple | Skip]:
    waiting: dict[str, tuple[str, str, str]] = {}
    for key, image, name, color in rows.columns("key", "image", "name", "color"):
        if name not in waiting:
            waiting[name] = key, image, color
            continue
        first_key, first_image, first_color = waiting[name]
        if first_image == image or first_color == color:
            yield NO_PARTNER
        else:
            del waiting[name]
            yield Couple(COUPLES, f"{first_key}+{key}", name, (first_image, image), (first_color, color))
    yield from (NO_PARTNER for _ in waiting)


@dataclass(frozen=True, slots=True)
class RankedThing(ColoredThing):
    """A thing and the colors that are more frequent than its own."""

    colors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A published row that is not a pair."""

    thing_id: str
    colors: tuple[str, ...]

    def row(self) -> dict[str, Any]:
        """The columns by name."""
        return {"thing_id": self.thing_id, "colors": list(self.colors)}


class ToyRanks(Toy):
    """A stage between plan and make that two configs share, and rows that are not pairs: as bqd."""

    spec = DatasetSpec(
        name="toy-ranks",
        version="1.0.0",
        default_config="pairs",
        configs=(
            Config("pairs", "Pairs about the best color.", "things", (RANKS,)),
            Config(
                "ranks",
                "The ranked colors.",
                "things",
                schema=pa.schema([("thing_id", pa.string()), ("colors", pa.list_(pa.string()))]),
            ),
        ),
    )
    stages = (Stage("rank", RankedThing),)

    def read(self, record: Thing, tools: Tools) -> Iterator[Item]:
        """Every thing."""
        yield colored_thing(RANKS, record)

    def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
        """The colors by frequency, and all things as items."""
        counts = Counter(color for (color,) in candidates.rows.columns("color"))
        return Plan(sorted(counts, key=lambda color: (-counts[color], color)), candidates.rows, ColoredThing)

    def rank(self, item: ColoredThing, facts: list[str], rng: Random) -> Iterator[Item | Skip]:
        """The colors before that of the thing."""
        colors = tuple(facts[: facts.index(item.color)])
        yield RankedThing(RANKS, item.key, item.image, item.name, item.color, colors) if colors else NO_RANK

    def plan_rank(self, rows: Rows, candidates: Candidates, facts: list[str], options: BuildOptions) -> Plan:
        """How many rows were ranked, and whether pairs are wanted."""
        return Plan((sum(1 for _ in rows), options.config is not None and options.config.name == "pairs"))

    def make(self, item: RankedThing, facts: tuple[int, bool], rng: Random) -> Iterable[Row | Skip]:
        """A pair about the most frequent color, or the ranks."""
        return [color_pair(item, item.colors[0], f" of {facts[0]}?") if facts[1] else RankedRow(item.key, item.colors)]


TOYS: tuple[type[Toy], ...] = (ToyColors, ToyCouples, ToyRanks)


def build_toy(dataset: Dataset, data: Path, folder: Path, *configs: str, **options: Any) -> BuiltFolder:
    """A toy built into `out` under a folder, with its finished shards in `work` beside it."""
    out = folder / "out"
    manifest = build_into(out, dataset, BuildOptions(data, configs, **options), str(folder / "work"))
    return BuiltFolder(out, manifest)
