"""Scores as entries in `.eval_results/` of a model's repository, by which the Hub shows them, as a pull request."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from math import isnan
from pathlib import Path
from typing import Any

import yaml
from huggingface_hub import CommitOperationAdd, EvalResultEntry, HfApi, constants, eval_result_entries_to_yaml

from diptych import __version__
from diptych.errors import BadInputError, MissingFileError, look_up, printable
from diptych.files import read_text, reading
from diptych.folder import BuiltFolder, hub
from diptych.metrics import score_cell
from diptych.metrics.paired_vqa.scoring import settings
from diptych.publishing._push import Say, hub_api
from diptych.publishing._remote import Publication, find_remote, list_tree, make_plan, read_remote
from diptych.publishing._scored import ScoredFile, refuse_secrets, score_files, slug

_FOLDER = ".eval_results"
_EVAL_YAML = "eval.yaml"
_LARGEST_FILE = 1_000_000  # bytes of a file of entries
_LONGEST_VALUE = 100  # characters of a text of the header in the notes

Entries = list[dict[str, Any]]  # a file of entries as YAML has it


def push_eval_results(
    paths: Sequence[str | Path],
    repo: str,
    *,
    datasets: Sequence[str | Path] = (),
    score: str = "accuracy_perturbed",
    source: str | None = None,
    allow_missing: bool = False,
    dry_run: bool = False,
    say: Say = lambda line: None,
) -> str | None:
    """Propose scores to a model's repository in one pull request; its address, None where there is nothing to propose.

    The dataset of every file must be on the Hub and list the config and split among the tasks of its `eval.yaml`.
    `source` is the address of published results, or their repository. `datasets` and `allow_missing` are those of
    `score_files`.
    """
    target, source_url, api = _model_repo(repo), _source_url(source), hub_api()
    files = score_files(paths, datasets, allow_missing=allow_missing)
    entries = [_make_entry(file, score, source_url) for file in files]
    _check_one_model(files, entries)
    names = ", ".join(sorted({entry.dataset_id for entry in entries}))
    proposal = Publication("model", target, {}, (), f"Add evaluation results on {names}")
    remote = find_remote(api, proposal)
    if remote is None:
        raise hub.HubError(f"{target}: the Hub has no such model repository, or the token may not read it")
    proposal = replace(proposal, contents=_merge(_read_files(api, proposal, remote.head), entries, target, say))
    if not proposal.contents:
        return None
    return _propose(api, proposal, remote.head, dry_run, say)


def _model_repo(repo: str) -> str:
    try:
        model = hub.hub_dataset(repo)
    except MissingFileError:
        model = hub.HubDataset("", None)
    if not model.repo or model.revision:
        raise BadInputError(f"--eval-results {repo}: not a model repository of the form org/name")
    return model.repo


def _source_url(source: str | None) -> str | None:
    if source is None or source.startswith(("https://", "http://")):
        return source and printable(source)
    return f"{constants.ENDPOINT}/datasets/{hub.hub_dataset(source).repo}"


def _make_entry(file: ScoredFile, score: str, source_url: str | None) -> EvalResultEntry:
    """The entry of a file: a score of a task of its dataset at a revision, with what is needed to judge it."""
    header, folder = file.header, file.folder
    if folder.hub is None:
        raise BadInputError(f"{file.path}: an entry is about a dataset on the Hub: --dataset org/name@revision")
    if header["arm"] != "full":
        raise BadInputError(f"{file.path}: is of the arm {header['arm']}; an entry is about the full questions alone")
    value = look_up("score", score, file.report.scores)
    if isnan(value.value):
        raise BadInputError(f"{file.path}: {score} is undefined: {value.reason}; choose another --score")
    return EvalResultEntry(
        dataset_id=folder.hub.repo,
        task_id=_task_id(folder, header),
        value=float(score_cell(score, value).text()),
        dataset_revision=folder.commit,
        source_url=source_url,
        source_name="Replies and scores" if source_url else None,
        notes=_notes(file, score),
    )


def _notes(file: ScoredFile, score: str) -> str:
    report, cell = file.report, score_cell(score, file.report.scores[score])
    values, counts = settings(report.model.references, report.options), file.unread().values()
    unread, total = (sum(count[index] for count in counts) for index in (0, 1))
    parts = [
        f"{score}, 95 % interval and n: {cell.base()}",
        f"unread {unread:,} of {total:,} replies",
        f"reader {values['reader']} {values['reader_version']}",
        f"prompt {printable(file.header['prompt_hash'], _LONGEST_VALUE)}",
        f"model {printable(file.header['model'], _LONGEST_VALUE)}",
        *([f"scored {report.coverage}"] if file.is_partial else []),
        f"diptych {__version__}",
    ]
    return "; ".join(parts)


def _task_id(folder: BuiltFolder, header: Mapping[str, Any]) -> str:
    """The task of the dataset's `eval.yaml` that is about the config and split of the predictions."""
    place = f"{folder.hub}: {_EVAL_YAML}"
    path = hub.download(hub.HubDataset(folder.location, folder.commit), [_EVAL_YAML]) / _EVAL_YAML
    if not path.is_file():
        remedy = f"`diptych export OUT --to eval-yaml --out OUT`, then push OUT to {folder.location}"
        raise MissingFileError(f"{place}: not there, and only it names tasks for results; {remedy}")
    tasks = _load_yaml(read_text(path), place)
    tasks = tasks.get("tasks") if isinstance(tasks, dict) else None
    if not isinstance(tasks, list) or not all(isinstance(task, dict) and task.get("id") for task in tasks):
        raise BadInputError(f"{place}: lists no tasks")
    selection = (header["config"], header["split"])
    ids = [str(task["id"]) for task in tasks if (task.get("config", "default"), task.get("split", "test")) == selection]
    if len(ids) != 1:
        problem = "no task" if not ids else "more than one task"
        raise BadInputError(
            f"{place}: {problem} is about {'/'.join(selection)}: {', '.join(str(t['id']) for t in tasks)}"
        )
    return ids[0]


def _load_yaml(text: str, place: str) -> Any:
    with reading(place, "fix it on the Hub"):
        try:
            return yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise BadInputError(f"{place}: broken YAML: {' '.join(str(error).split())}; fix it on the Hub") from None


def _check_one_model(files: Sequence[ScoredFile], entries: Sequence[EvalResultEntry]) -> None:
    models = {str(file.header["model"]) for file in files}
    if len(models) > 1:
        raise BadInputError(f"the files are of several models: {', '.join(sorted(models))}; a repository is of one")
    tasks = [(entry.dataset_id, entry.task_id) for entry in entries]
    for file, task in zip(files, tasks, strict=True):
        if tasks.count(task) > 1:
            raise BadInputError(f"{file.path}: another file is about the task {task[1]} too; name one of them")


def _read_files(api: HfApi, proposal: Publication, head: str) -> dict[str, Entries]:
    """The files of entries that a model's repository has."""
    files = {}
    for path, file in list_tree(api, proposal, head).items():
        if fnmatchcase(path, f"{_FOLDER}/*.yaml") or fnmatchcase(path, f"{_FOLDER}/*.yml"):
            place = f"{proposal.repo}: {path}"
            if file.size > _LARGEST_FILE:
                raise BadInputError(f"{place}: too large for a file of results; fix it on the Hub")
            with reading(place, "fix it on the Hub"):
                content = _load_yaml(read_remote(api, proposal, path, head).decode(), place)
            if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
                raise BadInputError(f"{place}: not a list of entries; fix it on the Hub")
            files[path] = content
    return files


def _merge(files: Mapping[str, Entries], entries: Sequence[EvalResultEntry], repo: str, say: Say) -> dict[str, bytes]:
    """The files with new entries in the place of those about the same tasks; only files that change."""
    new_files: dict[str, Entries] = {}
    for entry, content in zip(entries, eval_result_entries_to_yaml(list(entries)), strict=True):
        place = _find_entry(files, entry)
        if place is None:
            path = f"{_FOLDER}/{slug(entry.dataset_id.partition('/')[2], 80)}.yaml"
            new_files.setdefault(path, [*files.get(path, [])]).append(content)
            say(f"{repo}: {entry.task_id} {entry.value} is new")
            continue
        path, index = place
        value = files[path][index].get("value")
        if value == entry.value:
            say(f"{repo}: {entry.task_id} already exists with the value {entry.value}")
            continue
        new_files.setdefault(path, [*files[path]])[index] = content
        say(f"{repo}: {entry.task_id} {entry.value} replaces {printable(str(value), _LONGEST_VALUE)}")
    dump: Callable[[Entries], str] = partial(yaml.safe_dump, sort_keys=False, allow_unicode=True, width=1000)
    return {path: dump(content).encode() for path, content in new_files.items()}


def _find_entry(files: Mapping[str, Entries], entry: EvalResultEntry) -> tuple[str, int] | None:
    """The file and the place of the entry about the same task."""
    task = (entry.dataset_id, entry.task_id)
    for path, content in files.items():
        for index, old_entry in enumerate(content):
            dataset = old_entry.get("dataset")
            if isinstance(dataset, dict) and (dataset.get("id"), dataset.get("task_id")) == task:
                return path, index
    return None


@dataclass(frozen=True, slots=True)
class _PullRequest:
    """A pull request on the Hub."""

    url: str
    revision: str


def _propose(api: HfApi, proposal: Publication, head: str, dry_run: bool, say: Say) -> str | None:
    """Open the pull request, unless one with the same content is open already, and read it back."""
    repo = proposal.repo
    for line in make_plan(api, proposal, head).lines():
        say(line)
    for path, content in proposal.contents.items():
        assert isinstance(content, bytes)
        refuse_secrets([content], path)
        for line in content.decode().splitlines():
            say(f"    {line}")
    find = partial(_find_request, api, proposal)
    request = find()
    if request is not None:
        say(f"{repo}: a pull request with this content is open already: {request.url}")
        return request.url
    if dry_run:
        say(f"{repo}: would open a pull request")
        return None

    def create() -> _PullRequest:
        operations = [CommitOperationAdd(path, content) for path, content in proposal.contents.items()]
        message = proposal.message
        commit = api.create_commit(repo, operations, commit_message=message, create_pr=True, parent_commit=head)
        return _PullRequest(str(commit.pr_url), str(commit.pr_revision))

    request = hub.persistently(create, f"{repo}: opening a pull request", find)
    if not make_plan(api, proposal, request.revision).is_empty:
        raise hub.HubError(f"{repo}: the pull request {request.url} holds something else than was sent; look at it")
    say(f"verified: {request.url} proposes what was sent")
    return request.url


def _find_request(api: HfApi, proposal: Publication) -> _PullRequest | None:
    """An open pull request with the same content: of an earlier run, or one whose answer was lost."""

    def request() -> list[_PullRequest]:
        discussions = api.get_repo_discussions(proposal.repo, discussion_type="pull_request", discussion_status="open")
        own_title = proposal.message
        return [_PullRequest(entry.url, str(entry.git_reference)) for entry in discussions if entry.title == own_title]

    candidates = hub.persistently(request, f"{proposal.repo}: listing its pull requests")
    return next((entry for entry in candidates if make_plan(api, proposal, entry.revision).is_empty), None)
