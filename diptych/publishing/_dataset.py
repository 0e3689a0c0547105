"""A built folder as it is published: under which version, with manifest, card and exports that name it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from diptych.cards import CARD, keep_sections, render_card
from diptych.errors import BadInputError, MissingFileError, printable
from diptych.files import read_text, reading
from diptych.folder import MANIFEST, BuiltFolder, PublishedEntry, ReleaseEntry, open_folder
from diptych.publishing._diff import change_level, row_changes
from diptych.publishing._errata import check_errata, read_errata
from diptych.publishing._push import Say, folder_contents, hub_api, push_target
from diptych.publishing._release import Previous, VersionChoice, choose_tag, find_previous, release_notes
from diptych.publishing._remote import Content, Publication, Remote, find_remote, make_plan, sha256_of
from diptych.publishing._versions import next_version, version_key
from diptych.publishing.export import FORMATS, export_folder

_OWNED = ("data/*", "recipe/*", "assets/*", "export/*", "LICENSE.md")
# Exports that say where the dataset is and under which tag, with their files or folders in a built folder.
_PLACED_EXPORTS = (
    *((name, f"export/{name}/") for name in ("lmms-eval", "lm-eval", "inspect", "vlmevalkit", "croissant")),
    ("croissant", "croissant.json"),
)


def check_folder(folder: BuiltFolder) -> None:
    """Refuse to publish a folder that is not what its manifest says, or has no card."""
    path = folder.path
    if not (path / CARD).is_file():
        raise MissingFileError(f"{path / CARD}: not found; a published dataset needs its card")
    _check_files(folder)
    check_errata(folder, read_errata(folder))


def dataset_publication(
    folder: BuiltFolder, repo: str, scratch: Path, choice: VersionChoice, say: Say, private: bool = False
) -> Publication:
    """What a push of a built folder publishes, under the version that was chosen or that the rule demands.

    Exports that name the place of the dataset are written anew in `scratch`.
    """
    check_folder(folder)
    target, api, dataset = push_target(repo), hub_api(), folder.manifest.dataset
    empty = Publication("dataset", target, {}, _OWNED, "", private=private)
    remote = find_remote(api, empty)
    previous = find_previous(dataset, target, remote, choice.replaces) if remote else None
    keeps_sections = previous is None or previous.folder is not None
    empty = replace(empty, expected_head=remote.head if remote else "", keeps_sections=keeps_sections)
    push = _DatasetPush(folder, empty, scratch)
    if remote is None or previous is None or not previous.tag:
        tag = choice.tag or f"v{folder.manifest.version}"
        return push.under(tag, [_entry(tag, release_notes(folder, None, (), []))])
    if choice.tag in remote.tags:
        history = open_folder(f"{target}@{remote.tags[choice.tag]}").manifest.history
        return push.under(choice.tag, history or ())
    return push.after(previous, remote, choice, say)


def _entry(tag: str, notes: str, reason: str = "") -> ReleaseEntry:
    return ReleaseEntry(version=tag.removeprefix("v"), notes=notes, forced=printable(reason))


@dataclass(frozen=True, slots=True)
class _DatasetPush:
    """A built folder on its way to a repository."""

    folder: BuiltFolder
    empty: Publication
    scratch: Path

    def under(self, tag: str, history: Sequence[ReleaseEntry]) -> Publication:
        """The publication under a tag; manifest, card and exports name version, repository and tag."""
        published = PublishedEntry(repo=self.empty.repo, tag=tag)
        fields = {"version": tag.removeprefix("v"), "published": published, "history": tuple(history)}
        manifest = self.folder.manifest.model_copy(update=fields)
        forced = history[0].forced if history else ""
        return replace(
            self.empty,
            contents=_stamped_contents(replace(self.folder, manifest=manifest), self.scratch / tag),
            message=f"{manifest.dataset} {tag}, built by diptych {manifest.diptych}",
            description=f"The version is lower than the rule demands: {forced}" if forced else "",
            tag=tag,
        )

    def after(self, previous: Previous, remote: Remote, choice: VersionChoice, say: Say) -> Publication:
        """The publication after another version; the same one where nothing has changed."""
        current = self.under(previous.tag, previous.history)
        changes = row_changes(previous.folder, self.folder) if previous.folder else ()
        level = change_level(changes) if previous.folder else "major"
        paths = make_plan(hub_api(), current, remote.head).paths("new", "changed", "deleted")
        level = level or ("patch" if paths else None)
        tag = choose_tag(self.folder.manifest.version, previous.tag, level, choice)
        if tag == previous.tag:
            return current
        is_forced = version_key(tag) < version_key(next_version(previous.tag, level))
        notes = release_notes(self.folder, previous, changes, paths)
        say(f"{self.empty.repo}: {previous.tag} is the newest version there; this is {tag}. {notes}")
        entry = _entry(tag, notes, choice.reason if is_forced else "")
        return self.under(tag, (entry, *previous.history))


def _stamped_contents(folder: BuiltFolder, scratch: Path) -> dict[str, Content]:
    """The files of a build as they are published, with the manifest, the card and the exports of the version."""
    path, published = folder.path, folder.manifest.published
    with reading(path / CARD, "fix it, or write it again with `diptych card`"):
        card = keep_sections(render_card(folder), read_text(path / CARD), str(path / CARD))
    contents = folder_contents(path) | {MANIFEST: folder.manifest.text().encode(), CARD: card.encode()}
    for name, place in _PLACED_EXPORTS:
        old = [file for file in contents if file.startswith(place)]
        if old and published and name in FORMATS:
            out, parent = scratch / place, place if place.endswith("/") else ""
            export_folder(folder, name, out, published.repo)
            contents = {file: content for file, content in contents.items() if file not in old}
            contents |= {f"{parent}{file}": content for file, content in folder_contents(out).items()}
    return contents


def _check_files(folder: BuiltFolder) -> None:
    entries = folder.manifest.files()
    for name, entry in entries.items():
        if sha256_of(folder.path / name) != entry.sha256:
            raise BadInputError(f"{folder.path / name}: not the file that the manifest lists; build again")
    for path in sorted((folder.path / "data").rglob("*.parquet")):
        if path.relative_to(folder.path).as_posix() not in entries:
            raise BadInputError(f"{path}: not in the manifest; remove it or build again")
