"""Every kind of mistake is found before a build and named with file, line and id."""

from pathlib import Path

import pytest

from diptych.errors import BadTemplateError, MissingFileError
from diptych.templates import check_templates, load_templates
from diptych.templates.folders import PACKAGE
from tests.templates.folder import HEAD, entry, write

GOOD = entry("Is {{ subject }} {{ value }}?")


def only_problem(folder: Path) -> str:
    problems = check_templates(folder)
    assert len(problems) == 1, [str(problem) for problem in problems]
    return str(problems[0]).removeprefix(f"{folder}/")


def test_the_templates_of_the_package_are_sound() -> None:
    assert [str(problem) for problem in check_templates(PACKAGE) if problem.is_error] == []


def test_a_sound_folder_has_no_problem(tmp_path: Path) -> None:
    assert check_templates(write(tmp_path, GOOD)) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Is {{ subject {{ value }}?", "Jinja syntax: expected token 'end of print statement', got '{'"),
        ("Is {% if value %}{{ subject }}?", "Jinja syntax: Unexpected end of template"),
        ("Is {% shout %}{{ subject ~ value }}?", "Jinja syntax: Encountered unknown tag 'shout'"),
        ("Is {{ subjct }} {{ subject ~ value }}?", "unknown variable 'subjct'; did you mean 'subject'?"),
        ("Is {{ size }} {{ subject ~ value }}?", "unknown variable 'size'; known: subject, value"),
        ("Is {{ subject ~ value | plurl }}?", "unknown filter 'plurl'; did you mean 'plural'? known: a, agree"),
        ("Is {{ subject ~ value | plural(2) }}?", "filter 'plural' takes no arguments"),
        ("Is {{ value | agree }} {{ subject }}?", "filter 'agree' takes 1 argument"),
        ("{% if subject is plurl %}{% endif %}{{ value }}?", "unknown test 'plurl'; did you mean 'plural'?"),
        ("{{ bee(subject) }} {{ value }}?", "unknown function 'bee'; did you mean 'be'? known: be, does"),
        ("{{ be }} {{ subject ~ value }}?", "'be' is a function: write be(…)"),
        ("Is {{ subject + value }}?", "'+' (write ~ to join texts) is not allowed in a template"),
        ("Is {{ subject }} {{ value }}", "no question mark at the end of 'Is the cat white' (with subject = 'the cat'"),
        ("{{ subject if subject == value }}{{ value if subject == value }}", "the template says nothing"),
        ("{% if value == subject %}x{% endif %}?", "the template says nothing (with value = 'white', "),
        ("Is {{ subject }} {{ value | word }}?", "a whole number is needed here, not 'white' (with subject = "),
        ("Is {{ subject }} {{ value | either }}?", "a list is needed here, not 'white'"),
        ("Is {{ subject }} {{ value == 'red' }}?", "a question cannot say False"),
        ("Is {{ subject }} {{ value[99] }}?", "str object has no element 99"),
    ],
)
def test_a_mistake_in_a_text_is_named_with_file_line_and_id(tmp_path: Path, text: str, said: str) -> None:
    problem = only_problem(write(tmp_path, entry(text)))
    expected = "yn_from_color.toml:9: template 'mine': "
    assert problem.startswith(expected)
    assert problem.removeprefix(expected).startswith(said.split("(with")[0])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("\n[[template]]\ntext = 'Is {{ subject ~ value }}?'\n", ":7: the template has no 'id'"),
        ("\n[[template]]\nid = 3\ntext = 'Is {{ subject ~ value }}?'\n", ":8: the template must have an 'id' of"),
        ("\n[[template]]\nid = 'a b'\ntext = 'Is {{ subject ~ value }}?'\n", ":8: the template must have an 'id' of"),
        (GOOD + "\n[[template]]\nid = 'two'\n", ":12: template 'two': the template has no 'text'"),
        (GOOD + "\n[[template]]\nid = 'two'\ntext = 3\n", ":14: template 'two': must be a text in quotes"),
        (entry("Is {{ subject ~ value }}?", more="tekst = ''"), ":10: template 'mine': unknown key 'tekst'; did you"),
        (entry("Is {{ subject ~ value }}?", more="mood = ''"), ":10: template 'mine': unknown key 'mood'; known: "),
        (entry("Is {{ subject ~ value }}?", more="example = 1"), ":10: template 'mine': 'example' must be a table"),
        (
            entry("Is {{ subject ~ value }}?", more="example = {valu = 'x'}"),
            ":10: template 'mine': 'example' fills an unknown slot 'valu'; did you mean 'value'?",
        ),
        (GOOD + GOOD, ":13: template 'mine': the id is already used at yn_from_color.toml:7"),
        (GOOD + "\n[[template]\nid = 'x'\n", ":12: TOML: Expected ']]'"),
        (GOOD + "x = '''open", ":11: TOML: Expected \"'''\""),
        (GOOD + "[slot]\nx = 1\n", ":11: unknown key 'slot'; did you mean 'slots'?"),
    ],
)
def test_a_mistake_in_an_entry_is_named_with_its_line(tmp_path: Path, body: str, said: str) -> None:
    assert only_problem(write(tmp_path, body)).startswith(f"yn_from_color.toml{said}")


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (HEAD.replace('test = "rad.yn_from_color"', ""), ":1: 'test' must name the test"),
        (HEAD.replace('"rad.yn_from_color"', "3"), ":1: 'test' must name the test"),
        (HEAD.replace("yn_from_color", "yn_from_what_kind"), ":1: templates of test 'rad.yn_from_what_kind' belong"),
        ("txets = ['x']\n" + HEAD, ":1: unknown key 'txets'; did you mean 'texts'?"),
        ("texts = 'negated'\n" + HEAD, ":1: 'texts' must be a list of names of fields"),
        (HEAD + "be = 'x'\n", ":6: slot 'be' has a name that templates use for something else"),
        (HEAD + "Size = 'x'\n", ":6: slot 'Size' must be named by small letters"),
        (HEAD + "size = []\n", ":6: slot 'size' needs 1 to 8 example values"),
        (HEAD + "size = 2020-01-01\n", ":6: slot 'size' may hold texts"),
        (HEAD + "size = {a = 1}\n", ":6: slot 'size' may hold texts"),
        (HEAD + "size = 'big'\n", ":6: test rad.yn_from_color fills no slot 'size'; known: subject, value"),
    ],
)
def test_a_mistake_above_the_entries_is_named_with_its_line(tmp_path: Path, head: str, said: str) -> None:
    errors = [str(problem) for problem in check_templates(write(tmp_path, GOOD, head=head)) if problem.is_error]
    assert any(error.startswith(f"{tmp_path}/yn_from_color.toml{said}") for error in errors), errors


def test_the_line_is_counted_inside_a_text_of_several_lines(tmp_path: Path) -> None:
    assert ":11: template" in only_problem(write(tmp_path, entry("\nIs {{ subject }}\n{{ valeu }}{{ value }}?")))


def test_the_line_is_right_after_continued_lines(tmp_path: Path) -> None:
    body = '\n[[template]]\nid = "mine"\ntext = """\nIs \\\n   {{ subject }} \\\n\n{{ value }}\n{{ valeu }}?"""\n'
    assert ":14: template" in only_problem(write(tmp_path, body))


def test_brackets_and_keys_inside_a_text_do_not_move_the_lines(tmp_path: Path) -> None:
    tricky = entry("\n[[template]]\nid = 1 # {{ subject }}\n{{ value }}?", "first")
    assert ":17: template 'second'" in only_problem(write(tmp_path, tricky + entry("{{ valeu }}?", "second")))


def test_a_second_text_is_checked_too(tmp_path: Path) -> None:
    body = entry("Is {{ subject ~ value }}?", more="negated = 'Is {{ subjec }} not?'")
    said = only_problem(write(tmp_path, body, head="texts = ['negated']\n" + HEAD))
    assert said.startswith("yn_from_color.toml:11: template 'mine': negated: unknown variable 'subjec'")


def test_an_id_may_not_be_used_in_two_files(tmp_path: Path) -> None:
    other = 'test = "rad.yn_from_what_kind"\n[slots]\nvalue = "x"\n'
    write(tmp_path, GOOD)
    said = only_problem(write(tmp_path, entry("{{ value }}?"), "yn_from_what_kind", other))
    assert said == "yn_from_what_kind.toml:6: template 'mine': the id is already used at yn_from_color.toml:7"


def test_a_slot_that_no_template_uses_is_only_a_warning(tmp_path: Path) -> None:
    (problem,) = check_templates(write(tmp_path, entry("Is {{ subject }} red?")))
    assert str(problem).endswith("yn_from_color.toml:5: warning: no template uses slot 'value'")
    assert len(load_templates("rad-cads", tmp_path)) == 1


def test_a_test_nobody_builds_is_only_a_warning(tmp_path: Path) -> None:
    said = only_problem(write(tmp_path, GOOD, "yn_from_colour", HEAD.replace("color", "colour")))
    assert said.startswith("yn_from_colour.toml:1: warning: nothing builds from test 'rad.yn_from_colour'; did you")


def test_a_file_that_is_not_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "yn_from_color.toml").write_bytes(b"# one\n# caf\xe9\n")
    assert only_problem(tmp_path) == "yn_from_color.toml:2: the file is not UTF-8"


def test_loading_stops_at_the_first_mistake(tmp_path: Path) -> None:
    write(tmp_path, entry("{{ subject ~ value }}", "one") + entry("{{ x }}?", "two"))
    with pytest.raises(BadTemplateError, match=r"yn_from_color\.toml:9: template 'one': no question mark"):
        load_templates("rad-cads", tmp_path)


def test_a_folder_without_templates_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="no templates in"):
        check_templates(tmp_path)
    with pytest.raises(MissingFileError, match="expected"):
        load_templates("rad-cads", tmp_path)
