"""The version under which a build is published: what the Hub has, what changed since, and what the rule demands."""

from collections.abc import Sequence
from dataclasses import dataclass

from huggingface_hub import HfApi

from diptych.cards import read_releases
from diptych.errors import BadInputError, DiptychError, MissingFileError, printable
from diptych.folder import BuiltFolder, ReleaseEntry, open_folder
from diptych.publishing._diff import Change, change_text, compare_builds
from diptych.publishing._remote import Publication, Remote, find_remote
from diptych.publishing._versions import LEVELS, is_tag, next_version, version_key

_LONGEST_REASON = 500
_FILES = 4  # that notes name


@dataclass(frozen=True, slots=True)
class VersionChoice:
    """What a user says of the version of a push."""

    tag: str = ""
    reason: str = ""
    """Why the tag is lower than the rule demands."""
    replaces: bool = False
    """Whether the build may take the place of another dataset."""

    def __post_init__(self) -> None:
        if self.tag and not is_tag(self.tag):
            raise BadInputError(f"--tag {self.tag}: a tag is a version like v1.0.0")
        if self.reason and not self.tag:
            raise BadInputError("--force-version says why the version of --tag is right: name it with --tag")
        if len(self.reason) > _LONGEST_REASON:
            raise BadInputError(f"--force-version: longer than {_LONGEST_REASON} characters")


@dataclass(frozen=True, slots=True)
class Previous:
    """The newest version that a repository has."""

    tag: str
    """Empty where it has none."""
    folder: BuiltFolder | None
    """None where it is another dataset, or nothing of ours."""

    @property
    def history(self) -> tuple[ReleaseEntry, ...]:
        """The versions that the repository has."""
        return (self.folder.manifest.history or ()) if self.folder else ()


def find_previous(dataset: str, repo: str, remote: Remote, replaces: bool) -> Previous | None:
    """What is published in a repository; None where nothing is. Another dataset is refused."""
    tag = newest_tag(remote)
    try:  # by its commit, for which a cache is always right
        published = open_folder(f"{repo}@{remote.tags.get(tag, remote.head)}")
    except (BadInputError, MissingFileError):
        published = None
    if published and published.manifest.dataset == dataset:
        return Previous(tag, published)
    if not (published or tag or remote.has_files):
        return None
    if not replaces:
        content = f"the dataset {published.manifest.dataset}" if published else "something that Diptych did not build"
        advice = "choose another repository, or say --replace-dataset"
        raise BadInputError(f"{repo}: holds {content}, not {dataset}; {advice}")
    return Previous(tag, None)


def newest_tag(remote: Remote) -> str:
    """The tag of the highest version; empty where there is none."""
    return max(filter(is_tag, remote.tags), key=version_key, default="")


def version_after(location: str, repo: str, at_least: str | None = None) -> str | None:
    """The version of a build by the rule, after the newest one of a repository; None where that has none.

    `at_least` is how much the version goes up where nothing differs.
    """
    remote = find_remote(HfApi(), Publication("dataset", repo, {}, (), ""))
    tag = newest_tag(remote) if remote else ""
    if not tag:
        return None
    difference = compare_builds(f"{repo}@{tag}", location)
    return next_version(tag, difference.level or at_least).removeprefix("v")


def choose_tag(own_version: str, newest: str, level: str | None, choice: VersionChoice) -> str:
    """The tag of a push: the one that was asked for, if the rule allows it, or the next by the rule.

    The version of the build itself is taken where it is higher.

    >>> choose_tag("1.0.0", "v1.4.2", "minor", VersionChoice()), choose_tag("2.0.0", "v1.4.2", "minor", VersionChoice())
    ('v1.5.0', 'v2.0.0')
    """
    demanded = next_version(newest, level)
    if not choice.tag:
        return newest if level is None else max(demanded, f"v{own_version}", key=version_key)
    if version_key(choice.tag) < version_key(demanded) and not choice.reason:
        rule = f"{level}: {LEVELS[level]}" if level else "nothing has changed"
        advice = "leave out --tag, or say why with --force-version"
        raise BadInputError(f"--tag {choice.tag}: the version after {newest} is {demanded} ({rule}); {advice}")
    return choice.tag


def release_notes(folder: BuiltFolder, previous: Previous | None, changes: Sequence[Change], paths: list[str]) -> str:
    """What the history says of a version; `paths` are the files that differ where no row does."""
    if previous is None:
        news = ""
    elif previous.folder is None:
        news = "Another dataset than before."
    elif changes:
        news = f"Pairs: {change_text(changes)}."
    else:
        names = [*paths[:_FILES], *([f"{len(paths) - _FILES} more"] if len(paths) > _FILES else [])]
        news = f"The same pairs; changed beside them: {', '.join(names)}." if names else "The same content."
    return printable(" ".join(filter(None, [news, *_definition_notes(folder, previous)])) or "First release.")


def _definition_notes(folder: BuiltFolder, previous: Previous | None) -> list[str]:
    """The notes of the dataset's definition: the newest, or all since the one that made the previous version."""
    releases = read_releases(folder.manifest.dataset)["release"]
    before = _definition(previous.folder) if previous and previous.folder else None
    news = releases[:1] if before is None else [note for note in releases if version_key(note["version"]) > before]
    return [" ".join(note["notes"].split()) for note in news]


def _definition(folder: BuiltFolder) -> tuple[int, int, int]:
    try:
        return max(version_key(recipe.definition) for recipe in folder.manifest.recipes.values())
    except (DiptychError, ValueError):
        return (0, 0, 0)
