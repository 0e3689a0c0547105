"""CARETS: what words and gist tell of the answers, with matched absences and with the paper's, and yields by type.

The evaluators share no code with the builder: they read the published rows and the raw scene graphs. Gist is a naive
Bayes score of an object by the names beside it in the image, learned from the other half of the images; what the object
may be called by or is part of is left out. Takes the real graphs where DIPTYCH_DATA (or ../shared/data) has them.

python benchmarks/bench_carets_leaks.py [SETTING ...]
"""

import gzip
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from results import Claim, record
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold
from workers import real_or_small

from diptych import build
from diptych.builders.carets._questions import TABLE_6
from diptych.language import singular
from diptych.scenegraphs import ontology

SIDES = ("original", "perturbed")
MOST = 10_000
"""More than about twice as many questions are not classified, for time; those of some images are then left out."""
Rows = list[dict[str, Any]]


def read_names(data: Path) -> dict[str, set[str]]:
    """The names of the objects of every image."""
    path = next((data / "gqa").glob("val_sceneGraphs.json*"))
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        graphs = json.load(file)
    return {
        image: {singular(thing["name"]) for thing in graph["objects"].values() if thing.get("name")}
        for image, graph in graphs.items()
    }


def read_rows(data: Path, absences: str, scratch: Path) -> dict[str, Rows]:
    """The validation rows of every test; a question of the visual test once."""
    parameters = {"images": "recipe", "absences": absences}
    folder = build("carets", data, scratch / absences, parameters=parameters, num_proc=2)
    tests = {}
    for test in TABLE_6:
        rows = folder.table(test.partition(".")[2], "validation").to_pylist()
        tests[test] = [row for row in rows if row["operation"] in (None, "mask")]
    return tests


def words_accuracy(questions: list[tuple[str, bool, str]]) -> str:
    """How often a classifier of words is right about questions, answers and images that it has not seen."""
    kept = set(sorted({image for *_, image in questions})[:: max(1, len(questions) // MOST)])
    questions = [entry for entry in questions if entry[2] in kept]
    texts, answers = np.array([text for text, *_ in questions], object), np.array([yes for _, yes, _ in questions])
    images = np.unique([image for *_, image in questions], return_inverse=True)[1]
    right = np.zeros(len(texts), bool)
    for train, test in GroupKFold(5).split(texts, answers, images):
        words = CountVectorizer(ngram_range=(1, 2), binary=True)
        model = LogisticRegression(solver="liblinear", class_weight="balanced")
        model.fit(words.fit_transform(texts[train]), answers[train])
        right[test] = model.predict(words.transform(texts[test])) == answers[test]
    sums = np.bincount(images, weights=right - right.mean())
    return f"{100 * right.mean():5.1f} ± {196 * np.sqrt((sums**2).sum()) / len(right):.1f} %"


class Gist:
    """Naive Bayes scores of nouns in the images of one half, learned from the other."""

    def __init__(self, names: dict[str, set[str]]) -> None:
        self.names = names
        self.half = {image: number % 2 for number, image in enumerate(sorted(names))}
        self.counts, self.together = (Counter(), Counter()), (defaultdict(Counter), defaultdict(Counter))
        for image, nouns in names.items():
            self.counts[self.half[image]].update(nouns)
            for noun in nouns:
                self.together[self.half[image]][noun].update(nouns)
        self.sizes = Counter(self.half.values())

    def score(self, noun: str, image: str, asked: list[str]) -> float:
        """The log-odds of a noun, given the names that are related to nothing that is asked about."""
        other = 1 - self.half[image]
        counts, together, size = self.counts[other], self.together[other][noun], self.sizes[other]
        total = 0.0
        for name in self.names[image]:
            if not any(name in ontology().related_names(one) for one in asked):
                prior = 0.5 * (counts[name] + 1) / (size + 2)
                yes = (together[name] + prior) / (counts[noun] + 0.5)
                no = (counts[name] - together[name] + prior) / (size - counts[noun] + 0.5)
                total += float(np.log(yes / no))
        return total


def noun_of(text: str) -> str:
    """The first noun of a phrase, without attributes before it and relations after it."""
    words = text.split()
    spans = ((start, end) for start in range(len(words)) for end in range(len(words), start, -1))
    names = [(start, end) for start, end in spans if ontology().knows(" ".join(words[start:end]))]
    first = names[0] if names else (0, len(words))
    following = [span for span in names if span[0] == first[1]]  # "orange" in "orange cat"
    start, end = following[0] if following and first[0] == 0 else first
    return singular(" ".join(words[start:end]))


def gist_area(rows: Rows, side: str, gist: Gist) -> str:
    """The area under the curve of the score, with half of its 95 % interval where there is nothing to tell."""
    scores, answers = [], []
    for row in rows:
        bindings = json.loads(row["bindings"])
        things = bindings.get("instead", bindings["things"]) if side == "perturbed" else bindings["things"]
        nouns = [noun_of(thing) for thing in things]
        values = [gist.score(noun, row["original_image_id"], nouns) for noun in nouns]
        scores.append(max(values) if row["question_type"] == "disjunction" else sum(values))
        answers.append(row["original_answer"] == "yes")
    if len(set(answers)) < 2:
        return "-"
    yes = sum(answers)
    margin = 1.96 * np.sqrt((1 / yes + 1 / (len(answers) - yes)) / 12)
    return f"{roc_auc_score(answers, scores):.3f} ± {margin:.3f}"


def report(tests: dict[str, Rows], gist: Gist) -> Iterator[tuple[str, str, str]]:
    """Words and gist by test and side, and over all tests."""
    binary = {test: [row for row in rows if row["answer_type"] == "yes/no"] for test, rows in tests.items()}
    binary["all"] = [row for rows in binary.values() for row in rows]
    for test, rows in binary.items():
        presence = [row for row in rows if row["question_type"] != "attribute"]
        for side in SIDES:
            asked = [
                (row[f"{side}_question"], row[f"{side}_answer"] == "yes", row["original_image_id"]) for row in rows
            ]
            area = gist_area(presence, side, gist) if presence else "-"
            yield f"{test} {side} (n {len(rows):,})", words_accuracy(asked), area


def record_leaks(absences: str, name: str, words: str, area: str) -> None:
    """Record what words and gist tell over all tests."""
    test, side, _, count = name.split(maxsplit=3)
    if test == "all":
        claim, size, document = f"carets-leaks-{absences}-{side}", f"{count.strip(')')} questions", "docs/carets.md"
        note = f"absences={absences}, {side} side"
        accuracy, auc = float(words.split()[0]), float(area.split()[0])
        statements = "a classifier of words is right (chance: 50)", "area under the curve of the gist (chance: 0.5)"
        words, area = f"{note}, ± {words.partition('±')[2].strip()}", f"{note}, ± {area.partition('±')[2].strip()}"
        record(
            Claim(f"{claim}-words", statements[0], accuracy, "%", size=size, document=document, note=words),
            Claim(f"{claim}-gist", statements[1], auc, size=size, document=document, note=area),
        )


def main() -> None:
    """Print both schemes and the yields."""
    with tempfile.TemporaryDirectory() as folder:
        data = real_or_small("gqa", 2_000, Path(folder))
        gist = Gist(read_names(data))
        for absences in sys.argv[1:] or ("paper", "matched"):
            tests = read_rows(data, absences, Path(folder))
            print(f"absences={absences}: words right, gist area under the curve")
            for name, words, area in report(tests, gist):
                print(f"  {name:44}{words:>16}{area:>18}", flush=True)
                record_leaks(absences, name, words, area)
            for test, quotas in TABLE_6.items():
                counts = Counter(row["question_type"] for row in tests[test])
                wanted = {type_: quota for type_, quota in quotas.items() if type_ != "relation"}
                wanted |= {"object": quotas["object"] + quotas.get("relation", 0)} if "object" in quotas else {}
                print(f"  {test}: " + ", ".join(f"{type_} {counts[type_]:,} of {n:,}" for type_, n in wanted.items()))


if __name__ == "__main__":
    main()
