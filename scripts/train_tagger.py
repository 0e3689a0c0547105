"""Train the question tagger that ships with the package from CoNLL-U files.

    OMP_NUM_THREADS=1 python scripts/train_tagger.py --data questions.conllu.gz --out diptych/language/model

A tenth of the questions, chosen by hash, is held out; the agreement with it is written to `meta.json`. The same seed
gives the same model as long as one thread does the sums.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: the order of a threaded sum is not fixed

import argparse
import hashlib
import json
import random
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from itertools import chain, islice
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from tagged_questions import TaggedQuestion, agreement, is_held_out, read_conllu
from thinc.api import Adam, fix_random_seed, warmup_linear

from diptych.language._word_reader import READER

WIDTH, DEPTH = 96, 2
VERSION, SPACY_VERSION = "1.0.0", ">=3.8,<4"
ROWS = {"NORM": 4000, "PREFIX": 1000, "SUFFIX": 2500, "SHAPE": 500}
BATCH, PEAK_RATE, WARM_UP, DROPOUT = 128, 0.003, 200, 0.1
LOWERCASE_SHARE, UNMARKED_SHARE = 0.35, 0.35
"""The share of questions trained on in lower case, and without their question mark."""


def respell(question: TaggedQuestion, lowercase: bool, unmarked: bool) -> TaggedQuestion:
    """The question as other datasets would write it: in lower case, without its question mark, or both."""
    words, text = question.words, question.text
    if unmarked and words[-1].form == "?" and all(word.head != len(words) - 1 for word in words[:-1]):
        words, text = words[:-1], text.rstrip("? ")
    if lowercase:
        words, text = tuple(replace(word, form=word.form.lower()) for word in words), text.lower()
    return TaggedQuestion(text, words)


def make_example(nlp: Language, question: TaggedQuestion) -> Example | None:
    """The question as a training example, or None if spaCy tokenizes it differently than the file."""
    doc = nlp.make_doc(question.text)
    if [token.text for token in doc] != [word.form for word in question.words]:
        return None
    words = question.words
    reference = Doc(
        nlp.vocab,
        words=[word.form for word in words],
        spaces=[bool(token.whitespace_) for token in doc],
        tags=[word.tag for word in words],
        heads=[word.head for word in words],
        deps=[word.relation or "dep" for word in words],
    )
    return Example(doc, reference)


def make_examples(nlp: Language, questions: Iterable[TaggedQuestion]) -> list[Example]:
    """The training examples of the questions that have one."""
    return [example for question in questions if (example := make_example(nlp, question))]


def batches(nlp: Language, questions: Sequence[TaggedQuestion], rng: random.Random) -> Iterator[list[Example]]:
    """An endless stream of batches; every epoch draws a new order and new spellings."""
    order = list(questions)
    while True:
        rng.shuffle(order)
        respelled = (respell(q, rng.random() < LOWERCASE_SHARE, rng.random() < UNMARKED_SHARE) for q in order)
        examples = make_examples(nlp, respelled)
        for start in range(0, max(len(examples) - BATCH, 0) + 1, BATCH):
            yield examples[start : start + BATCH]


def blank_pipeline() -> Language:
    """The untrained pipeline: one small shared tok2vec, a tagger and a parser that listen to it, our word reader."""
    nlp = spacy.blank("en", config={"nlp": {"batch_size": 256}})
    nlp.add_pipe("tok2vec", config={"model": _tok2vec()})
    nlp.add_pipe("tagger", config={"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": _listener()}})
    nlp.add_pipe(READER)
    nlp.add_pipe("parser", config={"model": _parser()})
    return nlp


def _tok2vec() -> dict[str, object]:
    return {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": WIDTH,
            "attrs": list(ROWS),
            "rows": list(ROWS.values()),
            "include_static_vectors": False,
        },
        "encode": {
            "@architectures": "spacy.MaxoutWindowEncoder.v2",
            "width": WIDTH,
            "depth": DEPTH,
            "window_size": 1,
            "maxout_pieces": 3,
        },
    }


def _listener() -> dict[str, object]:
    return {"@architectures": "spacy.Tok2VecListener.v1", "width": WIDTH, "upstream": "*"}


def _parser() -> dict[str, object]:
    return {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "parser",
        "extra_state_tokens": False,
        "hidden_width": 64,
        "maxout_pieces": 2,
        "use_upper": True,
        "tok2vec": _listener(),
    }


def train(questions: Sequence[TaggedQuestion], seed: int, steps: int, report_every: int = 100) -> Language:
    """Train on the questions; the weights are the averages over the steps."""
    fix_random_seed(seed)
    rng = random.Random(seed)
    nlp = blank_pipeline()
    examples = make_examples(nlp, questions)
    dropped_count = len(questions) - len(examples)
    print(f"training on {len(examples)} questions; {dropped_count} are tokenized differently and left out", flush=True)
    nlp.initialize(lambda: examples)
    rates = list(islice(warmup_linear(PEAK_RATE, WARM_UP, steps), steps + 1))
    optimizer = Adam(learn_rate=rates, L2=0.01, grad_clip=1.0, use_averages=True)
    losses: dict[str, float] = {}
    for step, batch in zip(range(1, steps + 1), batches(nlp, questions, rng), strict=False):
        nlp.update(batch, sgd=optimizer, drop=DROPOUT, losses=losses)
        optimizer.step_schedules()
        if step % report_every == 0:
            report = ", ".join(f"{name} {loss / report_every:.1f}" for name, loss in losses.items())
            print(f"step {step}: {report}", flush=True)
            losses = {}
    with nlp.use_params(optimizer.averages):
        return strip_words(nlp)


def strip_words(nlp: Language) -> Language:
    """The pipeline with a vocabulary of labels only, so that no training text is in the package."""
    stripped = type(nlp).from_config(nlp.config)
    stripped.from_bytes(nlp.to_bytes(exclude=["vocab"]), exclude=["vocab"])
    for label in chain.from_iterable(nlp.pipe_labels.values()):
        stripped.vocab.strings.add(label)
    return stripped


def scores(nlp: Language, questions: Sequence[TaggedQuestion]) -> dict[str, dict[str, float]]:
    """The agreement on the held-out questions as written and in other spellings, in percent."""
    spellings = {
        "as_written": (False, False),
        "lower_case": (True, False),
        "no_question_mark": (False, True),
        "lower_case_no_question_mark": (True, True),
    }
    return {name: _percent(nlp, [respell(q, *changes) for q in questions]) for name, changes in spellings.items()}


def _percent(nlp: Language, questions: Sequence[TaggedQuestion]) -> dict[str, float]:
    shares = asdict(agreement(nlp, questions))
    return {name: round(100 * value, 2) if isinstance(value, float) else value for name, value in shares.items()}


def save(nlp: Language, out: Path) -> None:
    """Write the pipeline; its version ends in a hash of its weights, so that recipes tell two trainings apart."""
    shutil.rmtree(out, ignore_errors=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    strip_words(nlp).to_disk(out)  # scoring has added words since training
    digest = hashlib.sha256()
    for path in sorted(out.rglob("model")):
        digest.update(path.read_bytes())
    meta = json.loads((out / "meta.json").read_text(encoding="utf-8"))
    meta["spacy_version"] = SPACY_VERSION
    meta["version"] = f"{VERSION}+{digest.hexdigest()[:8]}"
    (out / "meta.json").write_text(json.dumps(meta, indent=2) + "\n", encoding="utf-8")


def describe(nlp: Language, performance: dict[str, dict[str, float]], args: argparse.Namespace, count: int) -> None:
    """Fill in the metadata of the model: description, training data and agreement."""
    nlp.meta |= {
        "name": "diptych_questions",
        "version": VERSION,
        "description": "Penn and universal tags, lemmas and dependencies of short English questions about images.",
        "author": "The Diptych authors",
        "email": "",
        "url": "",
        "license": "Apache-2.0",
        "sources": [{"name": "VQA questions, tagged by en_core_web_sm 2.2.5", "url": "", "license": "CC BY 4.0"}],
        "performance": performance,
        "training": {"questions": count, "seed": args.seed, "steps": args.steps, "spacy": version("spacy")},
    }


def main() -> None:
    """Read the files, train, measure and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="CoNLL-U files, plain or gzipped")
    parser.add_argument("--out", type=Path, default=Path("diptych/language/model"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=3000)
    args = parser.parse_args()
    questions = [question for path in args.data for question in read_conllu(path)]
    training_questions = [question for question in questions if not is_held_out(question.text)]
    if not training_questions:
        raise SystemExit(f"no questions to train on in {', '.join(map(str, args.data))}")
    nlp = train(training_questions, args.seed, args.steps)
    performance = scores(nlp, [question for question in questions if is_held_out(question.text)])
    describe(nlp, performance, args, len(training_questions))
    save(nlp, args.out)
    print(json.dumps(performance, indent=2))


if __name__ == "__main__":
    main()
