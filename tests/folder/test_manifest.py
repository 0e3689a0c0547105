"""The manifest: whatever is wrong with it is one clear line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from diptych.errors import BadInputError, MissingFileError
from diptych.folder import MANIFEST, Manifest, read_manifest
from diptych.pairs import pairs_table
from tests.folders import CONFIG, SPLIT, manifest_content, some_pairs

Content = dict[str, Any]
FILE = f"data/{CONFIG}/{SPLIT}-00000-of-00001.parquet"


@pytest.fixture
def content(tmp_path: Path) -> Content:
    """A manifest that is valid, with one file."""
    content = manifest_content(tmp_path, CONFIG, pairs_table(some_pairs(8)))
    content["configs"][CONFIG]["splits"][SPLIT]["files"] = {FILE: {"bytes": 10, "sha256": "ab" * 32}}
    return content


def write(folder: Path, content: object) -> None:
    (folder / MANIFEST).write_bytes(orjson.dumps(content))


def split_of(content: Content) -> Content:
    split: Content = content["configs"][CONFIG]["splits"][SPLIT]
    return split


def test_a_valid_manifest_is_read(content: Content, tmp_path: Path) -> None:
    write(tmp_path, content)
    assert read_manifest(tmp_path).configs[CONFIG].splits[SPLIT].rows == 8


def test_what_was_written_is_read(content: Content, tmp_path: Path) -> None:
    manifest = Manifest.model_validate(content)
    manifest.write(tmp_path)
    assert read_manifest(tmp_path) == manifest


def test_a_manifest_has_the_same_bytes_every_time(content: Content, tmp_path: Path) -> None:
    write(tmp_path, content)
    read_manifest(tmp_path).write(tmp_path)
    first = (tmp_path / MANIFEST).read_bytes()
    read_manifest(tmp_path).write(tmp_path)
    assert (tmp_path / MANIFEST).read_bytes() == first


def test_fields_of_a_later_version_are_ignored(content: Content, tmp_path: Path) -> None:
    write(tmp_path, {**content, "novelty": 1})
    assert read_manifest(tmp_path).dataset == "rad-cads"


def test_a_manifest_cannot_be_changed(content: Content) -> None:
    with pytest.raises(ValueError, match="frozen"):
        Manifest.model_validate(content).version = "2.0.0"


def test_every_split_with_files_is_listed(content: Content) -> None:
    assert [(config, split) for config, split, _ in Manifest.model_validate(content).own_splits()] == [(CONFIG, SPLIT)]


def test_a_folder_without_a_manifest_is_not_a_build(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"not a built folder: it has no manifest\.json"):
        read_manifest(tmp_path)


def refusal(folder: Path) -> str:
    """The line that refuses the manifest of a folder."""
    with pytest.raises(BadInputError) as error:
        read_manifest(folder)
    line = str(error.value)
    assert "\n" not in line
    assert str(folder / MANIFEST) in line
    return line


@pytest.mark.parametrize("text", ["", "{", "nonsense", '{"a": NaN}', "[" * 100_000], ids=lambda text: text[:10])
def test_a_file_that_is_not_json_is_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(text)
    assert "cannot be read" in refusal(tmp_path)


def test_a_file_that_is_not_text_is_one_line(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_bytes(b"\xff\xfe\x00{")
    assert refusal(tmp_path)


@pytest.mark.parametrize("document", [[], "text", 3, None])
def test_a_document_of_another_kind_is_one_line(document: object, tmp_path: Path) -> None:
    write(tmp_path, document)
    assert "not a manifest of a build: the document" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda content: content.clear(), "maker: field required"),
        (lambda content: content.update(maker="somebody"), "maker: input should be 'diptych'"),
        (lambda content: content.pop("version"), "version: field required"),
        (lambda content: content.update(version=1), "version: input should be a valid string"),
        (lambda content: content.update(dataset="../rad"), "dataset: string should match pattern"),
        (lambda content: content.update(dataset="x" * 200), "dataset: "),
        (lambda content: content.update(configs={}), "configs: dictionary should have at least 1 item"),
        (lambda content: content.update(configs=3), "configs: "),
        (lambda content: content.update(configs={"a": 3}), "configs.a: "),
        (lambda content: content.update(configs={"../a": content["configs"][CONFIG]}), "configs.../a"),
        (lambda content: content.update(default="none"), "the document: its default config none does not exist"),
        (lambda content: content.update(recipes=[]), "recipes: "),
        (
            lambda content: content.update(unions={"all": {"description": "All.", "unites": ["b"]}}),
            "all unites b, which does not exist",
        ),
        (lambda content: content.update(audit={"errors": 0, "warnings": 0, "findings": [1]}), "audit.findings.0"),
        (
            lambda content: content.update(
                audit={
                    "errors": 0,
                    "warnings": 0,
                    "findings": [{"name": "a", "level": "bad", "message": "", "place": ""}],
                }
            ),
            "audit.findings.0.level: input should be 'ok', 'warning' or 'error'",
        ),
        (lambda content: split_of(content).update(rows=-1), "rows: input should be greater than or equal to 0"),
        (lambda content: split_of(content).update(rows="many"), "rows: "),
        (lambda content: split_of(content).update(content_hash="ab"), "content_hash: string should match pattern"),
        (lambda content: split_of(content)["files"][FILE].update(sha256="AB" * 32), "sha256: "),
        (lambda content: split_of(content)["files"][FILE].pop("bytes"), "bytes: field required"),
        (lambda content: split_of(content).update(files=[]), "files: "),
        (lambda content: split_of(content).update(examples=[{}]), "examples.0"),
        (
            lambda content: content["configs"][CONFIG].update(ledger={SPLIT: {"t": {"seen": 1}}}),
            "paired: field required",
        ),
        (lambda content: content["configs"][CONFIG]["splits"].update({"a/b": split_of(content)}), "splits.a/b"),
    ],
)
def test_each_kind_of_damage_is_one_line_that_names_the_field(
    damage: Callable[[Content], object], message: str, content: Content, tmp_path: Path
) -> None:
    damage(content)
    write(tmp_path, content)
    assert message in refusal(tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "../secret.parquet",
        "/etc/secret.parquet",
        "data/../secret.parquet",
        "data/./secret.parquet",
        "data/../../secret.parquet",
        "data/a/../secret.parquet",
        "data/a/../../../secret.parquet",
        "data//secret.parquet",
        "data/a/b/c.parquet",
        "data/.a/c.parquet",
        "data/a/c.txt",
        "data/a/c.parquet\n",
        "data\\a\\c.parquet",
        "c.parquet",
        "data/a/c*.parquet",
        f"data/a/{'c' * 300}.parquet",
    ],
)
def test_a_file_name_that_leads_elsewhere_is_refused(name: str, content: Content, tmp_path: Path) -> None:
    split_of(content)["files"] = {name: {"bytes": 10, "sha256": "ab" * 32}}
    write(tmp_path, content)
    assert "files." in refusal(tmp_path)
