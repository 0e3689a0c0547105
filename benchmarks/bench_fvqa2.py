"""What fvqa2 makes of FVQA's folds, side by side with FVQA itself.

Templates, pairs, the share of slots that give back their own question, how evenly images are used, and the share of
questions that link-grammar parses without leaving out a word: of ours, of the questions they come from, and of all of
FVQA's. DIPTYCH_DATA names a folder with `fvqa` and `conceptnet`; where this Python has no `linkgrammar`, LINKGRAMMAR
names one that has.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from diptych.builders.fvqa2.extraction import Reading, read_question  # noqa: E402
from diptych.builders.fvqa2.planning import Plan, gather, plan_fold, read_sources  # noqa: E402
from diptych.builders.fvqa2.templating import refills  # noqa: E402

from diptych.builders.fvqa2 import open_graph  # noqa: E402
from diptych.pairs import Pair  # noqa: E402

LEAST_WEIGHT = 2.3
PARSE = """
import json, sys
from linkgrammar import Dictionary, ParseOptions, Sentence
options, english = ParseOptions(max_null_count=0, linkage_limit=1000), Dictionary()
json.dump([bool(len(Sentence(text, english, options).parse())) for text in json.load(sys.stdin)], sys.stdout)
"""


def parsed(questions: Sequence[str]) -> dict[str, bool]:
    """Which questions link-grammar parses; none are judged where it is not to be had."""
    distinct = sorted(set(questions))
    python = os.environ.get("LINKGRAMMAR", sys.executable)
    done = subprocess.run(
        [python, "-c", PARSE], input=json.dumps(distinct), text=True, capture_output=True, check=False
    )
    if done.returncode:
        return {}
    # The library has notes of its own to print first.
    return dict(zip(distinct, json.loads(done.stdout.splitlines()[-1]), strict=True))


def show_uses(plan: Plan) -> None:
    """How often images are used, and whether a pair could take one that is used two times less."""
    choices = plan.choices["adversarial"]
    uses = Counter(choice.image for choice in choices)
    asked = {(choice.question, choice.image) for choice in choices}
    uneven = sum(
        uses[image] <= uses[choice.image] - 2
        for choice in choices
        for image in choice.images
        if (choice.question, image) not in asked
    )
    spread = ", ".join(f"{n} images {times}x" for times, n in sorted(Counter(uses.values()).items()))
    print(f"  {plan.fold}: {len(choices)} pairs; {spread}; could be more even: {uneven}")


def main() -> None:
    """Print everything."""
    data = Path(os.environ["DIPTYCH_DATA"])
    start = time.process_time()
    sources = read_sources(data)
    readings = [found for found in map(read_question, sources.questions) if isinstance(found, Reading)]
    graph, _ = open_graph(data, "dump", sources.gallery.names.values())
    knowledge, counts = gather(sources, data, graph, LEAST_WEIGHT)
    plans = [plan_fold(number, sources, sources.extracted, knowledge) for number in range(5)]
    pairs = [pair for plan in plans for _, pair in plan.splits["adversarial"] if isinstance(pair, Pair)]
    print(f"templates: {len(sources.extracted.templates)} (wanted: 400)")
    print(f"slots that give back their question: {sum(map(refills, readings)) / len(readings):.1%} (wanted: 90 %)")
    kinds = Counter(pair.test for pair in pairs)
    print(f"adversarial pairs of five folds: {len(pairs)} (wanted: 2,500): {dict(kinds)}; facts: {dict(counts)}")
    print(f"with several answers: {sum(len(pair.perturbed.answers) > 1 for pair in pairs) / len(pairs):.1%}")
    for plan in plans:
        show_uses(plan)
    print(f"CPU time: {time.process_time() - start:.1f} s")
    ours = [pair.perturbed.question for pair in pairs]
    theirs, first = [q.question for q in sources.questions], [pair.original.question for pair in pairs]
    judged = parsed((*ours, *theirs, *first))
    if not judged:
        print("link-grammar: not to be had; LINKGRAMMAR names a Python that has it")
        return
    for name, texts in (("ours", ours), ("those they come from", first), ("all of FVQA's", theirs)):
        share, apart = (sum(judged[text] for text in of) / len(of) for of in (texts, sorted(set(texts))))
        print(f"link-grammar parses {share:.1%} of {name}, {apart:.1%} of the distinct ones")


if __name__ == "__main__":
    main()
