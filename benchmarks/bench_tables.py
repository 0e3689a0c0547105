"""Claim: every table of the papers, with intervals and ties, takes five models seconds; each is printed once.

The pairs and the models are made up: each model has a skill of its own on either side, and one of them says what nobody
can read. `--pairs` sets how many pairs each family has, `--format` how the tables are printed.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from results import Claim, record

from diptych.metrics import Options, score_pairs
from diptych.metrics._explanations import explain_pairs
from diptych.metrics._figures import figure_sections
from diptych.metrics._paper_tables import COVERAGES, REGRESSION, make_tables
from diptych.metrics._rendering import render
from diptych.metrics.paired_vqa.references import References, encode_references
from diptych.metrics.paired_vqa.summary import model_rules

# The share right on the original side, right on the perturbed side where the original is right and where it is not, and
# the share that cannot be read. The first two differ by chance alone.
MODELS = {
    "large": (0.85, 0.90, 0.5, 0.0),
    "large, again": (0.85, 0.90, 0.5, 0.0),
    "brittle": (0.85, 0.55, 0.4, 0.0),
    "weak": (0.60, 0.70, 0.5, 0.0),
    "wordy": (0.80, 0.80, 0.5, 0.1),
}
COLORS = ("red", "green", "blue", "white", "black", "yellow")
Row = dict[str, Any]
KB_WORDS: dict[str, list[tuple[str, ...]]] = {
    "color_maximal": [
        ("silver car", "colour", "black car", "midnight blue car"),
        ("red wall", "colour", "green wall", "fuchsia wall"),
    ],
    "color_minimal": [
        ("green bag", "colour", "light green bag", "lime green bag"),
        ("pink bag", "colour", "lavender bag", "hot pink bag"),
    ],
    "synonym_adjective": [("small town", "size", "little town"), ("happy man", "feeling", "cheerful man")],
    "synonym_verb": [("talking man", "saying and meaning", "speaking man")],
    "hypernym_noun": [("cat", "animal", "feline"), ("shirt", "clothing", "garment")],
    "hyponym_noun": [("motorcycle", "vehicle", "moped"), ("dog", "animal", "puppy")],
    "sibling_noun": [("bathroom", "room", "kitchen"), ("bike", "vehicle", "truck")],
    "deletion_noun": [("animal", "animal", "")],
}
"""By test: what is asked for, the family of the word that is replaced, and what is asked for instead."""


def rad_pairs(number: int, rng: np.random.Generator) -> Row:
    """A question about a color, a count or a kind, and the yes/no question made of it."""
    test = ("rad.yn_from_color", "rad.yn_from_how_many", "rad.yn_from_what_kind", "rad.rephrasing")[number % 4]
    answer = str(rng.choice(COLORS))
    people = [answer] * int(rng.integers(2, 11))
    answers = (people + [str(color) for color in rng.choice(COLORS, 10)])[:10]
    return pair(test, "given", answer, str(rng.choice(["yes", "no"])), original_answers=answers)


def carets_pairs(number: int, rng: np.random.Generator) -> Row:
    """A yes/no question of one of the six tests."""
    tests = ("rephrase", "order", "ontological", "visual", "negation", "antonym")
    test, answer = tests[number % 6], ("yes", "no")[number // 6 % 2]
    other = {"yes": "no", "no": "yes"}[answer] if test in ("negation", "antonym") else answer
    operation = ("mask", "crop", "blur-3", "blur-6", "blur-9")[number // 12 % 5] if test == "visual" else ""
    type_ = ("conjunction", "disjunction")[number // 12 % 2]
    columns = {"question_type": type_, "operation": operation}
    return pair(f"carets.{test}", "same" if other == answer else "different", answer, other, **columns)


def bqd_pairs(number: int, rng: np.random.Generator) -> Row:
    """A main question in one of seven partitions; every fiftieth is only in the first."""
    question, partition = divmod(number, 7)
    type_ = ("other", "number", "yes/no")[question % 3]
    answer = {"other": COLORS[question % 6], "number": str(question % 5), "yes/no": ("yes", "no")[question % 2]}[type_]
    columns = {"answer_type": type_, "partition": 1 if question % 50 == 0 else partition + 1}
    return pair("bqd.gbqd", "same", answer, answer, source_id=str(question), **columns)


def kb_pairs(number: int, rng: np.random.Generator) -> Row:
    """A question with one word replaced, whose new answer is unknown; colors are replaced twice, as the paper does."""
    tests = "color_maximal color_minimal synonym_adjective synonym_verb hypernym_noun hyponym_noun sibling_noun".split()
    test = (*tests, "deletion_noun")[number // 2 % 8]
    is_color = test.startswith("color")
    colors = ("common", "uncommon")[number % 2] if is_color else ""
    old, family, *new = KB_WORDS[test][number // 16 % len(KB_WORDS[test])]
    text = new[number % 2] if is_color else new[0]
    relation = {"color_maximal": "distant colour", "color_minimal": "near colour"}.get(test, test.partition("_")[0])
    questions = [f"Where is the {word} of picture {number // 2}?".replace("  ", " ") for word in (old, text)]
    concept, word = (words.rsplit(" ", 1)[0] for words in (old, text))
    bindings = {"concept": concept, "family": family, "text": word}
    bindings["substitution"] = f"{concept} → a {relation}"
    columns = {"original_question": questions[0], "perturbed_question": questions[1], "colors": colors}
    columns |= {"bindings": json.dumps(bindings), "source_id": str(number // 2)}
    return pair(f"kb.{test}", "open", str(rng.choice(["yes", "no"])), "", **columns)


def fvqa_pairs(number: int, rng: np.random.Generator) -> Row:
    """A standard question of one of five folds, or an adversarial pair of it."""
    test = ("fvqa2.standard", "fvqa2.fix_q", "fvqa2.fix_a")[number % 3]
    answer = COLORS[number % 6]
    other = COLORS[(number + 1) % 6] if test == "fvqa2.fix_q" else answer
    rarity = ("0", "1-2", "3-9", "10-49", "50+")[number // 15 % 5]
    columns = {"fold": f"fold_{number // 3 % 5}", "source_id": str(number // 6), "answer_in_train": rarity}
    return pair(test, "different" if other != answer else "same", answer, other, **columns)


FAMILIES: dict[str, Callable[[int, np.random.Generator], Row]] = {
    "rad": rad_pairs,
    "carets": carets_pairs,
    "bqd": bqd_pairs,
    "kb": kb_pairs,
    "fvqa2": fvqa_pairs,
}


def pair(test: str, expectation: str, original: str, perturbed: str, **columns: Any) -> Row:
    """A pair with one right answer on each side, unless `columns` say otherwise."""
    row = {"test": test, "expectation": expectation, "original_answer": original, "perturbed_answer": perturbed}
    return row | {"original_answers": [original], "perturbed_answers": [perturbed] if perturbed else []} | columns


def answers(rows: list[Row], skills: tuple[float, ...], rng: np.random.Generator) -> Iterator[Row]:
    """The answers of a model with some skills."""
    original_skill, kept_skill, gained_skill, unread = skills
    for row in rows:
        is_right = rng.random() < original_skill
        right_answers = row["original_answer"], row["perturbed_answer"] or row["original_answer"]
        texts = [
            "I would rather not say." if rng.random() < unread else text if rng.random() < skill else wrong(text, rng)
            for text, skill in zip(
                right_answers, (float(is_right), kept_skill if is_right else gained_skill), strict=True
            )
        ]
        yield {"pair_id": row["pair_id"], "original": texts[0], "perturbed": texts[1]}


def wrong(answer: str, rng: np.random.Generator) -> str:
    """Another answer."""
    opposites = {"yes": "no", "no": "yes"}
    return opposites.get(answer) or str(rng.choice([color for color in (*COLORS, "7") if color != answer]))


def made_up(family: str, pairs: int) -> tuple[References, dict[str, pa.Table]]:
    """Pairs of a family, and the predictions of every model."""
    rng = np.random.default_rng(sorted(FAMILIES).index(family))
    rows = [FAMILIES[family](number, rng) | {"pair_id": f"{number:024x}"} for number in range(pairs)]
    for row in rows:
        row["original_image_id"] = str(rng.integers(0, pairs // 4 + 1))
    return encode_references(pa.Table.from_pylist(rows)), {
        name: pa.Table.from_pylist(list(answers(rows, skills, rng))) for name, skills in MODELS.items()
    }


def print_explanations(models: dict[str, Any], predictions: dict[str, pa.Table]) -> None:
    """Print the first global rules of every model, and examples in the form of the paper's Figures 3 to 10."""
    for name, model in models.items():
        print(f"{name}: global rules")
        for rule in model_rules(model.references, model.outcome)[:4]:
            print(f"  {rule.sentence()}")
    name = next(iter(models))
    print(f"\n{name}: local explanations")
    print("\n".join(figure_sections(explain_pairs(models[name], predictions[name], 2).figures)), end="\n\n")


def main() -> None:
    """Print every table of every family, and how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=4_000)
    parser.add_argument("--format", default="table")
    arguments = parser.parse_args()
    times = {}
    for family in FAMILIES:
        references, predictions = made_up(family, arguments.pairs)
        options, start = Options(family), time.perf_counter()
        models = {name: score_pairs(rows, references, options) for name, rows in predictions.items()}
        alone = time.perf_counter() - start
        tables = make_tables(models, options)
        times[family] = alone, time.perf_counter() - start - alone
        if family == "rad":
            tables += make_tables(models, options, [REGRESSION])
        if family == "carets":
            tables += make_tables(models, options, list(COVERAGES))
        if family == "kb":
            print_explanations(models, predictions)
        print(render(tables, arguments.format, f"{family}: {next(iter(models.values())).scope.sentence}"), end="\n\n")
    for family, (alone, together) in times.items():
        ratio = f"{together / alone:.1f} times as long"
        statement, size = (
            f"{family}: the tables of five models, beside their scores alone",
            f"{arguments.pairs:,} pairs",
        )
        record(
            Claim(
                f"tables-{family}", statement, together, "s", alone, "scores", together / alone, size, "docs/scoring.md"
            )
        )
        print(f"{family:<8} {arguments.pairs:,} pairs: {alone:.2f} s; their tables: {together:.2f} s ({ratio})")


if __name__ == "__main__":
    main()
