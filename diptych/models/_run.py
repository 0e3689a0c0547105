"""A run of predictions: every query asked once, every reply on disk before it is counted, and the file of them all."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any

from diptych.errors import BadInputError
from diptych.files import hold_lock
from diptych.folder import BuiltFolder, Selection
from diptych.metrics import BASELINES, ORACLE, predict_baseline
from diptych.metrics.paired_vqa.columns import SIDES
from diptych.metrics.paired_vqa.reader import READER_VERSION
from diptych.models._batches import read_results, write_batches
from diptych.models._endpoint import EndpointModel, OutageError
from diptych.models._journal import FORMAT, Journal, Replies, check_ours, read_replies, remove_journal, write_output
from diptych.models._learning import Learner
from diptych.models._model import Model, Query, Reply
from diptych.models._pictures import Pictures, shown_size
from diptych.models._prompts import load_prompts
from diptych.models._queries import QueryOptions, QueryPlan, SideQuery, choose_pairs, plan_queries
from diptych.pairs import check_seed
from diptych.progress import progress

_CHARACTERS_PER_TOKEN, _PATCH = 4, 28
ESTIMATE_RULE = (
    f"a token per {_CHARACTERS_PER_TOKEN} characters of the prompt and per {_PATCH} × {_PATCH} pixels of a picture; "
    "replies at most as long as --max-tokens allows"
)


@dataclass(frozen=True, slots=True)
class DegenerateModel:
    """A model that answers without reading the question, or an oracle, which reads the source files in `data`."""

    name: str
    seed: int = 0
    data: Path | None = None

    NAMES = (*BASELINES, ORACLE)

    def header(self) -> Mapping[str, Any]:
        """What decides its answers."""
        return {"revision": None, "decoding": {"seed": self.seed}, "image_rule": None}


@dataclass(frozen=True, slots=True)
class PredictOptions:
    """What is asked, and where the predictions go."""

    out: Path
    config: str | None = None
    split: str | None = None
    images: Path | None = None
    prompt: Path | None = None
    arm: str = "full"
    seed: int = 0
    limit: int | None = None
    sample: int | None = None
    price: tuple[float, float] | None = None
    """Dollars per million tokens: of prompts, and of replies."""
    overwrite: bool = False
    dry_run: bool = False
    batch_file: Path | None = None
    batch_results: tuple[Path, ...] = ()

    def query_options(self) -> QueryOptions:
        """Which pairs are asked about, and how."""
        prompts = load_prompts(self.prompt)
        return QueryOptions(prompts, self.arm, check_seed(self.seed), self.limit, self.sample)


@dataclass(slots=True)
class Usage:
    """How much was asked and replied, and what it costs."""

    price: tuple[float, float] | None = None
    replies: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    began: float = field(default_factory=time.monotonic)
    seconds: float = 0.0

    def add(self, reply: Reply) -> None:
        """Count a reply."""
        self.replies += reply.error is None
        self.failed += reply.error is not None
        self.input_tokens += reply.input_tokens or 0
        self.output_tokens += reply.output_tokens or 0
        self.seconds = time.monotonic() - self.began

    @property
    def cost(self) -> float | None:
        """Dollars, where the price is known."""
        if self.price is None:
            return None
        return (self.input_tokens * self.price[0] + self.output_tokens * self.price[1]) / 1e6

    def __str__(self) -> str:
        rate = f"{self.replies / self.seconds:.1f} replies/s" if self.seconds else ""
        tokens = f"{self.input_tokens:,} + {self.output_tokens:,} tokens" if self.input_tokens else ""
        cost = f"${self.cost:,.4f}" if self.cost is not None else ""
        failed = f"{self.failed:,} failed" if self.failed else ""
        return ", ".join(part for part in (rate, tokens, cost, failed) if part)


@dataclass(frozen=True, slots=True)
class PredictionRun:
    """The result of a run: its header, the number of queries, and how many have a reply."""

    out: Path
    header: Mapping[str, Any]
    sides: int
    queries: int
    pictures: int
    earlier: int
    """Queries that an earlier run had asked."""
    usage: Usage
    """What this run asked; of a dry run, what it would take."""
    unanswered: int = 0
    problem: str = ""
    batch_files: tuple[Path, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        usage = {name: getattr(self.usage, name) for name in "replies failed input_tokens output_tokens cost".split()}
        counts = {name: getattr(self, name) for name in "sides queries pictures earlier unanswered problem".split()}
        files = {"out": str(self.out), "batch_files": [str(path) for path in self.batch_files]}
        return {**files, **counts, **usage, "seconds": round(self.usage.seconds, 3), "header": dict(self.header)}


def predict(folder: BuiltFolder, model: Model | DegenerateModel | Learner, options: PredictOptions) -> PredictionRun:
    """Ask a model every question of a config and split, and write its predictions.

    An interrupted run resumes: it asks only what has no reply yet.
    """
    query_options = options.query_options()
    selection = folder.select(options.config, options.split)
    pairs = choose_pairs(folder, selection, query_options)
    if isinstance(model, Learner):
        model = model.learn(folder.pairs(selection), options.images)
    header = _header(folder, selection, model, options, query_options, pairs.num_rows)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with hold_lock(options.out, "run"):
        if options.overwrite:
            check_ours(options.out)
        earlier = {} if options.overwrite else read_replies(options.out, header)
        if isinstance(model, DegenerateModel):
            answers = _degenerate_answers(folder, model, selection, pairs["pair_id"].to_pylist(), options)
            sides = [SideQuery(pair_id, side, f"{pair_id}-{side}") for pair_id, side in answers]
            replies = {f"{pair_id}-{side}": Reply(answer) for (pair_id, side), answer in answers.items()}
            write_output(options.out, header, sides, replies)
            usage = Usage(replies=len(replies))
            return PredictionRun(options.out, header, len(sides), len(sides), 0, 0, usage)
        pictures = Pictures(folder, selection, options.images)
        plan = plan_queries(pairs, model, query_options, pictures, folder.location)
        return _Run(model, options, header, plan, earlier).perform()


def _header(
    folder: BuiltFolder,
    selection: Selection,
    model: Model | DegenerateModel,
    options: PredictOptions,
    query_options: QueryOptions,
    pairs: int,
) -> dict[str, Any]:
    prompts, manifest = query_options.prompts, folder.manifest
    sample = None if options.sample is None else {"pairs": options.sample, "seed": options.seed}
    return {
        **FORMAT,
        "model": model.name,
        "server_model": None,
        **model.header(),
        "prompt_version": prompts.version,
        "prompt_hash": prompts.hash,
        "reader": f"standard {READER_VERSION}",
        "dataset": manifest.dataset,
        "dataset_version": manifest.version,
        "dataset_repo": folder.hub.repo if folder.hub else None,
        "dataset_revision": folder.commit,
        "content_hash": folder.content_digest(selection),
        "config": selection.config,
        "split": selection.split,
        "arm": options.arm,
        "arm_seed": options.seed if options.arm == "other-image" else None,
        "sample": sample,
        "limit": options.limit,
        "pairs": pairs,
    }


def _degenerate_answers(
    folder: BuiltFolder, model: DegenerateModel, selection: Selection, pair_ids: Sequence[str], options: PredictOptions
) -> dict[tuple[str, str], str]:
    """The answers of a degenerate model by pair and side."""
    if options.arm != "full" or options.dry_run or options.batch_file or options.batch_results:
        raise BadInputError(f"{model.name} is not queried: leave out --arm, --dry-run and --batch-file")
    columns = predict_baseline(folder, model.name, selection.config, selection.split, model.seed, model.data)
    by_pair = dict(zip(columns["pair_id"], zip(*(columns[side] for side in SIDES), strict=True), strict=True))
    return {
        (pair_id, side): answer for pair_id in pair_ids for side, answer in zip(SIDES, by_pair[pair_id], strict=True)
    }


@dataclass(slots=True)
class _Run:
    """The queries of a plan that have no reply yet, and what is done about them."""

    model: Model
    options: PredictOptions
    header: Mapping[str, Any]
    plan: QueryPlan
    replies: Replies
    problem: str = ""

    def perform(self) -> PredictionRun:
        """Ask, read results of a batch, write a batch, or only count."""
        keys = {query.key for query in self.plan.queries}
        self.replies = {key: reply for key, reply in self.replies.items() if key in keys}
        open_queries = [query for query in self.plan.queries if query.key not in self.replies]
        earlier = len(self.replies)
        if self.options.dry_run:
            return self._result(earlier, self._estimate(open_queries))
        if self.options.batch_file is not None:
            paths = write_batches(self.options.batch_file, self._endpoint(), open_queries)
            return self._result(earlier, Usage(), tuple(paths))
        usage = Usage(self.options.price)
        self._fill_journal(open_queries, usage)
        write_output(self.options.out, self.header, self.plan.sides, self.replies)
        remove_journal(self.options.out)
        return self._result(earlier, usage)

    def _endpoint(self) -> EndpointModel:
        if not isinstance(self.model, EndpointModel):
            raise BadInputError(f"{self.model.name}: only models behind an endpoint can use batch files")
        return self.model

    def _fill_journal(self, open_queries: Sequence[Query], usage: Usage) -> None:
        if self.options.overwrite:
            self.options.out.unlink(missing_ok=True)
            remove_journal(self.options.out)
        with closing(Journal(self.options.out, self.header)) as journal:
            if self.options.batch_results:
                keys = {query.key for query in open_queries}
                for key, reply in read_results(self.options.batch_results, self._endpoint()):
                    if key in keys:
                        journal.append(key, reply)
                self._count(journal, usage)
            elif open_queries:
                self._ask(open_queries, journal, usage)

    def _ask(self, open_queries: Sequence[Query], journal: Journal, usage: Usage) -> None:
        """Ask queries; what has come is on disk before the next query is handed out, and only then counted."""
        is_drained = False
        with progress("replies", len(open_queries), note=lambda: str(usage)) as advance:

            def hand_out() -> Iterator[Query]:
                nonlocal is_drained
                for query in open_queries:
                    advance(self._count(journal, usage))
                    yield query
                is_drained = True

            replies = self.model.ask(hand_out())
            try:
                for query, reply in replies:
                    journal.append(query.key, reply)
                    if is_drained:
                        advance(self._count(journal, usage))
            except OutageError as error:
                self.problem = str(error)
            finally:
                getattr(replies, "close", lambda: None)()  # a generator lets go of its connections now, not some day
            advance(self._count(journal, usage))

    def _count(self, journal: Journal, usage: Usage) -> int:
        """Bring replies to the disk, and count them."""
        replies = journal.commit()
        for key, reply in replies:
            self.replies[key] = reply
            usage.add(reply)
        return len(replies)

    def _estimate(self, open_queries: Sequence[Query]) -> Usage:
        """How many tokens the open queries take, by the rule."""
        usage, longest_side = Usage(self.options.price), getattr(getattr(self.model, "settings", None), "image_size", 0)
        for query in open_queries:
            usage.input_tokens += ceil(len(query.prompt) / _CHARACTERS_PER_TOKEN)
            if size := self.plan.sizes.get(query.picture_key):
                width, height = shown_size(size, longest_side) if longest_side else size
                usage.input_tokens += ceil(width / _PATCH) * ceil(height / _PATCH)
            usage.output_tokens += self.model.header().get("decoding", {}).get("max_tokens") or 0
        return usage

    def _result(self, earlier: int, usage: Usage, batch_files: tuple[Path, ...] = ()) -> PredictionRun:
        plan = self.plan
        unanswered = sum(self.replies.get(query.key, _NO_REPLY).error is not None for query in plan.queries)
        pictures = len({query.picture_key for query in plan.queries} - {""})
        counts = (len(plan.sides), len(plan.queries), pictures, earlier)
        errors = (reply.error for reply in self.replies.values() if reply.error)
        problem = self.problem or next((f"the first: {error}" for error in errors), "")
        return PredictionRun(self.options.out, self.header, *counts, usage, unanswered, problem, batch_files)


_NO_REPLY = Reply(None, error="not asked")
