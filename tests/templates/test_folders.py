"""Templates from the package, and from exported and edited folders."""

from pathlib import Path

import pytest

from diptych.errors import BadInputError, UnknownNameError
from diptych.templates import export_templates, load_templates, template_datasets
from tests.templates.folder import HEAD, entry, write


def test_an_exported_folder_loads_as_the_package_does(tmp_path: Path) -> None:
    export_templates(tmp_path)
    for dataset in template_datasets():
        assert load_templates(dataset, tmp_path).hash == load_templates(dataset).hash
        assert load_templates(dataset, tmp_path / dataset).hash == load_templates(dataset).hash


def test_an_edited_template_is_used_and_only_its_hash_changes(tmp_path: Path) -> None:
    (folder,) = export_templates(tmp_path / "mine", ["rad-cads"])
    file = folder / "yn_from_color.toml"
    file.write_text(file.read_text().replace("Is the color of {{ subject }}", "Is {{ subject }} colored"))
    templates, edited_templates = load_templates("rad-cads"), load_templates("rad-cads", tmp_path / "mine")
    assert edited_templates["color.of"].render(subject="the cat", value="red") == "Is the cat colored red?"
    changed_ids = [template.id for template in edited_templates if template.hash != templates[template.id].hash]
    assert changed_ids == ["color.of"]
    assert edited_templates.hash != templates.hash


def test_comments_blank_lines_and_line_ends_do_not_change_the_hash(tmp_path: Path) -> None:
    (folder,) = export_templates(tmp_path, ["rad-cads"])
    for file in folder.iterdir():
        file.write_bytes(b"\xef\xbb\xbf# mine\n\n" + file.read_bytes().replace(b"\n", b"\r\n"))
    assert load_templates("rad-cads", tmp_path).hash == load_templates("rad-cads").hash


def test_other_texts_and_data_are_fields(tmp_path: Path) -> None:
    head = "texts = ['negated']\ndata = ['weight']\n" + HEAD
    fields = "like = 'color.of'\nnegated = 'Is {{ subject }} not {{ value }}?'\nweight = 2"
    write(tmp_path, entry("Is {{ subject }} {{ value }}?", fields=fields), head=head)
    template = load_templates("rad-cads", tmp_path)["mine"]
    assert template.fields["weight"] == 2
    assert template.example("negated") == "Is the cat not white?"
    assert (template.line, template.file) == (9, tmp_path / "yn_from_color.toml")


def test_a_list_slot_has_lists_as_examples(tmp_path: Path) -> None:
    head = HEAD.replace('["white", "red"]', '[\n  ["red", "blue"],\n]')
    write(tmp_path, entry("Is {{ subject }} {{ value | either }}?"), head=head)
    template = load_templates("rad-cads", tmp_path)["mine"]
    assert template.example() == "Is the cat red or blue?"
    assert template.line == 9


def test_export_leaves_a_folder_with_files_alone(tmp_path: Path) -> None:
    export_templates(tmp_path)
    path = tmp_path / "rad-cads" / "yn_from_color.toml"
    mtime = path.stat().st_mtime_ns
    with pytest.raises(BadInputError, match=r"is not empty: .* --force"):
        export_templates(tmp_path)
    assert path.stat().st_mtime_ns == mtime


def test_a_forced_export_restores_its_files_and_leaves_others(tmp_path: Path) -> None:
    (folder,) = export_templates(tmp_path, ["rad-cads"])
    (folder / "yn_from_color.toml").write_text("broken")
    (folder / "notes.txt").write_text("mine")
    export_templates(tmp_path, ["rad-cads"], force=True)
    assert load_templates("rad-cads", tmp_path).hash == load_templates("rad-cads").hash
    assert (folder / "notes.txt").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["rad-cads"]


def test_an_export_that_was_killed_is_done_again(tmp_path: Path) -> None:
    leftover = tmp_path / ".rad-cads.999999999.tmp" / "new"  # by a process that is no more
    leftover.mkdir(parents=True)
    (leftover / "half.toml").write_text("test = ")
    (folder,) = export_templates(tmp_path, ["rad-cads"])
    assert [path.name for path in tmp_path.iterdir()] == ["rad-cads"]
    tests = ["yn_from_color", "yn_from_colors", "yn_from_how_many", "yn_from_what_kind"]
    assert sorted(path.name for path in folder.iterdir()) == [f"{test}.toml" for test in tests]


def test_an_unknown_dataset_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'rad-cads'"):
        load_templates("rad-cad")
    with pytest.raises(UnknownNameError, match="did you mean 'rad-cads'"):
        export_templates(tmp_path, ["rad-cad"])
