"""Files of predictions before they are published: with the header that says how they were made, and scored."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from huggingface_hub import get_token

from diptych.errors import BadInputError, MissingFileError
from diptych.files import json_digest, reading
from diptych.folder import BuiltFolder, open_folder
from diptych.metrics import ScoreReport, predictions_header, score_predictions
from diptych.metrics.paired_vqa.outcomes import count_unread
from diptych.models import Secrets

_TEXTS = ("model", "arm", "prompt_hash", "reader", "dataset", "dataset_version", "content_hash", "config", "split")
_LEARNED = "server_model"  # known only from replies: a run that goes on may learn another name
_WORDS = re.compile(r"[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*")
REPO = r"[A-Za-z0-9_\-][A-Za-z0-9_.\-]{0,95}/[A-Za-z0-9_\-][A-Za-z0-9_.\-]{0,95}"
COMMIT = r"[0-9a-f]{40}"
_DIGITS = 8  # of the digest in a name


@dataclass(frozen=True, slots=True)
class ScoredFile:
    """A file of predictions, the dataset that it is about, and its scores."""

    path: Path
    folder: BuiltFolder
    report: ScoreReport

    @property
    def header(self) -> Mapping[str, Any]:
        """What decided the replies: model, prompt, decoding, dataset, arm and the like."""
        return self.report.source

    @property
    def name(self) -> str:
        """A name for the run that is safe in a path and the same whenever it is published: no other run has it."""
        header = self.header
        words = [slug(header["dataset"], 40), slug(header["config"], 40), slug(header["model"], 80)]
        digest = json_digest({name: value for name, value in header.items() if name != _LEARNED})[:_DIGITS]
        return "-".join(word for word in (*words, slug(header["arm"], 20), digest) if word)

    @property
    def is_partial(self) -> bool:
        """Whether some pairs lack an answer, and are left out of the scores."""
        return self.report.coverage.scored < self.report.coverage.pairs

    def hub_place(self) -> tuple[str, str] | None:
        """Repository and commit of the dataset: where it was scored, or else where the header says it was asked."""
        if self.folder.hub:
            return self.folder.hub.repo, self.folder.path.name
        repo, revision = (str(self.header.get(name)) for name in ("dataset_repo", "dataset_revision"))
        return (repo, revision) if re.fullmatch(REPO, repo) and re.fullmatch(COMMIT, revision) else None

    def unread(self) -> dict[str, tuple[int, int]]:
        """By side: how many replies could not be read, of how many."""
        counts = count_unread(self.report.model.references, self.report.model.outcome)
        return {
            side: (sum(unread for unread, _ in kinds.values()), sum(total for _, total in kinds.values()))
            for side, kinds in counts.items()
        }


def slug(text: object, longest: int) -> str:
    """The words of a text, as part of the name of a file.

    >>> slug("../Qwen/Qwen2.5-VL <b>", 80), slug("..", 80)
    ('Qwen-Qwen2.5-VL-b', '')
    """
    return "-".join(_WORDS.findall(str(text)))[:longest].rstrip(".-")


def score_files(
    paths: Sequence[str | Path], datasets: Sequence[str | Path] = (), *, allow_missing: bool = False
) -> list[ScoredFile]:
    """Score files of `diptych predict`, each on the dataset that its header names.

    `datasets` are built folders or datasets on the Hub; where none of them is that of a file, the header says where on
    the Hub it is. A file that is about other pairs than the dataset has is refused. Pairs that a sample left out need
    no answer; others do, unless `allow_missing`.
    """
    if not paths:
        raise BadInputError("no predictions: name the files that `diptych predict` wrote")
    folders = [open_folder(location) for location in datasets]
    scored_files = []
    for path in map(Path, paths):
        header = _read_header(path)
        with reading(path), path.open("rb") as lines:
            refuse_secrets(lines, path)
        folder = _find_dataset(path, header, folders)
        is_sample = header.get("sample") is not None or header.get("limit") is not None
        report = score_predictions(
            folder, path, header["config"], header["split"], allow_missing=allow_missing or is_sample
        )
        scored_files.append(ScoredFile(path, folder, report))
    names = [file.name for file in scored_files]
    for file, name in zip(scored_files, names, strict=True):
        if names.count(name) > 1:
            raise BadInputError(f"{file.path}: another of the files is of the same run; name one of them")
    return scored_files


def _read_header(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise MissingFileError(f"{path}: not found")
    header = predictions_header(path)
    if not header:
        raise BadInputError(f"{path}: no header with model, prompt and dataset; publish a file of `diptych predict`")
    return check_header(header, path)


def check_header(header: dict[str, Any], place: object) -> dict[str, Any]:
    """A header that says what a published one must say."""
    for name in _TEXTS:
        if not isinstance(header.get(name), str) or not header[name]:
            raise BadInputError(f"{place}: its header has no {name}; publish a file as `diptych predict` writes it")
    return header


def refuse_secrets(lines: Iterable[bytes], place: object) -> None:
    """Refuse to publish what holds the token of the Hub or a key of the environment."""
    keys = [key.encode() for key in Secrets.from_environment(get_token()).keys]
    if any(key in line for line in lines for key in keys):
        raise BadInputError(f"{place}: holds your token or API key; take it out before you publish")


def _find_dataset(path: Path, header: Mapping[str, Any], folders: Sequence[BuiltFolder]) -> BuiltFolder:
    """The dataset that a file is about, with the content that its header names."""
    name, repo, revision = (header.get(key) for key in ("dataset", "dataset_repo", "dataset_revision"))
    candidates = [folder for folder in folders if folder.manifest.dataset == name]
    if not candidates and isinstance(repo, str) and isinstance(revision, str):
        candidates = [open_folder(f"{repo}@{revision}")]
    for folder in candidates:
        if folder.content_digest(folder.select(header["config"], header["split"])) == header["content_hash"]:
            return folder
    subject = f"{path}: is about {name} {header['dataset_version']}"
    if candidates:
        raise BadInputError(f"{subject} with other content than {candidates[0].location} has; name that with --dataset")
    raise BadInputError(f"{subject}; say where that is: --dataset OUT, or org/name@revision on the Hub")
