"""Results: replies of models and their scores, side by side in one dataset repository to which every push adds."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import islice
from math import isnan, nan
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from huggingface_hub import HfApi
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from diptych.cards import CARD, text_environment
from diptych.errors import BadInputError, printable
from diptych.files import read_json_lines, reading
from diptych.folder import hub
from diptych.metrics import is_header, score_cell
from diptych.metrics.paired_vqa.scoring import Score
from diptych.publishing._push import hub_api, push_target
from diptych.publishing._remote import Content, Publication, find_remote, list_tree
from diptych.publishing._scored import COMMIT, REPO, ScoredFile, check_header, score_files

_SCORES = "scores/*.json"
_BATCH = 10_000  # records that are converted at once
_PARQUET: dict[str, Any] = {"compression": "zstd", "write_page_index": True, "use_content_defined_chunking": True}

_TEXT, _INTEGER, _NUMBER = pa.string(), pa.int64(), pa.float64()
_RECORD = {"pair_id": _TEXT, "side": _TEXT, "answer": _TEXT, "reasoning": _TEXT, "finish_reason": _TEXT}
_RECORD |= {"logprob": _NUMBER, "seconds": _NUMBER, "server_model": _TEXT, "image_size": pa.list_(_INTEGER)}
_RECORD |= {"input_tokens": _INTEGER, "output_tokens": _INTEGER, "error": _TEXT}
# What of the header every record repeats, so that those of several runs can be put into one table.
_HEADER_COLUMNS = ("model", "revision", "arm", "prompt_hash", "dataset", "dataset_version", "config", "split")
_SCHEMA = pa.schema([*_RECORD.items(), *((name, _TEXT) for name in _HEADER_COLUMNS)])

Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_]+([.\-][A-Za-z0-9_]+)*$", max_length=250)]

_environment = text_environment(__package__)
_environment.filters["json"] = lambda value: orjson.dumps(value).decode()


class ScoreEntry(BaseModel):
    """A score as `diptych score --json` has it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    value: float | None  # None where it is undefined, as are the bounds of the intervals
    n: int
    wilson_low: float | None = None
    wilson_high: float | None = None
    bootstrap_low: float | None = None
    bootstrap_high: float | None = None
    reason: str = ""

    def text(self, name: str) -> tuple[str, str]:
        """The number as it is printed, and its interval and n."""
        numbers = (self.value, self.wilson_low, self.wilson_high, self.bootstrap_low, self.bootstrap_high)
        value, *bounds = (nan if number is None else number for number in numbers)
        cell = score_cell(name, Score(value, self.n, (bounds[0], bounds[1]), (bounds[2], bounds[3])))
        return cell.text(), cell.base()


class RunEntry(BaseModel):
    """What a repository of results says of one run beside its records, and all that its card is made from."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    diptych: Literal["scores"] = "scores"
    version: Literal[1] = 1
    name: Word
    split: Word
    dataset_repo: Annotated[str, StringConstraints(pattern=f"^{REPO}$")] | None
    dataset_revision: Annotated[str, StringConstraints(pattern=f"^{COMMIT}$")] | None
    predictions: dict[str, Any]
    """The header of the predictions."""
    is_partial: bool
    scope: str
    """What was scored and what counts as right, in the words of `diptych score`."""
    unread: dict[str, tuple[int, int]]
    scores: dict[str, ScoreEntry]

    @property
    def dataset(self) -> str:
        """Where to find the dataset that it was scored on."""
        return f"{self.dataset_repo}@{self.dataset_revision}" if self.dataset_repo else "OUT"

    def unread_text(self) -> str:
        """How many replies could not be read."""
        return "; ".join(f"{side} {unread:,} of {total:,}" for side, (unread, total) in self.unread.items())


def run_entry(file: ScoredFile) -> RunEntry:
    """What is said of a file of predictions."""
    report = file.report
    repo, revision = file.hub_place() or (None, None)
    return RunEntry(
        name=file.name,
        split=re.sub(r"[^A-Za-z0-9]+", "_", str(file.header["split"])).strip("_") or "all",
        dataset_repo=repo,
        dataset_revision=revision,
        predictions=dict(file.header),
        is_partial=file.is_partial,
        scope=printable(report.header()),
        unread=file.unread(),
        scores={name: _score_entry(score) for name, score in report.scores.items()},
    )


def _score_entry(score: Score) -> ScoreEntry:
    return ScoreEntry(**{**score.as_dict(), "value": None if isnan(score.value) else score.value})


def results_publication(
    paths: Sequence[str | Path],
    repo: str,
    scratch: Path,
    *,
    datasets: Sequence[str | Path] = (),
    allow_missing: bool = False,
    tag: str | None = None,
    private: bool = False,
) -> Publication:
    """What a push of results publishes: their records, raw and as Parquet, and scores, beside those that exist.

    Parquet files are made in `scratch`. The card is about everything that the repository then holds. `datasets` and
    `allow_missing` are those of `score_files`.
    """
    target, api = push_target(repo, tag), hub_api()
    files = score_files(paths, datasets, allow_missing=allow_missing)
    entries = {entry.name: entry for entry in map(run_entry, files)}
    models = ", ".join(dict.fromkeys(str(file.header["model"]) for file in files))
    message = f"Results of {printable(models, 200)}"
    publication = Publication("dataset", target, {}, (), message, tag, private)
    remote = find_remote(api, publication)
    other_entries = _read_entries(api, publication, remote.head) if remote else {}
    contents: dict[str, Content] = {}
    for file, entry in zip(files, entries.values(), strict=True):
        record_file = f"{_data_folder(entry)}/{entry.split}-00000-of-00001.parquet"
        _write_records(file, scratch / record_file)
        contents |= {record_file: scratch / record_file, f"predictions/{entry.name}.jsonl": file.path}
        contents[f"scores/{entry.name}.json"] = orjson.dumps(entry.model_dump(), option=orjson.OPT_INDENT_2)
    contents[CARD] = render_results(publication.repo, {**other_entries, **entries}.values()).encode()
    return replace(publication, contents=contents, expected_head=remote.head if remote else "")


def _data_folder(entry: RunEntry) -> str:
    return f"data/{entry.name}"


def _read_entries(api: HfApi, publication: Publication, head: str) -> dict[str, RunEntry]:
    """The runs that a repository holds; one that holds something else is refused, since its card would be lost."""
    repo, paths = publication.repo, list_tree(api, publication, head)
    names = [path for path in paths if fnmatchcase(path, _SCORES)]
    if CARD in paths and not names:
        raise BadInputError(f"{repo}: already exists and has no results; choose another with --to")
    with TemporaryDirectory(prefix="diptych-scores-") as scratch:
        root = hub.download(hub.HubDataset(repo, head), names, Path(scratch)) if names else Path(scratch)
        entries = [_read_entry(root / name, f"{repo}: {name}") for name in names]
    return {entry.name: entry for entry in entries}


def _read_entry(path: Path, place: str) -> RunEntry:
    with reading(place, "fix it on the Hub"):
        content = orjson.loads(path.read_bytes())
        try:
            entry = RunEntry.model_validate(content)
        except ValidationError as error:
            raise BadInputError(f"{place}: not scores of results: {error.errors()[0]['msg']}; fix it") from None
    if entry.name != PurePosixPath(path.name).stem:
        raise BadInputError(f"{place}: is about another run, {entry.name}; fix it on the Hub")
    check_header(entry.predictions, place)
    return entry


def _write_records(file: ScoredFile, path: Path) -> None:
    """Write the records of a file of predictions as Parquet; what is not a record of ours is refused."""
    values = {name: file.header.get(name) for name in _HEADER_COLUMNS}
    header_values = {name: value if isinstance(value, str) else None for name, value in values.items()}
    path.parent.mkdir(parents=True)
    rows = ({**row, **header_values} for _, row in read_json_lines(file.path) if not is_header(row))
    with reading(file.path, "publish a file as `diptych predict` writes it"):
        metadata = {"diptych": orjson.dumps(dict(file.header))}
        with pq.ParquetWriter(path, _SCHEMA.with_metadata(metadata), **_PARQUET) as writer:
            for table in _batches(rows):
                if table["pair_id"].null_count or table["side"].null_count:
                    raise BadInputError(f"{file.path}: a record has no pair_id or side; `diptych predict` writes both")
                writer.write_table(table)


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[pa.Table]:
    while batch := list(islice(rows, _BATCH)):
        yield pa.Table.from_pylist(batch, schema=_SCHEMA)


def render_results(repo: str, entries: Any) -> str:
    """The card of a repository of results: its configs for the Hub, and a section for every run."""
    runs = sorted(entries, key=lambda entry: entry.name)
    datasets = sorted({printable(str(run.predictions.get("dataset")), 100) for run in runs})
    header = {
        "pretty_name": f"Replies and scores of models on {', '.join(datasets)}",
        "language": ["en"],
        "task_categories": ["visual-question-answering"],
        "tags": ["diptych", "evaluation-results"],
        "configs": [
            {"config_name": run.name, "data_files": [{"split": run.split, "path": f"{_data_folder(run)}/*.parquet"}]}
            for run in runs
        ],
    }
    text = yaml.safe_dump(header, sort_keys=False, allow_unicode=True, width=1000)
    return _environment.get_template("results.md.jinja").render(header=text, repo=repo, runs=runs)
