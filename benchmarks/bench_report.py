"""Claim: a report of 100,000 pairs and two models is one file under 8 MB, painted in 1 s, and filtered in 100 ms.

The pairs are made up of WordNet's nouns, so that their questions differ as much as real ones do. The numbers are those
of a real Chromium: the first contentful paint of five fresh loads, and from a change of a filter to the frame that
shows its result. `--pairs` sets how many pairs there are; without Chromium only the file is measured.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from diptych import write_report
from diptych.files import write_json_lines
from diptych.kg import Synset, wordnet
from diptych.pairs import Expectation, Pair, Side

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the browser and the folders of the tests

from results import Claim, not_run, record  # noqa: E402

from tests.folders import make_folder  # noqa: E402
from tests.report.browser import NO_CHROMIUM, ReportBrowser  # noqa: E402

COLORS = ("red", "green", "blue", "white", "black", "yellow", "brown", "gray", "orange", "pink")
PLACES = ("to the left of", "to the right of", "on", "behind", "in front of", "near", "under")
TESTS = ("negation", "ontological", "order", "rephrase", "visual", "antonym")
MODELS = {"large": (0.85, 0.9), "small": (0.6, 0.7)}
LARGEST, FIRST_PAINT, FILTER = 8_000_000, 1000, 100  # bytes and milliseconds
KINDS = 1500  # of animals, of food and of instruments

ACT = """(async () => {
  const node = document.getElementById(FIELD), start = performance.now();
  node.value = FIELD === 'test' ? [...node.options].find(o => o.value.includes(VALUE)).value : VALUE;
  node.dispatchEvent(new Event(FIELD === 'q' ? 'input' : 'change', {bubbles: true}));
  if (FIELD === 'q') await new Promise(done => setTimeout(done, 91));  // typing has to pause that long
  await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const filter = performance.getEntriesByName('filter').at(-1).duration;
  return [filter, performance.now() - start - (FIELD === 'q' ? 91 : 0), document.getElementById('count').textContent];
})()"""


def make_pairs(count: int, rng: Random) -> Iterator[Pair]:
    """Questions about two things and where they are, and the same without one word."""
    synsets = [synset for root in ("instrumentality.n.03", "animal.n.01", "food.n.01") for synset in _below(root)]
    words = [synset.lemma_names[0].replace("_", " ") for synset in synsets]
    for number in range(count):
        first, second, other = (rng.choice(words) for _ in range(3))
        color, place, test = rng.choice(COLORS), rng.choice(PLACES), rng.choice(TESTS)
        question = f"Is there a {color} {first} {place} the {second} in this picture?"
        changed = question.replace("there a", "there no") if test == "negation" else question.replace(first, other, 1)
        answer = rng.choice(("yes", "no"))
        image = str(2_300_000 + number // 10)
        yield Pair(
            test=f"rad.{test}",
            expectation=Expectation.GIVEN,
            original=Side(image, question, answer, (answer,)),
            perturbed=Side(image, changed, rng.choice(("yes", "no"))),
            answer_type="yes/no",
            question_type=rng.choice(("object", "attribute", "relation", "choice", "conjunction")),
            source="gqa",
            source_id=f"{image}-{number % 10}",
            template_id=f"{test}.{rng.randrange(40)}",
            template_hash="0123456789abcdef",
            bindings={"things": [f"{color} {first}", second], "objects": [str(rng.randrange(10**6)) for _ in range(2)]},
        )


def _below(root: str) -> list[Synset]:
    """Some kinds of a thing."""
    layer, synsets = [wordnet().synset(root)], []
    while layer and len(synsets) < KINDS:
        layer = [child for synset in layer for child in synset.hyponyms()]
        synsets += layer
    return synsets[:KINDS]


def predictions(pairs: list[Pair], skill: tuple[float, float], rng: Random) -> Iterator[dict[str, str]]:
    """Replies in various words, some of which nobody can read."""
    for pair in pairs:
        replies = []
        for side, share in zip((pair.original, pair.perturbed), skill, strict=True):
            right = side.answer if rng.random() < share else {"yes": "no", "no": "yes"}[side.answer]
            word = right.capitalize()
            replies.append(rng.choice((right, right, f"{word}.", f"{word}, I think so.", "Hm?")))
        yield {"pair_id": pair.pair_id, "original": replies[0], "perturbed": replies[1]}


def measure(page: Path, scratch: Path) -> Iterator[tuple[str, float, float]]:
    """What Chromium takes for the page, in milliseconds, beside the limits."""
    for number in range(5):
        with ReportBrowser(scratch / f"profile-{number}") as browser:
            browser.show(page)
            browser.wait("performance.getEntriesByName('first-contentful-paint').length")
            paint = browser.run("performance.getEntriesByName('first-contentful-paint')[0].startTime")
            yield f"first paint, load {number + 1}", paint, FIRST_PAINT
            ready = browser.run("performance.getEntriesByName('ready')[0].startTime")
            print(f"{f'pairs are there, load {number + 1}':60} {ready:8.1f} ms")
    with ReportBrowser(scratch / "profile") as browser:
        browser.show(page)
        browser.wait("performance.getEntriesByName('prepared').length")
        changes = [("test", "rad.negation"), ("type", "object"), ("type", ""), ("model", "small"), ("versus", "large")]
        changes += [("test", ""), ("q", "the"), ("q", "zebra"), ("q", "a"), ("q", "")]
        for field, value in changes:
            act = ACT.replace("FIELD", repr(field)).replace("VALUE", repr(value))
            duration, shown, count = browser.await_value(act)
            yield f"filter {field}={value!r} ({count}), itself", duration, FILTER
            yield f"filter {field}={value!r}, until shown", shown, FILTER
        assert not browser.problems(), browser.problems()


def main() -> None:
    """Print every number beside its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    arguments = parser.parse_args()
    rng = Random(0)
    with TemporaryDirectory(prefix="diptych-bench-") as scratch_name:
        scratch = Path(scratch_name)
        pairs = list({pair.pair_id: pair for pair in make_pairs(arguments.pairs, rng)}.values())
        folder = make_folder(scratch / "built", pairs)
        files = []
        for name, skill in MODELS.items():
            files.append(scratch / f"{name}.jsonl")
            write_json_lines(files[-1], predictions(pairs, skill, rng))
        start = time.perf_counter()
        written = write_report(folder.path, files, scratch / "report")
        print(f"{len(pairs):,} pairs and {len(files)} models written in {time.perf_counter() - start:.1f} s")
        size = written.page.stat().st_size
        print(f"{'the file':60} {size / 1e6:8.2f} MB   limit {LARGEST / 1e6:.0f} MB")
        document, of = "docs/report.md", f"{len(pairs):,} pairs, {len(files)} models"
        limit = LARGEST / 1e6
        record(
            Claim("report-size", "the file of a report", size / 1e6, "MB", size=of, document=document, at_most=limit)
        )
        if NO_CHROMIUM:
            print(NO_CHROMIUM)
            for claim in ("report-paint", "report-filter"):
                record(not_run(claim, "the report in a browser", "no Chromium", document))
            return
        worst = {"first paint": 0.0, "filter": 0.0}
        for what, milliseconds, limit in measure(written.page, scratch):
            print(f"{what:60} {milliseconds:8.1f} ms   limit {limit:.0f} ms")
            kind = "filter" if what.startswith("filter") else "first paint"
            worst[kind] = max(worst[kind], milliseconds)
        for kind, limit in (("first paint", FIRST_PAINT), ("filter", FILTER)):
            numbers = {"ours": worst[kind], "unit": "ms", "size": of, "document": document, "at_most": float(limit)}
            record(Claim(f"report-{kind.split()[-1]}", f"the slowest {kind} of a report in Chromium", **numbers))


if __name__ == "__main__":
    main()
